package io.waterwheel.tuple;

import io.waterwheel.schema.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Which bits of a key are those of which dimension, for keys in which the cells of several fields are interleaved. A
 * dimension's bits keep the order of its cells where they lie. So cells are compared without taking keys apart: here a
 * <i>cell</i> is a key with all bits cleared but those of one dimension. Immutable; any thread.
 */
public final class KeyDimensions {
    /** Of keys that have no dimensions. */
    public static final KeyDimensions NONE = new KeyDimensions(new int[0]);

    private final long[] masks;

    /**
     * Dimensions by their schedule.
     *
     * @param order the dimension of each bit of the key, from the highest on; at most 63
     */
    public KeyDimensions(int[] order) {
        int count = 0;
        for (int dimension : order) {
            count = Math.max(count, dimension + 1);
        }
        this.masks = new long[count];
        for (int i = 0; i < order.length; i++) {
            masks[order[i]] |= 1L << (order.length - 1 - i);
        }
    }

    /** Those of a stream's keys; {@link #NONE} where its keys have none. */
    public static KeyDimensions of(Schema schema) {
        int[] order = schema.key().order(schema.byName());
        return order.length == 0 ? NONE : new KeyDimensions(order);
    }

    /** Number of dimensions; 0 where keys have none. */
    public int count() {
        return masks.length;
    }

    /** A dimension's bits. */
    public long mask(int dimension) {
        return masks[dimension];
    }

    /** A key's cell in a dimension. */
    public long cell(int dimension, long key) {
        return key & masks[dimension];
    }

    /** The number of a key's cell in a dimension, counted from 0. */
    public int number(int dimension, long key) {
        int number = 0;
        int at = 0;
        for (long left = masks[dimension]; left != 0; left &= left - 1) {
            number |= (int) (key >>> Long.numberOfTrailingZeros(left) & 1) << at++;
        }
        return number;
    }

    /** The cell of a number, counted from 0. */
    public long cellOf(int dimension, int number) {
        long cell = 0;
        long left = masks[dimension];
        for (int bits = number; bits != 0; bits >>>= 1) {
            long lowest = Long.lowestOneBit(left);
            cell |= (bits & 1) == 0 ? 0 : lowest;
            left ^= lowest;
        }
        return cell;
    }

    /**
     * The smallest box that holds a box and some keys.
     *
     * @param box null for none
     * @param rows how many of the keys, at least 1
     */
    public KeyBox around(@Nullable KeyBox box, long[] keys, int rows) {
        long leastKey = 0;
        long greatestKey = 0;
        for (long mask : masks) {
            long least = (box == null ? keys[0] : box.least()) & mask;
            long greatest = (box == null ? keys[0] : box.greatest()) & mask;
            for (int row = 0; row < rows; row++) {
                long cell = keys[row] & mask;
                least = Math.min(least, cell);
                greatest = Math.max(greatest, cell);
            }
            leastKey |= least;
            greatestKey |= greatest;
        }
        return new KeyBox(leastKey, greatestKey);
    }

    /**
     * Checks that a box can be that of some keys, of which one is the lowest and one the highest.
     *
     * @throws IllegalArgumentException when it cannot; says what was expected
     */
    public void requireBoxOf(KeyInterval keys, KeyBox box) {
        long all = 0;
        for (int d = 0; d < masks.length; d++) {
            all |= masks[d];
            long least = cell(d, box.least());
            long greatest = cell(d, box.greatest());
            if (least > Math.min(cell(d, keys.low()), cell(d, keys.high()))
                    || greatest < Math.max(cell(d, keys.low()), cell(d, keys.high()))) {
                throw new IllegalArgumentException("key box: expected cells around those of the lowest and the highest"
                        + " key, got cells " + least + " to " + greatest + " of dimension " + d + " for keys "
                        + keys.low() + " to " + keys.high());
            }
        }
        if (((box.least() | box.greatest()) & ~all) != 0) {
            throw new IllegalArgumentException("key box: expected corners of " + Long.bitCount(all)
                    + " bits, as the keys have, got " + box.least() + " and " + box.greatest());
        }
    }

    /*
     * Of the keys from low to high, which differ first in bit b, some have a 0 there and some a 1. The former include
     * the key of which all bits below b are 1, the latter the one of which all are 0. So of a dimension that b does not
     * belong to, the bits below b take their least value in the latter and their greatest in the former. Of b's own
     * dimension, the least cell is that of a key with a 0, which must not be below low: it has low's bits of the
     * dimension, but for those below the highest bit of another dimension in which low has a 0 and the key may have
     * a 1. The greatest cell likewise.
     */

    /** The least cell of a dimension that a key from low to high can have. */
    public long leastCell(int dimension, long low, long high) {
        long mask = masks[dimension];
        if (low == high) {
            return low & mask;
        }
        long top = Long.highestOneBit(low ^ high);
        if ((mask & top) == 0) {
            return high & mask & -top;
        }
        long free = Long.highestOneBit(~low & ~mask & (top - 1));
        return low & mask & -Math.max(1, free);
    }

    /** The greatest cell of a dimension that a key from low to high can have. */
    public long greatestCell(int dimension, long low, long high) {
        long mask = masks[dimension];
        if (low == high) {
            return low & mask;
        }
        long top = Long.highestOneBit(low ^ high);
        if ((mask & top) == 0) {
            return (low | (top - 1)) & mask;
        }
        long free = Long.highestOneBit(high & ~mask & (top - 1));
        return (high | (Math.max(1, free) - 1)) & mask;
    }
}
