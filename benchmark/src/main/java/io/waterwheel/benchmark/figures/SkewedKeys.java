package io.waterwheel.benchmark.figures;

import io.waterwheel.benchmark.Options;
import io.waterwheel.index.Leaves;
import io.waterwheel.index.Page;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Figure 12 of [Wang 2018]: tuples a second into the tree, and the time of a question for one key range, when keys are
 * normal with a standard deviation of 10 to 5,000 and the template adapts, or stays as it was for keys that are spread
 * evenly over 100,000. A question counts the tuples of a range that holds a hundredth of them.
 *
 * <pre>
 * java -Xms2g -Xmx2g -XX:+UseParallelGC -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.figures.SkewedKeys
 * </pre>
 *
 * Options (name=value): trees (filled), asked (questions), seed.
 */
public final class SkewedKeys {
    private static final int DOMAIN = 100_000;
    private static final int[] SIGMAS = {10, 50, 100, 500, 1_000, 5_000};

    private final PagePool pool = new PagePool(256L << 20);
    private final Options options;

    private SkewedKeys(Options options) {
        this.options = options;
    }

    public static void main(String[] arguments) {
        Options options = new Options(arguments, "trees", "20", "asked", "500", "seed", "1");
        options.printMachine();
        SkewedKeys skewed = new SkewedKeys(options);
        skewed.measure(SIGMAS[0], true);
        skewed.measure(SIGMAS[0], false);
        System.out.println("| sigma | adapts: M tuples/s | question p50, us | stays: M tuples/s | question p50, us |");
        System.out.println("|---|---|---|---|---|");
        for (int sigma : SIGMAS) {
            double[] adapts = skewed.measure(sigma, true);
            double[] stays = skewed.measure(sigma, false);
            System.out.printf(
                    Locale.ROOT,
                    "| %d | %.1f | %.0f | %.1f | %.0f |%n",
                    sigma,
                    adapts[0],
                    adapts[1],
                    stays[0],
                    stays[1]);
        }
    }

    /** Million tuples a second, and the median question in microseconds. */
    private double[] measure(int sigma, boolean adapts) {
        long seed = options.number("seed");
        TupleBlock[] blocks =
                KeyedTaxis.blocks(KeyedTaxis.TREE_TUPLES, seed, KeyedTaxis.normal(seed, DOMAIN / 2.0, sigma));
        long[] sorted = new long[KeyedTaxis.TREE_TUPLES];
        for (int b = 0; b < blocks.length; b++) {
            System.arraycopy(blocks[b].keys(), 0, sorted, b * KeyedTaxis.BLOCK_ROWS, KeyedTaxis.BLOCK_ROWS);
        }
        Arrays.sort(sorted);
        Template template = evenly();
        int trees = options.integer("trees");
        long[] nanos = new long[trees];
        TemplateTree last = null;
        for (int i = 0; i < trees; i++) {
            if (last != null) {
                template = adapts ? last.template() : template;
                last.discard();
            }
            // With one leaf wanted, none is ever too large.
            last = new TemplateTree(KeyedTaxis.LAYOUT, template, pool, adapts ? TemplateTree.LEAVES : 1);
            long begin = System.nanoTime();
            for (TupleBlock block : blocks) {
                last.insert(block, 0, block.size());
            }
            nanos[i] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        double question = last == null ? 0 : ask(last, sorted);
        if (last != null) {
            last.discard();
        }
        return new double[] {KeyedTaxis.TREE_TUPLES * 1e3 / nanos[trees / 2], question};
    }

    private static Template evenly() {
        long[] bounds = new long[TemplateTree.LEAVES - 1];
        Arrays.setAll(bounds, i -> (long) DOMAIN * (i + 1) / TemplateTree.LEAVES);
        return Template.of(bounds);
    }

    private double ask(TemplateTree tree, long[] sorted) {
        SplittableRandom random = new SplittableRandom(options.number("seed"));
        int asked = options.integer("asked");
        int hundredth = sorted.length / 100;
        long[] nanos = new long[asked];
        for (int i = 0; i < asked; i++) {
            int from = random.nextInt(sorted.length - hundredth);
            long begin = System.nanoTime();
            long found = count(tree, sorted[from], sorted[from + hundredth]);
            nanos[i] = System.nanoTime() - begin;
            if (found < hundredth) {
                throw new AssertionError("keys " + sorted[from] + " to " + sorted[from + hundredth] + ": expected "
                        + hundredth + " tuples at least, got " + found);
            }
        }
        Arrays.sort(nanos);
        return nanos[asked / 2] / 1e3;
    }

    private static long count(TemplateTree tree, long low, long high) {
        Leaves leaves = tree.pin();
        long count = 0;
        int last = leaves.template().leafOf(high);
        for (int leaf = leaves.template().leafOf(low); leaf <= last; leaf++) {
            int size = leaves.size(leaf);
            for (int row = 0; row < size; row += Page.ROWS) {
                long[] keys = leaves.pages(leaf)[row >>> Page.SHIFT].keys();
                int rows = Math.min(Page.ROWS, size - row);
                for (int i = 0; i < rows; i++) {
                    count += keys[i] >= low && keys[i] <= high ? 1 : 0;
                }
            }
        }
        tree.unpin(leaves);
        return count;
    }
}
