package io.waterwheel.index;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;

/**
 * Fills small trees with made-up tuples whose keys drift, so that their templates are rebuilt: in an interpreter, as a
 * JVM's first one would be, a rebuild takes several times as long, and holds up the insertion that it begins in.
 */
public final class TreeWarmUp {
    private static final int TREES = 4;
    private static final int TREE_TUPLES = 5 * TemplateTree.LEARN_TUPLES;
    private static final int BLOCK_TUPLES = 1024;
    private static final long POOL_BYTES = 16L << 20;

    // Guarded by the class.
    private static boolean done;

    private TreeWarmUp() {}

    /** Does it unless it was done in this JVM; a tenth of a second or so of one core. */
    public static synchronized void once() {
        if (!done) {
            done = true;
            rebuild();
        }
    }

    /** Returns how often templates were rebuilt. */
    static int rebuild() {
        RowLayout layout = RowLayout.of(new Schema(
                List.of(new Field("key", FieldType.LONG, false), new Field("time", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("key"),
                "time"));
        TupleBlock block = new TupleBlock(layout, BLOCK_TUPLES);
        block.setSize(BLOCK_TUPLES);
        int rebuilds = 0;
        for (int t = 0; t < TREES; t++) {
            TemplateTree tree = new TemplateTree(layout, Template.single(), new PagePool(POOL_BYTES));
            long scattered = t;
            while (tree.tuples() < TREE_TUPLES) {
                for (int row = 0; row < BLOCK_TUPLES; row++) {
                    // A linear congruential sequence (Knuth, MMIX).
                    scattered = scattered * 6364136223846793005L + 1442695040888963407L;
                    block.keys()[row] = (tree.tuples() << 20) + (scattered >>> 24);
                    block.times()[row] = tree.tuples() + row;
                }
                tree.insert(block, 0, BLOCK_TUPLES);
            }
            rebuilds += tree.rebuilds();
            tree.discard();
        }
        return rebuilds;
    }
}
