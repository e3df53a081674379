package io.waterwheel.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class TemplateRebuildTest {
    /** Chunks of a stationary stream: 1,000 with {@code -Dwaterwheel.chunks=1000}. */
    private static final int CHUNKS = Rounds.of("waterwheel.chunks", 20, 200);

    private static final int FULL_TREE = 466_000;
    private static final RowLayout KEYS_AND_TIMES = RowLayout.of(new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t"));

    @Test
    void selectsTheBoundsThatSortingFinds() {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(20_000);
            int kind = random.nextInt(6);
            long[] keys = new long[count];
            for (int i = 0; i < count; i++) {
                keys[i] = switch (kind) {
                    case 0 -> random.nextLong();
                    case 1 -> random.nextInt(50);
                    case 2 -> random.nextInt(3) == 0 ? 42 : random.nextInt(5000);
                    case 3 -> (long) (random.nextGaussian() * 1e6);
                    case 4 ->
                        random.nextInt(100) == 0
                                ? Long.MIN_VALUE + random.nextInt(3)
                                : Long.MAX_VALUE - random.nextInt(9);
                    default -> i == 0 ? Long.MAX_VALUE : random.nextInt(1 << 20);
                };
            }
            long[] sorted = keys.clone();
            Arrays.sort(sorted);
            int wanted = 1 + random.nextInt(300);
            Template old = random.nextInt(3) == 0
                    ? Template.single()
                    : Template.divide(sorted, 1 + random.nextInt(count), 1 + random.nextInt(64));
            PagePool pool = new PagePool(1 << 26);
            Leaves leaves = new Leaves(old, KeyDimensions.NONE, pool, 0, 8);
            RowPlacement places = new RowPlacement();
            for (int from = 0; from < count; from += RowPlacement.ROWS) {
                int rows = Math.min(RowPlacement.ROWS, count - from);
                leaves.place(keys, keys, from, rows, places);
                leaves.publish(rows, places);
            }
            Template template = pool.takeRebuild().divide(leaves, count, wanted);
            assertThat(template).as("seed %s", seed).isEqualTo(Template.divide(sorted, count, wanted));
            checkShares(template, sorted, wanted, seed);
        }
    }

    /** No leaf that can be divided has more than 9/8 of a share; not twice as many leaves as wanted. */
    private static void checkShares(Template template, long[] keys, int wanted, long seed) {
        long[] sizes = new long[template.leaves()];
        for (long key : keys) {
            sizes[template.leafOf(key)]++;
        }
        assertThat(template.leaves()).as("seed %s", seed).isLessThan(2 * wanted);
        double share = (double) keys.length / wanted;
        for (int leaf = 0; leaf < sizes.length; leaf++) {
            if (!template.indivisible(leaf)) {
                assertThat(sizes[leaf])
                        .as("seed %s leaf %s", seed, leaf)
                        .isLessThanOrEqualTo((long) Math.ceil(share + Math.max(1, share / 8)) + 1);
            }
        }
    }

    @Test
    void keepsEveryTupleOfEveryType() {
        for (long seed = 1; seed <= 12; seed++) {
            RandomTuples tuples = new RandomTuples(new Random(seed));
            PagePool pool = new PagePool(512 << 20);
            TemplateTree tree = new TemplateTree(tuples.layout(), Template.single(), pool);
            List<String> expected = new ArrayList<>();
            Random random = new Random(seed);
            for (int b = 0; b < 30; b++) {
                TupleBlock block = tuples.block(1000, b * 1000L);
                for (int row = 0; row < 1000; row++) {
                    block.keys()[row] = jump(random, b * 1000);
                }
                tree.insert(block, 0, 1000);
                expected.addAll(RandomTuples.texts(block, 0, 1000));
            }
            TupleBlock read = TreeRows.read(tree);
            List<String> actual = RandomTuples.texts(read, 0, read.size());
            Collections.sort(expected);
            Collections.sort(actual);
            assertThat(actual).as("seed %s", seed).isEqualTo(expected);
            assertThat(tree.rebuilds()).as("seed %s", seed).isPositive();
            assertThat(tree.usedBytes()).as("seed %s", seed).isEqualTo(pool.usedBytes());
            tree.discard();
            assertThat(pool.usedBytes()).as("seed %s", seed).isZero();
        }
    }

    private static long jump(Random random, int number) {
        return number < 20_000 ? random.nextLong() : 5 + random.nextInt(100_000);
    }

    @Test
    void aStationaryStreamIsNeverRebuilt() {
        PagePool pool = new PagePool(64 << 20);
        SplittableRandom random = new SplittableRandom(1);
        int[] wanted = {TemplateTree.LEAVES, 1024};
        for (int leaves : wanted) {
            Template template = Template.single();
            TupleBlock block = new TupleBlock(KEYS_AND_TIMES, 1000);
            block.setSize(1000);
            double most = 0;
            int chunks = leaves == 1024 ? Math.max(5, CHUNKS / 10) : CHUNKS;
            for (int chunk = 0; chunk <= chunks; chunk++) {
                TemplateTree tree = new TemplateTree(KEYS_AND_TIMES, template, pool, leaves);
                double mostOfChunk = 0;
                for (int b = 0; b < FULL_TREE / 1000; b++) {
                    for (int row = 0; row < 1000; row++) {
                        // Skewed, but ever the same: the square of a uniform number.
                        double uniform = random.nextDouble();
                        block.keys()[row] = (long) (uniform * uniform * (1L << 60));
                        block.times()[row] = b;
                    }
                    tree.insert(block, 0, 1000);
                    if (tree.tuples() >= TemplateTree.LEARN_TUPLES) {
                        mostOfChunk = Math.max(mostOfChunk, tree.skewness());
                    }
                }
                if (chunk == 0) {
                    assertThat(tree.rebuilds()).as("the first template").isPositive();
                } else {
                    assertThat(tree.rebuilds())
                            .as("%s leaves, chunk %s", leaves, chunk)
                            .isZero();
                    if (leaves == 1024) {
                        assertThat(mostOfChunk)
                                .as("a fixed 0.2 would fire in chunk %s", chunk)
                                .isGreaterThan(0.2);
                    }
                    most = Math.max(most, tree.skewness());
                }
                template = pool.takeRebuild().divide(tree.leaves(), tree.tuples(), leaves);
                tree.discard();
            }
            System.out.printf(
                    "%d chunks of %d leaves: no rebuild; a full tree's skewness up to %.3f%n", chunks, leaves, most);
        }
    }

    @Test
    void whateverTheKeysRebuildsAreFewAndLeavesBounded() {
        SplittableRandom random = new SplittableRandom(7);
        long spread = 1L << 40;
        check("one sudden jump", i -> (i < 233_000 ? 0 : 1L << 50) + random.nextLong(spread), 4);
        check("slow drift", i -> i * (spread / 100_000) + random.nextLong(spread), 9);
        check("ascending", i -> i, 9);
        check("descending", i -> -i, 9);
        check("two in turns", i -> (i / 1000 % 2 == 0 ? 0 : 1L << 50) + random.nextLong(spread), 2);
        check("two in long turns", i -> (i / 50_000 % 2 == 0 ? 0 : 1L << 50) + random.nextLong(spread), 6);
        check("one key", i -> 42, 0);
        check("a hot key", i -> i % 3 == 0 ? random.nextLong(spread) : 42, 1);
        check("a hot key that moves", i -> i % 3 == 0 ? random.nextLong(spread) : i / 20_000, 9);
        check("few keys", i -> random.nextLong(20), 1);
        check("keys of 0.9 shares", i -> random.nextLong(284), 1);
        check("ever narrower", i -> random.nextLong(Long.MAX_VALUE >>> (i / 10_000)), 9);
        check("the ends", i -> random.nextInt(2) == 0 ? Long.MIN_VALUE : Long.MAX_VALUE, 1);
    }

    private static void check(String name, LongUnaryOperator keyOf, int mostRebuilds) {
        PagePool pool = new PagePool(128 << 20);
        TemplateTree tree = new TemplateTree(KEYS_AND_TIMES, Template.single(), pool);
        TupleBlock block = new TupleBlock(KEYS_AND_TIMES, 1000);
        block.setSize(1000);
        int rebuilds = 0;
        long rebuiltAt = 0;
        for (int b = 0; b < FULL_TREE / 1000; b++) {
            for (int row = 0; row < 1000; row++) {
                block.keys()[row] = keyOf.applyAsLong(b * 1000L + row);
            }
            tree.insert(block, 0, 1000);
            long tuples = tree.tuples();
            if (tree.rebuilds() > rebuilds) {
                rebuilds = tree.rebuilds();
                rebuiltAt = tuples;
            }
            if (tuples >= TemplateTree.LEARN_TUPLES + 2000) {
                double share = (double) tuples / TemplateTree.LEAVES;
                // A rebuild takes an insertion a step, and begins at a judgement.
                long underWay = 2048 + 1000 * (2 + tuples / TemplateTree.STEP_TUPLES);
                double tolerated = share * (1 + tree.tolerated()) + underWay;
                boolean waits = tuples < Math.max(TemplateTree.LEARN_TUPLES, rebuiltAt * 3 / 2) + underWay;
                double waiting = rebuiltAt * 9.0 / 8 / TemplateTree.LEAVES + underWay + (tuples - rebuiltAt);
                assertThat((double) Skewness.largest(tree.leaves()))
                        .as("%s: largest leaf of %s tuples, rebuilt at %s", name, tuples, rebuiltAt)
                        .isLessThanOrEqualTo(waits ? Math.max(tolerated, waiting) : tolerated);
            }
        }
        System.out.printf(
                "%s: %d rebuilds, %d leaves%n", name, rebuilds, tree.template().leaves());
        assertThat(rebuilds).as(name).isLessThanOrEqualTo(mostRebuilds);
        tree.discard();
        assertThat(pool.usedBytes()).isZero();
    }

    /** A tree of so many keys that a rebuild begins when they jump; the sum of its keys is added to {@code sum}. */
    private static TemplateTree aboutToBeRebuilt(PagePool pool, TupleBlock block, long[] sum) {
        TemplateTree tree = new TemplateTree(KEYS_AND_TIMES, Template.single(), pool);
        SplittableRandom random = new SplittableRandom(3);
        while (tree.tuples() < 200_000) {
            insert(tree, block, random, 0, sum);
        }
        int rebuilds = tree.rebuilds();
        while (!tree.isRebuilding()) {
            assertThat(tree.tuples()).isLessThan(FULL_TREE);
            insert(tree, block, random, 1L << 50, sum);
        }
        assertThat(tree.rebuilds()).isEqualTo(rebuilds);
        return tree;
    }

    private static void insert(TemplateTree tree, TupleBlock block, SplittableRandom random, long low, long[] sum) {
        for (int row = 0; row < 1000; row++) {
            block.keys()[row] = low + random.nextLong(1L << 40);
            sum[0] += block.keys()[row];
        }
        tree.insert(block, 0, 1000);
    }

    private static TupleBlock thousand() {
        TupleBlock block = new TupleBlock(KEYS_AND_TIMES, 1000);
        block.setSize(1000);
        return block;
    }

    @Test
    void aLargeTreeIsRebuiltInStepsWhileItTakesTuplesAndIsRead() {
        PagePool pool = new PagePool(128 << 20);
        TupleBlock block = thousand();
        long[] sum = {0};
        TemplateTree tree = aboutToBeRebuilt(pool, block, sum);
        int rebuilds = tree.rebuilds();
        double before = tree.skewness();
        SplittableRandom random = new SplittableRandom(4);
        int steps = 0;
        while (tree.isRebuilding()) {
            insert(tree, block, random, (1L << 50) - (steps % 2) * (1L << 49), sum);
            steps++;
            assertThat(tree.usedBytes()).isEqualTo(pool.usedBytes());
            TupleBlock read = TreeRows.read(tree);
            assertThat((long) read.size()).isEqualTo(tree.tuples());
            assertThat(LongStream.of(read.keys()).limit(read.size()).sum()).isEqualTo(sum[0]);
        }
        // A step ends with a run of rows.
        assertThat(steps)
                .isBetween(
                        (int) (tree.tuples() / (TemplateTree.STEP_TUPLES + RowColumns.ROWS)),
                        (int) (tree.tuples() / TemplateTree.STEP_TUPLES) + 2);
        assertThat(tree.rebuilds()).isEqualTo(rebuilds + 1);
        TemplateTree.Rebuilt rebuilt = tree.takeRebuilt();
        assertThat(tree.takeRebuilt()).isNull();
        assertThat(rebuilt.tuples()).isEqualTo(tree.tuples());
        assertThat(rebuilt.leaves()).isEqualTo(tree.template().leaves());
        assertThat(rebuilt.before()).isEqualTo(before);
        assertThat(rebuilt.after()).isEqualTo(tree.skewness());
        assertThat(rebuilt.longestNanos()).isPositive();
        assertThat(rebuilt.longestCpuNanos()).isPositive();
        tree.discard();
        assertThat(pool.usedBytes()).isZero();
    }

    @Test
    void warmingUpRebuilds() {
        assertThat(TreeWarmUp.rebuild()).isBetween(8, 32);
    }

    @Test
    void aRebuildUnderWayIsGivenUpWithItsMemory() {
        PagePool pool = new PagePool(128 << 20);
        TupleBlock block = thousand();
        long[] sum = {0};
        TemplateTree tree = aboutToBeRebuilt(pool, block, sum);
        long pages = pool.usedBytes();
        SplittableRandom random = new SplittableRandom(5);
        for (int step = 0; step < 12; step++) {
            insert(tree, block, random, 0, sum);
        }
        assertThat(tree.isRebuilding()).isTrue();
        assertThat(pool.usedBytes()).isGreaterThan(pages + (1 << 20));
        tree.giveUpRebuild();
        tree.giveUpRebuild();
        assertThat(pool.usedBytes()).isEqualTo(tree.usedBytes()).isLessThan(pages + (1 << 20));
        assertThat(TreeRows.read(tree).size()).isEqualTo((int) tree.tuples());
        tree.discard();
        assertThat(pool.usedBytes()).isZero();

        TemplateTree discarded = aboutToBeRebuilt(pool, block, sum);
        insert(discarded, block, new SplittableRandom(5), 0, sum);
        discarded.discard();
        assertThat(pool.usedBytes()).isZero();
    }

    @Test
    void aRebuildUnderWayIsGivenUpWhenThePoolIsUsedUp() {
        PagePool pool = new PagePool(32 << 20);
        TupleBlock block = thousand();
        long[] sum = {0};
        TemplateTree tree = aboutToBeRebuilt(pool, block, sum);
        int rebuilds = tree.rebuilds();
        TemplateTree other = new TemplateTree(KEYS_AND_TIMES, Template.of(new long[] {0, 1}), pool, 1);
        while (pool.usedBytes() <= pool.maxBytes()) {
            other.insert(block, 0, 1000);
        }
        insert(tree, block, new SplittableRandom(5), 0, sum);
        assertThat(tree.isRebuilding()).isFalse();
        assertThat(tree.rebuilds()).isEqualTo(rebuilds);
        assertThat(pool.usedBytes()).isEqualTo(tree.usedBytes() + other.usedBytes());
        TupleBlock read = TreeRows.read(tree);
        assertThat(LongStream.of(read.keys()).limit(read.size()).sum()).isEqualTo(sum[0]);
    }

    @Test
    void waitsForTheReadersOfTheLeavesThatTheLastOneReplaced() {
        PagePool pool = new PagePool(128 << 20);
        TemplateTree tree = new TemplateTree(KEYS_AND_TIMES, Template.single(), pool);
        TupleBlock block = new TupleBlock(KEYS_AND_TIMES, 1000);
        block.setSize(1000);
        assertThat(tree.tryRetain()).isTrue();
        Leaves pinned = tree.pin();
        for (int b = 0; b < 100; b++) {
            ascending(block, b);
            tree.insert(block, 0, 1000);
            if (tree.rebuilds() == 1) {
                assertThat(tree.leaves()).isNotSameAs(pinned);
                assertThat(pinned.size(0)).isBetween(16_000, 20_000);
                assertThat(pinned.gone()).isFalse();
            }
        }
        assertThat(tree.rebuilds())
                .as("another would hold the tuples a third time")
                .isEqualTo(1);
        long with = pool.usedBytes();
        tree.unpin(pinned);
        assertThat(pinned.gone()).isTrue();
        assertThat(pool.usedBytes()).isLessThan(with);
        for (int b = 100; b < 116; b++) {
            ascending(block, b);
            tree.insert(block, 0, 1000);
        }
        assertThat(tree.rebuilds()).isEqualTo(2);
        assertThat(tree.usedBytes()).isEqualTo(pool.usedBytes());
        tree.release();
        tree.discard();
        assertThat(pool.usedBytes()).isZero();
    }

    @Test
    void isLeftOutWhenThePoolLacksTheRoom() {
        PagePool pool = new PagePool(600_000);
        TemplateTree tree = new TemplateTree(KEYS_AND_TIMES, Template.single(), pool);
        TupleBlock block = new TupleBlock(KEYS_AND_TIMES, 1000);
        block.setSize(1000);
        for (int b = 0; b < 30; b++) {
            ascending(block, b);
            tree.insert(block, 0, 1000);
        }
        assertThat(tree.rebuilds()).isZero();
        assertThat(TreeRows.read(tree).size()).isEqualTo(30_000);
    }

    private static void ascending(TupleBlock block, int number) {
        for (int row = 0; row < 1000; row++) {
            block.keys()[row] = number * 1000L + row;
            block.times()[row] = number;
        }
    }
}
