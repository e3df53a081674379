package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.geo.Box;
import io.waterwheel.query.Query;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.proto.DescribeStreamRequest;
import io.waterwheel.wire.proto.FlushStreamReply;
import io.waterwheel.wire.proto.FlushStreamRequest;
import io.waterwheel.wire.proto.StreamDescription;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.storm.generated.ExecutorSummary;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Aircraft through the real topology on real daemons, in three workers, three hours of them in the long form: every
 * answer must hold exactly what was sent, while rows arrive, when all are there, out of chunks in HDFS, and after
 * workers were killed.
 */
@Tag("cluster")
@Timeout(1800)
@ExtendWith(SharedCluster.class)
class FlightsOnClusterTest {
    private static final Path FLIGHTS =
            Path.of(System.getProperty("waterwheel.shared", "../../../shared"), "data/flights/paris-2021-10.csv.gz");
    private static final String STREAM = "flights";
    private static final String WORLD = "[-180, -90, 180, 90]";
    private static final String REGION = "[0, 46.5, 4.6, 51]";
    private static final int QUERIES = Rounds.of("queries", 12, 200);
    /** The short form sends the first of the file. */
    private static final int MOST_ROWS = Rounds.ALL ? Integer.MAX_VALUE : 60_000;

    /** While something is changing. */
    private static final int FEWER_QUERIES = QUERIES / 2;

    private static final int ROWS_PER_SECOND = 15_000;
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private final long seed = Long.getLong("seed", 1);
    private final Random random = new Random(seed);
    private final long begun = System.nanoTime();
    private List<FlightRows.Row> rows = List.of();

    @Test
    void everyAnswerHoldsExactlyWhatWasSent(SharedCluster.Lazy lazy) throws Exception {
        if (!Files.exists(FLIGHTS)) {
            System.err.println("SKIPPED: FlightsOnClusterTest needs " + FLIGHTS.toAbsolutePath()
                    + "; set -Dwaterwheel.shared to the folder that holds data/");
        }
        assumeTrue(Files.exists(FLIGHTS), "no flights file");
        rows = FlightRows.read(FLIGHTS);
        rows = rows.subList(0, Math.min(rows.size(), MOST_ROWS));
        SharedCluster.Running running = lazy.start();
        try {
            run(running);
        } catch (Exception | AssertionError e) {
            System.out.println(running.cluster().tails());
            throw e;
        }
    }

    private void run(SharedCluster.Running running) throws Exception {
        RealCluster cluster = running.cluster();
        // Another class may have killed some of them.
        Waiting.until("all workers run", () -> cluster.workers().size() == cluster.pairs());
        try (Coordinators coordinators = new Coordinators(cluster.zooKeeper(), "/waterwheel/default");
                FlightFeed feed = new FlightFeed(cluster.kafka(), STREAM)) {
            createStream(running);
            untilComplete(coordinators, Map.of());
            say("the stream is created and both coordinators answer");
            for (RealCluster.Worker worker : cluster.workers()) {
                OldLibraries.assertFirst(worker);
            }
            String topology = cluster.topologies().get(0).get_id();

            int fresh = rows.size() * 6 / 10;
            CompletableFuture<Void> sending = send(feed, 0, fresh);
            AnswerCounts arriving = new AnswerCounts();
            while (!sending.isDone() || arriving.queries() < FEWER_QUERIES) {
                checkOne(coordinators, feed, arriving);
            }
            sending.join();
            say("while rows arrived: %s".formatted(arriving));

            flush(coordinators, feed, cluster);
            say("after the flush: %s".formatted(check(coordinators, feed, QUERIES)));

            // One alone is killed by ClusterFaultsTest.
            sending = send(feed, fresh, rows.size());
            killed(cluster, coordinators, feed, cluster.workers());
            sending.join();
            say("after all workers were killed: %s".formatted(check(coordinators, feed, FEWER_QUERIES)));
            for (int coordinator = 0; coordinator < 2; coordinator++) {
                Coordinators.Answer all = coordinators.ask(
                        coordinator, Query.of(STREAM).withCount().withAtLeast(feed.acknowledged()));
                assertThat(all.rows()).isEqualTo(List.of(List.of((long) rows.size())));
            }
            try (WaterwheelClient client = WaterwheelClient.connect(
                    coordinators.address(0).orElseThrow(),
                    coordinators.address(1).orElseThrow())) {
                assertThat(client.count(Query.of(STREAM).withAtLeast(feed.acknowledged())))
                        .isEqualTo(rows.size());
            }
            flush(coordinators, feed, cluster);
            say("after the last flush: %s".formatted(check(coordinators, feed, QUERIES)));
            Set<String> places = cluster.executors(topology).stream()
                    .filter(executor -> executor.get_component_id().equals("indexer"))
                    .map(ExecutorSummary::get_port)
                    .map(String::valueOf)
                    .collect(Collectors.toSet());
            assertThat(places).as("slots with an indexer").hasSize(cluster.pairs());
        }
    }

    private CompletableFuture<Void> send(FlightFeed feed, int from, int to) {
        return CompletableFuture.runAsync(() -> {
            try {
                feed.send(rows.subList(from, to), ROWS_PER_SECOND);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** The stream of the shipped schema, its keys spread over the region where the rows are: both indexers get some. */
    private static void createStream(SharedCluster.Running running) throws Exception {
        String schema = Files.readString(Path.of("../../conf/schemas/flights.yaml"));
        assertThat(schema).contains(WORLD);
        try (WaterwheelClient client = running.client()) {
            client.createStream(SchemaFile.read("flights.yaml", schema.replace(WORLD, REGION)));
            assertThat(client.describe(STREAM).definition().name()).isEqualTo(STREAM);
        }
    }

    /** Seals and waits, and looks for the chunks in HDFS. */
    private void flush(Coordinators coordinators, FlightFeed feed, RealCluster cluster) throws Exception {
        long start = System.nanoTime();
        FlushStreamReply reply = FlushStreamReply.parseFrom(coordinators.call(
                0,
                "flush-stream",
                FlushStreamRequest.newBuilder().setName(STREAM).build().toByteArray()));
        long millis = since(start);
        feed.acknowledged().forEach((partition, offset) -> assertThat(
                        reply.getPositionsMap().get(partition))
                .as("flushed of partition %s", partition)
                .isGreaterThanOrEqualTo(offset));
        StreamDescription description = StreamDescription.parseFrom(coordinators.call(
                1,
                "describe-stream",
                DescribeStreamRequest.newBuilder().setName(STREAM).build().toByteArray()));
        long acknowledged =
                feed.acknowledged().values().stream().mapToLong(Long::longValue).sum();
        assertThat(description.getChunkTuples()).as("tuples in chunks").isEqualTo(acknowledged);
        Map<String, Long> files = cluster.hdfsFiles(cluster.hdfs() + "/waterwheel");
        files.keySet().removeIf(name -> name.endsWith(".tmp"));
        // A worker that was killed may have left a file that no edit names, never the other way round.
        assertThat((long) files.size()).as("files in HDFS").isGreaterThanOrEqualTo(description.getChunks());
        assertThat(files.values().stream().mapToLong(Long::longValue).sum())
                .as("bytes in HDFS")
                .isGreaterThanOrEqualTo(description.getChunkBytes());
        say("flushed in %d ms: %d tuples in %d chunks of %d bytes; HDFS has %d files"
                .formatted(
                        millis,
                        description.getChunkTuples(),
                        description.getChunks(),
                        description.getChunkBytes(),
                        files.size()));
    }

    private void killed(
            RealCluster cluster, Coordinators coordinators, FlightFeed feed, List<RealCluster.Worker> victims)
            throws Exception {
        long start = System.nanoTime();
        victims.forEach(cluster::killWorker);
        Set<Long> dead = victims.stream().map(RealCluster.Worker::pid).collect(Collectors.toSet());
        Waiting.until("the workers are gone", PATIENCE, () -> cluster.workers().stream()
                .noneMatch(worker -> dead.contains(worker.pid())));
        Map<Integer, Long> known = feed.acknowledged();
        CompletableFuture<Long> restarted = CompletableFuture.supplyAsync(() -> {
            try {
                Waiting.until(
                        "all workers are there again",
                        PATIENCE,
                        () -> cluster.workers().size() == cluster.pairs());
                return since(start);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        // Queries that want everything wait for the dead worker's part, and are never given less as if it were whole.
        untilComplete(coordinators, known);
        long complete = since(start);
        say("killed %d worker(s): new processes after %d ms, complete answers by both coordinators after %d ms"
                .formatted(victims.size(), restarted.join(), complete));
    }

    /** Waits until each coordinator has given a complete answer; the last of them. */
    private Coordinators.Answer untilComplete(Coordinators coordinators, Map<Integer, Long> demand) throws Exception {
        Coordinators.Answer[] last = new Coordinators.Answer[1];
        Exception[] problem = new Exception[1];
        for (int coordinator = 0; coordinator < 2; coordinator++) {
            int asked = coordinator;
            try {
                Waiting.until("coordinator " + asked + " answers", PATIENCE, () -> {
                    try {
                        last[0] = coordinators.ask(
                                asked,
                                Query.of(STREAM).withCount().withAtLeast(demand).withTimeout(Duration.ofSeconds(20)));
                        return last[0].verdict().complete();
                    } catch (Exception e) {
                        problem[0] = e;
                        return false;
                    }
                });
            } catch (AssertionError e) {
                if (problem[0] != null) {
                    e.addSuppressed(problem[0]);
                }
                throw e;
            }
        }
        return last[0];
    }

    private AnswerCounts check(Coordinators coordinators, FlightFeed feed, int queries) throws Exception {
        AnswerCounts tally = new AnswerCounts();
        while (tally.queries() < queries) {
            checkOne(coordinators, feed, tally);
        }
        return tally;
    }

    /** One random box and time, as a count and as rows, from the coordinators in turn. */
    private void checkOne(Coordinators coordinators, FlightFeed feed, AnswerCounts tally) throws Exception {
        int coordinator = tally.queries() % 2;
        double longitude = 1 + random.nextDouble() * 3;
        double latitude = 48 + random.nextDouble() * 1.5;
        Box box = new Box(longitude, latitude, longitude + random.nextDouble(), latitude + random.nextDouble());
        long first = rows.get(0).time();
        long span = rows.get(rows.size() - 1).time() - first;
        long from = first + (long) (random.nextDouble() * span);
        TimeInterval times = random.nextInt(4) == 0
                ? TimeInterval.ALL
                : new TimeInterval(from, from + (long) (random.nextDouble() * span / 4));
        Map<Integer, Long> demand = feed.acknowledged();
        Query query = Query.of(STREAM)
                .withShape(box)
                .withTimes(times)
                .withAtLeast(demand)
                .withTimeout(PATIENCE);
        String what = "seed " + seed + " query " + tally.queries() + " to coordinator " + coordinator + ": " + query;

        Coordinators.Answer counted = coordinators.ask(coordinator, query.withCount());
        Coordinators.Answer listed = coordinators.ask(coordinator, query);
        Map<Integer, Long> sent = feed.sent();

        List<FlightRows.Row> matching = new ArrayList<>();
        for (FlightRows.Row row : rows) {
            if (row.matches(box, times)) {
                matching.add(row);
            }
        }
        for (Coordinators.Answer answer : List.of(counted, listed)) {
            assertThat(answer.verdict().complete()).as(what).isTrue();
            demand.forEach((partition, offset) -> assertThat(
                            answer.verdict().positions().get(partition))
                    .as(what + ", position of partition " + partition)
                    .isBetween(offset, sent.get(partition)));
        }
        long count = (Long) counted.rows().get(0).get(0);
        assertThat(count).as(what).isBetween(below(matching, counted.verdict().positions()), below(matching, sent));
        compare(what, matching, listed, sent);
        tally.add(
                counted.millis(),
                listed.millis(),
                listed.rows().size(),
                listed.verdict().chunksRead());
    }

    /** Every row below the positions, none that was not sent, each as often as it was sent at most. */
    private static void compare(
            String what, List<FlightRows.Row> matching, Coordinators.Answer answer, Map<Integer, Long> sent) {
        Map<List<Object>, Integer> left = new HashMap<>();
        answer.rows().forEach(row -> left.merge(row, 1, Integer::sum));
        Map<Integer, Long> positions = answer.verdict().positions();
        for (FlightRows.Row row : matching) {
            if (row.isBelow(positions) && left.merge(row.values(), -1, Integer::sum) < 0) {
                throw new AssertionError(what + ": lacks " + row + "; verdict " + answer.verdict());
            }
        }
        for (FlightRows.Row row : matching) {
            if (!row.isBelow(positions) && row.isBelow(sent)) {
                left.computeIfPresent(row.values(), (key, count) -> Math.max(0, count - 1));
            }
        }
        left.values().removeIf(count -> count == 0);
        assertThat(left.keySet())
                .as(what + ": rows that were not sent, or too often; verdict " + answer.verdict())
                .isEmpty();
        assertThat(answer.verdict().tuples()).as(what).isEqualTo(answer.rows().size());
    }

    private static long below(List<FlightRows.Row> matching, Map<Integer, Long> positions) {
        return matching.stream().filter(row -> row.isBelow(positions)).count();
    }

    private static long since(long start) {
        return (System.nanoTime() - start) / 1_000_000;
    }

    private void say(String what) {
        System.out.printf("[%6.1f s] %s%n", since(begun) / 1000.0, what);
    }
}
