package io.waterwheel.benchmark.endtoend;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.waterwheel.benchmark.Options;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * By how much does a gateway's heap grow while a gigabyte is sent to a stream that stands still at a bad record? Half
 * of the clients wait until their rows are stored, half until they are visible, which they never are. The heap is what
 * its live objects take, counted each hundred megabytes.
 *
 * <pre>
 * ./waterwheel server --data FOLDER gateway.in-server=none &amp; ./waterwheel gateway &amp;
 * java --add-opens=java.base/java.nio=ALL-UNNAMED -Dlog4j2.configurationFile=waterwheel-benchmark-log4j2.properties \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.endtoend.StandingPushBenchmark pid=PID
 * </pre>
 *
 * Options: server, url, pid (of the gateway), bytes (in all), clients, rows (of a post), stream.
 */
public final class StandingPushBenchmark {
    private static final int STEPS = 10;
    /** Of a histogram of live objects: the number of all, and their bytes. */
    private static final Pattern TOTAL = Pattern.compile("\\nTotal +\\d+ +(\\d+)");

    private final Options options;
    private final URI gateway;
    private final String stream;
    private final AtomicLong sent = new AtomicLong();
    private volatile boolean ends;

    private StandingPushBenchmark(Options options) {
        this.options = options;
        this.gateway = URI.create(options.text("url"));
        this.stream = options.text("stream");
    }

    public static void main(String[] arguments) throws Exception {
        new StandingPushBenchmark(new Options(
                        arguments,
                        "server",
                        "grpc://127.0.0.1:7070",
                        "url",
                        "http://127.0.0.1:7071",
                        "pid",
                        "0",
                        "rows",
                        "20000",
                        "bytes",
                        "1_000_000_000",
                        "clients",
                        "16",
                        "stream",
                        "standing_" + System.currentTimeMillis()))
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
                                    new Field("id", FieldType.LONG, false),
                                    new Field("at", FieldType.TIMESTAMP, false),
                                    new Field("note", FieldType.STRING, true)),
                            new KeySpec.Ordered("id"),
                            "at")));
            client.alter(stream, BadRecords.parse("halt"), null, null);
            try (Appender appender = client.appender(stream)) {
                for (int partition = 0; partition < 4; partition++) {
                    appender.appendRecord("no tuple block".getBytes(US_ASCII));
                }
            }
            ExecutorService threads = Executors.newFixedThreadPool(options.integer("clients"));
            try {
                long before = heap();
                List<CompletableFuture<Void>> all = new ArrayList<>();
                for (int c = 0; c < options.integer("clients"); c++) {
                    String wait = c % 2 == 0 ? "stored" : "visible";
                    all.add(CompletableFuture.runAsync(() -> send(wait), threads));
                }
                long most = 0;
                long bytes = options.number("bytes");
                for (int step = 1; step <= STEPS; step++) {
                    while (sent.get() < bytes / STEPS * step) {
                        TimeUnit.MILLISECONDS.sleep(50);
                    }
                    most = Math.max(most, heap() - before);
                }
                ends = true;
                System.out.printf(
                        Locale.ROOT,
                        "%s%nthe heap was %.1f MB before, and grew by %.1f MB at most while %,d bytes came%n",
                        options,
                        before / 1e6,
                        most / 1e6,
                        sent.get());
                for (CompletableFuture<Void> one : all) {
                    one.get(2, TimeUnit.MINUTES);
                }
                System.out.printf(Locale.ROOT, "after them it is %.1f MB%n", heap() / 1e6);
            } finally {
                ends = true;
                threads.shutdownNow();
            }
            client.drop(stream);
        }
    }

    private void send(String wait) {
        StringBuilder rows = new StringBuilder();
        for (int row = 0; row < options.integer("rows"); row++) {
            rows.append(row)
                    .append(",1000,a note that makes the row longer, ")
                    .append(row)
                    .append('\n');
        }
        byte[] request = PostConnection.request(
                "/v1/streams/" + stream + "/rows?wait=" + wait,
                null,
                rows.toString().replace("longer, ", "longer "));
        try (PostConnection connection = new PostConnection(gateway)) {
            while (!ends) {
                sent.addAndGet(request.length);
                String answer = connection.ask(request);
                if (answer.startsWith("HTTP/1.1 429")) {
                    TimeUnit.MILLISECONDS.sleep(100);
                } else if (!answer.startsWith("HTTP/1.1 200")) {
                    throw new IOException(answer);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The bytes of the objects of the gateway's heap that can be reached. Not what is used a moment after a collection:
     * while bodies come, that is mostly garbage again.
     */
    private long heap() throws IOException, InterruptedException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        Process counted = new ProcessBuilder(jcmd, options.text("pid"), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String said = new String(counted.getInputStream().readAllBytes(), US_ASCII);
        Matcher total = TOTAL.matcher(said);
        if (counted.waitFor() != 0 || !total.find()) {
            throw new IOException("jcmd: " + said);
        }
        return Long.parseLong(total.group(1));
    }
}
