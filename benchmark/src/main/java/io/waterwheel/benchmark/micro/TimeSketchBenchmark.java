package io.waterwheel.benchmark.micro;

import io.waterwheel.index.TimeSketch;
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
 * What does a time sketch cost: to add a mini-range to one of 256, and to ask one of 256 for an interval of eight that
 * it does not hold? Times are random, which is the worst case: no two calls go to the same leaf.
 *
 * <pre>
 * java -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" org.openjdk.jmh.Main TimeSketchBenchmark
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TimeSketchBenchmark {
    private static final int LEAVES = 256;
    private static final int SHIFT = 8;

    private final SplittableRandom random = new SplittableRandom(1);
    private final long[] words = new long[LEAVES * TimeSketch.WORDS];

    @Setup
    public void fill() {
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            for (int i = 0; i < TimeSketch.CAPACITY / 2; i++) {
                TimeSketch.add(words, leaf * TimeSketch.WORDS, i * 100L);
            }
        }
    }

    @Benchmark
    public boolean add() {
        int at = random.nextInt();
        return TimeSketch.add(words, (at & (LEAVES - 1)) * TimeSketch.WORDS, (at >>> 20 & 31) * 100L);
    }

    @Benchmark
    public boolean ask() {
        int at = random.nextInt();
        long from = ((at >>> 20 & 31) * 100L + 10) << SHIFT;
        return TimeSketch.mayMeet(words, (at & (LEAVES - 1)) * TimeSketch.WORDS, SHIFT, from, from + (8L << SHIFT) - 1);
    }
}
