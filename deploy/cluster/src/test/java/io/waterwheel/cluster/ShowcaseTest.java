package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.geo.Box;
import io.waterwheel.query.Query;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Generated taxis and real flights from two producers at once, through Kafka and the topology on real daemons; then
 * random queries and statements on both, each equal to brute force, before and after all is in chunks, and while a host
 * dies, its coordinator with the executor of statements included. The long form: {@code -Dtuples=10000000
 * -Dqueries=200}; {@code -Dseed=N} repeats a run's choices.
 */
@Tag("cluster")
@Timeout(1800)
@ExtendWith(SharedCluster.class)
final class ShowcaseTest {
    private static final Path FLIGHTS =
            Path.of(System.getProperty("waterwheel.shared", "../../../shared"), "data/flights/paris-2021-10.csv.gz");
    private static final String FLIGHTS_STREAM = "showcase-flights";
    private static final int TUPLES = Rounds.of("tuples", 100_000, 2_000_000);
    private static final int QUERIES = Rounds.of("queries", 15, 200);
    private static final int PRODUCERS = 2;
    private static final String EXECUTOR = "io.waterwheel.sql.duckdb.DuckDbProcess";
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final TaxiRows taxis = new TaxiRows(seed, TUPLES);
    private final Map<Integer, Long> taxisDemanded = new TreeMap<>();
    private final Map<Integer, Long> flightsDemanded = new TreeMap<>();
    private List<FlightRows.Row> flights = List.of();

    @Test
    void randomQueriesEqualBruteForce(SharedCluster.Running running) throws Exception {
        System.out.println("showcase: seed " + seed);
        if (Files.exists(FLIGHTS)) {
            flights = FlightRows.read(FLIGHTS);
            // The short form has the same part of both.
            flights = flights.subList(0, Math.min(flights.size(), TUPLES));
        } else {
            System.err.println("SKIPPED: the flights of ShowcaseTest need " + FLIGHTS.toAbsolutePath()
                    + "; set -Dwaterwheel.shared to the folder that holds data/; the taxis go on alone");
        }
        try (WaterwheelClient client = running.client()) {
            client.createStream(TaxiRows.definition());
            client.createStream(SchemaFile.read(
                    "flights.yaml",
                    Files.readString(Path.of("../../conf/schemas/flights.yaml"))
                            .replace("name: flights", "name: " + FLIGHTS_STREAM)
                            .replace("topic: flights", "topic: " + FLIGHTS_STREAM)));
            run(running, client);
            client.drop(TaxiRows.STREAM);
            client.drop(FLIGHTS_STREAM);
        } catch (Exception | AssertionError e) {
            System.out.println(running.cluster().tails());
            throw new AssertionError("seed " + seed + ": " + e, e);
        }
    }

    private void run(SharedCluster.Running running, WaterwheelClient client) throws Exception {
        long begun = System.nanoTime();
        appendAll(client.describe(TaxiRows.STREAM), client.describe(FLIGHTS_STREAM));
        double appended = seconds(begun);
        assertThat(client.count(
                        Query.of(TaxiRows.STREAM).withAtLeast(taxisDemanded).withTimeout(PATIENCE)))
                .isEqualTo(taxis.size());
        assertThat(client.count(
                        Query.of(FLIGHTS_STREAM).withAtLeast(flightsDemanded).withTimeout(PATIENCE)))
                .isEqualTo(flights.size());
        double visible = seconds(begun);
        say(
                "%d taxis and %d flights from %d producers in the log after %.1f s, all in answers after %.1f s (%.0f a second)",
                taxis.size(), flights.size(), PRODUCERS, appended, visible, (taxis.size() + flights.size()) / visible);
        ShowcaseStatements statements = new ShowcaseStatements(
                taxis,
                flights,
                FLIGHTS_STREAM,
                Map.of(TaxiRows.STREAM, taxisDemanded, FLIGHTS_STREAM, flightsDemanded),
                new Random(random.nextLong()));
        queries(client, QUERIES / 3, "fresh");
        statements(client, statements, "fresh");
        begun = System.nanoTime();
        client.flush(TaxiRows.STREAM, PATIENCE);
        client.flush(FLIGHTS_STREAM, PATIENCE);
        StreamDetails stored = client.describe(TaxiRows.STREAM);
        assertThat(stored.knownChunks().tuples()).isEqualTo(taxis.size());
        say(
                "flushed after %.1f s: %d taxis in %d chunks, %.1f bytes each",
                seconds(begun),
                stored.knownChunks().tuples(),
                stored.knownChunks().count(),
                (double) stored.knownChunks().bytes() / taxis.size());
        queries(client, QUERIES / 3, "from chunks");
        statements(client, statements, "from chunks");
        RealCluster cluster = running.cluster();
        Map<RealCluster.Worker, ProcessHandle> executors = executors(cluster);
        assertThat(executors).as("coordinators with an executor").isNotEmpty();
        RealCluster.Worker victim = List.copyOf(executors.keySet()).get(random.nextInt(executors.size()));
        AtomicBoolean killed = new AtomicBoolean();
        CompletableFuture<Integer> asking = CompletableFuture.supplyAsync(() -> {
            int after = 0;
            while (after < QUERIES) {
                statements(client, statements, 1, "while a DataNode and its workers are killed");
                after += killed.get() ? 1 : 0;
            }
            return after;
        });
        cluster.daemon(RealCluster.dataNode(victim.pair())).kill();
        for (RealCluster.Worker worker : cluster.workers()) {
            if (worker.pair() == victim.pair()) {
                cluster.killWorker(worker);
            }
        }
        killed.set(true);
        Waiting.until("the executor of the worker that was killed ends", PATIENCE, () -> !executors
                .get(victim)
                .isAlive());
        queries(client, QUERIES - 2 * (QUERIES / 3), "with a DataNode and its workers killed");
        say(
                "%d statements since the kill equal brute force; %d were asked again",
                asking.get(PATIENCE.toSeconds(), TimeUnit.SECONDS), statements.repeats());
        cluster.restart(RealCluster.dataNode(victim.pair()));
    }

    private static void statements(WaterwheelClient client, ShowcaseStatements statements, String when) {
        statements(client, statements, QUERIES / 3, when);
        say("%d statements %s equal brute force", QUERIES / 3, when);
    }

    private static void statements(WaterwheelClient client, ShowcaseStatements statements, int count, String when) {
        try {
            for (int s = 0; s < count; s++) {
                statements.ask(client, PATIENCE, when);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Workers whose coordinator has started the process that answers joins, with that process. */
    private static Map<RealCluster.Worker, ProcessHandle> executors(RealCluster cluster) throws IOException {
        Map<RealCluster.Worker, ProcessHandle> executors = new LinkedHashMap<>();
        for (RealCluster.Worker worker : cluster.workers()) {
            ProcessHandle.of(worker.pid()).stream()
                    .flatMap(ProcessHandle::children)
                    .filter(child -> Processes.commandLine(child.pid()).contains(EXECUTOR))
                    .forEach(child -> executors.put(worker, child));
        }
        return executors;
    }

    private void appendAll(StreamDetails taxiStream, StreamDetails flightStream) {
        List<CompletableFuture<Void>> producers = new ArrayList<>();
        for (int producer = 0; producer < PRODUCERS; producer++) {
            int mine = producer;
            producers.add(CompletableFuture.runAsync(() -> append(taxiStream, flightStream, mine)));
        }
        producers.forEach(CompletableFuture::join);
    }

    /** Every second row of each; both in step, so that they end together. */
    private void append(StreamDetails taxiStream, StreamDetails flightStream, int producer) {
        try (Appender taxi = Appender.open(taxiStream, AppenderSettings.DEFAULT);
                Appender flight = Appender.open(flightStream, AppenderSettings.DEFAULT)) {
            int next = producer;
            for (int row = producer; row < taxis.size(); row += PRODUCERS) {
                taxi.append(taxis.vehicle(row), taxis.longitude(row), taxis.latitude(row), taxis.time(row));
                while (next < flights.size() && (long) next * taxis.size() <= (long) row * flights.size()) {
                    flight.appendRecord(flights.get(next).line().getBytes(StandardCharsets.UTF_8));
                    next += PRODUCERS;
                }
            }
            for (; next < flights.size(); next += PRODUCERS) {
                flight.appendRecord(flights.get(next).line().getBytes(StandardCharsets.UTF_8));
            }
            demand(taxisDemanded, taxi.flush());
            demand(flightsDemanded, flight.flush());
        }
    }

    private static void demand(Map<Integer, Long> demanded, Map<Integer, Long> positions) {
        synchronized (demanded) {
            positions.forEach((partition, offset) -> demanded.merge(partition, offset, Math::max));
        }
    }

    private void queries(WaterwheelClient client, int queries, String when) {
        long[] millis = new long[Math.max(1, queries)];
        long rows = 0;
        for (int q = 0; q < queries; q++) {
            long begun = System.nanoTime();
            boolean flight = q % 2 == 1 && !flights.isEmpty();
            String what = "query " + q + " " + when;
            rows += flight ? askFlights(client, what) : askTaxis(client, what);
            millis[q] = (System.nanoTime() - begun) / 1_000_000;
        }
        Arrays.sort(millis);
        say(
                "%d queries %s equal brute force, %d rows; p50 %d ms, slowest %d ms, the comparison included",
                queries, when, rows, millis[millis.length / 2], millis[millis.length - 1]);
    }

    private Box box(Box within) {
        double width = (within.east() - within.west()) * random.nextDouble() * random.nextDouble();
        double height = (within.north() - within.south()) * random.nextDouble() * random.nextDouble();
        double west = within.west() + random.nextDouble() * (within.east() - within.west() - width);
        double south = within.south() + random.nextDouble() * (within.north() - within.south() - height);
        return new Box(west, south, west + width, south + height);
    }

    private TimeInterval times(long first, long last) {
        if (random.nextInt(4) == 0) {
            return TimeInterval.ALL;
        }
        long from = first + random.nextLong(last - first + 1);
        return new TimeInterval(from, from + random.nextLong((last - first) / 4 + 1));
    }

    private long askTaxis(WaterwheelClient client, String what) {
        Box box = box(TaxiRows.CITY);
        TimeInterval times = times(taxis.time(0), taxis.time(taxis.size() - 1));
        long count = 0;
        long digest = 0;
        for (int row = 0; row < taxis.size(); row++) {
            if (taxis.matches(row, box, times)) {
                count++;
                digest += taxis.digest(row);
            }
        }
        Query query = Query.of(TaxiRows.STREAM)
                .withShape(box)
                .withTimes(times)
                .withAtLeast(taxisDemanded)
                .withTimeout(PATIENCE);
        long found = 0;
        long sum = 0;
        try (Cursor cursor = client.query(query.withSelect(List.of("id", "lon", "lat", "time")))) {
            while (cursor.next()) {
                found++;
                sum += TaxiRows.digest((int) cursor.value(0), (double) cursor.value(1), (double) cursor.value(2), (long)
                        cursor.value(3));
            }
            assertThat(cursor.verdict().complete()).as("%s: %s", what, query).isTrue();
        }
        assertThat(found).as("rows of %s: %s", what, query).isEqualTo(count);
        assertThat(sum).as("digest of the rows of %s: %s", what, query).isEqualTo(digest);
        assertThat(client.count(query)).as("count of %s: %s", what, query).isEqualTo(count);
        return count;
    }

    private long askFlights(WaterwheelClient client, String what) {
        Box box = box(new Box(0, 46.5, 4.6, 51));
        TimeInterval times =
                times(flights.get(0).time(), flights.get(flights.size() - 1).time());
        Map<List<Object>, Integer> left = new HashMap<>();
        long count = 0;
        for (FlightRows.Row row : flights) {
            if (row.matches(box, times)) {
                left.merge(row.values(), 1, Integer::sum);
                count++;
            }
        }
        Query query = Query.of(FLIGHTS_STREAM)
                .withShape(box)
                .withTimes(times)
                .withAtLeast(flightsDemanded)
                .withTimeout(PATIENCE);
        try (Cursor cursor = client.query(query)) {
            while (cursor.next()) {
                List<Object> row = new ArrayList<>();
                for (int f = 0; f < cursor.fields().size(); f++) {
                    row.add(cursor.value(f));
                }
                left.merge(row, -1, Integer::sum);
            }
            assertThat(cursor.verdict().complete()).as("%s: %s", what, query).isTrue();
        }
        left.values().removeIf(more -> more == 0);
        assertThat(left)
                .as("rows that are missing (1) or too many (-1) of %s: %s", what, query)
                .isEmpty();
        assertThat(client.count(query)).as("count of %s: %s", what, query).isEqualTo(count);
        return count;
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    private static void say(String what, Object... values) {
        System.out.printf(Locale.ROOT, "showcase: " + what + "%n", values);
    }
}
