package io.waterwheel.query.column;

/**
 * Doubles as longs of the same order: -0.0 equals 0.0, every NaN equals every other and is above all numbers. Every
 * comparison, order, grouping, minimum and maximum of doubles goes by it. Stateless, thread-safe.
 */
public final class OrderedBits {
    private OrderedBits() {}

    /** The long of a double. */
    public static long of(double value) {
        // Adding 0.0 turns -0.0 into 0.0 and leaves all else; doubleToLongBits has one NaN.
        long bits = Double.doubleToLongBits(value + 0.0);
        return bits ^ ((bits >> 63) & Long.MAX_VALUE);
    }

    /** The double of such a long. */
    public static double toDouble(long ordered) {
        return Double.longBitsToDouble(ordered ^ ((ordered >> 63) & Long.MAX_VALUE));
    }

    /** Compares an integer with a double by their exact values. */
    public static int compare(long left, double right) {
        double rounded = left;
        if (rounded < right || Double.isNaN(right)) {
            return -1;
        } else if (rounded > right) {
            return 1;
        }
        // Equal after rounding; the double is whole then.
        return right >= 0x1p63 ? -1 : Long.compare(left, (long) right);
    }
}
