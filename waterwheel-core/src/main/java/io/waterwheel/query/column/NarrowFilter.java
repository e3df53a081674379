package io.waterwheel.query.column;

import io.waterwheel.tuple.NarrowLongs;

/**
 * Tests of whole numbers where they lie narrow, as {@link NarrowLongs} keeps them. Each method leaves the rows that
 * pass at the front of the selection, and returns how many they are. No loop has a branch: whether a row is kept cannot
 * be foreseen. Stateless, thread-safe.
 */
public final class NarrowFilter {
    /** Of the leaf's least number above the set's, so that sums with 2 bytes are ints. */
    private static final long MOST_OFFSET = 1 << 30;
    /** Words of bits, all below those that a negative int without its sign would be in. */
    private static final int MOST_WORDS = 1 << 24;

    private NarrowFilter() {}

    /** Whether a set has each number that may be there; the set by distance from its least, the last 64 are none. */
    static boolean holdsAll(NarrowLongs numbers, long least, long[] bits) {
        long from = numbers.low() - least;
        long to = numbers.high() - least;
        if (numbers.low() < least || from < 0 || to < from || to >>> 6 >= bits.length) {
            return false;
        }
        for (long at = from; at <= to; at = (at | 63) + 1) {
            long last = Math.min(to, at | 63);
            long wanted = (-1L >>> (63 - (last - at))) << at;
            if ((bits[(int) (at >>> 6)] & wanted) != wanted) {
                return false;
            }
        }
        return true;
    }

    /**
     * Keeps the rows whose number is in a set, or those whose is not.
     *
     * @param bits by distance from {@code least}, whether the set has the number; the last 64 are none
     */
    static int among(NarrowLongs numbers, int[] selected, int count, long least, long[] bits, boolean negated) {
        byte[] bytes = numbers.bytes();
        int width = numbers.width();
        // Modulo 2^64: a number below the least is beyond the bits then.
        long offset = numbers.low() - least;
        boolean isRange = Selection.isRange(selected, count);
        int flip = negated ? 1 : 0;
        if (width == 2 && offset >= -MOST_OFFSET && offset <= MOST_OFFSET && bits.length <= MOST_WORDS) {
            return isRange
                    ? amongRange(bytes, selected, count, (int) offset, bits, flip)
                    : amongSelected(bytes, selected, count, (int) offset, bits, flip);
        }
        int last = bits.length - 1;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long at = (width == 2 ? NarrowLongs.above2(bytes, row) : NarrowLongs.above4(bytes, row)) + offset;
            selected[kept] = row;
            kept += (int) (bits[(int) Math.min(at >>> 6, last)] >>> at & 1) ^ flip;
        }
        return kept;
    }

    private static int amongRange(byte[] bytes, int[] selected, int count, int offset, long[] bits, int flip) {
        int last = bits.length - 1;
        int first = selected[0];
        int kept = 0;
        for (int row = first; row < first + count; row++) {
            int at = NarrowLongs.above2(bytes, row) + offset;
            selected[kept] = row;
            kept += (int) (bits[Math.min(at >>> 6, last)] >>> at & 1) ^ flip;
        }
        return kept;
    }

    private static int amongSelected(byte[] bytes, int[] selected, int count, int offset, long[] bits, int flip) {
        int last = bits.length - 1;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            int at = NarrowLongs.above2(bytes, row) + offset;
            selected[kept] = row;
            kept += (int) (bits[Math.min(at >>> 6, last)] >>> at & 1) ^ flip;
        }
        return kept;
    }

    /**
     * Keeps the rows whose number lies from one to another, or those whose does not.
     *
     * @param from at most {@code to}
     */
    public static int within(NarrowLongs numbers, int[] selected, int count, long from, long to, boolean outside) {
        long low = numbers.low();
        long high = numbers.high();
        if (from > high || to < low) {
            return outside ? count : 0;
        } else if (from <= low && to >= high) {
            return outside ? 0 : count;
        }
        // Both are at most what 4 bytes hold.
        long least = Math.max(from, low) - low;
        long span = Math.min(to, high) - low - least;
        int within = outside ? 0 : 1;
        byte[] bytes = numbers.bytes();
        return numbers.width() == 2
                ? within2(bytes, selected, count, (int) least, (int) span, within)
                : within4(bytes, selected, count, least, span, within);
    }

    private static int within2(byte[] bytes, int[] selected, int count, int least, int span, int within) {
        // A number is in the range when it is no farther from the least than the span is, without a sign.
        int most = span + Integer.MIN_VALUE;
        int kept = 0;
        if (Selection.isRange(selected, count)) {
            int first = selected[0];
            for (int row = first; row < first + count; row++) {
                selected[kept] = row;
                kept += NarrowLongs.above2(bytes, row) - least + Integer.MIN_VALUE <= most ? within : 1 - within;
            }
            return kept;
        }
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            selected[kept] = row;
            kept += NarrowLongs.above2(bytes, row) - least + Integer.MIN_VALUE <= most ? within : 1 - within;
        }
        return kept;
    }

    private static int within4(byte[] bytes, int[] selected, int count, long least, long span, int within) {
        long most = span + Long.MIN_VALUE;
        int kept = 0;
        if (Selection.isRange(selected, count)) {
            int first = selected[0];
            for (int row = first; row < first + count; row++) {
                selected[kept] = row;
                kept += NarrowLongs.above4(bytes, row) - least + Long.MIN_VALUE <= most ? within : 1 - within;
            }
            return kept;
        }
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            selected[kept] = row;
            kept += NarrowLongs.above4(bytes, row) - least + Long.MIN_VALUE <= most ? within : 1 - within;
        }
        return kept;
    }
}
