package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.Options;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many rows a second does a gateway take, how long does a request wait, and what processor time is that of the
 * gateway, and of the clients? Clients post CSV, each one request behind the other on a connection of its own. At the
 * end the stream is asked for the number of the rows, their sum and more; they must be those that were confirmed.
 *
 * <pre>
 * ./waterwheel server --data FOLDER gateway.in-server=none &amp; ./waterwheel gateway &amp;
 * java --add-opens=java.base/java.nio=ALL-UNNAMED -Dlog4j2.configurationFile=waterwheel-benchmark-log4j2.properties \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.endtoend.PushBenchmark rows=100 clients=32 pid=PID
 * </pre>
 *
 * Options: server, url (of the gateway; several, with commas between, have the clients in turn), rows (of a post),
 * clients, seconds (measured, after as many half to warm up), wait (stored, visible), keys (true: an Idempotency-Key
 * each; what is not stored is sent again and counted), rate (rows a second of all clients; 0: all they can), threads
 * (that the clients share), pid (of the gateway, where its processor time is to be told; Linux only), stream (made, and
 * dropped at the end).
 */
public final class PushBenchmark {
    private static final double CLOCK_TICKS_A_SECOND = 100;
    /** Rows of which the different ones can be counted; of more the sum, the least and the greatest tell. */
    private static final long MOST_DIFFERENT = 2_000_000;

    private final Options options;
    private final List<URI> gateways;
    private final int rows;
    private final boolean keys;
    private final AtomicLong nextPost = new AtomicLong();

    private PushBenchmark(Options options) {
        this.options = options;
        this.gateways = Arrays.stream(options.text("url").split(",", -1))
                .map(URI::create)
                .toList();
        this.rows = options.integer("rows");
        this.keys = Boolean.parseBoolean(options.text("keys"));
    }

    public static void main(String[] arguments) throws Exception {
        new PushBenchmark(new Options(
                        arguments,
                        "server",
                        "grpc://127.0.0.1:7070",
                        "url",
                        "http://127.0.0.1:7071",
                        "rows",
                        "100",
                        "clients",
                        "32",
                        "seconds",
                        "10",
                        "wait",
                        "stored",
                        "keys",
                        "false",
                        "rate",
                        "0",
                        "pid",
                        "0",
                        "threads",
                        "1",
                        "stream",
                        // The topic of one that was dropped stays: another run must not find its rows.
                        "pushed_" + System.currentTimeMillis()))
                .run();
    }

    private void run() throws Exception {
        String stream = options.text("stream");
        try (WaterwheelClient client = WaterwheelClient.connect(options.text("server"))) {
            client.createStream(new StreamDefinition(
                    stream,
                    stream,
                    RecordFormat.BLOCK,
                    4,
                    new Schema(
                            List.of(
                                    new Field("id", FieldType.LONG, false),
                                    new Field("at", FieldType.TIMESTAMP, false),
                                    new Field("value", FieldType.DOUBLE, true)),
                            new KeySpec.Ordered("id"),
                            "at")));
            int clients = options.integer("clients");
            int loads = Math.min(clients, options.integer("threads"));
            ExecutorService threads = Executors.newFixedThreadPool(loads);
            List<PostLoad> all = new ArrayList<>();
            try {
                List<Future<Object>> running = new ArrayList<>();
                for (int l = 0; l < loads; l++) {
                    int some = clients * (l + 1) / loads - clients * l / loads;
                    PostLoad load = new PostLoad(
                            gateways,
                            "/v1/streams/" + stream + "/rows?wait=" + options.text("wait"),
                            some,
                            rows,
                            keys,
                            nextPost,
                            options.number("rate") / (double) rows * some / clients);
                    all.add(load);
                    running.add(threads.submit(() -> {
                        load.run();
                        return load;
                    }));
                }
                int seconds = options.integer("seconds");
                TimeUnit.MILLISECONDS.sleep(500L * seconds);
                long cpu = cpuTicks();
                long own = LaunchedServer.ownCpuMillis();
                long begin = System.nanoTime();
                all.forEach(load -> load.measureFrom(begin));
                TimeUnit.SECONDS.sleep(seconds);
                long elapsed = System.nanoTime() - begin;
                cpu = cpuTicks() - cpu;
                own = LaunchedServer.ownCpuMillis() - own;
                all.forEach(PostLoad::end);
                for (Future<Object> one : running) {
                    one.get(2, TimeUnit.MINUTES);
                }
                List<long[]> waits = new ArrayList<>();
                long confirmed = 0;
                long failures = 0;
                for (PostLoad load : all) {
                    failures += load.failures();
                    confirmed += load.confirmed();
                    waits.add(load.waits());
                }
                tell(waits, elapsed, cpu, own);
                if (failures > 0) {
                    System.out.printf(Locale.ROOT, "%,d answers were failures, and their posts sent again%n", failures);
                }
                check(client, stream, confirmed);
            } finally {
                threads.shutdownNow();
                for (PostLoad load : all) {
                    load.close();
                }
            }
            client.drop(stream);
        }
    }

    private void tell(List<long[]> waits, long elapsed, long cpu, long ownMillis) {
        long[] sorted = waits.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalStateException(
                    "no post that was due within the time had its answer in it: the rate is too high");
        }
        double posted = sorted.length;
        System.out.printf(
                Locale.ROOT,
                "%s%n%,.0f rows/s, %,.0f posts/s; a post waits %.1f ms at the median, %.1f at p99, %.1f at most%n",
                options,
                posted * rows * 1e9 / elapsed,
                posted * 1e9 / elapsed,
                sorted[sorted.length / 2] / 1e6,
                sorted[(int) (sorted.length * 0.99)] / 1e6,
                sorted[sorted.length - 1] / 1e6);
        System.out.printf(
                Locale.ROOT,
                "the clients took %.2f cores, %.1f microseconds a post%n",
                ownMillis * 1e6 / elapsed,
                ownMillis * 1e3 / posted);
        if (cpu > 0) {
            System.out.printf(
                    Locale.ROOT,
                    "the gateway took %.2f cores, %.2f microseconds a row%n",
                    cpu / CLOCK_TICKS_A_SECOND / (elapsed / 1e9),
                    cpu / CLOCK_TICKS_A_SECOND * 1e6 / (posted * rows));
        }
    }

    private static void check(WaterwheelClient client, String stream, long confirmed) {
        boolean few = confirmed <= MOST_DIFFERENT;
        try (Cursor seen = client.query(stream)
                .aggregate(
                        "count(*) AS n",
                        "sum(id) AS ids",
                        "min(id) AS least",
                        "max(id) AS most",
                        few ? "count(DISTINCT id) AS different" : "count(id) AS different")
                .atLeast(client.flush(stream, Duration.ofMinutes(1)))
                .timeout(Duration.ofMinutes(2))
                .rows()) {
            seen.next();
            if (seen.getLong("n") != confirmed
                    || seen.getLong("different") != confirmed
                    || seen.getLong("least") != 0
                    || seen.getLong("most") != confirmed - 1
                    || seen.getLong("ids") != confirmed * (confirmed - 1) / 2) {
                throw new IllegalStateException("the stream has " + seen.getLong("n") + " rows, sum "
                        + seen.getLong("ids") + "; confirmed were " + confirmed);
            }
        }
        System.out.printf(Locale.ROOT, "all %,d rows that were confirmed are there once%n", confirmed);
    }

    /** User and system time of the gateway so far, in ticks of a hundredth of a second. */
    private long cpuTicks() throws IOException {
        String pid = options.text("pid");
        if (pid.equals("0")) {
            return 0;
        }
        String stat = Files.readString(Path.of("/proc", pid, "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}
