package io.waterwheel.chunk.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Sets of leaves beside bit sets, at numbers of leaves where the width of a gap changes, or it fills a load. */
final class LeafSetsTest {
    @Test
    void setsAreReadAsTheyWereWritten() {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        for (int leaves : new int[] {1, 2, 3, 6, 55, 56, 57, 58, 113, 200, 5_000, 65_535}) {
            ChunkBuffer out = new ChunkBuffer();
            LeafSets.Writer writer = new LeafSets.Writer(leaves, out);
            List<BitSet> sets = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                // Of one leaf, of all, and of any number between.
                int wanted = i == 0 ? leaves : i == 1 ? 1 : 1 + random.nextInt(leaves >> random.nextInt(12) | 1);
                BitSet set = new BitSet();
                for (int count = 0; count < Math.min(wanted, leaves); ) {
                    int leaf = random.nextInt(leaves);
                    count += set.get(leaf) ? 0 : 1;
                    set.set(leaf);
                }
                writer.begin(set.cardinality());
                set.stream().forEach(writer::add);
                sets.add(set);
            }
            writer.end();
            byte[] bytes = Arrays.copyOf(out.array(), out.size() + ChunkFormat.SLACK);
            LeafSets read = new LeafSets(leaves, bytes, out.size());
            long at = 0;
            for (BitSet set : sets) {
                BitSet found = new BitSet();
                at = read.read(at, set.cardinality(), found);
                assertThat(found).as("seed %d, %d leaves", seed, leaves).isEqualTo(set);
            }
            assertThat(at).isBetween(read.bits() - 7, read.bits());
            BitSet beyond = new BitSet();
            LeafSets cut = new LeafSets(leaves, new byte[ChunkFormat.SLACK], 0);
            assertThat(cut.read(0, 1, beyond)).as("nothing is no set").isEqualTo(-1);
        }
    }
}
