package io.waterwheel.benchmark.micro;

import io.waterwheel.metrics.ChunkMetrics;
import io.waterwheel.metrics.Counter;
import io.waterwheel.metrics.Histogram;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.QueryMetrics;
import io.waterwheel.metrics.Scrape;
import io.waterwheel.metrics.WayInMetrics;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does an observation cost: of a counter, of a histogram in both forms, and with the look-up that shells spare
 * themselves? The floor is drawing the random number that each of them observes. And a scrape of 100 streams?
 *
 * <pre>
 * java -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" org.openjdk.jmh.Main ObservationBenchmark
 * </pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ObservationBenchmark {
    /** Of a thread. */
    @State(Scope.Thread)
    public static class Times {
        private final SplittableRandom random = new SplittableRandom(1);

        /** From a microsecond to a second, as often in each decade. */
        long next() {
            return 1_000L << random.nextInt(20);
        }
    }

    /** Of all threads. */
    @State(Scope.Benchmark)
    public static class Registry {
        private static final int STREAMS = 100;

        final Metrics metrics = Metrics.unread();
        final Counter counter = metrics.counter(ChunkMetrics.COLLECTED_FILES);
        final Histogram histogram = metrics.histogram(QueryMetrics.QUERIES, "complete");
        final Metrics many = Metrics.unread();

        /** As a worker has it that takes part in all of a hundred streams. */
        public Registry() {
            for (int s = 0; s < STREAMS; s++) {
                String stream = many.stream("stream-" + s);
                for (String stage : List.of("read", "routed", "visible")) {
                    Histogram delay = many.histogram(WayInMetrics.DELAY, stream, stage);
                    for (int i = 0; i < 1_000; i++) {
                        delay.nanos(1_000_000L * (i + 1));
                    }
                }
                many.counter(WayInMetrics.INSERTED, stream).add(s);
            }
        }
    }

    @Benchmark
    public long floor(Times times) {
        return times.next();
    }

    @Benchmark
    public long counter(Registry registry, Times times) {
        long time = times.next();
        registry.counter.add(time);
        return time;
    }

    @Benchmark
    public long histogram(Registry registry, Times times) {
        long time = times.next();
        registry.histogram.nanos(time);
        return time;
    }

    @Benchmark
    public long histogramLookedUp(Registry registry, Times times) {
        long time = times.next();
        registry.metrics.histogram(QueryMetrics.QUERIES, "complete").nanos(time);
        return time;
    }

    @Benchmark
    public Scrape scrapeAsText(Registry registry) {
        return Scrape.of(List.of(registry.many), null);
    }

    @Benchmark
    public Scrape scrapeNative(Registry registry) {
        return Scrape.of(
                List.of(registry.many),
                "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited");
    }
}
