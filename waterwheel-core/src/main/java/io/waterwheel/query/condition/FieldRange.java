package io.waterwheel.query.condition;

import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.tuple.LittleEndian;

/**
 * {@link FieldBounds} of selected rows that follow each other: the same tests, in loops that look at no selection;
 * those of nullable whole numbers look at nulls in the same pass. Each method leaves the rows that pass at the front of
 * the selection, and returns how many they are. Stateless, thread-safe.
 */
final class FieldRange {
    /* A value lies from low to high when it is no farther from low than high is, without a sign: one comparison. */

    private static final long INFINITE = OrderedBits.of(Double.POSITIVE_INFINITY);
    private static final long NOT_A_NUMBER = OrderedBits.of(Double.NaN);

    private FieldRange() {}

    /** Where the nulls of a field are told: a row's by a bit of the byte at {@code base + row * width}. */
    static final class Nulls {
        private final byte[] masks;
        private final int base;
        private final int width;
        private final int shift;

        Nulls(byte[] masks, int base, int width, int shift) {
            this.masks = masks;
            this.base = base;
            this.width = width;
            this.shift = shift;
        }

        /** A number whose lowest bit is 1 where the row has a value; its other bits mean nothing. */
        private int present(int row) {
            return ~(masks[base + row * width] >>> shift);
        }
    }

    /** The selection when no value, or each, is within the bounds. */
    private static int all(Bounds bounds, int count) {
        return bounds.outside() ? count : 0;
    }

    static int longs(Bounds bounds, long[] values, int[] selected, int count) {
        if (bounds.low() > bounds.high()) {
            return all(bounds, count);
        }
        int first = selected[0];
        long low = bounds.low();
        long span = bounds.high() - low + Long.MIN_VALUE;
        int within = bounds.outside() ? 0 : 1;
        int kept = 0;
        for (int row = first; row < first + count; row++) {
            selected[kept] = row;
            kept += values[row] - low + Long.MIN_VALUE <= span ? within : 1 - within;
        }
        return kept;
    }

    static int longs(Bounds bounds, byte[] bytes, int base, int[] selected, int count) {
        if (bounds.low() > bounds.high()) {
            return all(bounds, count);
        }
        int first = selected[0];
        long low = bounds.low();
        long span = bounds.high() - low + Long.MIN_VALUE;
        int within = bounds.outside() ? 0 : 1;
        int kept = 0;
        for (int row = first; row < first + count; row++) {
            selected[kept] = row;
            kept += LittleEndian.getLong(bytes, base + row * 8) - low + Long.MIN_VALUE <= span ? within : 1 - within;
        }
        return kept;
    }

    /** With nulls; the bounds are not empty. */
    static int longs(Bounds bounds, byte[] bytes, int base, Nulls nulls, int[] selected, int count) {
        int first = selected[0];
        long low = bounds.low();
        long span = bounds.high() - low + Long.MIN_VALUE;
        int within = bounds.outside() ? 0 : 1;
        int kept = 0;
        for (int row = first; row < first + count; row++) {
            int passes =
                    LittleEndian.getLong(bytes, base + row * 8) - low + Long.MIN_VALUE <= span ? within : 1 - within;
            selected[kept] = row;
            kept += passes & nulls.present(row);
        }
        return kept;
    }

    /** With nulls; the bounds are not empty. */
    static int ints(Bounds bounds, byte[] bytes, int base, Nulls nulls, int[] selected, int count) {
        int first = selected[0];
        long low = bounds.low();
        long span = bounds.high() - low + Long.MIN_VALUE;
        int within = bounds.outside() ? 0 : 1;
        int kept = 0;
        for (int row = first; row < first + count; row++) {
            int passes =
                    LittleEndian.getInt(bytes, base + row * 4) - low + Long.MIN_VALUE <= span ? within : 1 - within;
            selected[kept] = row;
            kept += passes & nulls.present(row);
        }
        return kept;
    }

    static int ints(Bounds bounds, byte[] bytes, int base, int[] selected, int count) {
        if (bounds.low() > bounds.high()) {
            return all(bounds, count);
        }
        int first = selected[0];
        long low = bounds.low();
        long span = bounds.high() - low + Long.MIN_VALUE;
        int within = bounds.outside() ? 0 : 1;
        int kept = 0;
        for (int row = first; row < first + count; row++) {
            selected[kept] = row;
            kept += LittleEndian.getInt(bytes, base + row * 4) - low + Long.MIN_VALUE <= span ? within : 1 - within;
        }
        return kept;
    }

    /**
     * Whether bounds are those of {@link #doubles}: numbers, and NaN only where it comes with all above some number.
     */
    static boolean areNumbers(Bounds bounds) {
        return bounds.low() <= INFINITE && (bounds.high() <= INFINITE || bounds.high() >= NOT_A_NUMBER);
    }

    /** Of doubles, where {@link #areNumbers}. */
    static int doubles(Bounds bounds, byte[] bytes, int base, int[] selected, int count) {
        if (bounds.low() > bounds.high()) {
            return all(bounds, count);
        }
        // Infinities come before and after all numbers. A bound between them and 0.0, that of -0.0, is no value's own.
        double low = OrderedBits.toDouble(Math.max(bounds.low(), OrderedBits.of(Double.NEGATIVE_INFINITY)));
        double high = OrderedBits.toDouble(Math.min(bounds.high() == -1 ? -2 : bounds.high(), INFINITE));
        // Below -Infinity there is nothing, but a bound may lie there.
        boolean nothing = bounds.high() < OrderedBits.of(Double.NEGATIVE_INFINITY);
        if (nothing) {
            return all(bounds, count);
        }
        int first = selected[0];
        int within = bounds.outside() ? 0 : 1;
        int kept = 0;
        if (bounds.high() >= NOT_A_NUMBER) {
            for (int row = first; row < first + count; row++) {
                selected[kept] = row;
                // NaN is below nothing.
                kept += LittleEndian.getDouble(bytes, base + row * 8) < low ? 1 - within : within;
            }
            return kept;
        }
        for (int row = first; row < first + count; row++) {
            double value = LittleEndian.getDouble(bytes, base + row * 8);
            selected[kept] = row;
            kept += value >= low && value <= high ? within : 1 - within;
        }
        return kept;
    }
}
