package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.geo.Box;
import io.waterwheel.query.Query;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real flights, from a producer that knows nothing of Waterwheel, through the whole server, in a process of its own
 * where it is killed; every answer is compared with a reading of the file. The seed is printed; {@code -Dseed=N}
 * repeats it, {@code -Dqueries=N} sets the number of queries of each state, {@code -Drows=N} that of the file's rows.
 */
@Tag("embedded")
final class FlightsTest {
    private static final int PARTITIONS = 4;
    private static final int QUERIES = Rounds.of("queries", 20, 200);
    /** Of the file's 284,505. */
    private static final int ROWS = Rounds.of("rows", 40_000, Integer.MAX_VALUE);
    /** Of the 193,447 rows of the other file: one of so many that have a position, and all that have none. */
    private static final int SAVAN_ONE_OF = Rounds.ALL ? 1 : 8;
    /** So that some trees are sealed while they arrive. */
    private static final String SEALS = Rounds.ALL ? "indexer.seal-size=4 MiB" : "indexer.seal-size=1 MiB";
    /** The rows arrive while the questions are asked. */
    private static final int ARRIVAL_SECONDS = Rounds.of("arrival", 5, 25);

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    Path folder;

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void answersAreExactWhileTheyArriveAfterAFlushAndAfterAKill() throws Exception {
        Path data = data();
        FlightRows flights = FlightRows.read(data.resolve("flights/paris-2021-10.csv.gz"), ROWS);
        ServedProcess server = ServedProcess.start(folder, SEALS);
        try {
            List<byte[]> records = csv(flights);
            // Most, then a flush, then the others: after the kill some are in chunks, and some in the topic alone.
            int most = records.size() * 4 / 5 / PARTITIONS * PARTITIONS;
            try (FlightQueries first = new FlightQueries(server.url0);
                    FlightQueries second = new FlightQueries(server.url1)) {
                first.create(schema("flights", RecordFormat.CSV));
                CompletableFuture<Void> producing =
                        produce(server.bootstrap, "flights", records.subList(0, most), most / ARRIVAL_SECONDS);
                check("while it arrives", List.of(first, second), "flights", flights, Map.of());
                producing.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                check("when most is there", List.of(first, second), "flights", flights, ends(most));
                first.flush("flights");
                check("after a flush", List.of(first, second), "flights", flights, ends(most));
                produce(server.bootstrap, "flights", records.subList(most, records.size()), Integer.MAX_VALUE)
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            server.kill();
            server = ServedProcess.start(folder, SEALS);
            try (FlightQueries first = new FlightQueries(server.url0);
                    FlightQueries second = new FlightQueries(server.url1)) {
                check("after kill -9", List.of(first, second), "flights", flights, ends(flights));
                FlightQueries.Answer all = first.ask(Query.of("flights")
                        .withCount()
                        .withAtLeast(ends(flights))
                        .withTimeout(PATIENCE));
                assertThat(all.verdict().tuples()).as("seed %s", seed).isEqualTo(flights.placed());
            }
        } finally {
            server.kill();
        }
    }

    @Test
    void jsonAndRowsWithoutAPosition() throws Exception {
        Path data = data();
        FlightRows paris = FlightRows.read(data.resolve("flights/paris-2021-10.csv.gz"), 20_000);
        FlightRows savan =
                FlightRows.read(data.resolve("flights/savan-2022-03.csv.gz"), Integer.MAX_VALUE, SAVAN_ONE_OF);
        try (RunningServer server =
                        QuickServer.start(folder, ServerCommand.fitted(WaterwheelConfig.defaults(), 0), Set.of());
                FlightQueries queries = new FlightQueries(server.url())) {
            StreamDefinition definition = schema("flights-json", RecordFormat.JSON);
            queries.create(definition);
            produce(server.kafka(), "flights-json", json(definition, paris), Integer.MAX_VALUE)
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            check("json", List.of(queries), "flights-json", paris, ends(paris));

            queries.create(schema("savan", RecordFormat.CSV));
            produce(server.kafka(), "savan", csv(savan), Integer.MAX_VALUE).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            check("savan", List.of(queries), "savan", savan, ends(savan));
            FlightQueries.Answer all = queries.ask(
                    Query.of("savan").withCount().withAtLeast(ends(savan)).withTimeout(PATIENCE));
            assertThat(all.verdict().tuples()).isEqualTo(savan.placed());
            Waiting.until("128 rows of savan without a position are counted as rejected", () -> queries.statusJson()
                    .contains("\"rejected\":128"));
        }
    }

    private Path data() {
        Path shared = FlightRows.shared();
        if (shared == null) {
            System.err.println("SKIPPED: the shared data sets are not here (see CONTRIBUTING.md)");
        }
        Assumptions.assumeTrue(shared != null, "the shared data sets are not here");
        System.err.println("seed " + seed);
        return java.util.Objects.requireNonNull(shared).resolve("data");
    }

    private static StreamDefinition schema(String name, RecordFormat format) {
        Schema flights =
                SchemaFile.read(Path.of("../../conf/schemas/flights.yaml")).schema();
        // A domain whose middle is near Paris, so that both indexers get their share.
        KeySpec key = new KeySpec.Position("longitude", "latitude", new Box(-180, 7, 180, 90));
        return new StreamDefinition(
                name, name, format, PARTITIONS, new Schema(flights.fields(), key, flights.timeField()));
    }

    private static List<byte[]> csv(FlightRows flights) {
        return flights.lines.stream().map(line -> line.getBytes(UTF_8)).toList();
    }

    private static List<byte[]> json(StreamDefinition definition, FlightRows flights) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        List<byte[]> records = new ArrayList<>();
        for (String line : flights.lines) {
            String[] parts = line.split(",", -1);
            ObjectNode record = mapper.createObjectNode();
            for (int f = 0; f < parts.length; f++) {
                String name = definition.schema().fields().get(f).name();
                if (parts[f].isEmpty()) {
                    record.putNull(name);
                } else if (f == 0) {
                    record.put(name, Long.parseLong(parts[f]));
                } else if (f < 3) {
                    record.put(name, parts[f]);
                } else {
                    record.put(name, Double.parseDouble(parts[f]));
                }
            }
            records.add(mapper.writeValueAsBytes(record));
        }
        return records;
    }

    /** Row i goes to partition i mod 4: its offset there is i / 4. */
    private static CompletableFuture<Void> produce(
            String bootstrap, String topic, List<byte[]> records, int perSecond) {
        return CompletableFuture.runAsync(() -> {
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", bootstrap, "linger.ms", 5),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                List<Future<RecordMetadata>> sent = new ArrayList<>(records.size());
                long start = System.nanoTime();
                for (int i = 0; i < records.size(); i++) {
                    sent.add(producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, records.get(i))));
                    long due = start + (long) (i * 1e9 / perSecond);
                    while (System.nanoTime() < due) {
                        java.util.concurrent.locks.LockSupport.parkNanos(due - System.nanoTime());
                    }
                }
                for (Future<RecordMetadata> acknowledged : sent) {
                    acknowledged.get();
                }
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException("a record could not be produced", e);
            }
        });
    }

    private static Map<Integer, Long> ends(FlightRows flights) {
        return ends(flights.lines.size());
    }

    private static Map<Integer, Long> ends(int rows) {
        Map<Integer, Long> ends = new HashMap<>();
        for (int p = 0; p < PARTITIONS; p++) {
            ends.put(p, (long) (rows - p + PARTITIONS - 1) / PARTITIONS);
        }
        return ends;
    }

    /** Random boxes and times: the count and the rows of each are what the file says of the offsets seen. */
    private void check(
            String when, List<FlightQueries> coordinators, String stream, FlightRows flights, Map<Integer, Long> demand)
            throws Exception {
        long[] micros = new long[2 * QUERIES];
        long rows = 0;
        for (int q = 0; q < QUERIES; q++) {
            FlightRows.Shape shape = flights.randomShape(random);
            Query query = Query.of(stream)
                    .withShape(shape.box())
                    .withTimes(shape.times())
                    .withAtLeast(demand)
                    .withTimeout(PATIENCE);
            FlightQueries coordinator = coordinators.get(q % coordinators.size());
            String what = when + ", seed " + seed + ", query " + q + ": " + shape;
            long begin = System.nanoTime();
            FlightQueries.Answer counted = coordinator.ask(query.withCount());
            micros[2 * q] = (System.nanoTime() - begin) / 1000;
            begin = System.nanoTime();
            FlightQueries.Answer answer = coordinator.ask(query);
            micros[2 * q + 1] = (System.nanoTime() - begin) / 1000;
            assertThat(counted.verdict().complete()).as(what).isTrue();
            assertThat(answer.verdict().complete()).as(what).isTrue();
            List<Integer> matching = flights.matching(shape.box(), shape.times());
            assertThat(counted.verdict().tuples())
                    .as("count, %s", what)
                    .isBetween(below(matching, counted.verdict().positions()), (long) matching.size());
            compare(what, flights, matching, answer);
            rows += answer.rows().size();
        }
        Arrays.sort(micros);
        System.err.printf(
                "%s: %d counts and %d row sets agree with the file (%d rows); p50 %d us, p99 %d us%n",
                when, QUERIES, QUERIES, rows, micros[micros.length / 2], micros[micros.length * 99 / 100]);
    }

    private static long below(List<Integer> matching, Map<Integer, Long> positions) {
        return matching.stream().filter(row -> seen(row, positions)).count();
    }

    private static boolean seen(int row, Map<Integer, Long> positions) {
        return row / PARTITIONS < positions.getOrDefault(row % PARTITIONS, 0L);
    }

    /** Every row below the positions is there; what lies above may be, once. */
    private static void compare(String what, FlightRows flights, List<Integer> matching, FlightQueries.Answer answer) {
        Map<List<Object>, Integer> open = new HashMap<>();
        matching.forEach(row -> open.merge(flights.rows.get(row), 1, Integer::sum));
        Map<List<Object>, Integer> due = new HashMap<>();
        for (int row : matching) {
            if (seen(row, answer.verdict().positions())) {
                due.merge(flights.rows.get(row), 1, Integer::sum);
            }
        }
        for (List<Object> row : answer.rows()) {
            assertThat(open.merge(row, -1, Integer::sum))
                    .as("%s: row %s is not in the file, or there too often", what, row)
                    .isNotNegative();
            due.computeIfPresent(row, (key, left) -> left == 1 ? null : left - 1);
        }
        assertThat(due)
                .as("rows missing, %s, positions %s", what, answer.verdict().positions())
                .isEmpty();
    }
}
