package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.Options;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How long does the newest row take by HTTP while rows come, of one device and of each of them? Clients post rows of
 * devices in turn, at a rate; a client asks one question behind the other. Every answer is compared: a device's newest
 * row is not older than what was confirmed before the question, and there is one row a device.
 *
 * <pre>
 * ./waterwheel server --data FOLDER &amp;
 * java --add-opens=java.base/java.nio=ALL-UNNAMED -Dlog4j2.configurationFile=waterwheel-benchmark-log4j2.properties \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.endtoend.NewestBenchmark devices=100_000 rate=50_000
 * </pre>
 *
 * Options: server, url (of the gateway), devices, rate (rows a second, in posts of 100), seconds, stream.
 */
public final class NewestBenchmark {
    private static final int ROWS = 100;
    private static final int CLIENTS = 8;

    private final Options options;
    private final URI gateway;
    private final int devices;
    private final String stream;
    private final AtomicLong nextPost = new AtomicLong();
    private volatile boolean ends;

    private NewestBenchmark(Options options) {
        this.options = options;
        this.gateway = URI.create(options.text("url"));
        this.devices = options.integer("devices");
        this.stream = options.text("stream");
    }

    public static void main(String[] arguments) throws Exception {
        new NewestBenchmark(new Options(
                        arguments,
                        "server",
                        "grpc://127.0.0.1:7070",
                        "url",
                        "http://127.0.0.1:7071",
                        "devices",
                        "100000",
                        "rate",
                        "50000",
                        "seconds",
                        "20",
                        "stream",
                        "newest_" + System.currentTimeMillis()))
                .run();
    }

    private void run() throws Exception {
        try (WaterwheelClient client = WaterwheelClient.connect(options.text("server"))) {
            client.createStream(new StreamDefinition(
                    stream,
                    stream,
                    RecordFormat.BLOCK,
                    4,
                    new Schema(
                            List.of(
                                    new Field("device", FieldType.LONG, false),
                                    new Field("at", FieldType.TIMESTAMP, false),
                                    new Field("number", FieldType.LONG, false)),
                            new KeySpec.Ordered("device"),
                            "at")));
            ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
            try {
                List<CompletableFuture<Void>> loading = new ArrayList<>();
                for (int c = 0; c < CLIENTS; c++) {
                    loading.add(CompletableFuture.runAsync(this::load, threads));
                }
                // Each device has rows then.
                while (nextPost.get() * ROWS < 2L * devices) {
                    TimeUnit.MILLISECONDS.sleep(100);
                }
                System.out.println(options);
                Random random = new Random(1);
                ask("of one device", () -> newestOf(random.nextInt(devices)));
                ask("of each device", this::newestOfEach);
                ends = true;
                for (CompletableFuture<Void> one : loading) {
                    one.get(1, TimeUnit.MINUTES);
                }
            } finally {
                ends = true;
                threads.shutdownNow();
            }
            client.drop(stream);
        }
    }

    private void load() {
        double rate = options.number("rate") / (double) CLIENTS / ROWS;
        long due = System.nanoTime();
        try (PostConnection connection = new PostConnection(gateway)) {
            StringBuilder rows = new StringBuilder();
            while (!ends) {
                due += (long) (1e9 / rate);
                LockSupport.parkNanos(due - System.nanoTime());
                long post = nextPost.getAndIncrement();
                rows.setLength(0);
                for (long number = post * ROWS; number < (post + 1) * ROWS; number++) {
                    rows.append(number % devices)
                            .append(',')
                            .append(System.currentTimeMillis())
                            .append(',')
                            .append(number)
                            .append('\n');
                }
                connection.post(PostConnection.request("/v1/streams/" + stream + "/rows", null, rows));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Question {
        void ask() throws IOException, InterruptedException;
    }

    private void ask(String what, Question question) throws Exception {
        long half = TimeUnit.SECONDS.toNanos(options.integer("seconds")) / 2;
        long begin = System.nanoTime();
        long posted = nextPost.get();
        List<Long> waits = new ArrayList<>();
        while (System.nanoTime() - begin < half) {
            long asked = System.nanoTime();
            question.ask();
            if (asked - begin > half / 4) {
                waits.add(System.nanoTime() - asked);
            }
        }
        long[] sorted = waits.stream().mapToLong(Long::longValue).sorted().toArray();
        System.out.printf(
                Locale.ROOT,
                "the newest row %s: %.1f ms at the median, %.1f at p99 of %d, while %,.0f rows/s come%n",
                what,
                sorted[sorted.length / 2] / 1e6,
                sorted[(int) (sorted.length * 0.99)] / 1e6,
                sorted.length,
                (nextPost.get() - posted) * ROWS * 1e9 / (System.nanoTime() - begin));
    }

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private String get(String parameters) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(
                                gateway.resolve("/v1/query?stream=" + stream + "&format=csv&latest=1" + parameters))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(answer.statusCode() + " " + answer.body());
        }
        return answer.body();
    }

    private void newestOf(int device) throws IOException, InterruptedException {
        // What all clients have confirmed: each may have one post under way.
        long confirmed = (nextPost.get() - CLIENTS) * ROWS;
        String[] lines = get("&key=" + device).split("\n", -1);
        long number = Long.parseLong(lines[1].substring(lines[1].lastIndexOf(',') + 1));
        if (lines.length != 3 || number % devices != device || number < confirmed - devices - CLIENTS * ROWS) {
            throw new IllegalStateException("device " + device + ": " + Arrays.toString(lines));
        }
    }

    private void newestOfEach() throws IOException, InterruptedException {
        long rows = get("").lines().count() - 1;
        if (rows != devices) {
            throw new IllegalStateException("expected a row of " + devices + " devices, got " + rows);
        }
    }
}
