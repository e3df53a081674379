package io.waterwheel.index;

import java.util.Arrays;

/**
 * Finds the leaf of a key among a range of leaves by a look-up in a table over the keys between their bounds: one
 * comparison for most keys where a search makes as many as the logarithm of the leaves. Scratch of a writer, set again
 * for each range. One thread.
 */
final class LeafTable {
    private static final int MOST_BUCKETS = 4096;
    /** Buckets for each bound: enough that few hold two. */
    private static final int BUCKETS_PER_BOUND = 16;

    private Template template = Template.single();
    private int firstLeaf;
    private long lowBound;
    private long highBound;
    private int shift;
    /**
     * By bucket: the leaf of a key before all bounds in it; the entry after a bucket's, less its own, is their number.
     */
    private final int[] leaves = new int[MOST_BUCKETS + 1];

    /** Sets the range of leaves that keys may belong to, at least two. */
    void set(Template of, int first, int last) {
        template = of;
        firstLeaf = first;
        lowBound = of.lowKey(first + 1);
        highBound = of.lowKey(last);
        int wanted = Math.min(MOST_BUCKETS, (last - first) * BUCKETS_PER_BOUND);
        int bits = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(wanted);
        // The difference is an unsigned number.
        shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(highBound - lowBound) - bits);
        int bucket = 0;
        for (int leaf = first; leaf < last; leaf++) {
            int at = (int) ((of.lowKey(leaf + 1) - lowBound) >>> shift);
            if (at >= bucket) {
                Arrays.fill(leaves, bucket, at + 1, leaf);
                bucket = at + 1;
            }
        }
        leaves[bucket] = last;
    }

    /** The leaf of each of the first {@code count} keys, less the first leaf; counts them by leaf, too. */
    void find(long[] keys, int count, int[] leafOf, int[] counts) {
        Template of = template;
        long low = lowBound;
        long high = highBound;
        int right = shift;
        int first = firstLeaf;
        for (int i = 0; i < count; i++) {
            long key = keys[i];
            int bucket = (int) ((Math.min(Math.max(key, low), high) - low) >>> right);
            int leaf = leaves[bucket];
            int next = leaves[bucket + 1];
            // The bound after the leaf lies in the bucket or beyond it, and the last bucket holds the last bound.
            leaf = next - leaf > 1 ? of.leafOf(key, leaf, next) : leaf + notBelow(key, of.lowKey(leaf + 1));
            leafOf[i] = leaf - first;
            counts[leaf - first]++;
        }
    }

    /** 1 when a >= b, else 0, without a branch: it could not be predicted. */
    private static int notBelow(long a, long b) {
        return (int) (~((a & ~b) | ((a | ~b) & (a - b))) >>> 63);
    }
}
