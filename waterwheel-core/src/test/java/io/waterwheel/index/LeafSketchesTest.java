package io.waterwheel.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.tuple.TupleBlock;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LeafSketchesTest {
    @Test
    void areWidenedToWhatTheLeavesHoldAndStillTellWell() {
        // Leaves visited now and then: each gets tuples in one minute of twenty, over 4 hours; and outliers in time.
        long hours = 4 * 3_600_000L;
        Random random = new Random(3);
        RandomTuples tuples = new RandomTuples(random, RandomTuples.taxi());
        long[] bounds = new long[63];
        for (int b = 0; b < bounds.length; b++) {
            bounds[b] = (b + 1) * 1000L;
        }
        TemplateTree tree = new TemplateTree(tuples.layout(), Template.of(bounds), new PagePool(64 << 20), 1);
        Set<Long> minutes = new HashSet<>();
        TupleBlock block = tuples.block(1000, 0);
        for (int b = 0; b < 200; b++) {
            for (int row = 0; row < 1000; row++) {
                long time = (b * 1000L + row) * hours / 200_000;
                int leaf = (int) (time / 60_000 % 20 + 20 * random.nextInt(3));
                block.keys()[row] = leaf * 1000L + random.nextInt(1000);
                block.times()[row] = random.nextInt(5000) == 0 ? random.nextLong() : time;
                minutes.add(leaf * 1_000_000L + time / 60_000);
            }
            tree.insert(block, 0, 1000);
        }
        assertThat(tree.rebuilds()).isZero();
        assertThat(tree.leaves().sketchShift()).isBetween(TemplateTree.SKETCH_SHIFT + 2, 16);
        TreeRows.read(tree); // no leaf denies a time that it has
        int absent = 0;
        int wrong = 0;
        for (int leaf = 0; leaf < 60; leaf++) {
            for (long minute = 1; minute < hours / 60_000; minute++) {
                // Not next to a minute that it has, whose mini-ranges may reach over.
                if (!minutes.contains(leaf * 1_000_000L + minute - 1)
                        && !minutes.contains(leaf * 1_000_000L + minute)
                        && !minutes.contains(leaf * 1_000_000L + minute + 1)) {
                    absent++;
                    wrong += tree.leaves().mayMeetTimes(leaf, minute * 60_000, minute * 60_000 + 10_000) ? 1 : 0;
                }
            }
        }
        assertThat(absent).isGreaterThan(5000);
        System.out.printf("ten seconds that a leaf has nothing of: %d of %d not seen by its sketch%n", wrong, absent);
        assertThat((double) wrong / absent).isLessThan(0.2);
        tree.discard();
    }
}
