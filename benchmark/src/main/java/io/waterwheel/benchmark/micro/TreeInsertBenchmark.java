package io.waterwheel.benchmark.micro;

import io.waterwheel.index.PagePool;
import io.waterwheel.key.ZOrder;
import io.waterwheel.tuple.TupleBlock;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does it cost to insert a tuple of 36 bytes into an index of 16 MiB, in blocks of 1,000, in one thread? And when
 * after every block one reads: 0.1 % of the keys, all of the time? Per tuple; the floor appends the same columns
 * without order. All contenders are compared by counts before anything is timed.
 *
 * <pre>
 * java -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" org.openjdk.jmh.Main TreeInsertBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 3,
        jvmArgs = {"-Xms2g", "-Xmx2g", "-XX:+UseParallelGC"})
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class TreeInsertBenchmark {
    /** Which index. */
    @Param({"appended", "template64", "template256", "template1024", "latched", "bulk", "treemap"})
    public String index = "";

    private final PagePool pool = new PagePool(64L << 20);
    /** Used again, as the template tree's pages are. */
    private final TupleIndex floor = new OtherIndexes.Appended(TaxiBlocks.TUPLES);

    private TaxiBlocks taxis = new TaxiBlocks(1, 1);
    private final long[] readFrom = new long[TaxiBlocks.TUPLES / TaxiBlocks.BLOCK_ROWS];
    private static final long WIDTH = ZOrder.MAX_CODE / 1000;

    @Setup(Level.Trial)
    public void setUp() {
        taxis = new TaxiBlocks(1, leaves(index));
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < readFrom.length; i++) {
            readFrom[i] = taxis.blocks[random.nextInt(taxis.blocks.length)].keys()[0] - WIDTH / 2;
        }
        TupleIndex scanned = new OtherIndexes.Appended(TaxiBlocks.TUPLES);
        for (TupleBlock block : taxis.blocks) {
            scanned.insert(block);
        }
        TupleIndex contender = filled(index);
        for (long from : readFrom) {
            long expected = scanned.count(from, from + WIDTH, 0, Long.MAX_VALUE);
            long counted = contender.count(from, from + WIDTH, 0, Long.MAX_VALUE);
            if (expected != counted) {
                throw new IllegalStateException(index + " counts " + counted + ", expected " + expected);
            }
        }
        contender.discard();
    }

    private static int leaves(String name) {
        return name.startsWith("template") ? Integer.parseInt(name.substring("template".length())) : 256;
    }

    private TupleIndex make(String name) {
        return switch (name) {
            case "appended" -> floor;
            case "latched" -> new LatchedTree();
            case "bulk" -> new OtherIndexes.BulkLoaded(TaxiBlocks.TUPLES);
            case "treemap" -> new OtherIndexes.Objects();
            default -> new TemplateTreeIndex(taxis.template, pool, leaves(name));
        };
    }

    private TupleIndex filled(String name) {
        TupleIndex made = make(name);
        for (TupleBlock block : taxis.blocks) {
            made.insert(block);
        }
        return made;
    }

    @Benchmark
    @OperationsPerInvocation(TaxiBlocks.TUPLES)
    public long insert() {
        TupleIndex into = filled(index);
        long counted = index.equals("appended") ? 0 : into.count(0, 0, 0, 0);
        into.discard();
        return counted;
    }

    @Benchmark
    @OperationsPerInvocation(TaxiBlocks.TUPLES)
    public long insertAndRead() {
        TupleIndex into = make(index);
        long counted = 0;
        for (int b = 0; b < taxis.blocks.length; b++) {
            into.insert(taxis.blocks[b]);
            counted += into.count(readFrom[b], readFrom[b] + WIDTH, 0, Long.MAX_VALUE);
        }
        into.discard();
        return counted;
    }
}
