package io.waterwheel.index;

import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;

/** Reads trees row by row, the slow and plain way, and checks what a reader may rely on. */
final class TreeRows {
    private TreeRows() {}

    /** All rows of the tree, leaf by leaf. */
    static TupleBlock read(TemplateTree tree) {
        RowLayout layout = tree.layout();
        TupleBlock block = new TupleBlock(layout, 16);
        int[] offsets = TemplateTree.pageOffsets(layout);
        Leaves leaves = tree.pin();
        for (int leaf = 0; leaf < leaves.count(); leaf++) {
            int size = leaves.size(leaf);
            for (int i = 0; i < size; i++) {
                Page page = leaves.pages(leaf)[i >>> Page.SHIFT];
                int slot = i & Page.MASK;
                int row = block.size();
                block.ensureRows(row + 1);
                long key = page.keys()[slot];
                long time = page.times()[slot];
                require(
                        key >= leaves.template().lowKey(leaf)
                                && key <= leaves.template().highKey(leaf),
                        "template");
                require(key >= leaves.minKey(leaf) && key <= leaves.maxKey(leaf), "key range");
                require(time >= leaves.minTime(leaf) && time <= leaves.maxTime(leaf), "time range");
                require(leaves.mayMeetTimes(leaf, time, time), "time sketch");
                require(time >= page.minTime() && time <= page.maxTime(), "page time range");
                block.keys()[row] = key;
                block.times()[row] = time;
                for (int c = 0; c < layout.columns(); c++) {
                    copy(tree, page, offsets[c] + slot * layout.width(c), block, c, row);
                }
                block.setSize(row + 1);
            }
        }
        tree.unpin(leaves);
        return block;
    }

    private static void copy(TemplateTree tree, Page page, int from, TupleBlock block, int column, int row) {
        int width = block.layout().width(column);
        System.arraycopy(page.payload(), from, block.column(column), row * width, width);
        if (block.layout().variable(column)) {
            long reference = LittleEndian.getLong(block.column(column), row * 8);
            int length = TupleBlock.referenceLength(reference);
            if (length > 0) {
                long offset = Integer.toUnsignedLong(TupleBlock.referenceOffset(reference));
                byte[] slab = tree.slabs()[(int) (offset / PagePool.SLAB_BYTES)];
                reference = block.addToArena(slab, (int) (offset % PagePool.SLAB_BYTES), length);
            }
            LittleEndian.putLong(block.column(column), row * 8, reference);
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("a row lies outside its " + what);
        }
    }
}
