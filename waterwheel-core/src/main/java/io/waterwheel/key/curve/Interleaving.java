package io.waterwheel.key.curve;

import java.util.Arrays;

/**
 * How the numbers of cells lie in a key: bit by bit, by a schedule that names for each bit of the key, from the highest
 * on, the dimension whose next lower bit it is. The key grows with each of the numbers. Immutable; any thread.
 */
public final class Interleaving {
    /** Keys stay at zero or above. */
    public static final int MAX_BITS = 63;

    private final int dimensions;
    private final int bits;
    /** By bit of the key, counted from the lowest: the dimension it is of, and which bit of its number. */
    private final int[] dimensionAt;

    private final int[] bitAt;
    /** By dimension, by cell, where the bits of its number lie. */
    private final long[][] spread;

    /**
     * A schedule.
     *
     * @param order dimensions by number, from the key's highest bit on; 1 to {@link #MAX_BITS}
     * @param dimensions number of them; each is named
     */
    public Interleaving(int[] order, int dimensions) {
        this.dimensions = dimensions;
        this.bits = order.length;
        this.dimensionAt = new int[bits];
        this.bitAt = new int[bits];
        int[] seen = new int[dimensions];
        for (int bit = 0; bit < bits; bit++) {
            int dimension = order[bits - 1 - bit];
            dimensionAt[bit] = dimension;
            bitAt[bit] = seen[dimension]++;
        }
        this.spread = new long[dimensions][];
        for (int d = 0; d < dimensions; d++) {
            spread[d] = new long[1 << seen[d]];
        }
        for (int bit = 0; bit < bits; bit++) {
            long[] of = spread[dimensionAt[bit]];
            for (int cell = 0; cell < of.length; cell++) {
                of[cell] |= (cell >>> bitAt[bit] & 1L) << bit;
            }
        }
    }

    public int dimensions() {
        return dimensions;
    }

    /** Bits of a key. */
    public int bits() {
        return bits;
    }

    /** Bits of a dimension's number. */
    public int bits(int dimension) {
        return Integer.numberOfTrailingZeros(spread[dimension].length);
    }

    /** The greatest key. */
    public long greatest() {
        return -1L >>> (Long.SIZE - bits);
    }

    /** The dimension that a bit of the key, counted from the lowest, is of. */
    public int dimensionAt(int bit) {
        return dimensionAt[bit];
    }

    /** Which bit of its dimension's number it is, counted from the lowest. */
    public int bitAt(int bit) {
        return bitAt[bit];
    }

    /** By cell of a dimension, its bits in the key. Not to be changed. */
    public long[] spread(int dimension) {
        return spread[dimension];
    }

    /** The key of a cell in each dimension. */
    public long key(int[] cells) {
        long key = 0;
        for (int d = 0; d < dimensions; d++) {
            key |= spread[d][cells[d]];
        }
        return key;
    }

    /** The schedule, from the key's highest bit on. */
    public int[] order() {
        int[] order = new int[bits];
        Arrays.setAll(order, i -> dimensionAt[bits - 1 - i]);
        return order;
    }
}
