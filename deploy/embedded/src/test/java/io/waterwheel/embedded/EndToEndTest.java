package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertAll;

import io.waterwheel.Waiting;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.decode.registry.TestRegistry;
import io.waterwheel.embedded.demo.Demo;
import io.waterwheel.embedded.demo.FlightsFile;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.topology.config.DataSize;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client, the command line and the demo against a whole server; each answer against the plain way. */
@Tag("embedded")
final class EndToEndTest {
    @TempDir
    static Path folder;

    private static TestRegistry registry;

    private static RunningServer server;

    private static WaterwheelClient client;

    @BeforeAll
    static void start() throws Exception {
        registry = new TestRegistry();
        Path access = Files.writeString(folder.resolve("registries"), registry.address() + " basic reader:secret\n");
        WaterwheelConfig config = WaterwheelConfig.defaults()
                .with(
                        Keys.SQL_TABLES,
                        DocumentationTest.ROOT.resolve("docs/examples/tables").toString())
                .with(Keys.REGISTRY_AUTH, "file:" + access)
                // Only what is asked is read from the chunk store: see ExplainedAndMeasured.
                .with(Keys.SCRUB_RATE, DataSize.parse("0 B"))
                .with(Keys.MAINTENANCE_MERGE_SIZE, DataSize.parse("0 B"));
        server = QuickServer.start(folder.resolve("server"), ServerCommand.fitted(config, 0), Set.of());
        client = WaterwheelClient.connect(server.url());
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
        registry.close();
    }

    private static CliResult run(String in, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        InputStream input = new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8));
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--server", server.url()));
        int code = Main.run(
                all.toArray(String[]::new),
                new Terminal(
                        input,
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        false));
        return new CliResult(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void theDemosAnswersAllAgree() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean right = new Demo(client, new PrintStream(out, true, StandardCharsets.UTF_8), false, 7)
                .run(server.kafka(), server::chunks);
        assertThat(right).as(out.toString(StandardCharsets.UTF_8)).isTrue();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsPattern("\nall 4\\d comparisons with the file agree\n");
    }

    @Test
    void filesAreTakenAsTheyCome() throws Exception {
        FilesAsTheyCome files = new FilesAsTheyCome(server.url(), folder);
        files.everyFileIsTakenWithNothingEdited();
        assertThat(packingOf("wide")).isEqualTo(CompressionType.ZSTD);
        files.filesOfAnyDialect();
        files.linesMayComeBesideBlocks(server.kafka());
        files.aPersonIsAsked();
        files.whatATopicHasAlreadyIsSaid(server.kafka());
        files.aTailEndsWithinARecordAndGoesOnThere();
        files.whatDoesNotFitIsRefused();
        files.tablesStayTables(server.kafka());
    }

    /** How a topic's first batch is packed. */
    private static CompressionType packingOf(String topic) throws Exception {
        List<Path> segments;
        try (Stream<Path> found = Files.walk(folder.resolve("server/kafka"))) {
            segments = found.filter(file -> file.toString().endsWith(".log")
                            && String.valueOf(file.getParent().getFileName()).matches(topic + "-\\d+"))
                    .toList();
        }
        for (Path segment : segments) {
            try (FileRecords records = FileRecords.open(segment.toFile(), false)) {
                for (RecordBatch batch : records.batches()) {
                    return batch.compressionType();
                }
            }
        }
        throw new AssertionError("topic " + topic + " has no batch in " + segments);
    }

    @Test
    void topicsAreTakenAsTheyAre() throws Exception {
        TopicsAsTheyAre topics = new TopicsAsTheyAre(server.url(), server.kafka(), folder);
        topics.aTopicIsTakenWithNothingEdited();
        topics.whatKafkaHasOfARecordIsAField();
        topics.avroOfARegistryIsReadBesideAnOutage();
        topics.topicsOfARegistryAreTaken(registry);
        topics.whatCannotBeReadIsSaid();
    }

    @Test
    void severalStreamsIndexATopic() throws Exception {
        SharedTopic shared = new SharedTopic(client, server.kafka());
        shared.eachStreamHasAllOfTheTopicAndPositionsOfItsOwn();
        shared.whatIsWrittenThroughOneIsInAll();
        shared.keysOfEachAreStoredOnce();
        shared.oneIsDroppedAndTheOthersGoOn();
    }

    @Test
    void aTopologyOfStormAppends() throws Exception {
        new AppendedByStorm(client, server.url(), folder).everyTupleThatIsARowIsStoredAndThenAcked();
    }

    @Test
    void rowsComeByHttp() throws Exception {
        try (PushedByHttp pushed = new PushedByHttp(client)) {
            pushed.everyRowIsThereOnce();
            pushed.positionsAreThoseOfThePost();
            pushed.keysAreStoredOnce();
            pushed.pointsAreRows();
            pushed.badRowsAreToldAndKept();
            pushed.refusals();
            pushed.theStatusListsTheGateway();
            pushed.whoIsTooSlowIsToldWhatItMissed(server.kafka());
        }
    }

    @Test
    void damagedBodiesAreRefused() throws Exception {
        try (DamagedByHttp damaged = new DamagedByHttp(client)) {
            damaged.noneIsADefectAndWhatIsTakenIsThere();
        }
    }

    @Test
    void pricesAreKeptInDecimals() throws Exception {
        try (KeptInDecimals kept = new KeptInDecimals(client, server.url(), EndToEndTest::run)) {
            kept.comeInAndGoOutAsTheyAre();
        }
    }

    @Test
    void explanationsAddUpToTheMetrics() throws Exception {
        try (ExplainedAndMeasured explained = new ExplainedAndMeasured(client, server::metrics)) {
            explained.sumsAreThoseOfTheMetrics();
        }
    }

    @Test
    void scalesChangeWhileRowsMoveOn() throws Exception {
        try (ScalesThatChange scales = new ScalesThatChange(client, EndToEndTest::run, folder)) {
            scales.everyAnswerIsThatOfAList();
        }
    }

    @Test
    void statementsComeByJdbc() throws Exception {
        try (AskedByJdbc asked = new AskedByJdbc(client, server.url())) {
            assertAll(
                    asked::everyFactIsTold,
                    asked::streamsAreTables,
                    asked::everyTypeComesBack,
                    asked::parametersMeanWhatLiteralsMean,
                    asked::statementsOfNoStream,
                    asked::updatesAreStored,
                    asked::failuresSayWhere,
                    asked::answersEndWithTheirReader,
                    asked::sessionsSayWhatHolds);
        }
    }

    @Test
    void timesAreBoundByJdbc() throws Exception {
        new TimesByJdbc(client, server.url()).areThoseOfAList();
    }

    @Test
    void toolsAskInTheirOwnWays() throws Exception {
        try (AskedByTools asked = new AskedByTools(client, server.url())) {
            assertAll(
                    asked::dbeaverUnfoldsItsTree,
                    asked::dbeaverOpensATable,
                    asked::grafanaKnowsTablesAndColumns,
                    asked::grafanaFillsPanels);
        }
    }

    @Test
    void filesOfSqlLogicTestAreAnswered() throws Exception {
        new SqlLogicByJdbc(client, server.url()).answersAsTheFilesSay();
    }

    @Test
    void manyInsertsComeAtOnce() throws Exception {
        new ManyInserts(client).eachIsStoredWholeOrRefused();
    }

    @Test
    void prometheusSeesIt() throws Exception {
        try (ScrapedByPrometheus scraped =
                ScrapedByPrometheus.start(client, folder.resolve("prometheus"), server::metrics)) {
            scraped.filesAndPagesAreWellFormed();
            scraped.dashboardsHaveAnswers();
        }
    }

    @Test
    void otherCallsOfFlightSql() throws Exception {
        try (AskedByFlightSql asked = new AskedByFlightSql(client, server.url())) {
            StatementsThatEnd ended = new StatementsThatEnd(client, server.url(), "by_flight", server::metrics);
            assertAll(
                    ended::idle,
                    ended::byCancelOfJdbc,
                    ended::byTheTimeoutOfJdbc,
                    ended::byTheTimeoutInTheirText,
                    ended::byAClientOfOurs,
                    ended::byAClientOfHttpThatIsGone,
                    ended::othersAreAnswered,
                    asked::schemasComeBeforeAnswers,
                    asked::anAnswerIsCancelled,
                    asked::optionsLastAsLongAsTheSession,
                    asked::positionsComeWithTheAnswer,
                    asked::changesAreMadeOnceWithoutTheirAnswer,
                    asked::whatIsNoMessageIsRefused);
        }
    }

    @Test
    void thePythonPackageAsksAndAppends() throws Exception {
        AskedByPython.ask(client, DocumentationTest.ROOT, folder);
    }

    @Test
    void telegrafWrites() throws Exception {
        WrittenByTelegraf.write(client, DocumentationTest.ROOT, folder);
    }

    @Test
    void statementsComeByAdbc() throws Exception {
        AskedByAdbc.ask(client, server.url(), folder);
    }

    @Test
    void whatIsAppendedIsReadBackInEveryFormat() throws Exception {
        new RowsReadBack(client).inEveryFormat();
    }

    @Test
    void theCommandLineDoesTheSame() throws Exception {
        Path schema = Files.writeString(folder.resolve("orders.yaml"), """
                name: orders
                format: block
                partitions: 2
                fields:
                  - {name: at, type: timestamp}
                  - {name: customer, type: long}
                  - {name: note, type: string, nullable: true}
                key: {field: customer}
                time: at
                """);
        assertThat(run("", "stream", "create", schema.toString()))
                .isEqualTo(new CliResult(0, "", "created stream orders, fed by topic orders of 2 partitions\n"));
        assertThat(run("", "stream", "create", schema.toString()).code()).isEqualTo(1);
        assertThat(run("", "stream", "list").out()).contains("orders\tblock\t2\torders\n");
        CliResult described = run("", "stream", "describe", "orders");
        assertThat(described.out().lines().filter(line -> !line.startsWith("#")))
                .contains("key: {field: customer}");

        CliResult appended = run("""
                customer,at,note
                7,2021-10-07T12:00:00Z,"a, quoted"
                8,1633608001000,
                x,1633608001000,bad
                9,1633608002000
                10,1633608003000,last
                """, "append", "orders", "--format", "csv", "-");
        assertThat(appended.code()).isEqualTo(1);
        assertThat(appended.err())
                .contains("standard input, line 4: customer: expected a whole number of 64 bits, got 'x'\n")
                .contains("standard input, line 5: expected 3 columns, as the first line names, got another number\n")
                .contains("3 tuples accepted, 2 rejected, in ");
        assertThat(run("{\"at\": 1, \"customer\": -3}\n", "append", "orders", "--format", "json", "-")
                        .code())
                .isZero();
        // A query that names no positions may be answered without an indexer that has just got its first row.
        Waiting.until(
                "queries of others see all",
                () -> run("", "query", "orders", "--count").out().equals("4\n"));
        assertThat(run("", "query", "orders", "--key", "7..9", "--format", "csv")
                        .out()
                        .lines())
                .containsExactlyInAnyOrder("at,customer,note", "1633608000000,7,\"a, quoted\"", "1633608001000,8,");
        assertThat(run("", "query", "orders", "--count")).isEqualTo(new CliResult(0, "4\n", ""));
        CliResult first = page("first");
        assertThat(first.code()).isZero();
        assertThat(first.out()).isEqualTo("at\n1\n1633608000000\n1633608001000\n");
        assertThat(first.err()).startsWith("the next page: --page ");
        CliResult second = page(first.err().strip().replaceFirst(".* ", ""));
        assertThat(second).isEqualTo(new CliResult(0, "at\n1633608003000\n", "this is the last page\n"));
        assertThat(run("", "flush", "orders").out()).containsPattern("0\t\\d+\n1\t\\d+\n");
        assertThat(run("", "query", "orders", "--count", "--time", "/5")).isEqualTo(new CliResult(0, "1\n", ""));
        // What indexers report is a little older than what the catalog has.
        Pattern flushed = Pattern.compile("orders +4 +0 +4 ");
        Waiting.until("the status has all 4 in chunks", () -> {
            String status = run("", "status").out();
            return flushed.matcher(status).find() && status.contains("none lags");
        });
        assertThat(run("", "status", "--json").out()).startsWith("{").contains("\"orders\"");
        assertThat(run("", "stream", "drop", "orders").code()).isZero();
        assertThat(run("", "query", "orders").code()).isEqualTo(1);
    }

    @Test
    void aFileIsAppendedAsItIsAndInOtherForms() throws Exception {
        Path file = folder.resolve("flights.csv.gz");
        try (InputStream part =
                EndToEndTest.class.getResourceAsStream("/io/waterwheel/embedded/examples/paris-flights.csv.gz")) {
            Files.copy(part, file);
        }
        FlightsFile flights = FlightsFile.read();
        for (String format : List.of("csv", "block", "json")) {
            String name = "as-" + format;
            String yaml = Files.readString(Path.of("../../conf/schemas/flights.yaml"))
                    .replace("name: flights", "name: " + name)
                    .replace("topic: flights", "topic: " + name)
                    .replace("format: csv", "format: " + format);
            run(
                    "",
                    "stream",
                    "create",
                    Files.writeString(folder.resolve(name + ".yaml"), yaml).toString());
            CliResult appended = run("", "append", name, file.toString());
            assertThat(appended.code()).as(appended.err()).isZero();
            assertThat(appended.err()).contains(flights.size() + " ").contains("queries see all of it");
            // A question that names no positions may be answered without an indexer that has just got its first row.
            Waiting.until("all rows are seen", () -> client.query(name).count() == flights.size());
            Random random = new Random(5);
            for (int i = 0; i < 5; i++) {
                FlightsFile.Region region = flights.randomRegion(random);
                assertThat(client.count(Query.of(name).withShape(region.box()).withTimes(region.times())))
                        .as("%s %s", name, region)
                        .isEqualTo(flights.count(region));
            }
            client.drop(name);
        }
    }

    @Test
    void everyKindOfAnswerIsThatOfLookingAtAllRows() throws Exception {
        Schema schema = new Schema(
                List.of(
                        new io.waterwheel.schema.Field("t", FieldType.TIMESTAMP, false),
                        new io.waterwheel.schema.Field("k", io.waterwheel.schema.FieldType.LONG, false),
                        new io.waterwheel.schema.Field("v", io.waterwheel.schema.FieldType.DOUBLE, true),
                        new io.waterwheel.schema.Field("s", io.waterwheel.schema.FieldType.STRING, false)),
                new KeySpec.Ordered("k"),
                "t");
        client.createStream(new StreamDefinition("kinds", "kinds", RecordFormat.CSV, 2, schema));
        Map<Integer, Long> positions;
        try (Appender appender = client.appender("kinds")) {
            for (long i = 0; i < 2000; i++) {
                // Value i / 8, none for each tenth; names n0 to n6.
                appender.append(i, i % 100, i % 10 == 0 ? null : i / 8.0, "n" + i % 7);
                if (i == 1200) {
                    appender.flush();
                    client.flush("kinds", Duration.ofMinutes(5));
                }
            }
            positions = appender.flush();
        }
        Query all = Query.of("kinds").withAtLeast(positions);
        String where = "v >= 100 AND s IN ('n1', 'n2') AND t < TIMESTAMP '1970-01-01 00:00:01.9Z'";
        long matching = java.util.stream.LongStream.range(0, 1900)
                .filter(i -> i % 10 != 0 && i >= 800 && (i % 7 == 1 || i % 7 == 2))
                .count();
        assertThat(client.count(all.withWhere(where))).isEqualTo(matching);
        assertThat(rows(all.withSelect(List.of("t"))
                        .withOrderBy(List.of(new io.waterwheel.query.Order("v", true)))
                        .withLimit(3)))
                .containsExactly("[1999]", "[1998]", "[1997]");
        assertThat(rows(all.withWhere("k = 5").withLatest(2).withSelect(List.of("t", "k"))))
                .containsExactly("[1905, 5]", "[1805, 5]");
        assertThat(rows(all.withResult(new io.waterwheel.query.ResultSpec.Aggregates(
                        List.of(
                                io.waterwheel.query.Aggregate.parse("count(*)"),
                                io.waterwheel.query.Aggregate.parse("count(v) AS present"),
                                io.waterwheel.query.Aggregate.parse("sum(k)"),
                                io.waterwheel.query.Aggregate.parse("max(v)")),
                        List.of(),
                        Duration.ofSeconds(1)))))
                .containsExactly("[0, 1000, 900, 49500, 124.875]", "[1000, 1000, 900, 49500, 249.875]");
        Waiting.until(
                "queries without positions see all", () -> client.query("kinds").count() == 2000);
        CliResult grouped = run("", "query", "kinds", "--agg", "count(*)", "--group-by", "s", "--format", "csv");
        assertThat(grouped.out()).startsWith("s,count\nn0,286\nn1,286\n").contains("n6,285");
        assertThatThrownBy(() -> client.query(all.withWhere("speed > 5")))
                .hasMessageContaining("there is no field 'speed'; there are [");
    }

    @Test
    void aVerificationAgreesWhileTuplesArriveAndFindsAWrongChunk() throws Exception {
        Schema schema = new Schema(
                List.of(
                        new io.waterwheel.schema.Field("t", FieldType.TIMESTAMP, false),
                        new io.waterwheel.schema.Field("k", FieldType.LONG, false),
                        new io.waterwheel.schema.Field("s", FieldType.STRING, true)),
                new KeySpec.Ordered("k"),
                "t");
        client.createStream(new StreamDefinition("verified", "verified", RecordFormat.CSV, 2, schema));
        try (Appender appender = client.appender("verified")) {
            Random random = new Random(3);
            for (long i = 0; i < 3000; i++) {
                appender.append(i, random.nextLong(), i % 3 == 0 ? null : "s" + i % 7);
            }
            appender.appendRecord("no line of this stream".getBytes(StandardCharsets.UTF_8));
            appender.flush();
            CliResult first = run("", "verify", "verified");
            assertThat(first.err()).isEmpty();
            assertThat(first.out())
                    .contains("topic: 3000 tuples, fingerprint ")
                    .containsPattern("\t0\t\\d+\t\\d+\t1\n")
                    .endsWith("the answers are right\n");
            Thread arriving = new Thread(() -> {
                for (long i = 0; i < 20_000; i++) {
                    appender.append(i, i * 31, "later");
                }
            });
            arriving.start();
            while (arriving.isAlive()) {
                assertThat(client.verify("verified", Duration.ofMinutes(5)).differences())
                        .isEmpty();
            }
            assertThat(client.verify("verified", Duration.ofMinutes(5)).agrees())
                    .isTrue();
        }

        client.createStream(new StreamDefinition("tampered", "tampered", RecordFormat.CSV, 1, schema));
        try (Appender appender = client.appender("tampered")) {
            for (long half = 0; half < 2; half++) {
                for (long i = 10 * half; i < 10 * half + 10; i++) {
                    appender.append(i, i, "x");
                }
                // All ten are in one tree, which one flush makes one chunk of.
                assertThat(client.count(Query.of("tampered").withAtLeast(appender.flush())))
                        .isEqualTo(10 * half + 10);
                client.flush("tampered");
            }
        }
        Path chunks = folder.resolve(
                "server/chunks/default/tampered-" + client.describe("tampered").id());
        List<Path> files = LiveFiles.chunks(chunks);
        assertThat(files).hasSize(2);
        Files.copy(files.get(0), files.get(1), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        CliResult wrong = run("", "verify", "tampered");
        assertThat(wrong.code()).isEqualTo(1);
        assertThat(wrong.err())
                .contains("the answers differ from the topic:\nthe topic has 20 tuples, fingerprint ")
                .contains("; the answers have 20, fingerprint ");
    }

    private static List<String> rows(Query query) {
        List<String> rows = new ArrayList<>();
        try (Cursor cursor = client.query(query)) {
            while (cursor.next()) {
                List<Object> values = new ArrayList<>();
                for (int f = 0; f < cursor.fields().size(); f++) {
                    values.add(cursor.value(f));
                }
                rows.add(values.toString());
            }
            assertThat(cursor.verdict().complete()).isTrue();
        }
        return rows;
    }

    @Test
    void recordsThatCannotBeDecodedAreSetAsideAndNeverStopTheStream() throws Exception {
        Schema schema = new Schema(
                List.of(
                        new io.waterwheel.schema.Field("t", FieldType.TIMESTAMP, false),
                        new io.waterwheel.schema.Field("k", io.waterwheel.schema.FieldType.LONG, false)),
                new KeySpec.Ordered("k"),
                "t");
        client.createStream(new StreamDefinition("bad", "bad", RecordFormat.CSV, 1, schema));
        try (Appender appender = client.appender("bad")) {
            appender.append(1L, 1L);
            appender.appendRecord("no line of this stream".getBytes(StandardCharsets.UTF_8));
            appender.append(2L, 2L);
            assertThat(client.count(Query.of("bad").withAtLeast(appender.flush())))
                    .isEqualTo(2);
            assertThatThrownBy(() -> appender.append("x", 1L)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> client.query(Query.of("bad").withSelect(List.of("y"))))
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.kind())
                            .isEqualTo(WaterwheelException.Kind.USER));
        }
    }

    private static CliResult page(String token) {
        return run(
                "",
                "query",
                "orders",
                "--select",
                "at",
                "--order-by",
                "at",
                "--limit",
                "3",
                "--page",
                token,
                "--format",
                "csv");
    }
}
