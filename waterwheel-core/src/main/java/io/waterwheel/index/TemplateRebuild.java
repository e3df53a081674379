package io.waterwheel.index;

import io.waterwheel.schema.RowLayout;

/**
 * Divides the tuples of a tree anew: finds the bounds of even leaves by selecting within the old leaves, which are in
 * order among each other, and copies the rows into new leaves aside, a step at a time. Sorts nothing; linear in the
 * tuples. Scratch is kept for the next rebuild. One thread at a time, one rebuild at a time.
 */
final class TemplateRebuild {
    /** Rows moved at once when they go to few leaves: two sets of them stay in the second cache. */
    private static final int FEW_LEAVES_ROWS = 2048;

    private final RankSelect rankSelect = new RankSelect();
    private final LeafGroups groups = new LeafGroups(RowColumns.ROWS);
    private final RowColumns rows = new RowColumns();
    private final RowColumns grouped = new RowColumns();
    /** Rows by old leaf that are copied. */
    private int[] copied = new int[0];

    /** The old leaf that is being copied. */
    private int leaf;

    /** The new leaves that rows are grouped by at present. */
    private int groupsFirst;

    private int groupsLast;

    /** The template that divides the tuples of these leaves evenly. */
    Template divide(Leaves old, long tuples, int leaves) {
        TemplateBuilder division = new TemplateBuilder(tuples, leaves);
        long rank = 0;
        for (int leaf = 0; leaf < old.count(); leaf++) {
            int size = old.size(leaf);
            rankSelect.select(division, old.pages(leaf), size, old.minKey(leaf), old.maxKey(leaf), rank);
            rank += size;
        }
        return division.template();
    }

    /** Begins to copy the rows of these leaves. */
    void begin(Leaves old) {
        copied = new int[old.count()];
        leaf = 0;
        groupsFirst = -1;
    }

    /**
     * Copies on, into leaves that were empty at the beginning, and stops after at least the given number of rows.
     * Between two steps the old leaves may have grown.
     *
     * @return whether all rows of the old leaves are copied; they are visible in the new ones then
     */
    boolean copy(Leaves old, Leaves fresh, RowLayout layout, long rowsWanted) {
        long left = rowsWanted;
        int passed = 0;
        while (passed < old.count()) {
            int size = old.size(leaf);
            if (copied[leaf] == size) {
                leaf = leaf + 1 == old.count() ? 0 : leaf + 1;
                passed++;
            } else if (left <= 0) {
                return false;
            } else {
                int count = copyRun(old, fresh, size, layout);
                copied[leaf] += count;
                left -= count;
                passed = 0;
            }
        }
        fresh.publishAppended();
        return true;
    }

    /** Copies the next rows of the leaf; returns how many. */
    private int copyRun(Leaves old, Leaves fresh, int size, RowLayout layout) {
        Template template = fresh.template();
        int first = template.leafOf(old.minKey(leaf));
        int last = template.leafOf(old.maxKey(leaf));
        int most = last - first < LeafGroups.FEW_LEAVES ? FEW_LEAVES_ROWS : RowColumns.ROWS;
        int count = Math.min(most, size - copied[leaf]);
        rows.read(old.pages(leaf), copied[leaf], count, layout);
        if (first == last) {
            fresh.append(first, rows, 0, count, layout);
        } else {
            if (first != groupsFirst || last != groupsLast) {
                groups.into(template, first, last);
                groupsFirst = first;
                groupsLast = last;
            }
            divide(fresh, first, last, count, layout);
        }
        return count;
    }

    private void divide(Leaves fresh, int first, int last, int count, RowLayout layout) {
        groups.group(rows.keys, count);
        grouped.arrange(rows, groups.order(), count, layout);
        int from = 0;
        for (int into = first; into <= last; into++) {
            int to = groups.end(into);
            fresh.append(into, grouped, from, to, layout);
            from = to;
        }
    }
}
