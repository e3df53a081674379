package io.waterwheel.index;

import java.util.Arrays;

/**
 * The inner structure of a tree: where the keys are divided into leaves. Leaf l holds the keys from its lower bound up
 * to, but not including, the next leaf's; the first leaf has no lower, the last no upper bound. Immutable.
 */
public final class Template {
    private static final Template SINGLE = new Template(new long[0]);

    /** Lower bounds of leaves 1, 2, ...; ascending, no two equal. */
    private final long[] bounds;

    private Template(long[] bounds) {
        this.bounds = bounds;
    }

    /** One leaf for all keys. */
    public static Template single() {
        return SINGLE;
    }

    /**
     * A template of these lower bounds of all leaves but the first.
     *
     * @throws IllegalArgumentException when they do not ascend
     */
    public static Template of(long[] bounds) {
        for (int i = 1; i < bounds.length; i++) {
            if (bounds[i - 1] >= bounds[i]) {
                throw new IllegalArgumentException("template: bound " + i + " is " + bounds[i]
                        + ", expected more than the bound before it, " + bounds[i - 1]);
            }
        }
        return bounds.length == 0 ? SINGLE : new Template(bounds.clone());
    }

    /**
     * Divides sorted keys evenly: equation 3 of the paper. Tuples of one key stay in one leaf, so that there are fewer
     * leaves where one key has more tuples than a leaf's share.
     *
     * @param keys sorted, of which the first {@code count} are used
     * @param leaves number of leaves wanted, at least 1
     */
    public static Template divide(long[] keys, int count, int leaves) {
        Divider divider = new Divider(count, leaves);
        for (int i = 0; i < count; i++) {
            divider.next(keys[i]);
        }
        return divider.template();
    }

    /** Number of leaves, at least 1. */
    public int leaves() {
        return bounds.length + 1;
    }

    /** The least key of a leaf; {@link Long#MIN_VALUE} for the first. */
    public long lowKey(int leaf) {
        return leaf == 0 ? Long.MIN_VALUE : bounds[leaf - 1];
    }

    /** The greatest key of a leaf; {@link Long#MAX_VALUE} for the last. */
    public long highKey(int leaf) {
        return leaf == bounds.length ? Long.MAX_VALUE : bounds[leaf] - 1;
    }

    /** The leaf that a key belongs to: the number of bounds not above it. */
    public int leafOf(long key) {
        int base = 0;
        int length = bounds.length;
        // Halves without a branch to predict: the comparison becomes a conditional move.
        while (length > 1) {
            int half = length >>> 1;
            base = bounds[base + half - 1] <= key ? base + half : base;
            length -= half;
        }
        return length == 1 && bounds[base] <= key ? base + 1 : base;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Template that && Arrays.equals(bounds, that.bounds);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bounds);
    }

    @Override
    public String toString() {
        return "Template[" + leaves() + " leaves]";
    }

    /** Divides keys that come in ascending order, one by one, when their number is known. One thread. */
    public static final class Divider {
        private final long count;
        private final int leaves;
        private final long[] bounds;
        private int found;
        private long seen;
        private int leaf = 1;
        private long previous;

        public Divider(long count, int leaves) {
            if (leaves < 1) {
                throw new IllegalArgumentException("template: expected at least 1 leaf, got " + leaves);
            }
            this.count = count;
            this.leaves = leaves;
            this.bounds = new long[leaves - 1];
        }

        /** Takes the next key, not below the one before. */
        public void next(long key) {
            if (leaf < leaves && seen >= count * leaf / leaves) {
                // A bound lies where the key changes; while it does not, the division waits.
                if (seen > 0 && key != previous) {
                    bounds[found++] = key;
                }
                if (seen == 0 || key != previous) {
                    while (leaf < leaves && seen >= count * leaf / leaves) {
                        leaf++;
                    }
                }
            }
            previous = key;
            seen++;
        }

        public Template template() {
            return found == 0 ? SINGLE : new Template(Arrays.copyOf(bounds, found));
        }
    }
}
