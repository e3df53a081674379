package io.waterwheel.index;

import io.waterwheel.model.RowLayout;

/**
 * Divides the tuples of a tree anew: finds the bounds of even leaves by selecting within the old leaves, which are in
 * order among each other, and copies the rows into new leaves aside. Sorts nothing; linear in the tuples. Scratch is
 * kept for the next rebuild. One thread at a time.
 */
final class TemplateRebuild {
    /** Rows moved at once when they go to few leaves: two sets of them stay in the second cache. */
    private static final int FEW_LEAVES_ROWS = 2048;

    private final RankSelect rankSelect = new RankSelect();
    private final LeafGroups groups = new LeafGroups(RowColumns.ROWS);
    private final RowColumns rows = new RowColumns();
    private final RowColumns grouped = new RowColumns();

    /** The template that divides the tuples of these leaves evenly. */
    Template divide(Leaves old, long tuples, int leaves) {
        Division division = new Division(tuples, leaves);
        long rank = 0;
        for (int leaf = 0; leaf < old.count(); leaf++) {
            int size = old.size(leaf);
            rankSelect.select(division, old.pages(leaf), size, old.minKey(leaf), old.maxKey(leaf), rank);
            rank += size;
        }
        return division.template();
    }

    /** Copies all rows into empty leaves. */
    void copy(Leaves old, Leaves fresh, RowLayout layout) {
        Template template = fresh.template();
        for (int leaf = 0; leaf < old.count(); leaf++) {
            int size = old.size(leaf);
            if (size == 0) {
                continue;
            }
            int first = template.leafOf(old.minKey(leaf));
            int last = template.leafOf(old.maxKey(leaf));
            groups.into(template, first, last);
            int step = last - first < LeafGroups.FEW_LEAVES ? FEW_LEAVES_ROWS : RowColumns.ROWS;
            for (int row = 0; row < size; row += step) {
                int count = Math.min(step, size - row);
                rows.read(old.pages(leaf), row >>> Page.SHIFT, count, layout);
                if (first == last) {
                    fresh.append(first, rows, 0, count, layout);
                } else {
                    divide(fresh, first, last, count, layout);
                }
            }
        }
        fresh.publishAppended();
    }

    private void divide(Leaves fresh, int first, int last, int count, RowLayout layout) {
        groups.group(rows.keys, count);
        grouped.arrange(rows, groups.order(), count, layout);
        int from = 0;
        for (int leaf = first; leaf <= last; leaf++) {
            int to = groups.end(leaf);
            fresh.append(leaf, grouped, from, to, layout);
            from = to;
        }
    }
}
