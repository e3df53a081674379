package io.waterwheel.cli.proposal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Files as other programs write them: what is proposed takes every row of each, with the values that were meant, and
 * nothing is edited.
 */
class CsvDrawerTest {
    private static final List<String> DELIMITERS = List.of(",", ";", "\t", "|");
    private static final List<String> TIMES = List.of(
            "epoch",
            "yyyy-MM-dd'T'HH:mm:ss'Z'",
            "yyyy-MM-dd HH:mm:ss",
            "dd.MM.yyyy HH:mm:ss",
            "M/d/yyyy h:mm a",
            "dd/MM/yyyy HH:mm:ss",
            "yyyy/MM/dd HH:mm",
            "dd-MMM-yyyy HH:mm:ss",
            "dd/MMM/yyyy:HH:mm:ss '+0000'",
            "yyyy-MM-dd'T'HH:mm:ss'+00:00'");
    private static final List<String> NOTHING = List.of("", "NA", "-", "null");
    private static final int ROWS = 120;

    private record Row(Instant at, long id, @Nullable Double reading, long count, String note) {}

    @Test
    void everyFileIsTakenAsItIs() throws Exception {
        long seed = Long.getLong("seed", 1);
        Random random = new Random(seed);
        for (String times : TIMES) {
            for (String delimiter : DELIMITERS) {
                String nothing = NOTHING.get(random.nextInt(NOTHING.size()));
                boolean comma = !delimiter.equals(",") && random.nextBoolean();
                boolean announced = random.nextInt(3) == 0;
                List<Row> rows = rows(random);
                String file =
                        file(rows, delimiter, times, nothing, comma, announced, random.nextBoolean() ? "\r\n" : "\n");
                String as = "times " + times + ", delimiter '" + delimiter + "', nothing '" + nothing + "', "
                        + (comma ? "decimal comma" : "decimal point") + ", seed " + seed + "\n"
                        + file.substring(0, 400);
                String yaml = Proposals.of("f.csv", stream(file), List.of()).yaml("f");
                Schema schema = SchemaFile.read("f.yaml", yaml).schema();
                assertThat(schema.fields().stream()
                                .map(field -> field.name() + " " + field.type().schemaName()))
                        .as("%s\n%s", as, yaml)
                        .containsExactly(
                                "Measured_at timestamp", "id int", "Reading_m_s_ double", "count int", "note string");
                List<Row> taken = taken(file, schema, as + "\n" + yaml);
                assertThat(taken).as("%s\n%s", as, yaml).isEqualTo(rows);
                assertThat(Alternatives.takeAll(yaml, file, RecordFormat.CSV, List.of()))
                        .as(yaml)
                        .isGreaterThan(1);
            }
        }
    }

    private static List<List<@Nullable Object>> values(String file, String... columns) throws Exception {
        String yaml = Proposals.of("f.csv", stream(file), List.of(columns)).yaml("f");
        Schema schema = SchemaFile.read("f.yaml", yaml).schema();
        LineCheck check = new LineCheck(RecordFormat.CSV, schema);
        List<List<@Nullable Object>> taken = new ArrayList<>();
        try (InputLines lines =
                new InputLines(stream(file), true).divideBy(schema.text().csv())) {
            CsvColumns order = columns.length == 0
                    ? CsvColumns.of("f.csv", lines.next(), schema)
                    : CsvColumns.named("--columns", List.of(columns), schema);
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                byte[] ordered = order.inOrder(line);
                assertThat(ordered == null ? "columns" : check.refusal(ordered))
                        .as(yaml)
                        .isNull();
                taken.add(Arrays.asList(check.values(0))
                        .subList(1, schema.fields().size()));
            }
        }
        Alternatives.takeEach(yaml, file, RecordFormat.CSV, columns);
        return taken;
    }

    @Test
    void marksOfNumbersAreTold() throws Exception {
        assertThat(values("t,n\n2021-10-07,\"12,345\"\n2021-10-08,\"1,200\"\n2021-10-09,999\n"))
                .containsExactly(List.of(12345), List.of(1200), List.of(999));
        assertThat(values("t,n,x\n2021-10-07,\"12,345\",0.5\n2021-10-08,999,1000\n"))
                .containsExactly(List.of(12345, 0.5), List.of(999, 1000.0));
        assertThat(values("t,n,x\n2021-10-07,\"12,345\",\"1,234.50\"\n")).containsExactly(List.of(12345, 1234.5));
        assertThat(values("t;n;x\n2021-10-07;1.234;3,5\n2021-10-08;12.345;4,25\n"))
                .containsExactly(List.of(1234, 3.5), List.of(12345, 4.25));
        assertThat(values("t;x\n2021-10-07;1.234,50\n2021-10-08;1500\n"))
                .containsExactly(List.of(1234.5), List.of(1500.0));
        assertThat(values("t;x;ip\n2021-10-07;1.234,50;192.168.100.101\n2021-10-08;1.500;192.168.100.102\n"))
                .containsExactly(List.of(1234.5, "192.168.100.101"), List.of(1500.0, "192.168.100.102"));
        assertThat(values("t;phone;x\n2021-10-07;555 123 456;1,5\n")).containsExactly(List.of("555 123 456", 1.5));
        assertThat(values("t;x\n2021-10-07;1 234,5\n2021-10-08;1 000\n"))
                .containsExactly(List.of(1234.5), List.of(1000.0));
        // Whole numbers beside them, which have no decimal mark, say nothing against it.
        assertThat(values("t;n;m;x\n2021-10-07;7;8;1 234,5\n2021-10-08;8;9;1 000\n"))
                .containsExactly(List.of(7, 8, 1234.5), List.of(8, 9, 1000.0));
        assertThat(values("t;n;m;x\n2021-10-07;7;8;1'234.5\n2021-10-08;8;9;-1'000\n"))
                .containsExactly(List.of(7, 8, 1234.5), List.of(8, 9, -1000.0));
        assertThat(values("t,x\n2021-10-07,1.234\n")).containsExactly(List.of(1.234));
        assertThat(values("t;x\n2021-10-07;0,500\n2021-10-08;0,123\n")).containsExactly(List.of(0.5), List.of(0.123));
        assertThat(Proposals.of("f.csv", stream("t,n\n2021-10-07,\"12,345\"\n"), List.of())
                        .yaml("f"))
                .contains("a guess: is 1 times the mark one between thousands?");
    }

    @Test
    void wordsForNothingInQuotesAreTextsWhereOtherValuesHaveNone() throws Exception {
        assertThat(values("\"t\",\"x\",\"s\"\n\"2021-10-07\",\"3.5\",\"a\"\n\"2021-10-08\",\"NA\",\"b\"\n"))
                .containsExactly(List.of(3.5, "a"), Arrays.asList(null, "b"));
        // Who puts only some values in quotes means what is in them.
        assertThat(values("t,x\n2021-10-07,3.5\n2021-10-08,\"NA\"\n")).containsExactly(List.of("3.5"), List.of("NA"));
        assertThat(Proposals.of("f.csv", stream("t,x,land\n2021-10-07,3.5,DE\n2021-10-08,NA,NA\n"), List.of())
                        .yaml("f"))
                .contains("NA stands for nothing here too");
    }

    /** What suites of CSV readers have, in our own words: quotes, empty values, lines within values, line ends. */
    @Test
    void casesOfCsvSuites() throws Exception {
        for (String end : List.of("\n", "\r\n")) {
            String t = "2021-10-07";
            // Plain, with and without an end of the last line.
            assertThat(values(lines(end, "t,a,b", t + ",1,2")))
                    .isEqualTo(values(lines(end, "t,a,b", t + ",1,2") + end))
                    .containsExactly(List.of(1, 2));
            // A delimiter within quotes.
            assertThat(values(lines(end, "t,first,last,city", t + ",Ada,Byron,\"Marylebone, London\"")))
                    .containsExactly(List.of("Ada", "Byron", "Marylebone, London"));
            // Nothing, and nothing in quotes: only the latter is a text.
            assertThat(values(lines(end, "t,a,b,c", t + ",1,\"\",\"\"", t + ",2,3,4")))
                    .containsExactly(List.of(1, "", ""), List.of(2, "3", "4"));
            assertThat(values(lines(end, "t,a,b", t + ",1,", t + ",2,4")))
                    .containsExactly(Arrays.asList(1, null), List.of(2, 4));
            // Quotes within quotes.
            assertThat(values(lines(end, "t,a,b", t + ",1,\"ha \"\"ha\"\" ha\"", t + ",2,\"\"\"\"")))
                    .containsExactly(List.of(1, "ha \"ha\" ha"), List.of(2, "\""));
            // JSON in a value.
            assertThat(values(lines(
                            end, "t,k,val", t + ",1,\"{\"\"type\"\": \"\"Point\"\", \"\"at\"\": [102.0, 0.5]}\"")))
                    .containsExactly(List.of(1, "{\"type\": \"Point\", \"at\": [102.0, 0.5]}"));
            // Lines within values, with their own ends.
            assertThat(values(lines(end, "t,a,b", t + ",1,\"Once upon " + end + "a time\"", t + ",2,5 p.m.")))
                    .containsExactly(List.of(1, "Once upon " + end + "a time"), List.of(2, "5 p.m."));
            assertThat(values(lines(end, "t,a,b", t + ",1,\"ha " + end + "\"\"ha\"\" " + end + "ha\"", t + ",3,4")))
                    .containsExactly(List.of(1, "ha " + end + "\"ha\" " + end + "ha"), List.of(3, "4"));
            // Positions, which are numbers in quotes.
            assertThat(values(lines(end, "t,lat,lng", t + ",51.5,-0.125", t + ",48.25,11.5")))
                    .containsExactly(List.of(51.5, -0.125), List.of(48.25, 11.5));
            // Letters of all languages, in names too.
            assertThat(values(lines(end, "t,a,\u00c4", t + ",1,\u02a4", t + ",4,\ud83d\ude80 \u5317\u4eac")))
                    .containsExactly(List.of(1, "\u02a4"), List.of(4, "\ud83d\ude80 \u5317\u4eac"));
            // Spaces around values belong to them.
            assertThat(values(lines(end, "t,a,b", t + ", x ,y", t + ",z, w")))
                    .containsExactly(List.of(" x ", "y"), List.of("z", " w"));
        }
    }

    private static String lines(String end, String... lines) {
        return String.join(end, lines);
    }

    @Test
    void delimitersAreTold() throws Exception {
        String agents = "2021-10-07T12:00:00Z,a,\"x\",X11; Linux\n2021-10-07T12:00:01Z,b,\"y\",X12; Linux\n";
        assertThat(values(agents, "t", "k", "z", "agent"))
                .containsExactly(List.of("a", "x", "X11; Linux"), List.of("b", "y", "X12; Linux"));
        assertThat(values("t,k\n2021-10-07,X11; Linux\n2021-10-08,X; Linux\n"))
                .containsExactly(List.of("X11; Linux"), List.of("X; Linux"));
        assertThat(values("2021-10-07;1,5;2,5\n2021-10-08;1,5;2,25\n", "t", "x", "y"))
                .containsExactly(List.of(1.5, 2.5), List.of(1.5, 2.25));
        assertThatThrownBy(() -> values("sep=.\nt.k\n2021-10-07.1\n"))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("its first line says sep=., which divides no values");
    }

    @Test
    void anotherColumnTellsDaysFromMonths() throws Exception {
        String file = "at,due\n01/02/2021,01/25/2021\n01/03/2021,01/26/2021\n";
        assertThat(Proposals.of("f.csv", stream(file), List.of()).yaml("f"))
                .contains("times: 'M/d/yyyy'", "{name: due, type: timestamp");
    }

    /** A file that names the field, and not the column that the schema says holds it. */
    @Test
    void aColumnOfTheFieldsOwnNameIsTaken() throws Exception {
        Schema schema = SchemaFile.read("f.yaml", """
                        name: f
                        format: csv
                        fields:
                          - {name: at, type: timestamp}
                          - {name: w, type: double, nullable: true, from: Wind (m/s)}
                        key: {field: at}
                        time: at
                        """).schema();
        for (String header : List.of("at,w", "at,Wind (m/s)", "w,at,Wind (m/s)")) {
            String line = header.startsWith("w") ? "7,2021-10-07,3.5" : "2021-10-07,3.5";
            byte[] ordered =
                    CsvColumns.of("f.csv", header.getBytes(UTF_8), schema).inOrder(line.getBytes(UTF_8));
            assertThat(ordered).as(header).isEqualTo("2021-10-07,3.5".getBytes(UTF_8));
        }
    }

    /** docs/schema.md, <em>Records as others write them</em>. */
    @Test
    void theExampleOfTheManual() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "schema.md"));
        String yaml = page.substring(page.indexOf("<!-- file: wind.yaml -->\n```yaml\n") + 33);
        Schema schema = SchemaFile.read("wind.yaml", yaml.substring(0, yaml.indexOf("```")))
                .schema();
        String file = page.substring(page.indexOf("    Zeit;"), page.indexOf("The schema says how it is written."))
                .replaceAll("(?m)^ +", "");
        LineCheck check = new LineCheck(RecordFormat.CSV, schema);
        List<List<@Nullable Object>> taken = new ArrayList<>();
        try (InputLines lines =
                new InputLines(stream(file), true).divideBy(new RecordText.Csv(';', '.', '\0', List.of()))) {
            CsvColumns columns = CsvColumns.of("wind.csv", lines.next(), schema);
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                byte[] ordered = columns.inOrder(line);
                assertThat(ordered == null ? "" : check.refusal(ordered)).isNull();
                taken.add(Arrays.asList(check.values(0)));
            }
        }
        long first = Instant.parse("2021-10-07T12:30:00Z").toEpochMilli();
        assertThat(taken)
                .containsExactly(Arrays.asList(first, "Tegel", 3.5), Arrays.asList(first + 600_000, "Tegel", null));
        assertThat(Proposals.of("wind.csv", stream(file), List.of()).yaml("wind"))
                .contains(
                        "delimiter: ';'",
                        "decimal: ','",
                        "nulls: [NA]",
                        "times: 'dd.MM.yyyy HH:mm'",
                        "zone: UTC   # a guess");
    }

    private static List<Row> rows(Random random) {
        List<Row> rows = new ArrayList<>();
        long second = 1_600_000_000L + random.nextInt(100_000_000);
        for (int i = 0; i < ROWS; i++) {
            // Whole minutes: some forms have no seconds. Days beyond the twelfth tell days from months.
            second += 60L * random.nextInt(2000);
            rows.add(new Row(
                    Instant.ofEpochSecond(second / 60 * 60),
                    i + 1000,
                    random.nextInt(10) == 0 ? null : (random.nextInt(4_000_000) - 2_000_000) / 100.0,
                    random.nextInt(5000),
                    List.of("calm", "a, b", "a;b", "two\nlines", "she said \"no\"", "a|b", "a\tb")
                            .get(random.nextInt(7))));
        }
        return rows;
    }

    private static String file(
            List<Row> rows,
            String delimiter,
            String times,
            String nothing,
            boolean comma,
            boolean announced,
            String end) {
        DateTimeFormatter formatter = times.equals("epoch") ? null : DateTimeFormatter.ofPattern(times, Locale.ENGLISH);
        StringBuilder file = new StringBuilder();
        if (announced) {
            file.append("sep=").append(delimiter).append(end);
        }
        file.append(String.join(delimiter, "Measured at", "id", "Reading (m/s)", "count", "note"))
                .append(end);
        for (Row row : rows) {
            LocalDateTime local = LocalDateTime.ofInstant(row.at(), ZoneOffset.UTC);
            String reading = row.reading() == null ? nothing : String.format(Locale.ROOT, "%.2f", row.reading());
            file.append(String.join(
                            delimiter,
                            formatter == null ? Long.toString(row.at().getEpochSecond()) : formatter.format(local),
                            Long.toString(row.id()),
                            comma ? reading.replace('.', ',') : reading,
                            Long.toString(row.count()),
                            '"' + row.note().replace("\"", "\"\"") + '"'))
                    .append(end);
        }
        return file.toString();
    }

    private static InputStream stream(String file) {
        return new ByteArrayInputStream(file.getBytes(UTF_8));
    }

    private static List<Row> taken(String file, Schema schema, String as) throws Exception {
        List<Row> taken = new ArrayList<>();
        LineCheck check = new LineCheck(RecordFormat.CSV, schema);
        try (InputLines lines =
                new InputLines(stream(file), true).divideBy(schema.text().csv())) {
            CsvColumns columns = CsvColumns.of("f.csv", lines.next(), schema);
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                byte[] ordered = columns.inOrder(line);
                assertThat(ordered).as(as).isNotNull();
                assertThat(ordered == null ? "" : check.refusal(ordered)).as(as).isNull();
                @Nullable Object[] values = check.values(0);
                taken.add(new Row(
                        Instant.ofEpochMilli((Long) values[0]),
                        ((Number) values[1]).longValue(),
                        (Double) values[2],
                        ((Number) values[3]).longValue(),
                        (String) values[4]));
            }
        }
        assertThat(schema.fields().get(1).type()).isEqualTo(FieldType.INT);
        return taken;
    }
}
