package io.waterwheel.cli.proposal;

import static io.waterwheel.cli.proposal.ForeignFilesTest.taken;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.cli.proposal.ForeignFilesTest.Taken;
import io.waterwheel.schema.RecordFormat;
import java.io.ByteArrayInputStream;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Times that may be read in several ways: which one is taken, and what is said of the others. */
class GuessedTimesTest {
    private static final LocalDateTime BEGIN = LocalDateTime.of(2020, 4, 1, 0, 10);

    /** Ten digits that are hours of days are no seconds since 1970, which would be of 2033. */
    @Test
    void hoursInDigits() throws Exception {
        Taken weather = taken("STATIONS_ID;MESS_DATUM;TT_TU\n"
                + rows(30, row -> "44;" + format("yyyyMMddHH", BEGIN.plusHours(row * 25)) + "; 3." + row));
        assertThat(weather.yaml())
                .contains("{name: MESS_DATUM, type: timestamp}", "  times: yyyyMMddHH\n", "time: MESS_DATUM\n");
        assertThat(weather.column("MESS_DATUM")).startsWith(millis("2020-04-01T00:00:00Z"));
        Taken json = taken(
                "{\"when\":2021100700,\"v\":0}\n{\"when\":2021100701,\"v\":1}\n".getBytes(UTF_8),
                RecordFormat.JSON,
                FileFacts.NONE);
        assertThat(json.column("when"))
                .as(json.yaml())
                .containsExactly(millis("2021-10-07T00:00:00Z"), millis("2021-10-07T01:00:00Z"));
        // Two forms may fit: the year of four digits is taken, and the other named.
        assertThat(taken("t,v\n2007040101,1\n2007040102,2\n").yaml())
                .contains("times: yyyyMMddHH   # a guess: yyMMddHHmm fits too; a year of four digits is the likelier");
    }

    @Test
    void yearsOfTwoDigitsInDigits() throws Exception {
        Taken hourly = taken("t,v\n" + rows(24, row -> format("yyMMddHHmm", BEGIN.plusHours(row)) + "," + row));
        assertThat(hourly.yaml()).contains("times: yyMMddHHmm   # a guess: ten digits may count seconds since 1970");
        assertThat(hourly.column("t")).startsWith(millis("2020-04-01T00:10:00Z"));
        // As seconds these are of 2020: so many in different minutes are no seconds by chance.
        Taken old = taken("t,v\n"
                + rows(24, row -> format("yyMMddHHmm", BEGIN.minusYears(4).plusHours(row)) + ",1"));
        assertThat(old.column("t")).as(old.yaml()).startsWith(millis("2016-04-01T00:10:00Z"));
        // Seconds of one minute, each of which could be a minute of 2016.
        Taken seconds = taken("t,v\n" + rows(30, row -> 1612310000L + row + "," + row));
        assertThat(seconds.yaml()).contains("{name: t, type: timestamp, unit: s}");
    }

    /** Numbers of ten digits are seconds since 1970 where nothing speaks for another thing. */
    @Test
    void numbersOfTenDigits() throws Exception {
        assertThat(taken("t,v\n1585701117,1\n1585701234,2\n").yaml()).contains("{name: t, type: timestamp, unit: s}");
        for (String name : new String[] {"phone", "order_id", "orderId", "Telefon"}) {
            String file = name + ",v\n1585701117,1\n1585702234,2\n";
            assertThatThrownBy(() -> taken(file))
                    .hasMessageContaining(
                            name + " may hold seconds since 1970: --time-field " + name + " takes them so");
            FileFacts facts = new FileFacts();
            facts.time = name;
            assertThat(taken(file.getBytes(UTF_8), RecordFormat.CSV, facts).column(name))
                    .startsWith(millis(Instant.ofEpochSecond(1585701117).toString()));
        }
        // As seconds these are of 1985 and of 2096.
        for (String number : new String[] {"49001000", "400010000"}) {
            assertThatThrownBy(() -> taken("n,v\n%s1,1\n%s2,2\n".replace("%s", number)))
                    .hasMessageContaining("no column can be the time");
            assertThat(taken("epoch,v\n%s1,1\n%s2,2\n".replace("%s", number)).yaml())
                    .contains("{name: epoch, type: timestamp, unit: s}");
        }
        assertThat(taken("id,created,v\n1633046401,20211001,1\n1633046402,20211002,2\n")
                        .yaml())
                .contains("time: created\n", "{name: id, type: int}");
        assertThat(taken("n,created,v\n1633046401,20211001,1\n1633046402,20211002,2\n")
                        .yaml())
                .contains("time: created\n");
    }

    /** 21/01/02 is the second of January where times are in order by that, or nearer to each other. */
    @Test
    void yearsOfTwoDigitsFirst() throws Exception {
        for (String sign : List.of("/", ".", "-")) {
            String first = "yy/MM/dd HH:mm".replace("/", sign);
            String last = "dd/MM/yy HH:mm".replace("/", sign);
            // By the day first: the 21st of months of the years 2001 to 2030, up and down.
            String logged = "time,v\n"
                    + rows(200, row -> format(first, BEGIN.plusYears(1).plusDays(row)) + "," + row);
            Taken taken = taken(logged);
            assertThat(taken.yaml())
                    .contains(first + "'   # a guess: ", last + " fits too; times are in order by this alone");
            assertThat(taken.column("time")).startsWith(millis("2021-04-01T00:10:00Z"));
            assertThat(undecided(logged)).isEmpty();
            // Other days first, in order too, but of 28 years.
            String month = "time,v\n"
                    + rows(28, row -> format(first, BEGIN.withYear(2021).plusDays(row)) + "," + row);
            assertThat(taken(month).column("time")).startsWith(millis("2021-04-01T00:10:00Z"));
            assertThat(undecided(month)).isEmpty();
            String days = "time,v\n"
                    + rows(28, row -> format(last, BEGIN.withYear(2021).plusDays(row)) + "," + row);
            assertThat(taken(days).column("time")).startsWith(millis("2021-04-01T00:10:00Z"));
        }
        assertThat(taken("time,v\n" + rows(28, row -> format("dd.MM.yy", BEGIN.plusDays(row)) + ",1"))
                        .yaml())
                .contains(
                        "  times: dd.MM.yy   # a guess: yy.MM.dd fits too; times are not years ahead by this alone\n");
        // Of one day nothing tells, but for points and for what would be years ahead.
        assertThat(undecided("t,v\n21/10/01 10:00,1\n21/10/01 11:00,2\n"))
                .hasSize(1)
                .allMatch(one -> one.contains("may be dd/MM/yy HH:mm or yy/MM/dd HH:mm"));
        assertThat(undecided("t,v\n21-10-01 10:00,1\n"))
                .hasSize(1)
                .allMatch(one -> one.contains("may be yy-MM-dd HH:mm or dd-MM-yy HH:mm"));
        assertThat(undecided("t,v\n21.10.01 10:00,1\n")).isEmpty();
        assertThat(undecided("t,v\n21/10/68 10:00,1\n")).isEmpty();
        assertThat(taken("t,v\n68/10/21,1\n").column("t")).containsExactly(millis("2068-10-21T00:00:00Z"));
        assertThat(taken("t,v\n21/10/31,1\n").column("t")).containsExactly(millis("2021-10-31T00:00:00Z"));
    }

    /** Of a day and a month that both may be either, the order of the rows tells, where there are enough. */
    @Test
    void theOrderTellsDaysFromMonths() throws Exception {
        String file = "t,v\n"
                + rows(40, row -> format("M/d/yyyy", BEGIN.plusMonths(row / 10).plusDays(row % 10)) + ",1");
        assertThat(undecided(file)).isEmpty();
        assertThat(taken(file).yaml())
                .contains("times: 'M/d/yyyy'   # a guess: d/M/yyyy fits too; times are in order by this alone");
        assertThat(undecided("t,v\n1/2/2021,1\n2/1/2021,2\n3/3/2021,3\n")).hasSize(1);
    }

    /** Texts in order are in order by each reading that has their first group first: that tells nothing. */
    @Test
    void rowsSortedAsTextTellNothing() throws Exception {
        IntFunction<LocalDateTime> day =
                row -> LocalDateTime.of(2021, 10, 1, 0, 0).plusDays(row);
        for (String pattern : List.of("dd/MM/yy", "dd.MM.yy", "dd/MM/yyyy")) {
            for (String delimiter : List.of(",", ";")) {
                int count = pattern.equals("dd/MM/yyyy") ? 12 : 90;
                String file = "day" + delimiter + "v\n"
                        + IntStream.range(0, count)
                                .mapToObj(row -> format(
                                        pattern,
                                        count == 12
                                                ? day.apply(row % 3)
                                                        .withMonth(1)
                                                        .plusMonths(row / 3)
                                                : day.apply(row)))
                                .sorted()
                                .map(text -> text + delimiter + "1\n")
                                .collect(Collectors.joining());
                assertThat(undecided(file)).as(file).hasSize(1).allMatch(one -> one.contains(" may be "));
            }
        }
        // Points speak against the order, and the rest for it.
        assertThat(undecided("t,v\n" + rows(20, row -> format("yy.MM.dd", day.apply(row)) + ",1")))
                .isEmpty();
        // What expires is ahead: that the year first would not be so decides nothing as that lasts longer.
        assertThat(undecided("valid_until,v\n"
                        + rows(
                                30,
                                row -> format(
                                                "dd/MM/yy",
                                                LocalDateTime.of(
                                                        2028 + row % 3, 3 + row * 5 % 6, 1 + row * 7 % 22, 0, 0))
                                        + ",1")))
                .hasSize(1);
        // Seven values are in order by chance.
        String months = rows(10, row -> format("M/d/yyyy", BEGIN.plusDays(row * 7 / 9 + row / 5 * 30)) + ",1");
        assertThat(undecided("t,v\n" + months.lines().limit(7).collect(Collectors.joining("\n"))))
                .hasSize(1);
        assertThat(taken("t,v\n15/01/01,1\n16/01/01,2\n17/01/01,3\n18/01/01,4\n")
                        .yaml())
                .contains("times: 'dd/MM/yy'   # a guess: yy/MM/dd fits too; times are nearest to each other by this");
    }

    /** Seconds in a column such as created come before other digits that are days and times by chance. */
    @Test
    void secondsAndOtherDigits() throws Exception {
        for (String other : List.of("dob 19800110", "batch 20211001", "order_no 2021100101", "invoice 2110011000")) {
            String[] named = other.split(" ", 2);
            String file = rows(30, row -> (Long.parseLong(named[1]) + row % 9) + "," + (1633046400 + row * 137));
            assertThat(taken(named[0] + ",created\n" + file).yaml())
                    .as(other)
                    .contains("time: created\n", "{name: created, type: timestamp, unit: s}");
        }
        assertThatThrownBy(() -> taken("order_no,v\n2021100101,1\n")).hasMessageContaining("no column can be the time");
        for (String name : List.of("ts", "timestamp")) {
            long unit = name.equals("ts") ? 1 : 1000;
            String bins = rows(12, row -> "01-02-%02d,".formatted(row + 1) + (1633046400 + row * 137) * unit);
            assertThat(taken("bin," + name + "\n" + bins).yaml()).contains("time: " + name + "\n");
            assertThat(taken("day,n\n" + bins).yaml()).contains("time: day\n");
        }
    }

    /** Ten digits with a month, a day, an hour and a minute may be seconds all the same. */
    @Test
    void secondsThatLookLikeMinutes() throws Exception {
        for (int step : new int[] {1, 100}) {
            String file = "timestamp,v\n" + rows(24, row -> 1701010000L + row * step + "," + row);
            assertThat(taken(file).yaml()).contains("{name: timestamp, type: timestamp, unit: s}");
            assertThat(undecided(file)).isEmpty();
        }
        String batches = "t,v\n" + rows(40, row -> 1701010000L + row % 10 + row / 10 * 100 + "," + row);
        assertThat(undecided(batches))
                .containsExactly("whether t counts seconds since 1970 or has times such as yyMMddHHmm cannot be told:"
                        + " say --time-field t or --times yyMMddHHmm");
        FileFacts facts = new FileFacts();
        facts.times = "yyMMddHHmm";
        assertThat(taken(batches.getBytes(UTF_8), RecordFormat.CSV, facts).column("t"))
                .startsWith(millis("2017-01-01T00:00:00Z"));
        String padded = "t,v\n" + rows(30, row -> "09100112" + (row + 10) + "," + row);
        assertThat(taken(padded).column("t")).startsWith(millis("2009-10-01T12:10:00Z"));
        assertThat(undecided(padded)).isEmpty();
        assertThat(taken("time,v\n1910010800,1\n1910010900,2\n").yaml())
                .contains("times: yyMMddHHmm   # a guess: yyyyMMddHH fits too; it would be of years before 1950");
    }

    /** Days that are sorted as texts are in the order of any reading by their first number, also around a word. */
    @Test
    void aWordBetweenSortedTextsTellsNothing() throws Exception {
        String file = "day,v\n"
                + rows(
                        18,
                        row -> format("dd/MM/yyyy", LocalDateTime.of(2021, 1 + row % 12, 1 + row / 12, 0, 0)) + ","
                                + row);
        assertThat(undecided(file)).hasSize(1);
        assertThat(undecided(file + "unknown,18\n"
                        + rows(6, row -> format("dd/MM/yyyy", LocalDateTime.of(2021, 7 + row, 2, 0, 0)) + "," + row)))
                .hasSize(1);
    }

    /** Of many days, ten digits with valid minutes are no seconds by chance, whatever the column is called. */
    @Test
    void minutesOfManyDaysAreNoSeconds() throws Exception {
        Taken minutes = taken("timestamp,v\n"
                + rows(
                        300,
                        row -> format(
                                        "yyMMddHHmm",
                                        LocalDateTime.of(2017, 10, 1, 0, 0).plusMinutes(37L * row)) + "," + row));
        assertThat(minutes.yaml()).contains("times: yyMMddHHmm   # a guess");
    }

    private static List<String> undecided(String file) throws Exception {
        return Proposals.of("f.csv", new ByteArrayInputStream(file.getBytes(UTF_8)), List.of())
                .undecided();
    }

    private static String rows(int count, IntFunction<String> row) {
        StringBuilder rows = new StringBuilder();
        for (int r = 0; r < count; r++) {
            rows.append(row.apply(r)).append('\n');
        }
        return rows.toString();
    }

    private static String format(String pattern, LocalDateTime time) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).format(time);
    }

    private static long millis(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }
}
