package io.waterwheel.cli.proposal;

import static io.waterwheel.cli.proposal.ForeignFilesTest.millis;
import static io.waterwheel.cli.proposal.ForeignFilesTest.taken;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.cli.proposal.ForeignFilesTest.Taken;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.text.TimePattern;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Files with odd values, marks and times: what is proposed takes them as they are meant, or says what is not clear. */
class OddFilesTest {
    private static List<String> undecided(byte[] file, @Nullable FileEncoding encoding) throws Exception {
        return SchemaProposal.of(
                        "f", Proposals.source("f", file), RecordFormat.CSV, List.of(), encoding, FileFacts.NONE)
                .undecided();
    }

    private static List<String> undecided(String file) throws Exception {
        return undecided(file.getBytes(UTF_8), null);
    }

    private static String rows(String names, String row, int rows, String odd) {
        StringBuilder file = new StringBuilder(names).append('\n');
        for (int r = 0; r < rows; r++) {
            file.append(r == rows / 2 ? odd : row.replace("#", String.valueOf(r)))
                    .append('\n');
        }
        return file.toString();
    }

    /** One word among a thousand numbers hides neither their marks nor itself. */
    @Test
    void anOddWordBesideMarkedNumbers() throws Exception {
        for (String odd : List.of("missing", "N,200")) {
            Taken commas = taken(rows("t;k;m", "2021-03-01;a;#,5", 100, "2021-03-01;a;" + odd));
            assertThat(commas.yaml())
                    .contains("  decimal: ','", "# 99 of 100 are numbers; others: " + odd + " (line 52): --null");
        }
        assertThat(taken(rows("t;m", "2021-03-01;1'234,5#", 40, "2021-03-01;none"))
                        .yaml())
                .contains("  thousands: ''''", "39 of 40 are numbers; others: none (line 22)");
        Taken nan = taken("t;k;v\n2021-03-02;a;2,5\n2021-03-30;b;NaN\n");
        assertThat(nan.column("v")).as(nan.yaml()).containsExactly(2.5, Double.NaN);
        Taken money = taken("t;v\n2021-03-02;€ 12,50\n2021-03-03;€ 1,00\n2021-03-04;$ 2,25\n");
        assertThat(money.yaml()).contains("decimal: ','", "# 2 of 3 are numbers with €; others: $ 2,25 (line 4)");
        Taken shares = taken("t,v,b,ip\n2021-03-02,5 %,true,10.0.0.1\n2021-03-03,NaN,NaN,NaN\n");
        assertThat(shares.column("v")).as(shares.yaml()).containsExactly(5.0, Double.NaN);
        assertThat(shares.yaml())
                .contains(
                        "# 1 of 2 are booleans; others: NaN (line 3): --null takes a word for nothing",
                        "# 1 of 2 are addresses; others: NaN (line 3): --null takes a word for nothing");
        FileFacts facts = new FileFacts();
        facts.nulls = List.of("NaN");
        assertThat(taken("t,b\n2021-03-02,true\n2021-03-03,NaN\n".getBytes(UTF_8), RecordFormat.CSV, facts)
                        .column("b"))
                .containsExactly(true, null);
        // What looks like numbers and is kept as a text has a reason, and no word for nothing.
        assertThat(taken(rows("t,zip", "2021-03-02,1#", 40, "2021-03-02,01234")).yaml())
                .contains("# digits that a number would not keep: 01234 (line 22)\n");
        assertThat(taken(rows("t,n", "2021-03-02,1#", 40, "2021-03-02,9223372036854775808"))
                        .yaml())
                .contains("# digits that a number would not keep: 9223372036854775808 (line 22)\n");
    }

    /** A row of units, which is no row, leaves the columns numbers, also where there are few; its line is told. */
    @Test
    void unitsBehindTheNames() throws Exception {
        Taken few = taken("time,temp,hum\n,°C,%\n2024-01-01 00:00,0.0,0\n");
        assertThat(few.fields()).containsExactly("time timestamp", "temp double", "hum int");
        assertThat(few.rows()).hasSize(1);
        assertThat(few.refused()).hasSize(1);
        assertThat(few.yaml())
                .contains("# line 2 seems to be units (°C, %) and no row: it will be rejected."
                        + " Without: --skip-lines 2 --columns time,temp,hum\n");
        // Decimal commas are seen all the same, and what the message says works.
        String german = "Zeit;Temperatur;Feuchte\n;°C;%\n2024-01-01 00:00;1,5;80\n2024-01-01 00:10;-0,25;81\n";
        assertThat(taken(german).column("Temperatur")).containsExactly(1.5, -0.25);
        FileFacts facts = new FileFacts();
        facts.skipLines = 2;
        Taken without = taken(german.getBytes(UTF_8), RecordFormat.CSV, facts, "Zeit", "Temperatur", "Feuchte");
        assertThat(without.refused()).isEmpty();
        assertThat(without.column("Temperatur")).containsExactly(1.5, -0.25);
        // Behind a title, and with a second row on what was done with the values.
        String logger = """
                "TOA5","CR1000","1"
                "TIMESTAMP","RECORD","Batt","Air"
                "TS","RN","Volts","Deg C"
                "","","Min","Avg"
                "2024-01-01 00:00:00",0,12.9,1.25
                "2024-01-01 00:10:00",1,12.8,1.5
                "2024-01-01 00:20:00",2,12.8,1.75
                "2024-01-01 00:30:00",3,12.75,2
                "2024-01-01 00:40:00",4,12.75,2.5
                "2024-01-01 00:50:00",5,12.75,3
                "2024-01-01 01:00:00",6,12.75,3
                "2024-01-01 01:10:00",7,12.75,3
                """;
        Taken toa5 = taken(logger);
        assertThat(toa5.fields())
                .as(toa5.yaml())
                .containsExactly("TIMESTAMP timestamp", "RECORD int", "Batt double", "Air double");
        assertThat(toa5.refused()).hasSize(2);
        assertThat(toa5.yaml())
                .contains(
                        "# line 3 seems to be units (TS, RN, Volts, Deg C) and no row; it and the next, to line 4, will be"
                                + " rejected. Without: --skip-lines 4 --columns TIMESTAMP,RECORD,Batt,Air\n");
        // Rows of values are none of units: with a time, a known word for nothing, or where others are texts, too.
        for (String row : List.of("2024-01-01 00:00,missing", ",NA", "2024-01-01 00:00,NA")) {
            assertThat(taken("time,temp\n" + row + "\n2024-01-01 00:10,1.5\n2024-01-01 00:20,2.5\n")
                            .yaml())
                    .doesNotContain("seems to be units");
        }
        assertThat(taken("time,a\n2024-01-01,x\n2024-01-02,y\n").yaml()).doesNotContain("seems to be units");
    }

    /** As Oracle and SAS write numbers; where all end with the point, they are ordinals. */
    @Test
    void pointsWithoutDigitsBesideThem() throws Exception {
        Taken points = taken("""
                t,a,b,c,d
                2021-03-01,.5,7.,1.,9007199254740993.
                2021-03-02,-.25,7.5,2.,.1
                2021-03-03,+.125,-0.,3.,.25e2
                """);
        assertThat(points.refused()).isEmpty();
        assertThat(points.column("a")).as(points.yaml()).containsExactly(0.5, -0.25, 0.125);
        assertThat(points.column("b")).containsExactly(7.0, 7.5, -0.0);
        assertThat(points.column("c")).containsExactly("1.", "2.", "3.");
        assertThat(points.column("d"))
                .containsExactly(new BigDecimal("9007199254740993.0"), new BigDecimal("0.1"), new BigDecimal("25.0"));
        assertThat(taken("t;a\n2021-03-01;,5\n2021-03-02;7,\n2021-03-03;-1.234,5\n")
                        .column("a"))
                .containsExactly(0.5, 7.0, -1234.5);
        assertThat(taken("t,a\n2021-03-01,.\n2021-03-02,-.\n").column("a")).containsExactly(".", "-.");
    }

    /** Where all values are in quotes, words for nothing are, too: numbers and times lack them, texts have them. */
    @Test
    void quotedWordsForNothing() throws Exception {
        Taken quoted = taken("""
                "k","t","v","n","x"
                "NA","2024-01-01 00:07:00","NULL","1",""
                "k7","2024-01-01 00:08:00","0.5","","2024-01-01 00:07:00"
                "","2024-01-01 00:09:00","1.5","2","NULL"
                """);
        assertThat(quoted.refused()).as(quoted.yaml()).isEmpty();
        assertThat(quoted.column("v")).as(quoted.yaml()).containsExactly(null, 0.5, 1.5);
        assertThat(quoted.column("n")).containsExactly(1, null, 2);
        assertThat(quoted.column("x")).containsExactly(null, millis("2024-01-01T00:07:00Z"), null);
        assertThat(quoted.column("k")).containsExactly("NA", "k7", "");
        assertThat(quoted.yaml()).contains("nulls: ['NULL']");
        // A column of such words alone is one of texts.
        assertThat(taken("t,v\n2024-01-01,\"NULL\"\n2024-01-02,\"\"\n").column("v"))
                .containsExactly("NULL", "");
        // A word that is a number stays one in quotes.
        FileFacts facts = new FileFacts();
        facts.nulls = List.of("-999");
        assertThat(taken("t,v\n2024-01-01,\"-999\"\n2024-01-02,-999\n".getBytes(UTF_8), RecordFormat.CSV, facts)
                        .column("v"))
                .containsExactly(-999, null);
    }

    /** Swiss spreadsheets write the apostrophe that typesetters use; it is the same mark. */
    @Test
    void apostrophesBetweenThousands() throws Exception {
        Taken swiss = taken("t;v\n2021-03-01;1’234.50\n2021-03-02;12'345'678.25\n2021-03-03;-2’000\n");
        assertThat(swiss.column("v")).as(swiss.yaml()).containsExactly(1234.5, 12345678.25, -2000.0);
        assertThat(swiss.yaml()).contains("  thousands: ''''\n");
        FileFacts facts = new FileFacts();
        facts.thousands = '’';
        Taken said = taken("t;v\n2021-03-01;1’234\n2021-03-02;5\n".getBytes(UTF_8), RecordFormat.CSV, facts);
        assertThat(said.column("v")).as(said.yaml()).containsExactly(1234, 5);
        assertThat(taken("t;v\n2021-03-01;12’34\n2021-03-02;5.5\n").column("v")).containsExactly("12’34", "5.5");
    }

    /** Versions in strings of JSON: a number would make one of two, where zeros at the end tell them apart. */
    @Test
    void versionsInStringsOfJson() throws Exception {
        Taken json = taken("""
                        {"t":"2021-03-01T00:00:00Z","v":"1.9","price":"2.90","w":"1.50","n":1.5}
                        {"t":"2021-03-02T00:00:00Z","v":"1.10","price":"3","w":"1.125","n":1.10}
                        {"t":"2021-03-03T00:00:00Z","v":"1.1","price":"3.15","w":"2","n":1}
                        """.getBytes(UTF_8), RecordFormat.JSON, FileFacts.NONE);
        assertThat(json.fields())
                .as(json.yaml())
                .containsExactly("t timestamp", "v string", "price double", "w double", "n double");
        assertThat(json.column("v")).containsExactly("1.9", "1.10", "1.1");
        assertThat(json.yaml()).contains("# digits that a number would not keep: 1.10 (");
    }

    /** A comma with three digits behind it: what the file shows beside it tells, or nothing does. */
    @Test
    void commasThatMayBeEither() throws Exception {
        Taken exponents = taken("t,k,v\n2021-03-02T00:00:00Z,a,\"2,422E+11\"\n2021-03-22T00:00:00Z,b,\"7,351E-12\"\n");
        assertThat(exponents.column("v")).as(exponents.yaml()).containsExactly(2.422e11, 7.351e-12);
        String german = "Datum;Menge\n07.10.2021;1,250\n08.10.2021;12,345\n13.10.2021;3,001\n";
        Taken commas = taken(german);
        assertThat(commas.column("Menge")).as(commas.yaml()).containsExactly(1.25, 12.345, 3.001);
        assertThat(commas.yaml())
                .contains(
                        "# a guess: 3 times the comma is a decimal mark, as it seems by the delimiter ; and days such as"
                                + " 07.10.2021; --thousands , says that it is none");
        assertThat(undecided(german)).isEmpty();
        assertThat(undecided("t,n\n2021-10-07,\"12,345\"\n2021-10-08,\"1,200\"\n"))
                .isEmpty();
        for (String file : List.of(
                "t\tn\n2021-10-07\t12,345\n2021-10-08\t1,200\n",
                "t;n\n2021-10-07;12,345\n2021-10-08;999\n",
                "t,n\n07.10.2021,\"12,345\"\n08.10.2021,\"1,200\"\n",
                "t,n\n2021-10-07,\"12,345\"\n2021-10-08,1200\n")) {
            assertThat(undecided(file))
                    .as(file)
                    .hasSize(1)
                    .allMatch(one -> one.startsWith("whether commas are decimal marks or stand between thousands cannot"
                            + " be told (n: 12,345 (line 2)"));
            for (char decimal : ".,".toCharArray()) {
                FileFacts facts = new FileFacts();
                facts.decimal = decimal;
                Taken said = taken(file.getBytes(UTF_8), RecordFormat.CSV, facts);
                assertThat(((Number) said.rows().get(0).get(1)).doubleValue())
                        .as(said.yaml())
                        .isEqualTo(decimal == ',' ? 12.345 : 12345.0);
            }
        }
        // Another value that only one reading takes tells of all.
        assertThat(undecided("t\tn\n2021-10-07\t12,345\n2021-10-08\t1,2\n")).isEmpty();
        assertThat(undecided("t\tn\n2021-10-07\t12,345\n2021-10-08\t1,234,567\n"))
                .isEmpty();
    }

    @Test
    void daysThatMayBeMonths() throws Exception {
        assertThat(undecided("t,n\n3/4/2021,1\n5/6/2021,2\n"))
                .containsExactly("times of t may be d/M/yyyy or M/d/yyyy, and none of the first 2 rows tells which: say"
                        + " it by --times, such as --times 'd/M/yyyy'");
        assertThat(undecided("t,n\n3/4/2021,1\n5/16/2021,2\n")).isEmpty();
        String commas = "t;n\n3/4/2021;1,5\n5/6/2021;2\n";
        assertThat(undecided(commas)).isEmpty();
        assertThat(taken(commas).yaml()).contains("M/d/yyyy fits too; decimal commas speak for the day first");
        // Another column tells; and so do all others where one is no time.
        String other = "t,due\n3/4/2021,25/4/2021\n4/4/2021,26/4/2021\n";
        assertThat(undecided(other)).isEmpty();
        assertThat(taken(other).yaml()).contains("times: 'd/M/yyyy'\n");
        StringBuilder rows = new StringBuilder("t,n\nnone,0\n");
        for (int row = 0; row < 60; row++) {
            rows.append(row == 30 ? "25/4/2021,1\n" : "3/4/2021,1\n");
        }
        assertThat(undecided(rows.toString())).isEmpty();
        assertThat(taken(rows.toString()).yaml()).contains("times: 'd/M/yyyy'\n", "1 of 61 are no times");
    }

    /** Where a pattern reads days, its twin with the month first does, too: none is taken without a word. */
    @Test
    void patternsHaveTwins() throws Exception {
        String half = "t,n\n3/4/2021 1:30 PM,1\n5/6/2021 2:30 AM,2\n";
        assertThat(undecided(half)).isEmpty();
        assertThat(taken(half).yaml())
                .contains(
                        "times: 'M/d/yyyy h:mm a'   # a guess: d/M/yyyy h:mm a fits too; AM and PM speak for the month");
        assertThat(taken("t,n\n25/4/2021 1:30 PM,1\n").column("t")).containsExactly(millis("2021-04-25T13:30:00Z"));
        assertThat(undecided("t;n\n3/4/2021 1:30 PM;1\n")).hasSize(1).allMatch(one -> one.contains(" may be M/d"));
        assertThat(undecided("t,n\n03-04-2021,1\n")).hasSize(1).allMatch(one -> one.contains("dd-MM-yyyy or MM-dd"));
        assertThat(taken("t,n\n12-25-2021,1\n").column("t")).containsExactly(millis("2021-12-25T00:00:00Z"));
    }

    /** Numbers that may be milliseconds by chance are not taken for the time before a day that one row lacks. */
    @Test
    void numbersThatAreNoTimes() throws Exception {
        for (String number : List.of("4477009001", "40012345678")) {
            String file = "created,number\n" + "2021-03-01,%s23\n2021-03-02,%s37\n,%s45\n".replace("%s", number);
            assertThat(taken(file).yaml()).as(file).contains("\ntime: created\n");
        }
        assertThat(taken("created,v\n2021-03-01,1614643200000\n,1614643201000\n")
                        .yaml())
                .contains("\ntime: v\n");
    }

    /** What the message says of a file without a time: the line, the column and the option. */
    @Test
    void timesOfSeveralForms() throws Exception {
        String mixed = "t,k\n" + "2021-03-01 10:00:00,a\n05/03/2021 11:00,b\n".repeat(20);
        assertThatThrownBy(() -> taken(mixed))
                .hasMessageContaining(". Of t, the first values are times such as 2021-10-07T12:00:01Z; others:"
                        + " 05/03/2021 11:00 (line 3)")
                .hasMessageContaining("--times");
        FileFacts facts = new FileFacts();
        facts.times = "dd/MM/yyyy HH:mm";
        Taken both = taken(mixed.getBytes(UTF_8), RecordFormat.CSV, facts);
        assertThat(both.column("t"))
                .as(both.yaml())
                .hasSize(40)
                .startsWith(millis("2021-03-01T10:00:00Z"), millis("2021-03-05T11:00:00Z"));
        assertThatThrownBy(() -> taken("t,k\n01/02/2021,a\n13/02/2021,b\n02/14/2021,c\n"))
                .hasMessageContaining("Of t, the first values are times such as d/M/yyyy; others: 02/14/2021 (line 4)");
        assertThatThrownBy(() -> taken("ts,k\n1614643200,a\n1614643201000,b\n"))
                .hasMessageContaining(
                        "Of ts, the first values are counts of seconds since 1970; others: 1614643201000 (line 3)");
        for (String sign : List.of(":", "^", "~")) {
            assertThatThrownBy(() -> taken("t:k\n20210301:a\nx:b\n".replace(":", sign)))
                    .hasMessageContaining("Each row has one value: --delimiter SIGN says what divides values");
        }
        assertThatThrownBy(() -> taken("t,k\r2021-03-01,a\r2021-03-02,b\r"))
                .hasMessageContaining("f has carriage returns alone in the place of line ends");
        FileFacts digits = new FileFacts();
        digits.times = "yyyy/MM/dd HH:mm:ss.SSSSSS";
        assertThat(taken("t,k\n2021/03/01 10:00:00.123456,a\n".getBytes(UTF_8), RecordFormat.CSV, digits)
                        .fields())
                .containsExactly("t timestamp_us", "k string");
    }

    /** Titles and remarks before the names, whatever the rows are written like. */
    @Test
    void titlesBeforeTheNames() throws Exception {
        Taken lines = taken("""
                Report of the plant

                t|text|v
                2021/03/02 10:00:00|"line1
                line2"|2
                2021/03/02 11:00:00|x|3
                """);
        assertThat(lines.column("text")).as(lines.yaml()).containsExactly("line1\nline2", "x");
        assertThat(lines.yaml()).contains("  skip-lines: 2");
        Taken single = taken("""
                Report of the plant

                'a','t','m'
                'x','2022-11-01 14:17:03','560,18'
                'y','2022-11-01 14:17:04','1,5'
                """);
        assertThat(single.column("a")).as(single.yaml()).containsExactly("x", "y");
        Taken remarks = taken("""
                #
                # note: a,b
                k,t,v
                #N/A,2021-04-05 10:11,1
                x,2021-04-06 10:11,2
                #N/A,2021-04-07 10:11,3
                """);
        assertThat(remarks.yaml()).contains("  skip-lines: 2").doesNotContain("comment:");
        assertThat(remarks.column("k")).containsExactly("#N/A", "x", "#N/A");
        assertThat(remarks.refused()).isEmpty();
        // One column is none that titles stand before.
        assertThat(taken("t\n2021-03-01\n2021-03-02\n").yaml()).doesNotContain("skip-lines");
    }

    @Test
    void spacesAroundValues() throws Exception {
        Taken taken = taken("""
                t, k, m, n
                2021-03-01T10:00:00Z, a1, 1,   6.0
                 2021-03-01T10:00:01Z , a2,2 , NA\s
                2021-03-01T10:00:02Z,a3,   ,7
                """);
        assertThat(taken.fields()).as(taken.yaml()).containsExactly("t timestamp", "k string", "m int", "n double");
        assertThat(taken.refused()).as(taken.yaml()).isEmpty();
        assertThat(taken.column("m")).isEqualTo(Arrays.asList(1, 2, null));
        assertThat(taken.column("n")).isEqualTo(Arrays.asList(6.0, null, 7.0));
        assertThat(taken.column("k")).containsExactly(" a1", " a2", "a3");
        assertThat(taken.yaml())
                .contains(
                        "  spaces: trim   # spaces around values that are no texts are passed over, as around those of"
                                + " t, m, n",
                        "2 have spaces around them, which belong to a text");
        Taken commas = taken("t;m\n2021-03-01;  6,5\n2021-03-02;7,25 \n");
        assertThat(commas.column("m")).as(commas.yaml()).containsExactly(6.5, 7.25);
        assertThat(taken("t,k\n2021-03-01, a\n2021-03-02,b\n").yaml()).doesNotContain("spaces: trim");
        assertThatThrownBy(() -> SchemaFile.read("f", taken.yaml().replace("spaces: trim", "spaces: away")))
                .hasMessageContaining("spaces: expected trim or keep, got 'away'");
        // Without it they are refused, as before.
        LineCheck check = new LineCheck(
                RecordFormat.CSV,
                SchemaFile.read("f", taken.yaml().replace("spaces: trim", "spaces: keep"))
                        .schema());
        assertThat(check.refusal("2021-03-01T10:00:00Z,a1, 1,6.0".getBytes(UTF_8)))
                .isEqualTo("m: expected a whole number of 32 bits, got ' 1'");
        // In JSON spaces are a part of the text.
        assertThat(taken(
                                "{\"t\": \"2021-03-01\", \"v\": \" 1.5\"}\n".getBytes(UTF_8),
                                RecordFormat.JSON,
                                FileFacts.NONE)
                        .fields())
                .contains("v string");
    }

    @Test
    void usualTimes() throws Exception {
        String[][] times = {
            {"2021/3/2 19:08", "2021-03-02T19:08:00Z"},
            {"3/22/21 20:39", "2021-03-22T20:39:00Z"},
            {"\"Mar 02, 2021 18:58:11\"", "2021-03-02T18:58:11Z"},
            {"2021.03.02 19:54:16", "2021-03-02T19:54:16Z"},
            {"20210302 20:05:36", "2021-03-02T20:05:36Z"},
            {"20210302T201538", "2021-03-02T20:15:38Z"},
            {"\"Tue, 02 Mar 2021 15:03:00 GMT\"", "2021-03-02T15:03:00Z"},
            {"Tue Mar  2 15:03:00 2021", "2021-03-02T15:03:00Z"},
            {"Tue Mar  2 15:03:00 UTC 2021", "2021-03-02T15:03:00Z"},
            {"2021\u5e743\u67082\u65e5", "2021-03-02T00:00:00Z"},
            {"2.3.2021 07:05", "2021-03-02T07:05:00Z"},
            {"02 Mar 2021 07:05", "2021-03-02T07:05:00Z"},
            {"2-Mar-2021", "2021-03-02T00:00:00Z"},
            {"02-MAR-21", "2021-03-02T00:00:00Z"},
            {"02-Mar-21 07:05", "2021-03-02T07:05:00Z"},
            {"03/22/21 01:30:00 PM", "2021-03-22T13:30:00Z"},
            {"3/22/21 1:30 PM", "2021-03-22T13:30:00Z"},
            {"22/3/21 1:30 PM", "2021-03-22T13:30:00Z"},
            {"\"Mar 2, 2021 11:59 PM\"", "2021-03-02T23:59:00Z"},
            {"\"02.03.2021 23:59:59,123\"", "2021-03-02T23:59:59.123Z"},
            {"20210302235959123", "2021-03-02T23:59:59.123Z"},
        };
        for (String[] time : times) {
            Taken taken = taken("when,n\n" + time[0] + ",1\n" + time[0] + ",2\n");
            assertThat(taken.refused()).as(taken.yaml()).isEmpty();
            assertThat(taken.column("when")).as(taken.yaml()).contains(millis(time[1]));
            assertThat(undecided("when,n\n" + time[0] + ",1\n"))
                    .as(taken.yaml())
                    .isEmpty();
        }
        assertThat(undecided("when,n\n3/2/21 20:39,1\n")).hasSize(1);
        for (String none : List.of("0049170123456", "20211302235959123", "12345678901234567", "02-MAX-21", "2-3-21")) {
            assertThat(taken("day,n\n2021-03-02," + none + "\n").yaml())
                    .as(none)
                    .contains("time: day\n")
                    .doesNotContain("times:");
        }
        assertThatThrownBy(() -> taken("when,n\n\"Wed, 02 Mar 2021 15:03:00 GMT\",1\n"))
                .hasMessageContaining("no column can be the time");
        TimeForms.USUAL.forEach(pattern -> assertThat(TimePattern.of(pattern)).isNotNull());
    }

    /** That no quote is one, or an escape is, has a line that shows it. */
    @Test
    void quotesThatAreNone() throws Exception {
        Taken escaped = taken("t\tk\tv\n2021-03-02\t\"O'Neil \\\"Jr\\\"\"\t2\n2021-03-03\tx\t3\n");
        assertThat(escaped.column("k")).as(escaped.yaml()).containsExactly("O'Neil \"Jr\"", "x");
        assertThat(escaped.yaml()).contains("# a guess: line 2 has ");
        Taken open = taken(rows("t,k", "2021-03-02,k#", 22, "2021-03-02,\"open"));
        assertThat(open.yaml())
                .contains("  quote: none   # a guess: line 13 has 2021-03-02,\"open; --quote says another");
        assertThat(open.column("k")).contains("\"open", "k3");
    }

    /** Text of another alphabet is letters without sense in Windows-1252: nothing is guessed then. */
    @Test
    void textsOfOtherAlphabets() throws Exception {
        String[][] files = {
            {"windows-1251", "t,k\n2021-03-02,\u041c\u043e\u0441\u043a\u0432\u0430\n"},
            {"gb18030", "t,k\n2021-03-02,\u5317\u4eac\u5e02\n2021-03-03,\u4e0a\u6d77\n"},
            {"shift-jis", "t,k\n2021-03-02,\u6771\u4eac\n2021-03-03,\u30c6\u30b9\u30c8\n"},
            {"euc-kr", "t,k\n2021-03-02,\uc11c\uc6b8\n"},
        };
        for (String[] file : files) {
            FileEncoding encoding = FileEncoding.parse(file[0]);
            byte[] bytes = file[1].getBytes(Charset.forName(file[0].equals("euc-kr") ? "EUC-KR" : file[0]));
            assertThat(undecided(bytes, null))
                    .as(file[0])
                    .hasSize(1)
                    .allMatch(one -> one.startsWith("its texts are of another alphabet than that of Western Europe, as"
                                    + " it seems (line 2): say by --encoding")
                            && one.contains(file[0])
                            && one.endsWith(", or write it in UTF-8 by iconv"));
            SchemaProposal said = SchemaProposal.of(
                    "f", Proposals.source("f", bytes), RecordFormat.CSV, List.of(), encoding, FileFacts.NONE);
            assertThat(said.undecided()).isEmpty();
            assertThat(said.yaml("f")).contains("# The file is in " + file[0], "--encoding " + file[0]);
        }
        for (String western : List.of(
                "Gr\u00f6\u00dfe,t\n5,2021-03-02\n",
                "t,k\n2021-03-02,Montr\u00e9al cr\u00e9\u00e9e \u00e0 \u00c5rhus\n",
                "t;k\n2021-03-02;12,50 \u20ac\n",
                "t,k\n2021-03-02,\u00c4\u00c4\u00c4\u00c4\n",
                "t,k\n2021-03-02,\u2026\u201c\u2014\u00bb\n")) {
            assertThat(undecided(western.getBytes(Charset.forName("windows-1252")), null))
                    .as(western)
                    .isEmpty();
        }
    }

    private static FileFacts times(String pattern) {
        FileFacts facts = new FileFacts();
        facts.times = pattern;
        return facts;
    }

    /** Rows of two columns are at their time of day, or it is asked what is meant: never silently at midnight. */
    @Test
    void timesOfDayInOtherForms() throws Exception {
        String[][] files = {
            {"nr,Date,Time,x\n1,20240131,235959,1\n2,20240201,000000,2\n", "Date_Time", "2024-01-31T23:59:59Z"},
            {"Date,hhmm,x\n2024-01-31,2359,1\n2024-02-01,0010,2\n", "Date_hhmm", "2024-01-31T23:59:00Z"},
            {"Date;Heure;v\n31/01/2024;23h59;1,5\n01/02/2024;00h00;2\n", "Date_Heure", "2024-01-31T23:59:00Z"},
            {"Date;Heure;v\n31/01/2024;9h59;1,5\n01/02/2024;10h00;2\n", "Date_Heure", "2024-01-31T09:59:00Z"},
            {"date,time,v\n1/31/2024,11:59PM,1\n2/1/2024,1:30AM,2\n", "date_time", "2024-01-31T23:59:00Z"},
            // As numbers are written, without the zeros before them.
            {"Date,Time\n20240131,930\n20240131,1430\n", "Date_Time", "2024-01-31T09:30:00Z"},
            {"Date,Time,v\n20240131,5,1\n20240131,930,1\n20240131,1430,1\n", "Date_Time", "2024-01-31T00:05:00Z"},
            {"date,time\n2024-01-31,80112\n2024-01-31,0\n2024-01-31,235959\n", "date_time", "2024-01-31T08:01:12Z"},
            {"Date,Time\n20240131,0005\n20240131,2359\n20240131,2400\n", "Date_Time", "2024-01-31T00:05:00Z"},
        };
        for (String[] file : files) {
            Taken taken = taken(file[0]);
            assertThat(taken.refused()).as(taken.yaml()).isEmpty();
            assertThat(taken.column(file[1]))
                    .as(taken.yaml())
                    .hasSize((int) file[0].lines().count() - 1)
                    .startsWith(millis(file[2]));
            assertThat(undecided(file[0])).as(file[0]).isEmpty();
        }
        // PM is no zone.
        Taken afternoon = taken("at,v\n2024-01-02 03:04:05 PM,1\n2024-01-02 04:04:05 AM,2\n");
        assertThat(afternoon.column("at"))
                .as(afternoon.yaml())
                .containsExactly(millis("2024-01-02T15:04:05Z"), millis("2024-01-02T04:04:05Z"));
        // One that is none is rejected, and the others are where they belong.
        Taken odd = taken(rows("Date,Time,n", "20240131,1430,#", 40, "20240131,9999,20"));
        assertThat(odd.column("Date_Time")).as(odd.yaml()).hasSize(39).containsOnly(millis("2024-01-31T14:30:00Z"));
        assertThat(odd.refused()).hasSize(1);
        StringBuilder dense = new StringBuilder("date;time;dev;v\n");
        for (int row = 0; row < 48; row++) {
            dense.append("01.01.2024;")
                    .append(String.format(Locale.ROOT, "%02d:%02d", row / 2, row % 2 * 30))
                    .append(";a0;0,5\n");
        }
        dense.append("02.01.2024;24:00;a99;1,5\n");
        Taken ends = taken(dense.toString());
        assertThat(ends.column("date_time")).as(ends.yaml()).hasSize(49).endsWith(millis("2024-01-03T00:00:00Z"));
        assertThat(ends.refused()).as(ends.yaml()).isEmpty();
        // Numbers that are not called so are numbers.
        assertThat(taken("Date,n\n2024-01-31,101112\n2024-02-01,111213\n").fields())
                .containsExactly("Date timestamp", "n int");
    }

    /** A column that is called a time of day, and is not read as one, is asked about. */
    @Test
    void timesOfDayOfNoForm() throws Exception {
        String mixed = "Datum;Uhrzeit;v\n07.10.2025;14:30;3\n08.10.2025;9:45:10 pm;4\n";
        assertThat(undecided(mixed))
                .hasSize(1)
                .allMatch(one -> one.startsWith("Uhrzeit looks like the time of day of Datum, which has the day alone")
                        && one.endsWith("by --time-field Datum that it is the day"));
        assertThat(taken(mixed).yaml()).contains("# To decide: Uhrzeit looks like", "# looks like the time of day of");
        FileFacts day = new FileFacts();
        day.time = "Datum";
        assertThat(taken(mixed.getBytes(UTF_8), RecordFormat.CSV, day).yaml()).doesNotContain("To decide");
        assertThat(undecided("date,time,v\n2024-01-31,9.30 Uhr,1\n2024-02-01,10.15 Uhr,2\n"))
                .hasSize(1);
        assertThat(undecided("date,start_time,end_time\n2024-01-31,08:00,09:00\n2024-02-01,10:00,11:30\n"))
                .hasSize(1)
                .allMatch(one -> one.contains("say by --time-field date_start_time that both are the time"));
        String[][] numbers = {
            {"0", "23", "yyyy-MM-dd H"}, {"9.30", "14.05", "yyyy-MM-dd H.mm"},
        };
        for (String[] number : numbers) {
            String file = "date,hour,v\n2024-01-31," + number[0] + ",1\n2024-02-01," + number[1] + ",2\n";
            assertThat(undecided(file)).hasSize(1).allMatch(one -> one.contains("--times '" + number[2] + "', or"));
            assertThat(undecided(file.replace("hour", "rain"))).isEmpty();
        }
        Taken hours = taken("date,hour\n2024-01-31,23\n".getBytes(UTF_8), RecordFormat.CSV, times("yyyy-MM-dd H"));
        assertThat(hours.column("date_hour")).as(hours.yaml()).containsExactly(millis("2024-01-31T23:00:00Z"));
        for (String none : List.of(
                "date,duration\n2024-01-31,08:00\n",
                "date,time\n2024-01-31,morning\n",
                "date,employee,hours\n2024-01-31,a,8\n2024-02-01,b,7\n",
                "2024-01-31,10.12.0.7,5\n2024-02-01,10.12.0.8,6\n",
                "2024-01-31,12.50 EUR,5\n2024-02-01,10.75 USD,6\n")) {
            assertThat(undecided(none)).as(none).isEmpty();
        }
    }

    /** A pattern that is given is used, of one column or of two, or refused with what it does not read. */
    @Test
    void aPatternThatIsGiven() throws Exception {
        String[][] files = {
            {"yyyyMMdd HHmmss", "nr,Date,Time,x\n1,20240131,235959,1\n", "2024-01-31T23:59:59Z"},
            {"d/M/yyyy HH:mm", "n,Date,Time\n1,03/04/2026,14:30\n2,03/05/2026,09:05\n", "2026-04-03T14:30:00Z"},
            {"M/d/yyyy h:mm a", "Date,Time,x\n11/20/2026,2:30 PM,1\n", "2026-11-20T14:30:00Z"},
            {"yyMMdd HHmmss", "x,Date,Time\n1,240131,235959\n2,240201,000000\n", "2024-01-31T23:59:59Z"},
            {"d MMM yyyy HH.mm", "Date,x,Time,open\n1 Feb 2024,1,10.30,a\n", "2024-02-01T10:30:00Z"},
        };
        for (String[] file : files) {
            Taken taken = taken(file[1].getBytes(UTF_8), RecordFormat.CSV, times(file[0]));
            assertThat(taken.refused()).as(taken.yaml()).isEmpty();
            assertThat(taken.column("Date_Time")).as(taken.yaml()).startsWith(millis(file[2]));
            assertThat(taken.yaml()).contains("  times: ").contains(file[0]);
        }
        // The time is written as ISO 8601 says; another column by the pattern.
        assertThat(taken(
                                "t,due\n2024-01-31T10:00:00Z,01.02.2024\n".getBytes(UTF_8),
                                RecordFormat.CSV,
                                times("dd.MM.yyyy"))
                        .fields())
                .containsExactly("t timestamp", "due timestamp");
        String[][] refused = {
            {"dd.MM.yyyy", "t,k\n31.01.2024 10:00,a\n", "of t, it does not read 31.01.2024 10:00 (line 2)"},
            {"yyyy-MM-dd HH:mm:ss", "t,k\n20240131,a\n20240201,b\n", "of t, it does not read 20240131 (line 2)"},
            {"dd.MM.yyyy", "t,k\n2024-01-31,a\n", "of t, it does not read 2024-01-31 (line 2)"},
            {"yyyyMMdd HHmmss", "Date,Time\n20240131,23:59\n", "the days of Date are written so, but no column has"},
            {
                "yyyyMMdd HHmm",
                "Date,a_time,b_time\n20240131,2359,1215\n",
                "may be a_time or b_time: say which by --time-field, such as --time-field Date_a_time"
            },
        };
        for (String[] file : refused) {
            assertThatThrownBy(() -> taken(file[1].getBytes(UTF_8), RecordFormat.CSV, times(file[0])))
                    .as(file[1])
                    .hasMessageContaining("--times '" + file[0] + "' fits no column of f: ")
                    .hasMessageContaining(file[2]);
        }
    }

    /** AM and PM speak for the month first in two columns as in one. */
    @Test
    void halvesOfTheDayInTwoColumns() throws Exception {
        String file = "n,day,time,x\n1,03/09/2024,08:00:00 PM,1\n2,03/10/2024,01:30:00 AM,2\n";
        assertThat(undecided(file)).isEmpty();
        assertThat(taken(file).column("day_time"))
                .containsExactly(millis("2024-03-09T20:00:00Z"), millis("2024-03-10T01:30:00Z"));
        String unclear = "date,time,place\n03/04/2026,14:30,Main St\n03/05/2026,09:05,High St\n";
        assertThat(undecided(unclear)).hasSize(1).allMatch(one -> one.contains("--times 'd/M/yyyy HH:mm'"));
        for (String pattern : List.of("d/M/yyyy HH:mm", "M/d/yyyy HH:mm")) {
            Taken said = taken(unclear.getBytes(UTF_8), RecordFormat.CSV, times(pattern));
            assertThat(said.column("date_time"))
                    .as(said.yaml())
                    .startsWith(millis(pattern.startsWith("d") ? "2026-04-03T14:30:00Z" : "2026-03-04T14:30:00Z"));
        }
    }

    private static Taken json(String file) throws Exception {
        return taken(file.getBytes(UTF_8), RecordFormat.JSON, FileFacts.NONE);
    }

    @Test
    void whatIsSaidOfJson() throws Exception {
        Taken counts = json("{\"updated\":1706745605000,\"time\":1706745600000,\"id\":\"a\"}\n");
        assertThat(counts.yaml()).contains("# perhaps a time too: {type: timestamp, unit: ms}");
        assertThat(SchemaFile.read(
                                "f",
                                counts.yaml()
                                        .replace("name: time, type: long", "name: time, type: timestamp, unit: ms"))
                        .schema()
                        .fields())
                .hasSize(3);
        String feature = "{\"type\":\"Feature\",\"properties\":{\"time\":1706745600000,\"id\":\"a\"}}";
        String metadata = "\"metadata\":{\"generated\":1706745605000},";
        for (String before : List.of("", metadata)) {
            String all = "{\"type\":\"FeatureCollection\"," + before + "\"features\":[" + feature + "]}\n";
            assertThatThrownBy(() -> json(all))
                    .hasMessage("f is one object of GeoJSON. The rows are the elements of $.features, as it seems: say"
                            + " --rows '$.features[*]', or write each as a line of its own, as jq -c"
                            + " '.features[]' does");
            // In lines it is a record as another is.
            assertThat(before.isEmpty() ? 2 : json(all + all).rows().size()).isEqualTo(2);
        }
        assertThatThrownBy(() -> json("{\"n\":1,\"rows\":[{\"a\":1}]}\n"))
                .hasMessageContaining("no column can be the time")
                .hasMessageContaining("as jq -c '.rows[]' does");
        assertThat(json(feature + "\n" + feature + "\n").rows()).hasSize(2);
    }

    /** Times in another encoding are none in the one that is taken: the message says what may be wrong. */
    @Test
    void timesInAnotherAlphabet() {
        byte[] file = "\u65e5\u4ed8,\u5e97\u8217\n2024\u5e741\u67083\u65e5,\u6771\u4eac\n"
                .getBytes(Charset.forName("shift-jis"));
        for (FileFacts facts : List.of(FileFacts.NONE, times("yyyy'\u5e74'M'\u6708'd'\u65e5'"))) {
            assertThatThrownBy(() -> taken(file, RecordFormat.CSV, facts))
                    .hasMessageContaining(". It is no UTF-8, and was taken to be in windows-1252: --encoding says")
                    .hasMessageContaining("shift-jis");
        }
    }

    /** A word that may be a number is a value in quotes: who says that it stands for nothing is told so. */
    @Test
    void wordsForNothingInQuotes() throws Exception {
        FileFacts facts = new FileFacts();
        facts.nulls = List.of("-999");
        byte[] quoted = "\"t\",\"v\"\n\"2024-01-01\",\"-999\"\n\"2024-01-02\",\"1.5\"\n".getBytes(UTF_8);
        SchemaProposal proposal =
                SchemaProposal.of("f", Proposals.source("f", quoted), RecordFormat.CSV, List.of(), null, facts);
        assertThat(proposal.undecided())
                .containsExactly(
                        "--null -999 would change nothing: in v it stands in quotes, where it is a value, first"
                                + " -999 (line 2); leave it out to keep it, or take the quotes away");
        Taken some = taken(
                "t,v\n2024-01-01,\"-999\"\n2024-01-02,-999\n2024-01-03,1\n".getBytes(UTF_8), RecordFormat.CSV, facts);
        assertThat(some.column("v")).as(some.yaml()).containsExactly(-999, null, 1);
        assertThat(some.yaml()).contains("in quotes it is a value, and does not stand for nothing: -999 (line 2)");
        // Nothing in quotes is no number where all are in quotes, with a unit too; else it is a text.
        assertThat(taken("\"t\",\"v\"\n\"2024-01-01\",\"5 %\"\n\"2024-01-02\",\"\"\n")
                        .column("v"))
                .containsExactly(5, null);
        assertThat(taken("t,v\n2024-01-01,a\n2024-01-02,\"\"\n").column("v")).containsExactly("a", "");
    }
}
