package io.waterwheel.index;

import java.util.Arrays;

/**
 * Finds the bounds that divide the sorted keys of {@code count} tuples into leaves of equal shares: equation 3 of [Wang
 * 2018], for keys that may be equal. The caller, which has the keys in order or can select among them, tells the runs
 * of equal keys in which the wanted ranks lie. One thread.
 *
 * <p>A run stays in one leaf, so the bound goes to the run's beginning; a run of more than an eighth of a share becomes
 * a leaf of its own, which nothing can divide. So every leaf with more than one possible key holds at most 9/8 of a
 * share, and there are fewer than twice as many leaves as wanted.
 */
final class TemplateBuilder {
    private static final int HOT_PARTS = 8;

    private final long count;
    private final int leaves;
    private final long hotRun;
    private final long[] bounds;
    private int found;
    private int nextLeaf = 1;

    TemplateBuilder(long count, int leaves) {
        if (leaves < 1) {
            throw new IllegalArgumentException("template: expected at least 1 leaf, got " + leaves);
        }
        this.count = count;
        this.leaves = leaves;
        this.hotRun = Math.max(1, count / leaves / HOT_PARTS);
        this.bounds = new long[2 * (leaves - 1)];
    }

    /** Rank of the next tuple at which a leaf should begin; {@link Long#MAX_VALUE} when there is none. */
    long nextRank() {
        return rank(nextLeaf);
    }

    /** Number of the leaf that should begin at {@link #nextRank}. */
    int nextLeaf() {
        return nextLeaf;
    }

    /** Rank at which a leaf should begin. */
    long rank(int leaf) {
        return leaf < leaves ? count * leaf / leaves : Long.MAX_VALUE;
    }

    /**
     * Takes the tuples of ranks [from, to), all those of one key; runs come in ascending order, others may be missing.
     */
    void run(long key, long from, long to) {
        if (nextRank() >= to) {
            return;
        }
        while (nextRank() < to) {
            nextLeaf++;
        }
        boolean hot = to - from > hotRun;
        if ((from > 0 || hot) && key > Long.MIN_VALUE) {
            bound(key);
        }
        if (hot && key < Long.MAX_VALUE) {
            bound(key + 1);
        }
    }

    private void bound(long key) {
        if (found == 0 || bounds[found - 1] < key) {
            bounds[found++] = key;
        }
    }

    Template template() {
        return Template.learnt(Arrays.copyOf(bounds, found), count);
    }
}
