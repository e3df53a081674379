package io.waterwheel.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.proposal.FileFacts;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values behind the rows that a proposal is made of: none is lost without a word. */
class KeptValuesTest {
    @TempDir
    Path folder;

    private String yaml = "";
    private Schema schema = SchemaFile.read("none.yaml", """
            name: none
            format: csv
            fields:
              - {name: t, type: timestamp}
            key: {field: t}
            time: t
            """).schema();

    /** Rows of files as they are proposed: texts of the values, by field; null where nothing is. */
    private List<List<@Nullable String>> rows(String ending, String... files) throws Exception {
        List<InputSource> sources = new ArrayList<>();
        for (int f = 0; f < files.length; f++) {
            sources.add(InputSource.of(Files.writeString(folder.resolve((char) ('a' + f) + ending), files[f])));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Terminal terminal =
                new Terminal(InputStream.nullInputStream(), new PrintStream(out, true, UTF_8), System.err, false);
        StreamCreation created = StreamCreation.propose(terminal, sources, "s", null, List.of(), null, FileFacts.NONE);
        yaml = out.toString(UTF_8);
        schema = SchemaFile.read("s.yaml", yaml).schema();
        LineCheck check = new LineCheck(created.format(), schema);
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (InputSource source : sources) {
            boolean csv = created.format() == RecordFormat.CSV;
            try (InputLines lines = new InputLines(source.open(), csv, null)
                    .divideBy(schema.text().csv())) {
                CsvColumns columns = csv ? CsvColumns.of(source.name(), lines.next(), schema) : null;
                for (byte[] line = lines.next(); line != null; line = lines.next()) {
                    byte[] ordered = columns == null ? line : columns.inOrder(line);
                    assertThat(ordered == null ? "columns" : check.refusal(ordered))
                            .as(yaml)
                            .isNull();
                    List<@Nullable String> row = new ArrayList<>();
                    for (int f = 0; f < schema.fields().size(); f++) {
                        row.add(text(f, check.values(0)[f]));
                    }
                    rows.add(row);
                }
            }
        }
        return rows;
    }

    private @Nullable String text(int field, @Nullable Object value) {
        FieldType type = schema.fields().get(field).type();
        if (value == null) {
            return null;
        } else if (type.isTimestamp()) {
            return type.resolution().instant((Long) value).toString();
        } else if (value instanceof Double number) {
            return plain(new BigDecimal(Double.toString(number)));
        }
        return value instanceof BigDecimal decimal ? plain(decimal) : value.toString();
    }

    private static String plain(BigDecimal number) {
        return number.stripTrailingZeros().toPlainString();
    }

    private List<String> fields() {
        return schema.fields().stream()
                .map(field -> field.name() + " " + field.type().schemaName() + (field.nullable() ? "?" : ""))
                .toList();
    }

    @Test
    void laterFilesWidenWhatWouldLose() throws Exception {
        List<List<@Nullable String>> rows =
                rows(".csv", "t,k,zip,gb\n2021-03-02T00:00:00Z,x,10001,1.5\n2021-03-02T00:00:01Z,y,94105,2.5\n", """
                t,k,zip,gb
                2021-03-03T00:00:00Z,z,02139,12345678901234567.89
                2021-03-03T00:00:00.123456Z,z,00501,3
                """);
        assertThat(fields()).as(yaml).containsExactly("t timestamp_us", "k string", "zip string", "gb decimal(19, 2)");
        assertThat(rows)
                .containsExactly(
                        List.of("2021-03-02T00:00:00Z", "x", "10001", "1.5"),
                        List.of("2021-03-02T00:00:01Z", "y", "94105", "2.5"),
                        List.of("2021-03-03T00:00:00Z", "z", "02139", "12345678901234567.89"),
                        List.of("2021-03-03T00:00:00.123456Z", "z", "00501", "3"));
        assertThat(yaml).endsWith("# All 4 rows are tuples of it.\n");
        rows = rows(
                ".jsonl",
                "{\"t\":1600000000,\"z\":\"x\",\"n\":1.5}\n",
                "{\"t\":1600000000.123456,\"z\":\"y\",\"n\":12345678901234567.89}\n");
        assertThat(rows.get(1)).as(yaml).containsExactly("2020-09-13T12:26:40.123456Z", "y", "12345678901234567.89");
    }

    @Test
    void rowsBehindTheSampleWidenToo() throws Exception {
        StringBuilder file = new StringBuilder("t,zip\n");
        for (int i = 0; i < 100_000; i++) {
            file.append("2021-03-02T00:00:00.123Z,1").append(i % 9000 + 1000).append('\n');
        }
        file.append("2021-03-02T00:00:00.123456Z,10000\n2021-03-02T00:00:00Z,01234\n");
        List<List<@Nullable String>> rows = rows(".csv", file.toString());
        assertThat(rows.get(100_000)).as(yaml).containsExactly("2021-03-02T00:00:00.123456Z", "10000");
        assertThat(rows.get(100_001)).containsExactly("2021-03-02T00:00:00Z", "01234");
        file.setLength(0);
        for (int i = 0; i < 100_000; i++) {
            file.append("{\"t\":\"2021-03-02T00:00:00Z\",\"k\":\"a\"}\n");
        }
        file.append(
                "{\"t\":\"2021-03-02T00:00:00Z\",\"k\":\"LATE\",\"new\":7,\"pos\":{\"x\":1},\"tags\":[],\"no\":null}\n");
        file.append(
                "{\"t\":\"2021-03-02T00:00:00Z\",\"k\":\"LATE\",\"new\":7,\"pos\":{\"x\":1,\"y\":\"e\"},\"tags\":[1]}\n");
        rows = rows(".jsonl", file.toString());
        assertThat(fields()).as(yaml).contains("k string", "new int?", "pos_x int?", "pos_y string?");
        assertThat(rows.get(100_001)).contains("LATE", "7", "1", "e");
        assertThat(yaml)
                .contains("# left out: $.tags is an array of 0 to 1 elements")
                .endsWith("rows are tuples of it.\n");
    }

    @Test
    void membersOfLaterFilesBecomeFieldsOrAreListed() throws Exception {
        assertThat(rows(
                                ".jsonl",
                                "{\"t\":\"2021-03-02T00:00:00Z\",\"z\":\"x\",\"v\":[1,2],\"o\":{}}\n",
                                "{\"t\":\"2021-03-02T00:00:01Z\",\"z\":\"y\",\"v\":[3,4,5],\"o\":{\"p\":8},\"new\":5}\n")
                        .get(1))
                .as(yaml)
                .containsExactly("2021-03-02T00:00:01Z", "y", "3", "4", "8", "5");
        assertThat(yaml)
                .contains("# left out: $.v has more elements in ", "b.jsonl, line 1: those behind the first 2\n");
        // As many as can be null; of the others each is named.
        StringBuilder late = new StringBuilder("{\"t\":\"2021-03-02T00:00:01Z\",\"z\":\"y\"");
        for (int i = 0; i < 70; i++) {
            late.append(",\"m").append(i).append("\":").append(i);
        }
        rows(".jsonl", "{\"t\":\"2021-03-02T00:00:00Z\",\"z\":\"x\"}\n", late + "}\n");
        assertThat(schema.fields()).as(yaml).hasSize(66);
        assertThat(yaml).contains("# left out: m69, first in ", "b.jsonl, line 1: 64 others are not in all rows");
    }

    /** Where elements of arrays are rows, too. */
    @Test
    void membersOfLaterElementsBecomeFields() throws Exception {
        rows(
                ".jsonl",
                "{\"z\":\"x\",\"r\":[{\"at\":1614643200000,\"v\":1},{\"at\":1614643200001,\"v\":2}]}\n",
                "{\"z\":\"y\",\"r\":[{\"at\":1614643200002,\"v\":1},{\"at\":1614643200003,\"v\":0.1234567890123456789},"
                        + "{\"at\":1614643200004,\"v\":2,\"new\":{\"n\":7}}]}\n");
        assertThat(fields()).as(yaml).containsExactly("z string", "at timestamp", "v decimal(20, 19)", "new_n int?");
        assertThat(yaml).endsWith("# All 5 rows in 2 records are tuples of it.\n");
        String some = "{\"z\":\"x\",\"r\":[{\"at\":1614643200000}]}\n";
        rows(".jsonl", some, "{\"z\":\"x\",\"r\":[]}\n");
        assertThat(yaml).endsWith("""
                        # The one row in 2 records is a tuple of it.
                        # 1 record has no elements and becomes no row.
                        """);
        // An array that only a later file has elements in may be rows, or not.
        rows(
                ".jsonl",
                "{\"status\":\"ok\",\"time\":1614643200000,\"data\":[]}\n",
                "{\"status\":\"ok\",\"time\":1614643200000,\"data\":[{\"at\":1614643200000},{\"at\":1614643200001}]}\n");
        assertThat(yaml)
                .contains("# To decide: what a row is: --rows '$' makes a row of each record, --rows '$.data[*]'");
    }

    /** A stream has 64 fields that may be null: the reason is told, and what to leave out. */
    @Test
    void moreColumnsWithGapsThanMayBeNull() throws Exception {
        StringBuilder file = new StringBuilder("t");
        StringBuilder row = new StringBuilder("\n2021-03-01");
        for (int c = 0; c < 70; c++) {
            file.append(",q").append(c);
            row.append(",").append(c);
        }
        file.append(row)
                .append(row)
                .append("\n2021-03-02")
                .append(",".repeat(70))
                .append("\n");
        InputSource source = InputSource.of(Files.writeString(folder.resolve("gaps.csv"), file));
        String gaps =
                "70 columns have gaps, and at most 64 fields may be null: rows that lack q64, q65, q66 or 3 more will"
                        + " be rejected. Write the proposal to a file with 'waterwheel stream create --like', delete the"
                        + " lines of 6 such fields, create the stream from it, and append the file with --skip-unknown";
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Terminal terminal =
                new Terminal(InputStream.nullInputStream(), new PrintStream(out, true, UTF_8), System.err, false);
        StreamCreation few =
                StreamCreation.propose(terminal, List.of(source), "s", null, List.of(), null, FileFacts.NONE);
        assertThat(out.toString(UTF_8)).contains("# " + gaps + "\n", "line 4: line lacks");
        assertThat(few.rejects()).isEmpty();
        Files.writeString(
                folder.resolve("gaps.csv"), file + "2021-03-02" + ",".repeat(70) + "\n2021-03-02" + ",".repeat(70));
        StreamCreation most =
                StreamCreation.propose(terminal, List.of(source), "s", null, List.of(), null, FileFacts.NONE);
        assertThat(most.rejects())
                .startsWith("most rows do not fit the proposal: 3 of 5 ")
                .endsWith(". " + gaps);
    }

    /** Old Macs ended lines by a carriage return, which makes a file of them one line. */
    @Test
    void carriageReturnsAloneAreTold() throws Exception {
        for (String file : List.of("t,k\r2021-03-01,a\r2021-03-02,b\r", "t,k\r2021-03-01,a\r2021-03-02,b")) {
            assertThatThrownBy(() -> rows(".csv", file))
                    .hasMessageContaining(
                            "a.csv has carriage returns alone in the place of line ends, as old Macs wrote")
                    .hasMessageContaining("tr '\\r' '\\n' < FILE > NEW-FILE");
        }
        rows(".csv", "t,\"k\r\"\r\n2021-03-01,\"a\rb\"\r\n2021-03-02,\"b\"\r\n");
        assertThat(yaml).endsWith("# All 2 rows are tuples of it.\n");
    }

    /** What is one value in the first file can be the key. */
    @Test
    void keysThatDifferBetweenFiles() throws Exception {
        String names = "n,at,x\n";
        String taxi = "1,2008-02-02 15:00:01,116.5\n1,2008-02-02 15:01:01,116.25\n";
        rows(".txt", names + taxi, names + taxi.replace("1,2008", "2,2008"));
        assertThat(yaml)
                .contains("# Proposed from all 2 rows of ", "a.txt. Look at", "key: {field: n}   # a guess")
                .endsWith("# All 4 rows are tuples of it.\n");
        rows(".txt", names + taxi, names + taxi);
        assertThat(yaml).contains("key: {field: at}");
        rows(".csv", "t,k,v\n2021-03-01,a,1\n2021-03-02,b,2\n", "k,t,v\nc,2021-03-03,NA\nd,2021-03-04,3.5\n");
        assertThat(yaml)
                .contains("# Proposed from all 2 rows of ", "a.csv, and 2 of other files. Look at", "key: {field: k}");
    }

    /** A file's order of columns is its own. */
    @Test
    void filesOfAnotherOrderCorrectTheProposalToo() throws Exception {
        StringBuilder a = new StringBuilder("t,k,v\n");
        StringBuilder b = new StringBuilder("v,t,k\n");
        for (int i = 0; i < 50; i++) {
            a.append("2021-03-02,k").append(i).append(',').append(i).append('\n');
        }
        for (int i = 0; i < 30; i++) {
            b.append(i % 3 == 0 ? "" : i % 3 == 1 ? i + ".5" : "0" + i)
                    .append(",2021-03-03,\"q,")
                    .append(i)
                    .append("\"\n");
        }
        List<List<@Nullable String>> rows = rows(".csv", a.toString(), b.toString());
        assertThat(fields()).as(yaml).containsExactly("t timestamp", "k string", "v string?");
        assertThat(rows.get(51)).containsExactly("2021-03-03T00:00:00Z", "q,1", "1.5");
        assertThat(rows.get(52)).containsExactly("2021-03-03T00:00:00Z", "q,2", "02");
        rows = rows(".csv", "t;k;v\n2021-03-02;a;1\n2021-03-02;b;2\n", "k;v;t\nc;NA;2021-03-02\nd;7;2021-03-02\n");
        assertThat(fields()).as(yaml).containsExactly("t timestamp", "k string", "v int?");
        assertThat(rows.get(2)).containsExactly("2021-03-02T00:00:00Z", "c", null);
    }

    /** Random folders: each value is what was written, whatever the first file lets one expect. */
    @Test
    void everyValueOfEveryFileIsKept() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        for (int round = 0; round < 40; round++) {
            Random random = new Random(seed + round);
            boolean json = random.nextInt(3) == 0;
            int columns = 1 + random.nextInt(4);
            List<List<String>> written = new ArrayList<>();
            String[] files = new String[2 + random.nextInt(2)];
            for (int f = 0; f < files.length; f++) {
                boolean turned = !json && f > 0 && random.nextBoolean();
                StringBuilder file = new StringBuilder(json ? "" : line(names(columns), turned));
                for (int i = 0; i < 25; i++) {
                    List<String> row = new ArrayList<>();
                    row.add(time(random, f));
                    for (int c = 0; c < columns; c++) {
                        row.add(value(random, c, f, json));
                    }
                    written.add(row);
                    file.append(json ? object(row) : line(row, turned));
                }
                files[f] = file.toString();
            }
            List<List<@Nullable String>> rows = rows(json ? ".jsonl" : ".csv", files);
            for (int i = 0; i < written.size(); i++) {
                for (int c = 0; c <= columns; c++) {
                    FieldType type = schema.fields().get(c).type();
                    String was = written.get(i).get(c);
                    String expected = c == 0
                            ? Instant.parse(was).toString()
                            : type == FieldType.DOUBLE || type.isDecimal() ? plain(new BigDecimal(was)) : was;
                    assertThat(rows.get(i).get(c))
                            .as("seed %s, row %s, column %s\n%s", seed + round, i, c, yaml)
                            .isEqualTo(expected);
                }
            }
        }
    }

    private static List<String> names(int columns) {
        List<String> names = new ArrayList<>(List.of("t"));
        for (int c = 0; c < columns; c++) {
            names.add("c" + c + "x");
        }
        return names;
    }

    private static String line(List<String> row, boolean turned) {
        List<String> values = new ArrayList<>(row);
        if (turned) {
            values.add(values.remove(0));
        }
        return String.join(",", values) + "\n";
    }

    private static String object(List<String> row) {
        StringBuilder object = new StringBuilder("{\"t\":\"" + row.get(0) + "\"");
        for (int c = 1; c < row.size(); c++) {
            object.append(",\"c").append(c - 1).append("x\":").append(row.get(c));
        }
        return object.append("}\n").toString();
    }

    private static String time(Random random, int file) {
        String second = "2021-03-02T00:00:" + (10 + random.nextInt(50));
        int places = file == 0 || random.nextInt(8) > 0 ? 0 : 1 + random.nextInt(9);
        return second + (places == 0 ? "" : "." + digits(random, places)) + "Z";
    }

    private static String digits(Random random, int count) {
        StringBuilder digits = new StringBuilder();
        for (int d = 0; d < count; d++) {
            digits.append(random.nextInt(10));
        }
        return digits.toString();
    }

    private static String value(Random random, int column, int file, boolean json) {
        boolean odd = file > 0 && random.nextInt(8) == 0;
        return switch (column % 3) {
            case 0 -> odd && !json ? "0" + digits(random, 4) : "1" + digits(random, odd ? 11 : 4);
            case 1 -> random.nextInt(99) + "." + digits(random, odd ? 16 : 2);
            default -> odd ? "9" + digits(random, 16) + ".5" : random.nextInt(999) + "." + digits(random, 4);
        };
    }
}
