package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waterwheel.Waiting;
import io.waterwheel.geo.Box;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Query;
import io.waterwheel.query.Statistics;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.proto.CreateStreamRequest;
import io.waterwheel.wire.proto.DescribeStreamRequest;
import io.waterwheel.wire.proto.FlushStreamRequest;
import io.waterwheel.wire.proto.StreamDescription;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Query servers beside DataNodes, three hosts with two copies of a block among them: who reads which chunk, cold and
 * warm (figure 13 of [Wang 2018]); every answer is compared with brute force. It starts a cluster of its own, so it
 * runs on request. {@code HdfsPlacementTest} compares policies of dispatch.
 *
 * <pre>
 * ./waterwheel test PlacementTest -Dplacement.copies=1
 * </pre>
 *
 * <p>{@code placement.copies}: how often the file's three hours of flights follow one another; {@code placement.warm}:
 * queries of each warm round; {@code seed}.
 */
@Tag("cluster")
@Timeout(900)
class PlacementTest {
    private static final Path FLIGHTS =
            Path.of(System.getProperty("waterwheel.shared", "../../../shared"), "data/flights/paris-2021-10.csv.gz");
    private static final String STREAM = "flights";
    private static final int ROWS_PER_SECOND = 60_000;
    private static final int HOSTS = 3;
    /** Of cold reads, the share that must be on a host with a replica. */
    private static final double NEAR_SHARE = 0.95;

    private static final List<String> TOPOLOGY = List.of(
            // Small trees: a few rows a chunk suffice to see who reads it. Caches that keep everything.
            "indexer.seal-size=256 KiB", "query-server.cache-size=128 MiB");

    private final long seed = Long.getLong("seed", 1);
    private final long begun = System.nanoTime();
    private List<FlightRows.Row> rows = List.of();

    /** Queries of one kind. */
    private static final class Round {
        private final List<Double> millis = new ArrayList<>();
        private long chunks;
        private long near;
        private long far;
        private long partsRead;
        private long partsCached;

        void add(double taken, Statistics statistics) {
            millis.add(taken);
            chunks += statistics.chunksRead();
            near += statistics.nearReads();
            far += statistics.farReads();
            partsRead += statistics.inChunks().parts().read();
            partsCached += statistics.inChunks().parts().cached();
        }

        double nearShare() {
            return (double) near / Math.max(1, near + far);
        }

        private double millis(int percent) {
            return millis.stream()
                    .sorted()
                    .skip((long) (millis.size() - 1) * percent / 100)
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%d queries, %.1f chunks each; p50 %.1f ms, p95 %.1f ms; %d chunks read near, %d far: %.1f %%; %.0f %% of the parts cached",
                    millis.size(),
                    (double) chunks / millis.size(),
                    millis(50),
                    millis(95),
                    near,
                    far,
                    100 * nearShare(),
                    100.0 * partsCached / Math.max(1, partsCached + partsRead));
        }
    }

    @Test
    void queryServersReadWhatTheirOwnHostHolds() throws Exception {
        Integer copies = Integer.getInteger("placement.copies");
        assumeTrue(copies != null, "runs with -Dplacement.copies=1 alone");
        if (!Files.exists(FLIGHTS)) {
            System.err.println("SKIPPED: PlacementTest needs " + FLIGHTS.toAbsolutePath()
                    + "; set -Dwaterwheel.shared to the folder that holds data/");
        }
        assumeTrue(Files.exists(FLIGHTS), "no flights file");
        rows = copies(FlightRows.read(FLIGHTS), copies);
        ClusterSettings settings =
                ClusterSettings.ofThree(Path.of("target/dist"), Path.of("target/cluster-tests/placement"));
        try (RealCluster cluster = RealCluster.start(settings)) {
            say("all daemons are up");
            try {
                run(cluster);
            } catch (Exception | AssertionError e) {
                System.out.println(cluster.tails());
                throw e;
            }
        }
    }

    private void run(RealCluster cluster) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("--config", cluster.configuration().toString()));
        arguments.addAll(TOPOLOGY);
        cluster.submit(
                Path.of("target/dist/waterwheel-topology-topology.jar"),
                "io.waterwheel.topology.WaterwheelTopology",
                arguments);
        say("the topology is submitted");
        try (Coordinators coordinators = new Coordinators(cluster.zooKeeper(), "/waterwheel/default")) {
            Waiting.until(
                    "a coordinator is announced", () -> coordinators.address(0).isPresent());
            assertHosts(cluster);
            fill(cluster, coordinators);
            // Of no chunk: nothing is in the caches yet.
            untilComplete(coordinators, new TimeInterval(0, 1));
            int chunks = (int) describe(coordinators).getChunks();
            say("%d chunks".formatted(chunks));
            Round cold = cold(coordinators, chunks);
            say("cold: %s".formatted(cold));
            Random random = new Random(seed);
            int queries = Integer.getInteger("placement.warm", 40);
            warm(coordinators, random, queries);
            say("warm: %s".formatted(warm(coordinators, random, queries)));
            assertThat(cold.near + cold.far).as("cold reads").isGreaterThan(20);
            assertThat(cold.nearShare()).as("%s", cold).isGreaterThanOrEqualTo(NEAR_SHARE);
        } finally {
            cluster.killTopology("waterwheel");
            Waiting.until(
                    "its workers are gone",
                    () -> cluster.workers().isEmpty() && cluster.topologies().isEmpty());
        }
    }

    /** Storm has put one query server on each host, and they are called there what the DataNodes are. */
    private static void assertHosts(RealCluster cluster) throws Exception {
        List<String> hosts = new ArrayList<>();
        for (int pair = 1; pair <= HOSTS; pair++) {
            hosts.add(cluster.host(pair));
        }
        try (CuratorFramework zooKeeper = CuratorFrameworkFactory.builder()
                .connectString(cluster.zooKeeper())
                .retryPolicy(new RetryOneTime(100))
                .build()) {
            zooKeeper.start();
            String live = "/waterwheel/default/live/waterwheel";
            Map<String, String> servers = new TreeMap<>();
            Waiting.until("three query servers are announced", () -> {
                servers.clear();
                for (String task : zooKeeper.getChildren().forPath(live)) {
                    if (task.startsWith("query-server-")) {
                        String place =
                                new String(zooKeeper.getData().forPath(live + "/" + task), StandardCharsets.UTF_8);
                        servers.put(task, place.substring(0, place.lastIndexOf(':')));
                    }
                }
                return servers.size() == HOSTS;
            });
            assertThat(servers.values()).as("hosts of %s", servers).containsExactlyInAnyOrderElementsOf(hosts);
        }
    }

    private void fill(RealCluster cluster, Coordinators coordinators) throws Exception {
        String schema = Files.readString(Path.of("../../conf/schemas/flights.yaml"))
                .replace("[-180, -90, 180, 90]", "[0, 46.5, 4.6, 51]");
        String definition = SchemaJson.writeStream(SchemaFile.read("flights.yaml", schema));
        coordinators.call(
                0,
                "create-stream",
                CreateStreamRequest.newBuilder()
                        .setDefinitionJson(definition)
                        .build()
                        .toByteArray());
        try (FlightFeed feed = new FlightFeed(cluster.kafka(), STREAM)) {
            feed.send(rows, ROWS_PER_SECOND);
        }
        say("%d rows are sent".formatted(rows.size()));
        coordinators.call(
                0,
                "flush-stream",
                FlushStreamRequest.newBuilder().setName(STREAM).build().toByteArray());
        assertThat(describe(coordinators).getChunkTuples()).isEqualTo(rows.size());
    }

    private static StreamDescription describe(Coordinators coordinators) throws Exception {
        return StreamDescription.parseFrom(coordinators.call(
                0,
                "describe-stream",
                DescribeStreamRequest.newBuilder().setName(STREAM).build().toByteArray()));
    }

    /**
     * Slices of time with gaps between them as long as a chunk, so that hardly a chunk is asked for twice: each slice
     * is read out of HDFS.
     */
    private Round cold(Coordinators coordinators, int chunks) throws Exception {
        Round round = new Round();
        int slices = Math.max(8, chunks / HOSTS * 2 / 5);
        long first = rows.get(0).time();
        long span = rows.get(rows.size() - 1).time() - first;
        for (int slice = 0; slice < slices; slice++) {
            long from = first + span * slice / slices;
            TimeInterval times = new TimeInterval(from, from + span / slices * 2 / 5);
            ask(coordinators, new Box(0.3, 46.9, 4.3, 50.8), times, round);
        }
        return round;
    }

    private Round warm(Coordinators coordinators, Random random, int queries) throws Exception {
        Round round = new Round();
        long first = rows.get(0).time();
        long span = rows.get(rows.size() - 1).time() - first;
        for (int query = 0; query < queries; query++) {
            double longitude = random.nextDouble() * 3;
            double latitude = 46.5 + random.nextDouble() * 3;
            long from = first + (long) (random.nextDouble() * span);
            ask(
                    coordinators,
                    new Box(longitude, latitude, longitude + 1.5, latitude + 1.5),
                    new TimeInterval(from, from + (long) (random.nextDouble() * span / 8)),
                    round);
        }
        return round;
    }

    private void ask(Coordinators coordinators, Box box, TimeInterval times, Round round) throws Exception {
        Query query = Query.of(STREAM)
                .withShape(box)
                .withTimes(times)
                .withAggregates(List.of(Aggregate.count(), Aggregate.parse("sum(longitude)")));
        long start = System.nanoTime();
        Coordinators.Answer answer = coordinators.ask(0, query);
        double taken = (System.nanoTime() - start) / 1e6;
        long count = 0;
        double sum = 0;
        for (FlightRows.Row row : rows) {
            if (row.matches(box, times)) {
                count++;
                sum += row.longitude();
            }
        }
        List<Object> got = answer.rows().get(0);
        String what = "seed " + seed + ": " + query;
        assertThat(answer.verdict().complete()).as(what).isTrue();
        assertThat(got.get(0)).as(what).isEqualTo(count);
        if (count > 0) {
            assertThat((Double) got.get(1)).as(what).isCloseTo(sum, within(1e-6 * Math.abs(sum)));
        }
        round.add(taken, answer.verdict().statistics());
    }

    /** The rows, and the rows again as if the next hours had been the same. */
    private static List<FlightRows.Row> copies(List<FlightRows.Row> once, int copies) {
        long span = once.get(once.size() - 1).time() - once.get(0).time() + 1000;
        long[] next = new long[FlightRows.PARTITIONS];
        List<FlightRows.Row> all = new ArrayList<>(once.size() * copies);
        for (int copy = 0; copy < copies; copy++) {
            for (FlightRows.Row row : once) {
                long time = row.time() + copy * span;
                String line = time + row.line().substring(row.line().indexOf(','));
                int partition = row.partition();
                all.add(new FlightRows.Row(
                        line, List.of(), time, row.longitude(), row.latitude(), partition, next[partition]++));
            }
        }
        return all;
    }

    private static void untilComplete(Coordinators coordinators, TimeInterval times) throws Exception {
        Exception[] problem = new Exception[1];
        try {
            Waiting.until("the coordinator answers", () -> {
                try {
                    Query all = Query.of(STREAM).withTimes(times).withCount().withTimeout(Duration.ofSeconds(10));
                    return coordinators.ask(0, all).verdict().complete();
                } catch (Exception e) {
                    problem[0] = e;
                    return false;
                }
            });
        } catch (AssertionError e) {
            Arrays.stream(problem).filter(each -> each != null).forEach(e::addSuppressed);
            throw e;
        }
    }

    private void say(String what) {
        System.out.printf(Locale.ROOT, "[%6.1f s] %s%n", (System.nanoTime() - begun) / 1e9, what);
    }
}
