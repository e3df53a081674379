package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Packed;
import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.cli.output.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Files that a seed makes, from the file to the answer by {@code append --create}, with nothing edited. */
final class FilesAsTheyCome {
    private static final int ROWS = 400;

    private final String url;
    private final Path folder;
    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);

    private record Row(Instant at, String station, double wind, long gusts) {}

    FilesAsTheyCome(String url, Path folder) throws IOException {
        this.url = url;
        this.folder = Files.createDirectories(folder.resolve("as-they-come"));
    }

    private CliResult run(byte[] in, boolean terminal, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--server", url));
        int code = Main.run(
                all.toArray(String[]::new),
                new Terminal(
                        new ByteArrayInputStream(in),
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        terminal));
        return new CliResult(code, out.toString(UTF_8), err.toString(UTF_8));
    }

    private List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        long minute = 27_000_000L + random.nextInt(1_000_000);
        for (int i = 0; i < ROWS; i++) {
            minute += 1 + random.nextInt(3000);
            rows.add(new Row(
                    Instant.ofEpochSecond(minute * 60),
                    List.of("K\u00f6ln", "Tegel", "Ulm, S\u00fcd", "\u00dcbersee")
                            .get(random.nextInt(4)),
                    (random.nextInt(4000) + 1) / 100.0,
                    random.nextInt(50)));
        }
        return rows;
    }

    private static String csv(List<Row> rows, String delimiter, String times, boolean comma) {
        DateTimeFormatter formatter = DateTimeFormatter.ofPattern(times, Locale.ENGLISH);
        StringBuilder file = new StringBuilder(String.join(delimiter, "Zeit", "Station", "Wind (m/s)", "B\u00f6en"));
        for (Row row : rows) {
            String wind = String.format(Locale.ROOT, "%.2f", row.wind());
            file.append('\n')
                    .append(String.join(
                            delimiter,
                            formatter.format(LocalDateTime.ofInstant(row.at(), ZoneOffset.UTC)),
                            '"' + row.station() + '"',
                            comma ? wind.replace('.', ',') : wind,
                            Long.toString(row.gusts())));
        }
        return file.append('\n').toString();
    }

    private static String json(List<Row> rows) {
        StringBuilder file = new StringBuilder();
        for (Row row : rows) {
            file.append(String.format(
                    Locale.ROOT,
                    "{\"at\": %d, \"station\": {\"name\": \"%s\", \"tags\": []}, \"values\": {\"wind\": \"%.2f\","
                            + " \"gusts\": %d}}%n",
                    row.at().toEpochMilli(),
                    row.station(),
                    row.wind(),
                    row.gusts()));
        }
        return file.toString();
    }

    private static byte[] avro(List<Row> rows) throws IOException {
        Schema schema = SchemaBuilder.record("Gust")
                .fields()
                .name("at")
                .type(LogicalTypes.timestampMillis().addToSchema(Schema.create(Schema.Type.LONG)))
                .noDefault()
                .requiredString("station")
                .optionalDouble("wind")
                .requiredInt("gusts")
                .endRecord();
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
            writer.setCodec(CodecFactory.snappyCodec()).create(schema, file);
            for (Row row : rows) {
                GenericRecord record = new GenericData.Record(schema);
                record.put("at", row.at().toEpochMilli());
                record.put("station", row.station());
                record.put("wind", row.wind());
                record.put("gusts", (int) row.gusts());
                writer.append(record);
            }
        }
        return file.toByteArray();
    }

    /** The count, the sums and the rows of a station are those that were written. */
    private void answers(String stream, List<Row> rows, String station, String wind, String gusts) {
        String as = stream + ", seed " + seed;
        untilCounted(stream, rows.size());
        String aggregates = run(
                        new byte[0],
                        false,
                        "query",
                        stream,
                        "--where",
                        station + " = 'Ulm, S\u00fcd'",
                        "--agg",
                        "count(*) AS n,sum(" + gusts + ") AS g,max(" + wind + ") AS w,min(" + timeOf(stream) + ") AS t",
                        "--format",
                        "csv")
                .out();
        List<Row> there =
                rows.stream().filter(row -> row.station().startsWith("Ulm")).toList();
        assertThat(aggregates.lines().toList().get(1))
                .as(as)
                .isEqualTo(there.size() + ","
                        + there.stream().mapToLong(Row::gusts).sum() + ","
                        + there.stream().mapToDouble(Row::wind).max().orElse(0) + ","
                        + there.stream()
                                .mapToLong(row -> row.at().toEpochMilli())
                                .min()
                                .orElse(0));
    }

    /** A question that names no positions may be answered without an indexer that has just got its first row. */
    private void untilCounted(String stream, int rows) {
        Waiting.until(
                "stream " + stream + ", seed " + seed + " has " + rows + " rows",
                () -> run(new byte[0], false, "query", stream, "--count").out().equals(rows + "\n"));
    }

    private static String timeOf(String stream) {
        return stream.startsWith("json") || stream.startsWith("avro") ? "at" : "Zeit";
    }

    void everyFileIsTakenWithNothingEdited() throws Exception {
        List<Row> rows = rows();
        Path wide = folder.resolve("wide.csv");
        Files.write(wide, ("\ufeff" + csv(rows, ";", "dd.MM.yyyy HH:mm", true)).getBytes(StandardCharsets.UTF_16LE));
        created(wide.toString());
        answers("wide", rows, "Station", "Wind_m_s_", "Boeen");

        rows = rows();
        Path windows = folder.resolve("windows.txt.gz");
        Files.write(
                windows,
                Packed.gzip(csv(rows, "\t", "yyyy/MM/dd HH:mm", true).getBytes(Charset.forName("windows-1252"))));
        assertThat(created(windows.toString()).out()).contains("# The file is in windows-1252, as it seems");
        answers("windows", rows, "Station", "Wind_m_s_", "Boeen");

        rows = rows();
        Path json = Files.writeString(folder.resolve("json-lines.ndjson"), json(rows));
        created(json.toString());
        answers("json-lines", rows, "station_name", "values_wind", "values_gusts");

        rows = rows();
        Path avro = Files.write(folder.resolve("avro-file.avro"), avro(rows));
        created(avro.toString());
        answers("avro-file", rows, "station", "wind", "gusts");

        rows = rows();
        Path days = Files.createDirectories(folder.resolve("days"));
        Files.writeString(days.resolve("1.csv"), csv(rows.subList(0, 100), ",", "yyyy-MM-dd'T'HH:mm:ss'Z'", false));
        Files.writeString(days.resolve("2.csv"), csv(rows.subList(100, ROWS), ",", "yyyy-MM-dd'T'HH:mm:ss'Z'", false));
        assertThat(created(days.toString()).out()).contains("# All 400 rows are tuples of it.");
        answers("days", rows, "Station", "Wind_m_s_", "Boeen");
        // The folder once more, into the stream that is there.
        assertThat(run(new byte[0], false, "append", "days", days.toString()).err())
                .contains(ROWS + " tuples accepted, 0 rejected", "queries see all of it");
        untilCounted("days", 2 * ROWS);

        rows = rows();
        CliResult piped = run(
                Packed.gzip(csv(rows, "|", "d/M/yyyy H:mm", false).getBytes(UTF_8)),
                false,
                "append",
                "--create",
                "--yes",
                "--stream",
                "piped",
                "-");
        assertThat(piped.code()).as("seed %s: %s", seed, piped).isZero();
        answers("piped", rows, "Station", "Wind_m_s_", "Boeen");
    }

    /** Who makes a stream of a file may have a program write lines to its topic afterwards. */
    void linesMayComeBesideBlocks(String kafka) throws Exception {
        List<Row> rows = rows();
        String times = "yyyy-MM-dd'T'HH:mm:ss'Z'";
        Path file = Files.writeString(folder.resolve("beside.csv"), csv(rows.subList(0, 150), ",", times, false));
        CliResult made = run(new byte[0], false, "append", "--create", "--yes", "--name", "b", file.toString());
        assertThat(made.code()).as("seed %s: %s", seed, made).isZero();
        assertThat(made.out()).contains("  blocks: true   # ");
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka), new ByteArraySerializer(), new ByteArraySerializer())) {
            List<String> lines = csv(rows.subList(150, 250), ",", times, false)
                    .lines()
                    .skip(1)
                    .toList();
            for (int i = 0; i < lines.size(); i++) {
                producer.send(new ProducerRecord<>(
                                "beside", i % 4, null, lines.get(i).getBytes(UTF_8)))
                        .get();
            }
            // It begins as a block, and is none.
            producer.send(new ProducerRecord<>("beside", 0, null, "WWTB\u0001,1".getBytes(UTF_8)))
                    .get();
        }
        Files.writeString(
                file,
                csv(rows, ",", times, false)
                        .substring(csv(rows.subList(0, 0), ",", times, false).length()),
                StandardOpenOption.APPEND);
        for (int run = 0; run < 2; run++) {
            CliResult named = run(new byte[0], false, "append", "beside", file.toString(), "--name", "b");
            assertThat(named.code()).as("seed %s: %s", seed, named).isZero();
            assertThat(named.err()).contains(run == 0 ? "150 tuples were appended" : "550 tuples were appended");
        }
        List<Row> all = new ArrayList<>(rows);
        all.addAll(rows.subList(0, 250));
        answers("beside", all, "Station", "Wind_m_s_", "Boeen");
        Waiting.until(
                "the bad record is put aside, seed " + seed, () -> run(new byte[0], false, "dead-letters", "beside")
                        .out()
                        .contains("tuple block: expected a header of 24 bytes"));
        CliResult verified = run(new byte[0], false, "verify", "beside");
        assertThat(verified.code()).as("seed %s: %s", seed, verified).isZero();

        Path text = Files.writeString(folder.resolve("text.csv"), csv(rows, ",", times, false));
        CliResult lines = run(new byte[0], false, "append", "--create", "--yes", "--text-records", text.toString());
        assertThat(lines.err()).as("seed %s", seed).contains(ROWS + " records accepted, 0 rejected");
        assertThat(lines.out()).doesNotContain("blocks");
        answers("text", rows, "Station", "Wind_m_s_", "Boeen");

        // Who reads a topic that is there shall not meet blocks; who made it of blocks once does.
        for (String stream : List.of("text", "beside")) {
            assertThat(run(new byte[0], false, "stream", "drop", stream).code()).isZero();
            CliResult again = run(
                    new byte[0],
                    false,
                    "append",
                    "--create",
                    "--yes",
                    "--keep-records",
                    "--stream",
                    stream,
                    text.toString());
            assertThat(again.code()).as("seed %s: %s", seed, again).isZero();
            assertThat(again.out().contains("blocks: true")).as("%s", again).isEqualTo(stream.equals("beside"));
            assertThat(again.err().contains("topic text is there already")).isEqualTo(stream.equals("text"));
            assertThat(run(new byte[0], false, "verify", stream).code()).isZero();
        }
        // An empty topic has nobody's records yet.
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            admin.createTopics(List.of(new NewTopic("empty", 2, (short) 1)))
                    .all()
                    .get();
        }
        CliResult first = run(new byte[0], false, "append", "--create", "--yes", "--stream", "empty", text.toString());
        assertThat(first.code()).as("seed %s: %s", seed, first).isZero();
        assertThat(first.out()).contains("  blocks: true   # ");
        answers("empty", rows, "Station", "Wind_m_s_", "Boeen");
    }

    /** From the file to the answer by one command with no edit, each row as it was written. */
    void filesOfAnyDialect() throws Exception {
        int files = Rounds.of(5, 60);
        for (int i = 0; i < files; i++) {
            AnyDialect dialect = new AnyDialect(seed + i);
            byte[] bytes = dialect.file();
            String name = "any-" + i;
            Path file = Files.write(folder.resolve(name + (dialect.isJson() ? ".json" : ".csv")), bytes);
            String as = "-Dseed=" + (seed + i) + " -Dseeds=1: " + dialect;
            CliResult result = run(new byte[0], false, "append", "--create", "--yes", file.toString());
            assertThat(result.code()).as("%s: %s", as, result).isZero();
            assertThat(result.err()).as("%s: %s", as, result).contains(" 0 rejected");
            String time = result.out().replaceFirst("(?s).*\ntime: (\\w+).*", "$1");
            untilCounted(name, AnyDialect.ROWS);
            CliResult answer =
                    run(new byte[0], false, "query", name, "--order-by", time, "--limit", "1000", "--format", "json");
            dialect.isIn(answer.out(), as + "\n" + result.out());
            assertThat(run(new byte[0], false, "stream", "drop", name).code()).isZero();
        }
    }

    private CliResult created(String file) {
        CliResult result = run(new byte[0], false, "append", "--create", "--yes", file);
        assertThat(result.code()).as("seed %s: %s", seed, result).isZero();
        assertThat(result.err()).contains("created stream ", ROWS + " tuples accepted, 0 rejected", "see all of it");
        return result;
    }

    void aPersonIsAsked() throws Exception {
        Path file = Files.writeString(folder.resolve("asked.csv"), "at,x\n2021-10-07,1\n2021-10-08,2\n");
        CliResult no = run("n\n".getBytes(UTF_8), true, "append", "--create", file.toString());
        assertThat(no.code()).isEqualTo(1);
        assertThat(no.out()).contains("name: asked\nformat: csv\n", "# All 2 rows are tuples of it.\n");
        assertThat(no.err())
                .contains("Create stream asked like this and append the file? [Y/n] ", "nothing was created");
        assertThat(run(new byte[0], false, "stream", "list").out()).doesNotContain("asked");
        CliResult ended = run(new byte[0], true, "append", "--create", file.toString());
        assertThat(ended.code()).isEqualTo(1);
        CliResult yes = run("\n".getBytes(UTF_8), true, "append", "--create", "other", file.toString());
        assertThat(yes.code()).as("%s", yes).isZero();
        untilCounted("other", 2);
        CliResult again = run(new byte[0], false, "append", "--create", "--yes", "other", file.toString());
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.err())
                .contains("stream other exists already: append to it by 'append other ", "[STREAM_EXISTS]");
        // It is refused before anything is looked at.
        assertThat(again.out()).isEmpty();
        assertThat(run(new byte[0], false, "query", "other", "--count").out()).isEqualTo("2\n");
    }

    /** A stream that is dropped and made anew has its old rows again, and so that is said. Leaves stream anew. */
    void whatATopicHasAlreadyIsSaid(String kafka) throws Exception {
        Path file = Files.writeString(folder.resolve("anew.csv"), "at,x\n2021-10-07,1\n2021-10-08,2\n");
        String deletion = "kafka-topics.sh --bootstrap-server " + kafka + " --delete --topic anew";
        assertThat(run(new byte[0], false, "append", "--create", "--yes", file.toString())
                        .code())
                .isZero();
        CliResult dropped = run(new byte[0], false, "stream", "drop", "anew");
        assertThat(dropped.err())
                .matches(
                        "dropped stream anew\ntopic anew stays, with up to \\d records?: .*\\. If no program, and no stream of another namespace, needs it: "
                                + Pattern.quote(deletion) + "\n");

        CliResult refused = run(new byte[0], false, "append", "--create", "--yes", file.toString());
        assertThat(refused.code()).as("%s", refused).isEqualTo(1);
        assertThat(refused.err())
                .containsPattern("topic anew has \\d records? already, since 20\\S+Z, and they would be rows")
                .contains("Say --keep-records", deletion, "[TOPIC_HAS_RECORDS]");
        CliResult no = run("\n".getBytes(UTF_8), true, "append", "--create", file.toString());
        assertThat(no.code()).as("%s", no).isEqualTo(1);
        assertThat(no.err()).contains("topic anew has ", "append the file? [y/N] ", "nothing was created");
        assertThat(run(new byte[0], false, "stream", "list").out()).doesNotContain("anew");

        Path second = folder.resolve("second.yaml");
        Files.writeString(second, """
                {name: second, topic: anew, format: block, fields: [{name: at, type: timestamp},
                 {name: x, type: int}], key: {field: x}, time: at}
                """);
        assertThat(run(new byte[0], false, "stream", "create", second.toString())
                        .code())
                .isZero();
        CliResult taken = run(new byte[0], false, "append", "--create", "--yes", file.toString());
        assertThat(taken.err())
                .contains("topic anew is that of second, and ", "[TOPIC_TAKEN]")
                .doesNotContain("--delete");
        assertThat(run(new byte[0], false, "stream", "drop", "second").code()).isZero();

        CliResult yes = run("y\n".getBytes(UTF_8), true, "append", "--create", file.toString());
        assertThat(yes.code()).as("%s", yes).isZero();
        untilCounted("anew", 4);
        Path yaml = Files.writeString(
                folder.resolve("anew.yaml"),
                run(new byte[0], false, "stream", "describe", "anew").out());
        assertThat(run(new byte[0], false, "stream", "drop", "anew").code()).isZero();
        CliResult created = run(new byte[0], false, "stream", "create", yaml.toString());
        assertThat(created.err())
                .startsWith("created stream anew, fed by topic anew of ")
                .containsPattern("\ntopic anew has \\d records? already, since 20\\S+Z: they become rows");
        untilCounted("anew", 4);
        assertThat(run(new byte[0], false, "stream", "drop", "anew").code()).isZero();
        CliResult kept = run(new byte[0], false, "append", "--create", "--yes", "--keep-records", file.toString());
        assertThat(kept.code()).as("%s", kept).isZero();
        untilCounted("anew", 6);
    }

    /** Of a folder of two forms, and of rows that do not fit, no stream is made. */
    void whatDoesNotFitIsRefused() throws Exception {
        Path mixed = Files.createDirectories(folder.resolve("mixed"));
        Files.writeString(mixed.resolve("a.json"), "{\"at\": \"2021-10-07T00:00:00Z\", \"x\": 1}\n");
        Files.writeString(mixed.resolve("b.csv"), "at,x\n2021-10-07,1\n");
        CliResult forms = run(new byte[0], false, "append", "--create", "--yes", mixed.toString());
        assertThat(forms.code()).as("%s", forms).isEqualTo(1);
        assertThat(forms.err()).contains("b.csv is CSV, and ", "a.json is JSON: a stream is made of files of one form");

        Path parts = Files.createDirectories(folder.resolve("parts"));
        Files.writeString(parts.resolve("0.txt"), "{\"at\": \"2021-10-07T00:00:00Z\", \"x\": 1}\n");
        Files.writeString(parts.resolve("1.txt"), "");
        CliResult empty = run(new byte[0], false, "append", "--create", "--yes", parts.toString());
        assertThat(empty.code()).as("%s", empty).isZero();

        Path odd = Files.createDirectories(folder.resolve("odd"));
        Files.writeString(odd.resolve("a.csv"), "at,x\n2021-10-07,1\n2021-10-08,2\n");
        Files.writeString(odd.resolve("b.csv"), "at,x\n" + "2021-10-07,1,more\n".repeat(3));
        CliResult most = run(new byte[0], false, "append", "--create", "--yes", odd.toString());
        assertThat(most.code()).as("%s", most).isEqualTo(1);
        assertThat(most.err())
                .contains(
                        "most rows do not fit the proposal: 3 of 5 would be rejected, the first: ", "b.csv, line 2: ");
        CliResult asked = run("\n".getBytes(UTF_8), true, "append", "--create", odd.toString());
        assertThat(asked.code()).as("%s", asked).isEqualTo(1);
        assertThat(asked.err()).contains("3 of 5 would be rejected", "append 2 files? [y/N] ", "nothing was created");
        // What two readings fit equally is a person's to say.
        Path either = Files.writeString(folder.resolve("either.csv"), "at\tx\n3/4/2021\t1,250\n5/6/2021\t2,500\n");
        CliResult open = run(new byte[0], false, "append", "--create", "--yes", either.toString());
        assertThat(open.code()).as("%s", open).isEqualTo(1);
        assertThat(open.err())
                .contains(
                        "cannot be told (x: 1,250 (line 2), 2,500 (line 3)): say --decimal , or --thousands ,",
                        "times of at may be d/M/yyyy or M/d/yyyy",
                        "Nothing was created");
        assertThat(run(new byte[0], false, "stream", "list").out()).doesNotContain("mixed", "odd", "either");
    }

    /** A block that is no tuple is shown by its first bytes, and a table keeps its lines. The last of stream anew. */
    void tablesStayTables(String kafka) throws Exception {
        byte[] block = "WWTB\u0001 and much more \u0000".repeat(10).getBytes(UTF_8);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>("anew", 0, null, block)).get();
        }
        Waiting.until(
                "a letter",
                () -> !run(new byte[0], false, "dead-letters", "anew").out().isEmpty());
        assertThat(run(new byte[0], false, "dead-letters", "anew").out())
                .contains("\tbase64:", "... (" + block.length + " bytes; --format json shows more)");
        Path lines = Files.writeString(folder.resolve("lines.csv"), "at,x\n2021-10-07,\"two\nlines?\"\n");
        assertThat(run(new byte[0], false, "append", "--create", "--yes", lines.toString())
                        .code())
                .isZero();
        CliResult table = run(new byte[0], false, "query", "lines", "--select", "x", "--stats");
        assertThat(table.out()).contains("two\\nlines?\n");
        assertThat(table.err()).contains(" ms, as this command saw it\n");
    }

    /** Of stream anew, as {@link #whatATopicHasAlreadyIsSaid} leaves it: three records with two rows each. */
    void aTailEndsWithinARecordAndGoesOnThere() {
        String from = "earliest";
        List<String> rows = new ArrayList<>();
        for (int limit : new int[] {1, 2, 1, 1, 1}) {
            CliResult tail =
                    run(new byte[0], false, "tail", "anew", "--from", from, "--limit", "" + limit, "--where", "x > 0");
            assertThat(tail.code()).as("from %s: %s", from, tail).isZero();
            List<String> lines = tail.out().lines().skip(1).toList();
            assertThat(lines).as("from %s: %s", from, tail).hasSize(limit);
            rows.addAll(lines);
            from = tail.err().strip().replaceFirst("(?s).*go on with --from (\\S+)$", "$1");
        }
        assertThat(rows.stream().filter(row -> row.endsWith(",1")))
                .as("%s", rows)
                .hasSize(3);
        assertThat(rows.stream().filter(row -> row.endsWith(",2")))
                .as("%s", rows)
                .hasSize(3);
    }
}
