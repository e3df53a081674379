package io.waterwheel.benchmark.figures;

import io.waterwheel.benchmark.Options;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;

/**
 * Figure 10 of [Wang 2018]: how long does the update of a template take, by how full the tree is? And in our steps: how
 * long does the longest insertion of a block take while keys of several kinds arrive?
 *
 * <pre>
 * java -Xms2g -Xmx2g -XX:+UseParallelGC -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.figures.TemplateUpdates
 * </pre>
 *
 * Options (name=value): updates (measured, of each fill), trees (filled, of each kind of keys), seed.
 */
public final class TemplateUpdates {
    private static final long SPREAD = 1L << 40;
    private static final long FAR = 1L << 50;
    private static final int FILLS = 10;

    private final PagePool pool = new PagePool(256L << 20);
    private final Options options;

    private TemplateUpdates(Options options) {
        this.options = options;
    }

    public static void main(String[] arguments) {
        Options options = new Options(arguments, "updates", "100", "trees", "40", "seed", "1");
        options.printMachine();
        TemplateUpdates updates = new TemplateUpdates(options);
        updates.byFill();
        updates.byKeys();
    }

    /** Whole updates of trees under a template whose bounds have moved. */
    private void byFill() {
        long seed = options.number("seed");
        TupleBlock[] blocks = KeyedTaxis.blocks(KeyedTaxis.TREE_TUPLES, seed, KeyedTaxis.normal(seed, 0, SPREAD));
        Template moved = template(KeyedTaxis.normal(seed + 1, SPREAD / 4.0, SPREAD));
        int updates = options.integer("updates");
        measureFill(blocks, moved, FILLS, updates);
        System.out.println("| full, % | tuples | update p50, ms | p99, ms |");
        System.out.println("|---|---|---|---|");
        for (int fill = 1; fill <= FILLS; fill++) {
            long[] nanos = measureFill(blocks, moved, fill, updates);
            System.out.printf(
                    Locale.ROOT,
                    "| %d | %d | %.2f | %.2f |%n",
                    fill * 100 / FILLS,
                    (long) blocks.length * fill / FILLS * KeyedTaxis.BLOCK_ROWS,
                    millis(nanos, 0.5),
                    millis(nanos, 0.99));
        }
    }

    private static Template template(LongUnaryOperator keyOf) {
        long[] keys = new long[KeyedTaxis.TREE_TUPLES];
        Arrays.setAll(keys, keyOf::applyAsLong);
        Arrays.sort(keys);
        return Template.divide(keys, keys.length, TemplateTree.LEAVES);
    }

    private long[] measureFill(TupleBlock[] blocks, Template moved, int fill, int updates) {
        long[] nanos = new long[updates];
        for (int i = 0; i < updates; i++) {
            // Not judged while it fills.
            TemplateTree tree = new TemplateTree(KeyedTaxis.LAYOUT, moved, pool, 1);
            for (int b = 0; b < blocks.length * fill / FILLS; b++) {
                tree.insert(blocks[b], 0, blocks[b].size());
            }
            long begin = System.nanoTime();
            tree.rebuild(TemplateTree.LEAVES);
            nanos[i] = System.nanoTime() - begin;
            tree.discard();
        }
        Arrays.sort(nanos);
        return nanos;
    }

    private void byKeys() {
        System.out.println("| keys | updates a tree | block p50, ms | p99.9, ms | longest, ms |");
        System.out.println("|---|---|---|---|---|");
        int warm = 2;
        for (int round = 1; round <= warm; round++) {
            boolean print = round == warm;
            SplittableRandom random = new SplittableRandom(options.number("seed"));
            keys("as before", i -> random.nextLong(SPREAD), print);
            keys("one hot key", i -> i % 3 == 0 ? random.nextLong(SPREAD) : 42, print);
            keys("one sudden jump", i -> (i < 233_000 ? 0 : FAR) + random.nextLong(SPREAD), print);
            keys("slow drift", i -> i * (SPREAD / 100_000) + random.nextLong(SPREAD), print);
            keys("ascending", i -> i, print);
            keys("two in turns", i -> (i / 50_000 % 2 == 0 ? 0 : FAR) + random.nextLong(SPREAD), print);
        }
    }

    private void keys(String name, LongUnaryOperator keyOf, boolean print) {
        int trees = options.integer("trees");
        TupleBlock[] blocks = KeyedTaxis.blocks(KeyedTaxis.TREE_TUPLES, options.number("seed"), keyOf);
        long[] nanos = new long[trees * blocks.length];
        int n = 0;
        int rebuilds = 0;
        Template template = Template.single();
        for (int i = 0; i < trees; i++) {
            TemplateTree tree = new TemplateTree(KeyedTaxis.LAYOUT, template, pool);
            for (TupleBlock block : blocks) {
                long begin = System.nanoTime();
                tree.insert(block, 0, block.size());
                nanos[n++] = System.nanoTime() - begin;
            }
            rebuilds += tree.rebuilds();
            template = tree.template();
            tree.discard();
        }
        Arrays.sort(nanos);
        if (print) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.1f | %.3f | %.2f | %.2f |%n",
                    name,
                    (double) rebuilds / trees,
                    millis(nanos, 0.5),
                    millis(nanos, 0.999),
                    millis(nanos, 1));
        }
    }

    private static double millis(long[] sortedNanos, double quantile) {
        return sortedNanos[(int) Math.min(sortedNanos.length - 1L, (long) (sortedNanos.length * quantile))] / 1e6;
    }
}
