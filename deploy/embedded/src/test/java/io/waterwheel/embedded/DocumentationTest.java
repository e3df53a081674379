package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.AskedQuestions;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.decode.registry.TestRegistry;
import io.waterwheel.embedded.demo.FlightsFile;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.gateway.Gateway;
import io.waterwheel.gateway.GatewaySettings;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.tuple.QuestionShape;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import javax.tools.ToolProvider;
import org.apache.avro.LogicalTypes;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the pages tell people to type is typed here, and the example projects are run, against one server. */
@Tag("embedded")
@Timeout(900)
final class DocumentationTest {
    static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
    private static final Pattern COMMAND =
            Pattern.compile("^ *(?:cat (\\S+) \\| )?\\./waterwheel +(.*?)(?: {2,}#.*)?$");
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");
    /** Commands that start a server, build or test, and those of other pages' servers. */
    private static final Set<String> NOT_HERE = Set.of("server", "gateway", "demo", "test");

    /** The file of positions that the pages append. */
    private static final String SAMPLE = "conf/examples/paris-flights.csv.gz";

    @TempDir
    static Path folder;

    /** Every fourth row of it, for pages that do not depend on how much it is. */
    private static Path someOfSample = Path.of(SAMPLE);

    private static RunningServer server;
    private static String javaClassPath = "";

    /** Where the schema registry of the pages is. */
    private static String registry = "";

    private static WaterwheelClient client;

    @BeforeAll
    static void start() throws Exception {
        someOfSample = someOfSample();
        server = QuickServer.start(
                folder.resolve("server"),
                ServerCommand.fitted(
                        WaterwheelConfig.defaults()
                                .with(
                                        Keys.SQL_TABLES,
                                        ROOT.resolve("docs/examples/tables").toString()),
                        0),
                Set.of());
        client = WaterwheelClient.connect(server.url());
    }

    private static Path someOfSample() throws IOException {
        Path some = folder.resolve(ROOT.resolve(SAMPLE).getFileName());
        try (BufferedReader whole = new BufferedReader(
                        new InputStreamReader(new GZIPInputStream(Files.newInputStream(ROOT.resolve(SAMPLE))), UTF_8));
                Writer fourth = new OutputStreamWriter(new GZIPOutputStream(Files.newOutputStream(some)), UTF_8)) {
            int lines = 0;
            for (String line = whole.readLine(); line != null; line = whole.readLine()) {
                if (lines++ % 4 == 0) {
                    fourth.write(line + '\n');
                }
            }
        }
        return some;
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @AfterEach
    void dropStreams() {
        client.listStreams().forEach(stream -> client.drop(stream.definition().name()));
    }

    @Test
    void theReadme() throws Exception {
        assertThat(runPage("README.md")).isGreaterThanOrEqualTo(8);
    }

    @Test
    void everyOptionOfAQuery() throws Exception {
        assertThat(runPage("docs/queries.md")).isGreaterThanOrEqualTo(25);
        String page = Files.readString(ROOT.resolve("docs/queries.md"), UTF_8);
        Matcher option = Pattern.compile("--[a-z-]+").matcher(ran("query", "--help"));
        // Where the server is has nothing to do with the question: docs/operations.md.
        Set<String> connection = Set.of("--help", "--server", "--zookeeper", "--namespace");
        while (option.find()) {
            if (!connection.contains(option.group())) {
                assertThat(page)
                        .as("docs/queries.md has an example of each option")
                        .contains(option.group());
            }
        }
    }

    @Test
    void statements() throws Exception {
        Files.writeString(
                folder.resolve("statements.sql"), "SELECT COUNT(*) AS n FROM flights;\nSELECT 'two; in a text';\n");
        assertThat(runPage("docs/sql.md")).isGreaterThanOrEqualTo(25);
        String where = "ST_DWithin(ST_Point(longitude, latitude), ST_Point(2.55, 49.01), 10000)";
        assertThat(ran("sql", "SELECT COUNT(*) AS n FROM flights WHERE " + where, "--format", "csv")
                        .lines())
                .containsExactly(
                        "n",
                        ran("query", "flights", "--circle", "2.55,49.01,10000", "--count")
                                .strip());
        assertThat(ran(
                        "sql",
                        "SELECT callsign \"the callsign\", MAX(altitude_ft) FROM flights WHERE altitude_ft > 40000"
                                + " GROUP BY callsign ORDER BY 2 DESC, 1",
                        "--format",
                        "csv"))
                .startsWith("the callsign,max")
                .isEqualTo(ran(
                                "query",
                                "flights",
                                "--where",
                                "altitude_ft > 40000",
                                "--agg",
                                "max(altitude_ft) AS top",
                                "--group-by",
                                "callsign",
                                "--order-by",
                                "top:desc,callsign",
                                "--format",
                                "csv")
                        .replaceFirst("callsign,top", "the callsign,max"));
    }

    @Test
    void aKeyOfManyDimensions() throws Exception {
        assertThat(runPage("docs/dimensions.md", ROOT.resolve(SAMPLE))).isGreaterThanOrEqualTo(8);
        assertThat(ran("query", "approaches", "--key", "longitude=2.3..2.7", "--key", "altitude_ft=..5000", "--count"))
                .isEqualTo(ran(
                        "query",
                        "approaches",
                        "--where",
                        "longitude BETWEEN 2.3 AND 2.7 AND altitude_ft <= 5000",
                        "--count"));
        // Those of the page, the two before, and no other: a count bounds no dimension, nor does a plan ask.
        ran("query", "approaches", "--count");
        ran("query", "approaches", "--key", "track_deg=0..10", "--explain");
        AskedQuestions asked;
        try (WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            asked = client.questions("approaches", 1000);
        }
        assertThat(asked.shapes()).hasSize(6);
        QuestionShape last = new QuestionShape(asked.shapes()[5]);
        assertThat(IntStream.range(0, 5).filter(last::bounds)).containsExactly(0, 2);
        assertThat(asked.keys()).hasSize(1000);
        assertThat(asked.chunksRead()).isEqualTo((int) asked.chunks());
        assertThat(ran("stream", "advise", "approaches"))
                .contains(
                        "of stream approaches the last 6 questions that bounded a dimension read, as estimated, ",
                        "TIMES   PRESENT  PROPOSED  SHARE OF CELLS",
                        "longitude ",
                        "divided into 200 leaves");
        // The page has put other scales in force: rows up to the limits of partitions are still by the former ones.
        // Then
        // dispatchers tell of their keys within some seconds.
        Waiting.until("the cells of the dimensions are in the status", () -> {
            ran("append", "approaches", someOfSample.toString());
            return ran("status", "--json").contains("\"dimensions\":[{\"field\":\"longitude\",\"cells\":64,\"used\":");
        });
    }

    @Test
    void aTopicThatOthersFill() throws Exception {
        List<String> lines = Files.readAllLines(ROOT.resolve("docs/quickstart-kafka.md"), UTF_8);
        int schema = lines.indexOf("<!-- file: payments.yaml -->");
        List<String> yaml = lines.subList(
                schema + 2, schema + 2 + lines.subList(schema + 2, lines.size()).indexOf("```"));
        Files.write(folder.resolve("payments.yaml"), yaml);
        List<String> records = lines.stream()
                .filter(line -> line.startsWith("    >"))
                .map(line -> line.substring(5))
                .toList();
        assertThat(records).hasSizeGreaterThanOrEqualTo(2);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
            admin.createTopics(List.of(new NewTopic("shop.payments", 2, (short) 1)))
                    .all()
                    .get();
        }
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", server.kafka()), new StringSerializer(), new StringSerializer())) {
            for (String record : records) {
                producer.send(new ProducerRecord<>("shop.payments", 0, null, record))
                        .get();
            }
            producer.send(new ProducerRecord<>("shop.payments", 0, null, "no JSON"))
                    .get();
        }
        assertThat(runPage("docs/quickstart-kafka.md")).isGreaterThanOrEqualTo(7);
        assertThat(client.query("payments")
                        .atLeast(Map.of(0, records.size() + 1L))
                        .count())
                .isEqualTo(records.size());
        assertThat(ran("dead-letters", "payments")).contains("no JSON");
    }

    @Test
    void filesAndTopicsAsTheyCome() throws Exception {
        String page = Files.readString(ROOT.resolve("docs/formats.md"), UTF_8);
        Matcher file = Pattern.compile("<!-- file: ([^ ]*) -->\n```[a-z]*\n(.*?)```\n", Pattern.DOTALL)
                .matcher(page);
        int files = 0;
        while (file.find()) {
            Files.writeString(folder.resolve(file.group(1)), file.group(2));
            files++;
        }
        assertThat(files).isGreaterThanOrEqualTo(2);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
            admin.createTopics(List.of(
                            new NewTopic("shop.orders", 2, (short) 1), new NewTopic("shop.trips", 1, (short) 1)))
                    .all()
                    .get();
        }
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", server.kafka()), new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>("shop.orders", "{\"at\": 1633608000000, \"id\": \"a\"}"))
                    .get();
        }
        // A trip of "ann", 100 ms after 1970, by schema 1.
        byte[] trip = {0, 0, 0, 0, 1, (byte) 0xC8, 1, 6, 'a', 'n', 'n'};
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", server.kafka()), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>("shop.trips", 0, null, trip)).get();
        }
        Matcher compiled = Pattern.compile("\n    (protoc .*)\n").matcher(page);
        assertThat(compiled.find()).isTrue();
        Protoc.run(compiled.group(1), folder);
        Files.write(folder.resolve("bikes.avro"), bikes());
        try (TestRegistry trips = new TestRegistry()) {
            trips.register(1, "AVRO", """
                    {"type": "record", "name": "Trip", "fields": [
                      {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                      {"name": "rider", "type": "string"}]}""");
            registry = trips.address();
            assertThat(runPage("docs/formats.md")).isGreaterThanOrEqualTo(12);
        }
        // A question that names no positions may be answered without an indexer that has just got its first row.
        Waiting.until(
                "all rows are seen",
                () -> client.query("wind").count() == 9
                        && client.query("winds").count() == 3
                        && client.query("buses").count() == 2
                        && client.query("bikes").count() == 1);
        // A ride of "ann", 100 s after 1970, that costs nothing.
        byte[] ride = {0x0A, 2, 0x08, 100, 0x12, 5, 0x0A, 3, 'a', 'n', 'n'};
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", server.kafka()), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>("rides", 0, null, ride)).get();
        }
        assertThat(ran("query", "rides", "--format", "csv", "--at-least", "0:1"))
                .isEqualTo("at,rider,fare\n100000000,ann,0.0\n");
        assertThat(ran("query", "wind", "--where", "Wind_m_s_ > 4", "--select", "Station", "--format", "csv"))
                .isEqualTo("Station\n" + "Dahlem\n".repeat(3));
        assertThat(ran("query", "buses", "--where", "fare > 3", "--select", "bus_id", "--format", "csv"))
                .isEqualTo("bus_id\na-8\n");
        assertThat(ran("query", "bikes", "--format", "csv")).isEqualTo("at,bike,dock\n1633608000000,b-1,7\n");
    }

    private static byte[] bikes() throws IOException {
        org.apache.avro.Schema schema = SchemaBuilder.record("Bike")
                .fields()
                .name("at")
                .type(LogicalTypes.timestampMillis()
                        .addToSchema(org.apache.avro.Schema.create(org.apache.avro.Schema.Type.LONG)))
                .noDefault()
                .requiredString("bike")
                .requiredInt("dock")
                .endRecord();
        GenericRecord bike = new GenericData.Record(schema);
        bike.put("at", 1_633_608_000_000L);
        bike.put("bike", "b-1");
        bike.put("dock", 7);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
            writer.create(schema, file).append(bike);
        }
        return file.toByteArray();
    }

    @Test
    void http() throws Exception {
        // The topic of a stream that another test has dropped is still there.
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
            if (admin.listTopics().names().get().contains("flights")) {
                admin.deleteTopics(List.of("flights")).all().get();
            }
        }
        assertThat(runPage("docs/http.md", ROOT.resolve(SAMPLE))).isGreaterThanOrEqualTo(2);
        String printed = "http://127.0.0.1:7071";
        int asked = 0;
        try (Gateway gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            gateway.serve(client);
            List<String> lines = new ArrayList<>(Files.readAllLines(ROOT.resolve("docs/http.md"), UTF_8));
            for (int i = 0; i < lines.size(); i++) {
                if (!lines.get(i).startsWith("    curl ")) {
                    continue;
                }
                StringBuilder command = new StringBuilder(lines.get(i).strip());
                while (command.toString().endsWith("\\")) {
                    command.setLength(command.length() - 1);
                    command.append(lines.get(++i).strip());
                }
                StringBuilder expected = new StringBuilder();
                while (lines.get(i + 1).startsWith("    ")
                        && !lines.get(i + 1).strip().matches("(curl|\\./waterwheel) .*")) {
                    expected.append(lines.get(++i).substring(4)).append('\n');
                }
                asked++;
                List<String> words = words(command.toString());
                Pattern pattern = Pattern.compile(
                        Arrays.stream(expected.toString().strip().split("\\.\\.\\.", -1))
                                .map(Pattern::quote)
                                .collect(Collectors.joining(".*")),
                        Pattern.DOTALL);
                String body = Curl.run(
                        words.subList(1, words.size()), printed, gateway.url(), came -> pattern.matcher(came.strip())
                                .matches());
                assertThat(body).as("%s", command).isNotBlank();
                if (!expected.isEmpty()) {
                    assertThat(body.strip()).as("%s", command).matches(pattern);
                } else {
                    assertThat(body).as("%s", command).doesNotContain("\"code\":");
                }
            }
        }
        assertThat(asked).isGreaterThanOrEqualTo(34);
    }

    /** Runs every command of a page; returns how many there were. */
    private static final Pattern NEXT_PAGE = Pattern.compile("--page (\\S+)");

    /** What a command before said of the page behind its own. */
    private static String pageToken = "";

    private static int runPage(String page) throws IOException {
        return runPage(page, someOfSample);
    }

    private static int runPage(String page, Path sample) throws IOException {
        int count = 0;
        StringBuilder joined = new StringBuilder();
        for (String line : Files.readAllLines(ROOT.resolve(page), UTF_8)) {
            if (line.endsWith("\\")) {
                joined.append(line, 0, line.length() - 1);
                continue;
            }
            Matcher command = COMMAND.matcher(joined + line);
            joined.setLength(0);
            if (!command.matches() || command.group(2).startsWith("-")) {
                continue;
            }
            List<String> words = words(command.group(2));
            words.replaceAll(word -> word.equals(ROOT.resolve(SAMPLE).toString())
                    ? sample.toString()
                    : word.equals("TOKEN") ? pageToken : word);
            if (!NOT_HERE.contains(words.get(0))) {
                count++;
                byte[] in = command.group(1) == null
                        ? new byte[0]
                        : Files.readAllBytes(Path.of(words(command.group(1)).get(0)));
                String out = ran(in, words.toArray(String[]::new));
                if (words.get(0).equals("query") || words.get(0).equals("sql")) {
                    assertThat(out)
                            .as("%s: an answer of: %s", page, command.group(2))
                            .isNotBlank();
                }
            }
        }
        return count;
    }

    /** Where the pages have a schema registry. */
    private static final String REGISTRY = "http://127.0.0.1:8081";

    /** As a shell parts them; files of the repository, and of this test, and the registry, where they are. */
    private static List<String> words(String command) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(command);
        while (word.find()) {
            if (word.group().equals(">")) {
                break; // where the output goes
            }
            String text = word.group(1) != null ? word.group(1) : word.group(2) != null ? word.group(2) : word.group(3);
            if (text.equals(REGISTRY)) {
                words.add(registry);
                continue;
            }
            Path file = ROOT.resolve(text.replace('"', '_'));
            words.add(
                    text.contains("/") && Files.isRegularFile(file)
                            ? file.toString()
                            : Files.isRegularFile(folder.resolve(text))
                                    ? folder.resolve(text).toString()
                                    : text);
        }
        return words;
    }

    /** What a command prints; it must end with 0. */
    private static String ran(String... args) {
        return ran(new byte[0], args);
    }

    private static String ran(byte[] in, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> all = new ArrayList<>(List.of(args));
        if (!all.contains("--help")) {
            all.addAll(List.of("--server", server.url()));
        }
        int code = Main.run(
                all.toArray(String[]::new),
                new Terminal(
                        new ByteArrayInputStream(in),
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        false));
        assertThat(code)
                .as("waterwheel %s%n%s%s", String.join(" ", args), out.toString(UTF_8), err.toString(UTF_8))
                .isZero();
        Matcher token = NEXT_PAGE.matcher(err.toString(UTF_8));
        pageToken = token.find() ? token.group(1) : pageToken;
        return out.toString(UTF_8);
    }

    /** The class path of the Java project, compiled once: by whichever test comes first, or by each until it can be. */
    private static String javaProject() throws IOException {
        if (javaClassPath.isEmpty()) {
            Path classes = Files.createTempDirectory(folder, "classes");
            String libraries = System.getProperty("java.class.path");
            Path source = ROOT.resolve("docs/examples/java/src/main/java/com/example/orders/Orders.java");
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            int code = ToolProvider.getSystemJavaCompiler()
                    .run(null, said, said, "-proc:none", "-d", classes.toString(), "-cp", libraries, source.toString());
            assertThat(code).as(said.toString(UTF_8)).isZero();
            javaClassPath = classes + java.io.File.pathSeparator + libraries;
        }
        return javaClassPath;
    }

    @Test
    void theJavaProject() throws Exception {
        String out = runProcess(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-cp",
                javaProject(),
                "com.example.orders.Orders",
                server.url()));
        assertThat(out).endsWith("4046 505.75 lucky\n4039 504.875 lucky\n4032 504.0 lucky\ncomplete: true\n");
    }

    @Test
    void withoutTheOptionThatArrowNeedsTheMessageSaysWhich() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        javaProject(),
                        "com.example.orders.Orders",
                        server.url())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(said).contains("start java with --add-opens=java.base/java.nio=ALL-UNNAMED");
    }

    @Test
    void thePythonExample() throws Exception {
        Python python = Python.with("pyarrow.flight", "grpc_tools.protoc");
        ran("stream", "create", ROOT.resolve("conf/schemas/flights.yaml").toString());
        StreamDetails stream = client.describe("flights");
        FlightsFile flights = FlightsFile.read();
        try (var appender = client.appender(stream.definition().name())) {
            for (int i = 0; i < 60_000; i++) {
                appender.appendRecord(flights.line(i).getBytes(UTF_8));
            }
            client.query("flights").atLeast(appender.flush()).count();
        }
        String out = python.run(
                folder.resolve("process.log"),
                Map.of(),
                ROOT.resolve("docs/examples/python/flights.py").toString(),
                server.url());
        assertThat(out.lines()).hasSizeBetween(2, 6);
        assertThat(out).containsPattern("(?m)^\\d+ positions; chunks read: \\d+ of \\d+$");
    }

    private static String runProcess(List<String> command) throws IOException, InterruptedException {
        Path log = folder.resolve("process.log");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor())
                .as("%s%n%s%s", command, out, Files.readString(log))
                .isZero();
        return out;
    }
}
