package io.waterwheel.index;

import java.util.Arrays;

/**
 * The inner structure of a tree: where the keys are divided into leaves. Leaf l holds the keys from its lower bound up
 * to, but not including, the next leaf's; the first leaf has no lower, the last no upper bound. Immutable.
 */
public final class Template {
    private static final Template SINGLE = new Template(new long[0], Long.MAX_VALUE);

    /** Lower bounds of leaves 1, 2, ...; ascending, no two equal. */
    private final long[] bounds;

    /** Tuples that it was learnt from; {@link Long#MAX_VALUE} when it was given. No part of its identity. */
    private final long learntFrom;

    private Template(long[] bounds, long learntFrom) {
        this.bounds = bounds;
        this.learntFrom = learntFrom;
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
        return bounds.length == 0 ? SINGLE : new Template(bounds.clone(), Long.MAX_VALUE);
    }

    /** A template of bounds that ascend, kept and not copied, found among a number of tuples. */
    static Template learnt(long[] bounds, long tuples) {
        return bounds.length == 0 ? SINGLE : new Template(bounds, tuples);
    }

    /**
     * Divides sorted keys evenly: equation 3 of [Wang 2018]. Tuples of one key stay in one leaf; a key of more than an
     * eighth of a leaf's share has a leaf of its own, so there may be up to twice as many leaves as wanted.
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

    /** Tuples that it was learnt from: the fewer, the less even the leaves of the same distribution will be. */
    long learntFrom() {
        return learntFrom;
    }

    /** Whether no two different keys belong to the leaf. */
    boolean indivisible(int leaf) {
        return lowKey(leaf) == highKey(leaf);
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
        return leafOf(key, 0, bounds.length);
    }

    /** The leaf that a key belongs to, when it is known to be one of first to last. */
    int leafOf(long key, int first, int last) {
        int base = first;
        int length = last - first;
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
        private final TemplateBuilder division;
        private long seen;
        private long runFrom;
        private long previous;

        /** @param leaves number of leaves wanted, at least 1 */
        public Divider(long count, int leaves) {
            division = new TemplateBuilder(count, leaves);
        }

        /** Takes the next key, not below the one before. */
        public void next(long key) {
            if (key != previous && seen > runFrom) {
                division.run(previous, runFrom, seen);
                runFrom = seen;
            }
            previous = key;
            seen++;
        }

        /** The template; after the last key. */
        public Template template() {
            if (seen > runFrom) {
                division.run(previous, runFrom, seen);
                runFrom = seen;
            }
            return division.template();
        }
    }
}
