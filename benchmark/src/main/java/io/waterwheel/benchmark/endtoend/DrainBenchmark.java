package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.Options;
import io.waterwheel.benchmark.data.TaxiTuples;
import io.waterwheel.query.Query;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How fast does one worker drain a topic, from the first tuple visible to the last, flushes included, and what does a
 * tuple cost on the way in? A broker in a process of its own holds the topic before the server starts.
 *
 * <pre>
 * mvn -q -o -DskipTests package -Dwaterwheel.shade.skip=true
 * java -Xms2g -Xmx2g --add-opens=java.base/java.nio=ALL-UNNAMED \
 *     -Dlog4j2.configurationFile=waterwheel-benchmark-log4j2.properties \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.endtoend.DrainBenchmark tuples=20_000_000 format=block
 * </pre>
 *
 * Options (name=value): tuples, format (block or csv), partitions, per-record, seed, rate (tuples a second of event
 * time), overrides (configuration keys, {@code key=value} with semicolons between), folder.
 */
public final class DrainBenchmark {
    private static final long SAMPLE_MILLIS = 100;

    private DrainBenchmark() {}

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments,
                "tuples",
                "20_000_000",
                "format",
                "block",
                "partitions",
                "4",
                "per-record",
                "1000",
                "seed",
                "1",
                "rate",
                "50_000",
                "overrides",
                "",
                "folder",
                "");
        Path folder = options.text("folder").isEmpty()
                ? Files.createTempDirectory("waterwheel-drain")
                : Files.createDirectories(Path.of(options.text("folder")));
        int code = 1;
        try (BrokerProcess broker = BrokerProcess.start(folder.resolve("broker"))) {
            code = run(options, folder, broker) ? 0 : 1;
        } finally {
            delete(folder);
            System.exit(code);
        }
    }

    static List<String> overrides(Options options) {
        String text = options.text("overrides");
        return text.isEmpty() ? List.of() : Arrays.asList(text.split(";", -1));
    }

    private static boolean run(Options options, Path folder, BrokerProcess broker) throws Exception {
        StreamDefinition stream = TaxiTuples.stream(
                RecordFormat.valueOf(options.text("format").toUpperCase(Locale.ROOT)), options.integer("partitions"));
        long tuples = options.number("tuples");
        long[] records = TaxiTopic.fill(
                broker.bootstrap(),
                stream,
                tuples,
                options.integer("per-record"),
                options.number("seed"),
                options.integer("rate"));
        options.printMachine();
        long all = Arrays.stream(records).sum();
        boolean exact;
        try (BenchmarkServer server =
                BenchmarkServer.start(folder.resolve("server"), broker.bootstrap(), overrides(options))) {
            Duration brokerBefore = broker.cpu();
            long created = System.nanoTime();
            server.create(stream);
            long first = awaitRecords(server, stream, 1);
            WayInMeter.Reading atFirst = WayInMeter.read();
            long half = awaitRecords(server, stream, all / 2);
            WayInMeter.Reading atHalf = WayInMeter.read();
            awaitAll(server, stream, records);
            WayInMeter.Reading atEnd = WayInMeter.read();
            double brokerCpu = broker.cpu().minus(brokerBefore).toNanos() / 1e9;
            server.flush(stream.name());
            long flushed = System.nanoTime();
            WayInMeter.print("first to last visible", atFirst, atEnd, tuples * (all - first) / all);
            WayInMeter.print("second half", atHalf, atEnd, tuples * (all - half) / all);
            System.out.printf(
                    Locale.ROOT,
                    "created to all visible %.2f s; the last flushed %.2f s later; broker CPU %.3f s/M tuples%n",
                    (atEnd.nanos() - created) / 1e9,
                    (flushed - atEnd.nanos()) / 1e9,
                    brokerCpu / (tuples / 1e6));
            BenchmarkServer.Answer answer = server.count(Query.of(stream.name()));
            exact = answer.count() == tuples;
            System.out.printf(
                    Locale.ROOT,
                    "counted %d of %d tuples: %s; load now %.2f%n",
                    answer.count(),
                    tuples,
                    exact ? "exact" : "WRONG",
                    ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        }
        return exact;
    }

    /** A query that finds nothing and touches no tuple: only where the indexers stand. */
    private static Query position(StreamDefinition stream) {
        return Query.of(stream.name())
                .withKeys(List.of(new KeyInterval(0, 0)))
                .withTimes(new TimeInterval(0, 0))
                .withTimeout(Duration.ofMinutes(30));
    }

    /** Waits until this number of records is visible; returns the number that is. */
    static long awaitRecords(BenchmarkServer server, StreamDefinition stream, long wanted) throws Exception {
        while (true) {
            long visible = 0;
            for (long position :
                    server.count(position(stream)).verdict().positions().values()) {
                visible += position;
            }
            if (visible >= wanted) {
                return visible;
            }
            Thread.sleep(SAMPLE_MILLIS);
        }
    }

    private static void awaitAll(BenchmarkServer server, StreamDefinition stream, long[] records) throws Exception {
        Map<Integer, Long> ends = new HashMap<>();
        for (int p = 0; p < records.length; p++) {
            ends.put(p, records[p]);
        }
        var unused = server.count(position(stream).withAtLeast(ends));
    }

    static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.deleteIfExists(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (IOException | UncheckedIOException e) {
            System.err.println("could not remove " + folder + ": " + e);
        }
    }
}
