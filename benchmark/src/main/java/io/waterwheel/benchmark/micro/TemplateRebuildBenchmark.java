package io.waterwheel.benchmark.micro;

import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long does the rebuild of a full tree stop insertion? 466,000 taxi tuples of 36 bytes under a template that is
 * right ({@code same}), that has moved a little ({@code near}), that has a third of the tuples in its last leaf
 * ({@code third}: the worst that a stream can do, for a tree is judged again when it has grown by half), half of them
 * ({@code half}), or all ({@code single}: only a template that is given can do that). A sample is one rebuild; look at
 * p99.
 *
 * <pre>
 * java -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" org.openjdk.jmh.Main TemplateRebuildBenchmark
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 3,
        jvmArgs = {"-Xms2g", "-Xmx2g", "-XX:+UseParallelGC"})
@Warmup(iterations = 150)
@Measurement(iterations = 200)
public class TemplateRebuildBenchmark {
    /** How the old template misfits. */
    @Param({"same", "near", "third", "half", "single"})
    public String misfit = "";

    private final PagePool pool = new PagePool(128L << 20);
    private final TaxiBlocks taxis = new TaxiBlocks(1, TemplateTree.LEAVES);
    private Template old = Template.single();
    private TemplateTree tree = new TemplateTree(TaxiBlocks.LAYOUT, Template.single(), pool);

    @Setup(Level.Trial)
    public void misfit() {
        long[] keys = new long[TaxiBlocks.TUPLES];
        int count = 0;
        for (TupleBlock block : taxis.blocks) {
            System.arraycopy(block.keys(), 0, keys, count, block.size());
            count += block.size();
        }
        Arrays.sort(keys);
        long[] sample = keys.clone();
        for (int i = 0; i < count; i++) {
            sample[i] = switch (misfit) {
                case "near" -> keys[(int) (Math.pow((double) i / count, 1.3) * count)];
                case "half" -> keys[i / 2];
                default -> keys[i];
            };
        }
        old = switch (misfit) {
            case "single" -> Template.single();
            case "third" -> Template.divide(keys, count * 2 / 3, TemplateTree.LEAVES);
            default -> Template.divide(sample, count, TemplateTree.LEAVES);
        };
    }

    @Setup(Level.Invocation)
    public void fill() {
        // Not judged while it fills.
        tree = new TemplateTree(TaxiBlocks.LAYOUT, old, pool, 1);
        for (TupleBlock block : taxis.blocks) {
            tree.insert(block, 0, block.size());
        }
    }

    @TearDown(Level.Invocation)
    public void discard() {
        tree.discard();
    }

    @Benchmark
    public Template rebuild() {
        tree.rebuild(TemplateTree.LEAVES);
        return tree.template();
    }
}
