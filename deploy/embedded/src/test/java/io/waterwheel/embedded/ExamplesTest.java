package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.NamedAppender;
import io.waterwheel.client.RecordCursor;
import io.waterwheel.client.StreamQuery;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.tail.Tail;
import io.waterwheel.client.tail.TailBatch;
import io.waterwheel.client.tail.TailSettings;
import io.waterwheel.embedded.demo.FlightsFile;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.geo.Box;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.KeyTime;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.PruneReason;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.storm.AppendBolt;
import io.waterwheel.storm.TupleMapper;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Timestamp;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.storm.topology.TopologyBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples of the client's javadoc and of the pages, run: each is what stands between two marks here, which
 * {@link ExampleTextsTest} compares.
 */
@Tag("embedded")
@Timeout(900)
@SuppressWarnings({"SystemOut", "FutureReturnValueIgnored"}) // as people write it
final class ExamplesTest {
    private static final int FLIGHTS = 20_000;

    /** In the places of the repository, or of libraries. */
    private static final List<String> NOT_TO_ASK = List.of(
            "/org/apache/kafka/",
            "/org/apache/zookeeper/",
            "/org/apache/curator/",
            "/org/apache/storm/",
            "/org/apache/hadoop/",
            "/info/picocli/",
            "waterwheel-cli/",
            "waterwheel-cli-",
            "waterwheel-gateway",
            "/org/eclipse/jetty/",
            "waterwheel-topology",
            "/deploy/embedded/target/classes");

    @TempDir
    static Path folder;

    private static RunningServer server;
    private static String url;
    private static WaterwheelClient client;
    private static ExecutorService executor;

    private final PrintStream standard = System.out;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @BeforeAll
    static void start() throws Exception {
        server = QuickServer.start(
                folder.resolve("server"), ServerCommand.fitted(WaterwheelConfig.defaults(), 0), Set.of());
        url = server.url();
        client = WaterwheelClient.connect(url);
        executor = Executors.newSingleThreadExecutor();
        client.createStream(SchemaFile.read("orders", """
                        name: orders
                        format: csv
                        fields:
                          - {name: at, type: timestamp}
                          - {name: customer, type: long}
                          - {name: note, type: string, nullable: true}
                        key: {field: customer}
                        time: at
                        """));
        client.createStream(SchemaFile.read("flights", """
                        name: flights
                        format: csv
                        fields:
                          - {name: time_ms, type: timestamp}
                          - {name: icao24, type: string}
                          - {name: callsign, type: string, nullable: true}
                          - {name: longitude, type: double}
                          - {name: latitude, type: double}
                          - {name: altitude_ft, type: double, nullable: true}
                        key: {longitude: longitude, latitude: latitude}
                        time: time_ms
                        """));
        client.createStream(SchemaFile.read("payments", """
                        name: payments
                        topic: shop.payments
                        format: json
                        partitions: 1
                        fields:
                          - {name: at, type: timestamp}
                          - {name: customer, type: long}
                          - {name: cents, type: long}
                        key: {field: customer}
                        time: at
                        """));
        FlightsFile flights = FlightsFile.read();
        long shift = System.currentTimeMillis() - flights.time(FLIGHTS);
        try (Appender appender = client.appender("flights")) {
            for (int i = 0; i < FLIGHTS; i++) {
                String[] values = flights.line(i).split(",", -1);
                values[0] = Long.toString(flights.time(i) + shift); // as if they flew now
                appender.appendRecord(
                        String.join(",", List.of(values).subList(0, 6)).getBytes(UTF_8));
            }
            assertThat(client.query("flights").atLeast(appender.flush()).count())
                    .isEqualTo(FLIGHTS);
        }
    }

    @AfterAll
    static void stop() {
        executor.shutdownNow();
        client.close();
        server.close();
    }

    @BeforeEach
    void listen() {
        System.setOut(new PrintStream(printed, true, UTF_8));
    }

    @AfterEach
    void restore() {
        System.setOut(standard);
    }

    private String printed() {
        return printed.toString(UTF_8);
    }

    /** A program that has of the class path only what asking takes. */
    @Test
    void whoOnlyAsksNeedsNeitherKafkaNorZooKeeper() throws Exception {
        String asking = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> NOT_TO_ASK.stream().noneMatch(entry.replace(File.separatorChar, '/')::contains))
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        "-cp",
                        asking,
                        OnlyAsks.class.getName(),
                        url)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("asked.txt").toFile())
                .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(Files.readString(folder.resolve("asked.txt")))
                    .contains("no org.apache.kafka.clients.producer.KafkaProducer\n")
                    .contains("no org.apache.zookeeper.ZooKeeper\n")
                    .contains("no picocli.CommandLine\n")
                    .contains("flights: " + FLIGHTS + "\n")
                    .contains(
                            "append: LIBRARY_MISSING: to append, waterwheel-client needs org.apache.kafka:kafka-clients")
                    .contains("open: LIBRARY_MISSING: to append, waterwheel-client needs")
                    .contains("open a name: LIBRARY_MISSING: to append, waterwheel-client needs")
                    .contains("discover: LIBRARY_MISSING: to find coordinators by ZooKeeper")
                    .contains("dead letters: LIBRARY_MISSING: to read dead letters");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void connect() {
        // example
        try (WaterwheelClient client = WaterwheelClient.connect(url);
                Cursor rows =
                        client.query("flights").within(new Box(2, 48, 3, 49)).rows()) {
            while (rows.next()) {
                System.out.println(rows.getInstant("time_ms") + " " + rows.getDouble("longitude"));
            }
        }
        // end of example
        assertThat(printed()).containsPattern("\n20.*Z 2\\.\\d+\n");
    }

    @Test
    void statement() {
        // example
        try (WaterwheelClient client = WaterwheelClient.connect(url);
                Cursor rows = client.sql(
                        "SELECT icao24, COUNT(*) AS n FROM flights GROUP BY icao24 ORDER BY n DESC LIMIT 10")) {
            while (rows.next()) {
                System.out.println(rows.getString("icao24") + " " + rows.getLong("n"));
            }
            System.out.println(rows.verdict());
        }
        // end of example
        assertThat(printed().lines()).hasSize(11).last().asString().contains("tuples=10");
    }

    @Test
    void statementWithParameters() {
        // example
        try (Cursor rows = client.sql(
                "SELECT COUNT(*) AS n FROM flights WHERE icao24 = ? AND time_ms > ?",
                "398564",
                Instant.parse("2021-10-07T12:30:00Z"))) {
            while (rows.next()) {
                System.out.println(rows.getLong("n"));
            }
        }
        // end of example
        assertThat(printed()).containsPattern("^\\d+\n$");
    }

    @Test
    void statementByJdbc() throws Exception {
        // example
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:arrow-flight-sql://" + url.substring(7) + "/?useEncryption=false");
                PreparedStatement asked = connection.prepareStatement(
                        "SELECT time_ms, altitude_ft FROM flights WHERE icao24 = ? AND time_ms >= ?")) {
            asked.setString(1, "398564");
            Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
            asked.setTimestamp(2, Timestamp.from(Instant.parse("2021-10-07T12:30:00Z")), utc);
            try (ResultSet rows = asked.executeQuery()) {
                while (rows.next()) {
                    System.out.println(rows.getObject(1) + " " + rows.getDouble(2));
                }
            }
        }
        // end of example
        assertThat(printed()).startsWith("20");
    }

    @Test
    void rows() {
        // example
        try (Cursor rows = client.query("flights")
                .within(new Box(2, 48, 3, 49))
                .last(Duration.ofMinutes(5))
                .where("altitude_ft > 10000")
                .select("callsign", "altitude_ft")
                .orderByDescending("altitude_ft")
                .limit(10)
                .rows()) {
            while (rows.next()) {
                System.out.println(rows.getString("callsign") + " " + rows.getDouble("altitude_ft"));
            }
        }
        // end of example
        assertThat(printed().lines()).isNotEmpty().hasSizeLessThanOrEqualTo(10);
    }

    @Test
    void pages() {
        // example
        StreamQuery question = client.query("flights").orderBy("time_ms").limit(1000);
        PageToken page = null;
        do {
            try (Cursor rows = question.after(page).rows()) {
                while (rows.next()) {
                    System.out.println(rows.getInstant("time_ms"));
                }
                page = rows.verdict().next(); // null when these are fewer than the limit
            }
        } while (page != null);
        // end of example
        assertThat(printed().lines().map(Instant::parse)).hasSize(FLIGHTS).isSorted();
    }

    @Test
    void records() {
        // example
        record Position(Instant time_ms, String callsign, double longitude, double latitude, Double altitude_ft) {}

        try (RecordCursor<Position> positions =
                client.query("flights").where("callsign IS NOT NULL").limit(100).records(Position.class)) {
            for (Position position : positions) {
                System.out.println(position.callsign() + " at " + position.altitude_ft());
            }
        }
        // end of example
        assertThat(printed().lines()).hasSize(100);
    }

    @Test
    void rangesOfFields() {
        // example
        long low = client.query("flights")
                .range("longitude", 2.3, 2.7)
                .range("altitude_ft", 0, 5000)
                .count();
        // end of example
        assertThat(low)
                .isPositive()
                .isEqualTo(client.query("flights")
                        .where("longitude BETWEEN 2.3 AND 2.7 AND altitude_ft BETWEEN 0 AND 5000")
                        .count());
    }

    @Test
    void series() {
        // example
        try (Cursor rows = client.query("flights")
                .groupBy("icao24")
                .select("icao24", "time_ms")
                .series("delta(altitude_ft) AS climbed", "rate(altitude_ft) AS climb")
                .limit(100)
                .rows()) {
            while (rows.next()) {
                System.out.println(rows.getString("icao24") + " " + rows.doubleOrNull("climb"));
            }
        }
        // end of example
        assertThat(printed().lines()).hasSize(100).anyMatch(line -> line.matches("[0-9a-f]{6} -?\\d.*"));
    }

    @Test
    void downsampling() {
        // example
        try (Cursor rows = client.query("flights")
                .groupBy("icao24")
                .select("icao24", "time_ms", "altitude_ft")
                .downsample("lttb(altitude_ft, 10)")
                .rows()) {
            while (rows.next()) {
                System.out.println(rows.getString("icao24") + " " + rows.getDouble("altitude_ft"));
            }
        }
        // end of example
        List<String> aircraft =
                printed().lines().map(line -> line.substring(0, 6)).toList();
        assertThat(aircraft).isSorted().contains("506d8e");
        assertThat(Collections.frequency(aircraft, "0101de")).isEqualTo(10);
    }

    @Test
    void weeks() {
        // example
        try (Cursor weeks = client.query("flights")
                .aggregate("count(*) AS rows")
                .bucket(Duration.ofDays(7), Instant.parse("2021-01-04T00:00:00Z"))
                .rows()) {
            while (weeks.next()) {
                System.out.println(weeks.getInstant("bucket") + " " + weeks.getLong("rows"));
            }
        }
        // end of example
        List<String> weeks = printed().lines().toList();
        assertThat(weeks)
                .isNotEmpty()
                .allMatch(line -> line.matches("\\S+T00:00:00Z \\d+"))
                .allMatch(line -> Instant.parse(line.substring(0, 20))
                                .atZone(ZoneOffset.UTC)
                                .getDayOfWeek()
                        == DayOfWeek.MONDAY);
        assertThat(weeks.stream()
                        .mapToLong(line -> Long.parseLong(line.substring(21)))
                        .sum())
                .isEqualTo(FLIGHTS);
    }

    @Test
    void lookups() {
        try (Appender appender = client.appender("orders")) {
            appender.append(Instant.now().minusSeconds(60), 4711L, "as of now");
            appender.flush();
        }
        // example
        List<KeyTime> asked =
                List.of(new KeyTime("4711", Instant.now()), new KeyTime("4712", Instant.parse("2026-01-02T12:00:00Z")));
        try (Cursor rows =
                client.query("orders").at(asked).asOf().select("at", "note").rows()) {
            while (rows.next()) {
                System.out.println(
                        rows.getLong("pair") + " " + rows.getBoolean("found") + " " + rows.stringOrNull("note"));
            }
        }
        // end of example
        assertThat(printed().lines()).hasSize(2).contains("2 false null").anyMatch(line -> line.startsWith("1 true "));
    }

    @Test
    void onAnExecutor() {
        // example
        CompletableFuture<Double> highest = client.query("flights")
                .aggregate("max(altitude_ft) AS top")
                .read(executor, rows -> rows.next() ? rows.getDouble("top") : Double.NaN);
        highest.thenAccept(feet -> System.out.println("the highest is at " + feet + " ft"));
        // end of example
        assertThat(highest.join()).isGreaterThan(10_000);
    }

    @Test
    void tail() {
        // example
        try (Tail tail = client.tail("flights", TailSettings.NOW.fromEarliest().where("altitude_ft > 3000"))) {
            int rows = 0;
            while (rows < 10) {
                TailBatch batch = tail.poll(Duration.ofSeconds(10)); // null when there is nothing yet
                for (int row = 0; batch != null && row < batch.size(); row++) {
                    System.out.println(batch.instant(row, "time_ms") + " " + batch.value(row, "callsign"));
                    rows++;
                }
            }
        }
        // end of example
        assertThat(printed.toString(UTF_8).lines()).hasSizeGreaterThanOrEqualTo(10);
    }

    @Test
    void analysis() {
        // example
        Explanation took = client.query("flights").where("altitude_ft > 30000").analyze();
        System.out.println(took.text());
        System.out.println(took.chunks().pruned().by(PruneReason.TIME) + " chunks are of other times");
        // end of example
        assertThat(printed()).contains("altitude_ft > 30000").endsWith(" chunks are of other times\n");
        Explanation planned =
                client.query("flights").where("altitude_ft > 30000").explain();
        assertThat(planned.analysis()).isNull();
        assertThat(planned.asked()).isEqualTo(took.asked());
        try (Cursor rows =
                client.query(client.query("flights").limit(5).toQuery().withExplain(Explain.ANALYZE))) {
            int count = 0;
            while (rows.next()) {
                count++;
            }
            assertThat(count).isEqualTo(5);
            Explanation.Analysis analysis = rows.verdict().explanation().analysis();
            assertThat(analysis.statistics()).isEqualTo(rows.verdict().statistics());
            assertThat(analysis.servers()).isNotEmpty();
        }
    }

    @Test
    void namedAppender() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 25_000; i++) {
            lines.add("1772359202000," + i + ",from a file");
        }
        for (int again = 0; again < 2; again++) {
            // example
            try (NamedAppender appender =
                    NamedAppender.open(client.describe("orders"), AppenderSettings.DEFAULT, "orders.csv")) {
                int done = appender.progress()
                        .map(note -> Integer.valueOf(new String(note, UTF_8)))
                        .orElse(0);
                for (String line : lines.subList(done, lines.size())) {
                    appender.appendRecord(line.getBytes(UTF_8));
                    if (++done % 10_000 == 0) {
                        appender.commit(Integer.toString(done).getBytes(UTF_8));
                    }
                }
                appender.commit(Integer.toString(done).getBytes(UTF_8));
            }
            // end of example
        }
        NamedAppender last = NamedAppender.open(client.describe("orders"), AppenderSettings.DEFAULT, "orders.csv");
        Map<Integer, Long> positions = last.positions();
        last.close();
        assertThat(client.query("orders")
                        .where("note = 'from a file'")
                        .atLeast(positions)
                        .count())
                .isEqualTo(lines.size());
    }

    @Test
    void readme() {
        // example
        try (WaterwheelClient client = WaterwheelClient.connect(url);
                Appender appender = client.appender("orders")) {
            appender.append(Instant.now(), 4711L, "a note"); // values in the order of the schema's fields
            try (Cursor rows = client.query("orders")
                    .keys(4000, 4999)
                    .last(Duration.ofMinutes(5))
                    .where("note IS NOT NULL")
                    .orderByDescending("at")
                    .limit(10)
                    .atLeast(appender.flush()) // sees what was just written
                    .rows()) {
                while (rows.next()) {
                    System.out.println(rows.getInstant("at") + " " + rows.getString("note"));
                }
                System.out.println(rows.verdict()); // complete? up to which positions of the topic?
            }
        }
        // end of example
        assertThat(printed()).contains("Z a note\nVerdict[completeness=Completeness[complete=true");
    }

    @Test
    void quickstart() {
        String kafka = server.kafka();
        // example
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka), new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(
                    "shop.payments", "{\"at\": 1772359202000, \"customer\": 4711, \"cents\": 500}"));
        }
        // end of example
        assertThat(client.query("payments").key(4711).atLeast(Map.of(0, 1L)).count())
                .isEqualTo(1);
    }

    /** What it appends, {@link AppendedByStorm} sees. */
    @Test
    void boltOfATopology() {
        TopologyBuilder builder = new TopologyBuilder();
        builder.setSpout("orders", new AppendedByStorm.Numbers());
        // example
        builder.setBolt("append", new AppendBolt("orders", TupleMapper.BY_NAME, "grpc://coordinator:7070"), 4)
                .shuffleGrouping("orders");
        // end of example
        assertThat(builder.createTopology().get_bolts()).containsOnlyKeys("append");
    }
}
