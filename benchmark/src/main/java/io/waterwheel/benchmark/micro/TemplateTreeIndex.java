package io.waterwheel.benchmark.micro;

import io.waterwheel.index.Leaves;
import io.waterwheel.index.Page;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.tuple.TupleBlock;

/** The template tree. */
final class TemplateTreeIndex implements TupleIndex {
    private final TemplateTree tree;

    TemplateTreeIndex(Template template, PagePool pool, int leaves) {
        tree = new TemplateTree(TaxiBlocks.LAYOUT, template, pool, leaves);
    }

    @Override
    public void insert(TupleBlock block) {
        tree.insert(block, 0, block.size());
    }

    @Override
    public long count(long lowKey, long highKey, long fromTime, long toTime) {
        if (!tree.tryRetain()) {
            throw new IllegalStateException("count in a discarded tree");
        }
        Leaves leaves = tree.pin();
        long count = 0;
        int last = leaves.template().leafOf(highKey);
        for (int leaf = leaves.template().leafOf(lowKey); leaf <= last; leaf++) {
            int size = leaves.size(leaf);
            if (size > 0 && leaves.mayMeetTimes(leaf, fromTime, toTime)) {
                for (int row = 0; row < size; row += Page.ROWS) {
                    Page page = leaves.pages(leaf)[row >>> Page.SHIFT];
                    count += PlainLeaf.count(
                            page.keys(),
                            page.times(),
                            Math.min(Page.ROWS, size - row),
                            lowKey,
                            highKey,
                            fromTime,
                            toTime);
                }
            }
        }
        tree.unpin(leaves);
        tree.release();
        return count;
    }

    @Override
    public void discard() {
        tree.discard();
    }
}
