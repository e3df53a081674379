package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.embedded.server.EmbeddedKafka;
import io.waterwheel.embedded.server.EmbeddedZooKeeper;
import io.waterwheel.embedded.server.PortRegistry;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarOutputStream;
import org.apache.storm.utils.NimbusClient;
import org.apache.storm.utils.Utils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A topology under the hands of an operator, by the commands that people type: submitted, its streams divided anew,
 * drained, submitted with other numbers of tasks, killed in the middle of questions. Rows arrive all the time, and
 * every answer holds each of them once.
 */
@Tag("embedded")
@Timeout(900)
final class OperatedTopologyTest {
    private static final int ROWS = 20_000;
    private static final int BULK = Rounds.of("bulk", 150_000, 1_000_000);
    /** Rows that arrive while a topology is drained: so many at a time, 20,000 a second. */
    private static final int PART = 1_000;

    private static final long PART_NANOS = 50_000_000;

    @TempDir
    Path folder;

    private final Random random = new Random(Long.getLong("seed", 1));
    private Path configuration = Path.of("");
    private String zooKeeper = "";
    private int nimbusPort;
    private final AtomicLong sent = new AtomicLong();

    record Numbered(long n) {}

    @Test
    void nothingIsLostOrSeenTwiceThroughDrainsKillsAndChangesOfItsIndexers() throws Exception {
        nimbusPort = new PortRegistry(folder).port("nimbus", 0);
        Files.createDirectories(folder.resolve("chunks"));
        try (EmbeddedZooKeeper keeper = EmbeddedZooKeeper.start(folder.resolve("zookeeper"), 0);
                EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"), 0);
                NimbusCluster storm = NimbusCluster.start(folder, keeper.connect(), 1, nimbusPort)) {
            try {
                operate(keeper, kafka);
            } catch (Throwable e) {
                System.err.println("operated topology: the standard error of Storm ends:\n" + storm.err());
                throw e;
            }
        }
    }

    private void operate(EmbeddedZooKeeper keeper, EmbeddedKafka kafka) throws Exception {
        zooKeeper = keeper.connect();
        configuration = Files.writeString(folder.resolve("waterwheel.yaml"), """
                    zookeeper.connect: %s
                    kafka.bootstrap: %s
                    chunk-store.uri: file://%s
                    topology.workers: 1
                    indexer.memory-pool: 32 MiB
                    query-server.cache-size: 32 MiB
                    storm:
                      nimbus.seeds: [127.0.0.1]
                      nimbus.thrift.port: %d
                      topology.testing.always.try.serialize: true
                    """.formatted(
                        zooKeeper, kafka.bootstrap(), folder.resolve("chunks"), nimbusPort));
        assertThat(topology("list").err()).contains("there are no topologies");
        refused();
        submit("coordinator.tasks=2");
        assertThat(dependencies())
                .singleElement(STRING)
                .startsWith("dep-duckdb_jdbc-")
                .endsWith(".jar");
        assertThat(topology("list").out()).matches("waterwheel\tACTIVE\t\\d+\t1\t\\d+\tdefault\n");
        try (WaterwheelClient client = WaterwheelClient.discover(zooKeeper, "default")) {
            client.createStream(SchemaFile.read(schema()));
            changeIndexers(client);
            drainWhileRowsArrive(client);
            submit("--duckdb", jar().toString(), "indexer.tasks=3", "coordinator.tasks=1");
            assertThat(dependencies()).singleElement(STRING).startsWith("dep-topology-");
            exact(client);
            killInTheMiddle(client);
        }
    }

    private Path schema() throws IOException {
        return Files.writeString(folder.resolve("rows.yaml"), """
                name: rows
                format: block
                partitions: 3
                fields:
                  - {name: at, type: timestamp}
                  - {name: k, type: long}
                  - {name: n, type: long}
                key: {field: k}
                time: at
                """);
    }

    private void refused() throws IOException {
        assertThat(topology("kill", "waterwheel").err())
                .contains("there is no topology waterwheel; 'waterwheel topology list' shows those there are")
                .contains("[NO_SUCH_TOPOLOGY]");
        CliResult typo = topology("submit", "--jar", jar().toString(), "-c", "topology.debgu=true");
        assertThat(typo.code()).isEqualTo(1);
        assertThat(typo.err()).contains("storm: topology.debgu: Storm has no such key; did you mean topology.debug?");
        CliResult lacking = topology("submit", "--jar", jar().toString(), "--duckdb", "no.jar");
        assertThat(lacking.code()).isEqualTo(1);
        assertThat(lacking.err()).contains("there is no DuckDB jar no.jar");
        CliResult nobody = run("topology", "list", "--nimbus", "127.0.0.1:1");
        assertThat(nobody.code()).isEqualTo(1);
        assertThat(nobody.err()).contains("no Nimbus leads at 127.0.0.1:1").contains("[NIMBUS_UNREACHABLE]");
    }

    /** Storm takes the classes of its own process, whatever is in the jar. */
    private Path jar() throws IOException {
        Path jar = folder.resolve("topology.jar");
        new JarOutputStream(Files.newOutputStream(jar)).close();
        return jar;
    }

    private void submit(String... overrides) throws IOException {
        List<String> words = new ArrayList<>(List.of("submit", "--wait", "--jar", jar().toString()));
        words.addAll(Arrays.asList(overrides));
        CliResult ran = topology(words.toArray(String[]::new));
        assertThat(ran.code()).as(ran.err()).isZero();
        assertThat(ran.out()).isEqualTo("ready: --zookeeper " + zooKeeper + "/waterwheel --namespace default\n");
    }

    /** What workers are given beside the topology's jar: DuckDB, for joins. */
    private List<String> dependencies() throws Exception {
        Map<String, Object> conf = new HashMap<>(Utils.readDefaultConfig());
        conf.putAll(Map.of("nimbus.seeds", List.of("127.0.0.1"), "nimbus.thrift.port", nimbusPort));
        try (NimbusClient nimbus = NimbusClient.Builder.withConf(conf).build()) {
            String id = nimbus.getClient().getTopologySummaries().get(0).get_id();
            List<String> blobs = nimbus.getClient().getUserTopology(id).get_dependency_jars();
            for (String blob : blobs) {
                nimbus.getClient().getBlobMeta(blob);
            }
            return blobs;
        }
    }

    private void changeIndexers(WaterwheelClient client) throws Exception {
        append(client, ROWS);
        exact(client);
        for (int indexers : new int[] {3, 1, 4, 2}) {
            AtomicBoolean enough = new AtomicBoolean();
            CompletableFuture<Void> appending = appendUntil(client, enough);
            CliResult set = run(
                    "stream",
                    "set",
                    "rows",
                    "indexers=" + indexers,
                    "--zookeeper",
                    zooKeeper,
                    "--namespace",
                    "default");
            assertThat(set.code()).as(set.err()).isZero();
            assertThat(set.err()).contains("stream rows: indexers=" + indexers + ", by routing version ");
            // Past the limits of the moment, so that the new table is in force.
            long before = Waiting.answered(() -> client.query("rows").count());
            Waiting.until("rows arrive", () -> client.query("rows").count() > before + ROWS);
            enough.set(true);
            appending.get(5, TimeUnit.MINUTES);
            exact(client);
        }
        assertThat(client.describe("rows").division()).contains(new StreamDetails.Division(2, 5));
    }

    /**
     * Rows arrive all the time until reading has stopped: spouts read until the moment in which they are stopped. By
     * one appender, since a new one would have to ask a coordinator, and for a while there is none.
     */
    private void drainWhileRowsArrive(WaterwheelClient client) throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        Appender appender = client.appender("rows");
        CompletableFuture<Void> appending = CompletableFuture.runAsync(() -> {
            try (appender) {
                long next = System.nanoTime();
                while (!enough.get()) {
                    append(appender, PART);
                    next += PART_NANOS;
                    // By a schedule: what was late is made up for.
                    LockSupport.parkNanos(next - System.nanoTime());
                }
            }
        });
        long before = Waiting.answered(() -> client.query("rows").count());
        DrainErr err = new DrainErr(appending, enough);
        CliResult drained;
        try {
            drained = run(err, configured("drain", "waterwheel", "--deadline", "600"));
        } finally {
            enough.set(true);
        }
        appending.get(5, TimeUnit.MINUTES);
        assertThat(drained.code()).as(drained.err()).isZero();
        assertThat(drained.out()).matches("rows\t0\t\\d+\nrows\t1\t\\d+\nrows\t2\t\\d+\n");
        assertThat(drained.err())
                .contains("writing what is in the log of 1 stream")
                .contains("reading has stopped; writing what was read meanwhile")
                .contains("killed topology waterwheel: the next one has nothing to read again");
        assertThat(before).isLessThanOrEqualTo(sent.get());
        System.err.printf(
                "operated topology: %s rows were sent when the log was written, %s when reading had stopped, %s in"
                        + " all%n",
                err.logged, err.stopped, sent);
        assertThat(err.stopped).isGreaterThan(err.logged);
        CliResult again = topology("drain", "waterwheel");
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.err()).contains("there is no topology waterwheel");
    }

    /**
     * The standard error of a drain. When that says that it writes the log it goes on as soon as further rows have been
     * sent: that some arrive in between is no matter of luck.
     */
    private final class DrainErr extends ByteArrayOutputStream {
        private final CompletableFuture<Void> appending;
        private final AtomicBoolean enough;
        private long logged;
        private long stopped;

        DrainErr(CompletableFuture<Void> appending, AtomicBoolean enough) {
            this.appending = appending;
            this.enough = enough;
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            super.write(bytes, from, length);
            String said = toString(StandardCharsets.UTF_8);
            if (logged == 0 && said.contains("writing what is in the log")) {
                logged = sent.get();
                Waiting.until("rows arrive meanwhile", () -> sent.get() > logged + PART || appending.isDone());
            } else if (stopped == 0 && said.contains("reading has stopped")) {
                stopped = sent.get();
                // What comes now is read by the next topology: some is enough.
                enough.set(true);
            }
        }
    }

    private void killInTheMiddle(WaterwheelClient client) throws Exception {
        append(client, BULK);
        exact(client);
        try (Cursor cursor = client.query("rows").timeout(Duration.ofMinutes(5)).rows()) {
            assertThat(cursor.next()).isTrue();
            CompletableFuture<List<Numbered>> whole = CompletableFuture.supplyAsync(
                    () -> client.query("rows").timeout(Duration.ofMinutes(5)).list(Numbered.class));
            assertThat(topology("kill", "waterwheel", "--wait").code()).isZero();
            try (CatalogStore catalog =
                    ZooKeeperCatalogStore.connect(zooKeeper, "/waterwheel/default", Duration.ofSeconds(60))) {
                Waiting.until("the coordinator is gone", () -> catalog.children("/coordinators")
                        .isEmpty());
            }
            assertThatThrownBy(() -> {
                        while (cursor.next()) {
                            // until it fails
                        }
                    })
                    .as("an answer that was begun")
                    // Slow where the kill took longer than the server's patience: nothing was read meanwhile.
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                            .isIn("ANSWER_CUT_OFF", "SERVER_CLOSING", "CLIENT_SLOW"));
            submit("indexer.tasks=1", "coordinator.tasks=1");
            assertEachOnce(whole.get(5, TimeUnit.MINUTES));
        }
        exact(client);
        assertThat(topology("kill", "waterwheel", "--wait").code()).isZero();
    }

    private CompletableFuture<Void> appendUntil(WaterwheelClient client, AtomicBoolean enough) {
        return CompletableFuture.runAsync(() -> {
            do {
                append(client, 1_000);
            } while (!enough.get());
        });
    }

    private void append(WaterwheelClient client, int rows) {
        try (Appender appender = client.appender("rows")) {
            append(appender, rows);
        }
    }

    private void append(Appender appender, int rows) {
        for (int i = 0; i < rows; i++) {
            long n = sent.getAndIncrement();
            appender.append(1_700_000_000_000L + n, random.nextLong(), n);
        }
        appender.flush().forEach((partition, position) -> positions.merge(partition, position, Math::max));
    }

    /** Of every appender's end the highest: one that sent little has not written to all partitions. */
    private final Map<Integer, Long> positions = new ConcurrentHashMap<>();

    private void exact(WaterwheelClient client) {
        assertEachOnce(client.query("rows")
                .atLeast(positions)
                .timeout(Duration.ofMinutes(5))
                .list(Numbered.class));
    }

    private void assertEachOnce(List<Numbered> answer) {
        assertThat(answer).hasSize(sent.intValue());
        boolean[] seen = new boolean[sent.intValue()];
        for (Numbered row : answer) {
            assertThat(seen[Math.toIntExact(row.n())])
                    .as("row %s is there twice", row.n())
                    .isFalse();
            seen[Math.toIntExact(row.n())] = true;
        }
    }

    private CliResult topology(String... words) {
        return run(new ByteArrayOutputStream(), configured(words));
    }

    private String[] configured(String... words) {
        List<String> all = new ArrayList<>(List.of("topology"));
        all.addAll(Arrays.asList(words));
        all.addAll(2, List.of("--config", configuration.toString()));
        return all.toArray(String[]::new);
    }

    private static CliResult run(String... words) {
        return run(new ByteArrayOutputStream(), words);
    }

    private static CliResult run(ByteArrayOutputStream err, String... words) {
        OutputStream out = new ByteArrayOutputStream();
        int code = Main.run(
                words,
                new Terminal(
                        InputStream.nullInputStream(),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        false));
        return new CliResult(code, out.toString(), err.toString(StandardCharsets.UTF_8));
    }
}
