package io.waterwheel.chunk.encoding;

/**
 * Finds out whether floating-point numbers are decimals of few digits: m / 10^d with a whole m, bit for bit, but for a
 * few exceptions. Keeps its result; one thread.
 */
public final class DecimalFinder {
    private static final double[] POWERS = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
    private static final double GREATEST = 1L << 53;
    private static final int SAMPLE = 24;
    private static final int SAMPLE_MISSES = 1;
    /** At most one value in this number may be an exception. */
    private static final int EXCEPTION_SHARE = 16;

    int digits;
    int exceptions;
    long[] wholes = new long[0];
    long[] exceptionRows = new long[0];

    /** The power of ten with this number of zeros, up to {@link ChunkFormat#MAX_DIGITS}: exact as a double. */
    public static double power(int digits) {
        return POWERS[digits];
    }

    /** Looks at bits [0, count) of doubles, or of floats when {@code single}; on true the result is in the fields. */
    boolean find(long[] bits, int count, boolean single) {
        digits = 0;
        int misses = 0;
        int sampled = Math.min(SAMPLE, count);
        for (int s = 0; s < sampled; s++) {
            long value = bits[(int) ((long) s * count / sampled)];
            int fit = digits;
            while (fit <= ChunkFormat.MAX_DIGITS && !isDecimal(value, fit, single)) {
                fit++;
            }
            if (fit <= ChunkFormat.MAX_DIGITS) {
                digits = fit;
            } else if (++misses > SAMPLE_MISSES) {
                return false;
            }
        }
        if (wholes.length < count) {
            wholes = new long[count];
            exceptionRows = new long[count];
        }
        return convert(bits, count, single);
    }

    private boolean convert(long[] bits, int count, boolean single) {
        exceptions = 0;
        double power = POWERS[digits];
        long previous = 0;
        for (int i = 0; i < count; i++) {
            double value = value(bits[i], single);
            long whole = (long) Math.rint(value * power);
            if (bitsOf(whole / power, single) != bits[i] || !(Math.abs(value * power) < GREATEST)) {
                if (exceptions >= count / EXCEPTION_SHARE) {
                    return false;
                }
                exceptionRows[exceptions++] = i;
                whole = previous;
            }
            wholes[i] = whole;
            previous = whole;
        }
        return true;
    }

    private static boolean isDecimal(long bits, int digits, boolean single) {
        double scaled = value(bits, single) * POWERS[digits];
        return Math.abs(scaled) < GREATEST && bitsOf((long) Math.rint(scaled) / POWERS[digits], single) == bits;
    }

    private static double value(long bits, boolean single) {
        return single ? Float.intBitsToFloat((int) bits) : Double.longBitsToDouble(bits);
    }

    private static long bitsOf(double value, boolean single) {
        return single ? Float.floatToRawIntBits((float) value) : Double.doubleToRawLongBits(value);
    }
}
