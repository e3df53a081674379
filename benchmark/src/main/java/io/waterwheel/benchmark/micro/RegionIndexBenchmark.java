package io.waterwheel.benchmark.micro;

import io.waterwheel.catalog.region.RegionIndex;
import io.waterwheel.tuple.Region;
import java.util.ArrayList;
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
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How fast are the regions of 1,000,000 chunks, of 100 indexers one after the other in time, searched (about 30 hits),
 * changed and loaded? {@code scan} is the floor of the search: what it would cost without an index.
 *
 * <pre>
 * java -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" org.openjdk.jmh.Main RegionIndexBenchmark
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode({Mode.AverageTime, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class RegionIndexBenchmark {
    private static final int REGIONS = 1_000_000;

    private final SplittableRandom random = new SplittableRandom(1);
    private final List<RegionIndex.Entry<Integer>> entries = new ArrayList<>();
    private RegionIndex<Integer> index = RegionIndex.empty();

    @Setup
    public void load() {
        for (int chunk = 0; chunk < REGIONS; chunk++) {
            long low = (long) (chunk % 100) << 55;
            long from = chunk / 100 * 10_000L + random.nextInt(3000);
            entries.add(new RegionIndex.Entry<>(
                    Region.of(low, low + (1L << 55) - 1, from, from + 9_000 + random.nextInt(2000)), chunk));
        }
        index = RegionIndex.of(entries);
        for (int q = 0; q < 10; q++) {
            Region query = query();
            if (hits(query) != scanned(query)) {
                throw new IllegalStateException("the index finds other regions than a scan in " + query);
            }
        }
    }

    private Region query() {
        long from = random.nextInt(1_000_000) * 100L;
        long low = random.nextLong() >>> 2;
        return Region.of(low, low + (random.nextLong() >>> 4), from, from + random.nextInt(40_000));
    }

    private int hits(Region query) {
        int[] hits = {0};
        index.search(query, value -> hits[0]++);
        return hits[0];
    }

    private int scanned(Region query) {
        int found = 0;
        for (RegionIndex.Entry<Integer> entry : entries) {
            found += entry.region().overlaps(query) ? 1 : 0;
        }
        return found;
    }

    @Benchmark
    public int search() {
        return hits(query());
    }

    @Benchmark
    public int scan() {
        return scanned(query());
    }

    @Benchmark
    public RegionIndex<Integer> insert() {
        return index.with(List.of(entries.get(random.nextInt(REGIONS))));
    }

    @Benchmark
    public RegionIndex<Integer> delete() {
        return index.without(entries.get(random.nextInt(REGIONS)));
    }
}
