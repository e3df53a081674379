package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.Options;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.SchemaFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;

/**
 * How long does a Java client wait for an answer of the server in a process of its own, started by the launcher? First
 * of a server that has answered thousands of questions: a point, the newest ten rows of a key, a count by key, and
 * 297,000 rows to the last; in memory, and in chunks; and what processor time an answer takes of the server and of the
 * client. Then, by a client that has asked as many, the first hundred answers of a server that has just started.
 *
 * <pre>
 * java --add-opens=java.base/java.nio=ALL-UNNAMED -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.endtoend.ClientAnswers launcher=./waterwheel
 * </pre>
 *
 * Options: launcher (the command that starts the server), rows (of the stream), asked (of each kind), many (how often
 * the many rows are asked for), starts (of fresh servers), pause (seconds between their start and the first question),
 * settings (KEY=VALUE with blanks between, of the server).
 */
public final class ClientAnswers {
    private static final String STREAM = "answers";
    private static final int KEYS = 10_000;
    /** Per cent of the keys, and so of the rows, in the question for many. */
    private static final double MANY = 29.7;

    private static final int FIRST = 100;
    private static final Instant BEGIN = Instant.ofEpochMilli(1_700_000_000_000L);

    private final Options options;
    private final Path folder;
    private final int rows;
    private final SplittableRandom random = new SplittableRandom(7);

    private ClientAnswers(Options options, Path folder) {
        this.options = options;
        this.folder = folder;
        this.rows = options.integer("rows");
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments,
                "launcher",
                "./waterwheel",
                "rows",
                "1_000_000",
                "asked",
                "1_000",
                "many",
                "100",
                "starts",
                "3",
                "pause",
                "0",
                "settings",
                "");
        Path folder = Files.createTempDirectory("waterwheel-answers");
        try {
            new ClientAnswers(options, folder).run();
        } finally {
            DrainBenchmark.delete(folder);
        }
    }

    private void run() throws Exception {
        try (LaunchedServer server = start()) {
            try (WaterwheelClient client = WaterwheelClient.connect(server.url())) {
                fill(client);
                System.out.println("in memory:");
                steady(client, server);
                client.flush(STREAM);
                System.out.println("in chunks:");
                steady(client, server);
            }
        }
        for (int s = 0; s < options.integer("starts"); s++) {
            try (LaunchedServer server = start();
                    WaterwheelClient client = WaterwheelClient.connect(server.url())) {
                first(client, server);
            }
        }
    }

    private LaunchedServer start() throws IOException {
        return LaunchedServer.start(options.text("launcher"), folder.resolve("data"), options.text("settings"));
    }

    private void fill(WaterwheelClient client) throws IOException {
        client.createStream(SchemaFile.read("answers.yaml", """
                name: answers
                topic: answers
                format: block
                partitions: 1
                fields:
                  - {name: id, type: long}
                  - {name: x, type: double}
                  - {name: y, type: double}
                  - {name: speed, type: int}
                  - {name: at, type: timestamp}
                key: {field: id}
                time: at
                """));
        try (Appender appender = client.appender(STREAM)) {
            for (int row = 0; row < rows; row++) {
                appender.append(
                        (long) random.nextInt(KEYS),
                        random.nextDouble(),
                        random.nextDouble(),
                        random.nextInt(100),
                        BEGIN.plusMillis(row));
            }
            long all = client.query(STREAM).atLeast(appender.flush()).count();
            if (all != rows) {
                throw new IOException("of " + rows + " rows there are " + all);
            }
        }
    }

    /** The kinds of questions, by name; each asks once and returns what it found. */
    private Map<String, LongUnaryOperator> kinds(WaterwheelClient client) {
        Map<String, LongUnaryOperator> kinds = new LinkedHashMap<>();
        kinds.put("a point", key -> read(client.query(STREAM).key(key).limit(1).rows()));
        kinds.put(
                "the newest ten of a key",
                key -> read(client.query(STREAM).key(key).latest(10).rows()));
        kinds.put(
                "the last ten of a key by order",
                key -> read(client.query(STREAM)
                        .key(key)
                        .orderByDescending("at")
                        .limit(10)
                        .rows()));
        kinds.put(
                "count of 1 % of the keys",
                key -> client.query(STREAM).keys(key, key + KEYS / 100).count());
        kinds.put(
                "average by group",
                key -> read(client.query(STREAM)
                        .keys(key, key + KEYS / 100)
                        .aggregate("count(*)", "avg(x)")
                        .groupBy("speed")
                        .rows()));
        return kinds;
    }

    private void steady(WaterwheelClient client, LaunchedServer server) {
        kinds(client).forEach((name, kind) -> {
            long warm = 0;
            for (int i = 0; i < options.integer("asked"); i++) {
                warm += kind.applyAsLong(random.nextInt(KEYS));
            }
            if (warm == 0) {
                throw new IllegalStateException(name + " finds nothing");
            }
            long found = 0;
            long[] nanos = new long[options.integer("asked")];
            ProcessorTime cpu = ProcessorTime.begin(server);
            for (int i = 0; i < nanos.length; i++) {
                long key = random.nextInt(KEYS);
                long before = System.nanoTime();
                found += kind.applyAsLong(key);
                nanos[i] = System.nanoTime() - before;
            }
            print(name, nanos, found / nanos.length, cpu.perAnswer(nanos.length));
        });
        long high = Math.round(KEYS * MANY / 100) - 1;
        long[] nanos = new long[options.integer("many")];
        long found = 0;
        ProcessorTime cpu = ProcessorTime.begin(server);
        for (int round = 0; round < 2; round++) {
            cpu = ProcessorTime.begin(server);
            for (int i = 0; i < nanos.length; i++) {
                long before = System.nanoTime();
                found = read(client.query(STREAM).keys(0, high).rows());
                nanos[i] = System.nanoTime() - before;
            }
        }
        print("rows of 29.7 % of the keys", nanos, found, cpu.perAnswer(nanos.length));
    }

    /** Reads to the end, column by column, a batch at a time. */
    private static long read(Cursor cursor) {
        try (cursor) {
            long rows = 0;
            while (cursor.nextBatch()) {
                rows += cursor.columns().getRowCount();
            }
            return rows;
        }
    }

    private void first(WaterwheelClient client, LaunchedServer server) throws InterruptedException {
        long ready = server.cpuMillis();
        Thread.sleep(Duration.ofSeconds(options.integer("pause")).toMillis());
        long cpuBefore = server.cpuMillis();
        List<LongUnaryOperator> kinds = new ArrayList<>(kinds(client).values());
        long[] nanos = new long[FIRST];
        long found = 0;
        for (int i = 0; i < FIRST; i++) {
            long key = random.nextInt(KEYS);
            long before = System.nanoTime();
            found += kinds.get(i % kinds.size()).applyAsLong(key);
            nanos[i] = System.nanoTime() - before;
        }
        long late = Arrays.stream(nanos).filter(took -> took > 5_000_000).count();
        System.out.printf(
                Locale.ROOT,
                "ready after %d ms and %d ms of processor time; its first answers: %s ms, %.1f ms of its processor time"
                        + " each; %d of %d over 5 ms%n",
                server.readyMillis(),
                ready,
                Arrays.stream(nanos)
                        .limit(12)
                        .mapToObj(n -> String.format(Locale.ROOT, "%.1f", n / 1e6))
                        .toList(),
                (server.cpuMillis() - cpuBefore) / (double) FIRST,
                late,
                FIRST);
        print("the first hundred", nanos, found / FIRST, "");
    }

    private static void print(String name, long[] nanos, long found, String more) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        System.out.printf(
                Locale.ROOT,
                "  %-32s p50 %7.3f  p90 %7.3f  p99 %7.3f  max %7.3f ms, %,d rows%s%n",
                name,
                sorted[sorted.length / 2] / 1e6,
                sorted[sorted.length * 9 / 10] / 1e6,
                sorted[sorted.length * 99 / 100] / 1e6,
                sorted[sorted.length - 1] / 1e6,
                found,
                more);
    }
}
