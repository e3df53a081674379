package io.waterwheel.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
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
            "dd/MMM/yyyy:HH:mm:ss '+0000'");
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
                String yaml =
                        SchemaProposal.of("f.csv", stream(file), List.of()).yaml("f");
                Schema schema = SchemaFile.read("f.yaml", yaml).schema();
                assertThat(schema.fields().stream()
                                .map(field -> field.name() + " " + field.type().schemaName()))
                        .as("%s\n%s", as, yaml)
                        .containsExactly(
                                "Measured_at timestamp", "id int", "Reading_m_s_ double", "count int", "note string");
                List<Row> taken = taken(file, schema, as + "\n" + yaml);
                assertThat(taken).as("%s\n%s", as, yaml).isEqualTo(rows);
            }
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
        try (InputLines lines = new InputLines(stream(file), true).divideBy(';')) {
            CsvColumns columns = CsvColumns.of("wind.csv", lines.next(), schema);
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                byte[] ordered = columns.inOrder(line);
                assertThat(ordered == null ? "" : check.refusal(ordered)).isNull();
                taken.add(Arrays.asList(check.values()));
            }
        }
        long first = Instant.parse("2021-10-07T12:30:00Z").toEpochMilli();
        assertThat(taken)
                .containsExactly(Arrays.asList(first, "Tegel", 3.5), Arrays.asList(first + 600_000, "Tegel", null));
        assertThat(SchemaProposal.of("wind.csv", stream(file), List.of()).yaml("wind"))
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
                new InputLines(stream(file), true).divideBy(schema.text().csv().delimiter())) {
            CsvColumns columns = CsvColumns.of("f.csv", lines.next(), schema);
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                byte[] ordered = columns.inOrder(line);
                assertThat(ordered).as(as).isNotNull();
                assertThat(ordered == null ? "" : check.refusal(ordered)).as(as).isNull();
                @Nullable Object[] values = check.values();
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
