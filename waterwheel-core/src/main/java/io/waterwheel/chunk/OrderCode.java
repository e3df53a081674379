package io.waterwheel.chunk;

/**
 * Order-keeping codes of field values, signed 64-bit, as the zones of a chunk hold them: a value that is not greater
 * has a code that is not greater. Integers, booleans and timestamps are their own code. Different strings may share
 * one; other values do not, but -0.0 is just below 0.0.
 */
public final class OrderCode {
    private static final long POSITIVE_INFINITY = ofDouble(Double.POSITIVE_INFINITY);
    private static final long NEGATIVE_INFINITY = ofDouble(Double.NEGATIVE_INFINITY);
    private static final int PREFIX_BYTES = 8;

    private OrderCode() {}

    /** The code of a double; a float has the code of the same double. */
    public static long ofDouble(double value) {
        return ofDoubleBits(Double.doubleToRawLongBits(value));
    }

    static long ofDoubleBits(long bits) {
        return bits ^ ((bits >> 63) & Long.MAX_VALUE);
    }

    static long ofFloatBits(int bits) {
        return ofDouble(Float.intBitsToFloat(bits));
    }

    /** Whether the code of a double or float is that of a NaN. */
    static boolean isNaN(long code) {
        return code > POSITIVE_INFINITY || code < NEGATIVE_INFINITY;
    }

    /** The code of a string or bytes: its first eight bytes. */
    public static long ofBytes(byte[] bytes, int offset, int length) {
        long code = 0;
        int used = Math.min(PREFIX_BYTES, length);
        for (int i = 0; i < used; i++) {
            code = (code << 8) | (bytes[offset + i] & 0xFF);
        }
        code = used == 0 ? 0 : code << (8 * (PREFIX_BYTES - used));
        return code ^ Long.MIN_VALUE;
    }
}
