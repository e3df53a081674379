package io.waterwheel.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TupleBlock;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TemplateTreeTest {
    @Test
    void holdsWhatWasInserted() {
        for (long seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            RandomTuples tuples = new RandomTuples(random);
            PagePool pool = new PagePool(1 << 26);
            Template template =
                    seed % 3 == 0 ? Template.single() : Template.of(new long[] {0, 40, 42, 43, 1000, 100_000});
            TemplateTree tree = new TemplateTree(tuples.layout(), template, pool);
            assertThat(tree.region()).isNull();
            List<String> expected = new ArrayList<>();
            long bytes = 0;
            int blocks = random.nextInt(6) + 1;
            for (int b = 0; b < blocks; b++) {
                TupleBlock block = tuples.block(random.nextInt(3000), b * 1000L);
                int from = random.nextInt(block.size() + 1);
                int to = from + random.nextInt(block.size() - from + 1);
                tree.insert(block, from, to);
                expected.addAll(RandomTuples.texts(block, from, to));
                bytes += (long) (to - from) * tuples.layout().rowWidth();
                assertThat(tree.tuples()).as("seed %s", seed).isEqualTo(expected.size());
            }
            TupleBlock read = TreeRows.read(tree);
            assertSameRows("seed " + seed, read, expected);
            assertThat(tree.bytes()).as("seed %s", seed).isEqualTo(bytes + variableBytes(read));
            assertThat(pool.usedBytes()).as("seed %s", seed).isEqualTo(tree.usedBytes());
            Region region = tree.region();
            for (int row = 0; row < read.size(); row++) {
                assertThat(region.contains(read.keys()[row], read.times()[row])).isTrue();
            }
            tree.discard();
            assertThat(pool.usedBytes()).as("seed %s", seed).isZero();
        }
    }

    private static void assertSameRows(String about, TupleBlock read, List<String> expected) {
        List<String> actual = RandomTuples.texts(read, 0, read.size());
        Collections.sort(expected);
        Collections.sort(actual);
        assertThat(actual).as(about).isEqualTo(expected);
    }

    private static long variableBytes(TupleBlock block) {
        long sum = 0;
        RowLayout layout = block.layout();
        for (int f = 0; f < layout.fields().size(); f++) {
            if (layout.fields().get(f).type().variable()) {
                for (int row = 0; row < block.size(); row++) {
                    Object value = block.value(f, row);
                    if (value != null) {
                        boolean sixteen = layout.fields().get(f).type().valueBytes() == FieldType.SIXTEEN;
                        sum += sixteen
                                ? FieldType.SIXTEEN
                                : RandomTuples.text(value).length();
                    }
                }
            }
        }
        return sum;
    }

    @Test
    void learnsItsTemplateOnceFromItsFirstTuples() {
        RandomTuples tuples = new RandomTuples(new Random(5), RandomTuples.taxi());
        PagePool pool = new PagePool(1 << 26);
        TemplateTree tree = new TemplateTree(tuples.layout(), Template.single(), pool);
        List<String> expected = new ArrayList<>();
        Random keys = new Random(6);
        for (int b = 0; b < 24; b++) {
            TupleBlock block = tuples.block(1024, 0);
            for (int row = 0; row < 1024; row++) {
                block.keys()[row] = keys.nextLong();
            }
            // It is made while the next blocks come.
            if (b * 1024 < TemplateTree.LEARN_TUPLES || b * 1024 > TemplateTree.LEARN_TUPLES + 3 * 1024) {
                assertThat(tree.template().leaves())
                        .isEqualTo(b * 1024 < TemplateTree.LEARN_TUPLES ? 1 : TemplateTree.LEAVES);
            }
            tree.insert(block, 0, 1024);
            expected.addAll(RandomTuples.texts(block, 0, 1024));
        }
        assertSameRows("learnt", TreeRows.read(tree), expected);
        tree.discard();
        assertThat(pool.usedBytes()).isZero();
    }

    @Test
    void keepsOneLeafWhenOneKeyHasAllTuples() {
        RandomTuples tuples = new RandomTuples(new Random(5), RandomTuples.taxi());
        TemplateTree tree = new TemplateTree(tuples.layout(), Template.single(), new PagePool(1 << 26));
        TupleBlock block = tuples.block(2000, 0);
        Arrays.fill(block.keys(), 99);
        for (int b = 0; b < 20; b++) {
            tree.insert(block, 0, 2000);
        }
        assertThat(tree.template().leaves()).isEqualTo(1);
        assertThat(tree.leaves().size(0)).isEqualTo(40_000);
    }

    @Test
    void insertsWithoutGarbageWhenPagesAreRecycled() {
        RandomTuples tuples = new RandomTuples(new Random(7), RandomTuples.taxi());
        PagePool pool = new PagePool(64 << 20);
        Random keys = new Random(8);
        TupleBlock block = tuples.block(1000, 0);
        for (int row = 0; row < 1000; row++) {
            block.keys()[row] = keys.nextLong() >>> 2;
        }
        long[] sorted = block.keys().clone();
        Arrays.sort(sorted);
        Template template = Template.divide(sorted, 1000, TemplateTree.LEAVES);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        double bytesPerTuple = 0;
        for (int round = 0; round < 4; round++) {
            long before = threads.getThreadAllocatedBytes(thread);
            TemplateTree tree = new TemplateTree(tuples.layout(), template, pool);
            for (int b = 0; b < 460; b++) {
                tree.insert(block, 0, 1000);
            }
            tree.discard();
            bytesPerTuple = (threads.getThreadAllocatedBytes(thread) - before) / 460_000.0;
        }
        assertThat(bytesPerTuple).isLessThan(1.0);
    }

    @Test
    void aPoolKeepsNoMoreThanItsBound() {
        RandomTuples tuples = new RandomTuples(new Random(9), RandomTuples.taxi());
        PagePool pool = new PagePool(100_000);
        TupleBlock block = tuples.block(20_000, 0);
        TemplateTree tree = new TemplateTree(tuples.layout(), Template.single(), pool);
        tree.insert(block, 0, 20_000);
        assertThat(pool.usedBytes()).isGreaterThan(pool.maxBytes());
        tree.discard();
        assertThat(pool.usedBytes()).isZero();
        assertThat(pool.freeBytes()).isBetween(50_000L, pool.maxBytes());
    }
}
