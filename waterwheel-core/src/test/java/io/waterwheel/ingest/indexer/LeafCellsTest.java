package io.waterwheel.ingest.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.index.Leaves;
import io.waterwheel.index.Page;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What leaves of trees, and chunks made of them, know of the dimensions of their keys, beside a look at every key. */
final class LeafCellsTest {
    private static final long SEED = Long.getLong("seed", 3);
    private static final long NOW = 1_600_000_000_000L;
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("a", FieldType.INT, false),
                    new Field("b", FieldType.INT, false),
                    new Field("c", FieldType.INT, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Dimensions(List.of(dimension("a", 9), dimension("b", 8), dimension("c", 3)), List.of()),
            "t");
    private static final KeyDimensions DIMENSIONS = KeyDimensions.of(SCHEMA);

    private static Dimension dimension(String field, int bits) {
        return new Dimension(field, bits, List.of("0", "1000000"), List.of());
    }

    /** In the trees of late tuples and of those ahead of the clock too, and after the templates were rebuilt. */
    @Test
    void theyAreTheLeastAndTheGreatest() {
        Random random = new Random(SEED);
        TreeGroup group = TreeGroup.first(SCHEMA, new PagePool(64 << 20), IndexerSettings.DEFAULT);
        assertThat(DIMENSIONS.count()).isEqualTo(3);
        for (int b = 0; b < 60; b++) {
            TupleBlock block = new TupleBlock(RowLayout.of(SCHEMA), 1000);
            for (int row = 0; row < 1000; row++) {
                // The keys move, so that what a template was learnt from no longer fits.
                block.keys()[row] = random.nextInt(1 << 20) & ~(b < 20 ? 0x5_0000L : 0x0_8000L);
                block.times()[row] = NOW + b + (row % 3 - 1) * 3_600_000L * (b == 0 ? 0 : 1);
            }
            block.setSize(1000);
            group.insert(block, 0, NOW + b);
        }
        List<SealedTree.Part> parts = group.parts();
        assertThat(parts).hasSize(3);
        for (SealedTree.Part part : parts) {
            TemplateTree tree = part.tree();
            assertThat(tree.rebuilds())
                    .as("seed %s, part %s", SEED, part.number())
                    .isPositive();
            KeyBox box = check(tree, "seed " + SEED + ", part " + part.number());
            assertThat(new ChunkWriter().encode(tree, SCHEMA).box()).isEqualTo(box);
            assertThat(new ChunkWriter().encode(tree).box()).isNull();
        }
    }

    /** Returns the box of all keys. */
    private static KeyBox check(TemplateTree tree, String as) {
        Leaves leaves = tree.pin();
        long[] all = new long[(int) tree.tuples()];
        int found = 0;
        for (int leaf = 0; leaf < leaves.count(); leaf++) {
            int first = found;
            for (int from = 0; from < leaves.size(leaf); from += Page.ROWS) {
                int rows = Math.min(Page.ROWS, leaves.size(leaf) - from);
                System.arraycopy(leaves.pages(leaf)[from / Page.ROWS].keys(), 0, all, found, rows);
                found += rows;
            }
            for (int d = 0; d < leaves.dimensions(); d++) {
                long mask = DIMENSIONS.mask(d);
                long[] cells =
                        Arrays.stream(all, first, found).map(key -> key & mask).toArray();
                assertThat(leaves.leastCell(leaf, d))
                        .as(as)
                        .isEqualTo(Arrays.stream(cells).min().orElse(Long.MAX_VALUE));
                assertThat(leaves.greatestCell(leaf, d))
                        .as(as)
                        .isEqualTo(Arrays.stream(cells).max().orElse(Long.MIN_VALUE));
            }
        }
        assertThat(leaves.dimensions()).isEqualTo(3);
        assertThat(found).isEqualTo(all.length);
        tree.unpin(leaves);
        long least = 0;
        long greatest = 0;
        for (int d = 0; d < 3; d++) {
            long mask = DIMENSIONS.mask(d);
            least |= Arrays.stream(all).map(key -> key & mask).min().orElseThrow();
            greatest |= Arrays.stream(all).map(key -> key & mask).max().orElseThrow();
        }
        return new KeyBox(least, greatest);
    }
}
