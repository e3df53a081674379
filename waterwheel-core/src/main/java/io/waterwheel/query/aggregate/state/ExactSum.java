package io.waterwheel.query.aggregate.state;

import io.waterwheel.tuple.LittleEndian;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * The exact sum of any doubles, so that it does not depend on their order or on how they were divided into parts.
 * Infinities and NaN add up as IEEE 754 says. One thread. Adding allocates only while the range of exponents widens.
 */
final class ExactSum {
    /* A long number in digits of 32 bits, each in a signed long, so that 2^10 additions fit before carries must be
     * moved on; after [Neal 2015]. Only the digits from
     * the lowest to the highest in use are held: values of one kind need about four. */

    private static final int ADDS_BEFORE_CARRY = 1024;
    private static final long DIGIT = 0xFFFFFFFFL;
    /** Digits of the greatest sum: 2^-1074 to 2^1024, and room for 2^63 additions. */
    private static final int MOST_DIGITS = 70;

    /** Most that its digits take. */
    static final int MOST_BYTES = MOST_DIGITS * Long.BYTES;

    /** More than the greatest digit that is written, in its magnitude. */
    private static final long MOST_WRITTEN = 1L << 33;

    private static final int POSITIVE = 1;
    private static final int NEGATIVE = 2;
    private static final int NOT_A_NUMBER = 4;

    private long[] digits = {};
    /** Place of the lowest digit: its unit is 2^(32 first - 1074). */
    private int first;

    private int adds;
    /** Infinities and NaN that were added. */
    private int specials;

    /** Adds a value; returns how many bytes of memory it takes more since. */
    int add(double value) {
        long bits = Double.doubleToRawLongBits(value);
        int exponent = (int) (bits >>> 52) & 0x7FF;
        long mantissa = bits & 0xFFFFFFFFFFFFFL;
        if (exponent == 0x7FF) {
            specials |= mantissa != 0 ? NOT_A_NUMBER : bits < 0 ? NEGATIVE : POSITIVE;
            return 0;
        }
        if (exponent == 0) {
            if (mantissa == 0) {
                return 0;
            }
            exponent = 1;
        } else {
            mantissa |= 1L << 52;
        }
        mantissa = bits < 0 ? -mantissa : mantissa;
        int before = digits.length;
        int place = (exponent - 1) >>> 5;
        int shift = (exponent - 1) & 31;
        int at = place - first;
        if (at < 0 || at + 1 >= digits.length) {
            reach(place, place + 1);
            at = place - first;
        }
        digits[at] += (mantissa << shift) & DIGIT;
        digits[at + 1] += mantissa >> (32 - shift);
        if (++adds == ADDS_BEFORE_CARRY) {
            carry();
        }
        return (digits.length - before) * Long.BYTES;
    }

    private void reach(int low, int high) {
        if (low >= first && high < first + digits.length) {
            return;
        }
        if (digits.length == 0) {
            first = low;
            digits = new long[high - low + 2];
            return;
        }
        int lowest = Math.min(low, first);
        int highest = Math.max(high, first + digits.length - 1);
        long[] wider = new long[highest - lowest + 1];
        System.arraycopy(digits, 0, wider, first - lowest, digits.length);
        digits = wider;
        first = lowest;
    }

    /** Leaves every digit but the highest from 0 to 2^32 - 1, the highest within 2^32 of 0. */
    private void carry() {
        adds = 0;
        if (digits.length == 0) {
            return;
        }
        int last = digits.length - 1;
        for (int i = 0; i < last; i++) {
            digits[i + 1] += digits[i] >> 32;
            digits[i] &= DIGIT;
        }
        if (digits[last] != (int) digits[last]) {
            reach(first, first + last + 1);
            digits[last + 1] = digits[last] >> 32;
            digits[last] &= DIGIT;
        }
    }

    /** Adds another sum that {@link #write} wrote; returns how many bytes of memory it takes more since. */
    int add(byte[] bytes, int offset, int length) {
        if (length < 4 || (length - 4) % 8 != 0) {
            throw new IllegalArgumentException("a partial sum of " + length + " bytes");
        }
        specials |= bytes[offset] & 7;
        int from = LittleEndian.getShort(bytes, offset + 2);
        int count = (length - 4) / 8;
        if (count == 0) {
            return 0;
        }
        int before = digits.length;
        if (from < 0 || from + count > MOST_DIGITS) {
            throw new IllegalArgumentException("a partial sum with digits " + from + " to " + (from + count));
        }
        // Digits as they are written add no more than those of a value do; others may be anything.
        boolean asWritten = true;
        for (int i = 0; i < count; i++) {
            long digit = LittleEndian.getLong(bytes, offset + 4 + i * 8);
            asWritten &= digit >= -MOST_WRITTEN && digit <= MOST_WRITTEN;
        }
        if (!asWritten) {
            carry();
        }
        reach(from, from + count - 1);
        for (int i = 0; i < count; i++) {
            digits[from - first + i] += LittleEndian.getLong(bytes, offset + 4 + i * 8);
        }
        if (!asWritten || ++adds == ADDS_BEFORE_CARRY) {
            carry();
        }
        return (digits.length - before) * Long.BYTES;
    }

    /** Is the sum of nothing again, in the array that there is. */
    void clear() {
        Arrays.fill(digits, 0);
        adds = 0;
        specials = 0;
    }

    /** Adds another sum. */
    void add(ExactSum other) {
        other.carry();
        specials |= other.specials;
        if (other.digits.length == 0) {
            return;
        }
        carry();
        reach(other.first, other.first + other.digits.length - 1);
        for (int i = 0; i < other.digits.length; i++) {
            digits[other.first - first + i] += other.digits[i];
        }
        carry();
    }

    /** The sum as bytes, exactly. */
    byte[] write() {
        // Moving the carries may make one more.
        byte[] bytes = new byte[4 + (digits.length + 1) * 8];
        int length = write(bytes);
        return Arrays.copyOf(bytes, length);
    }

    /**
     * Writes the sum, exactly: from its least digit that is not 0 to its greatest.
     *
     * @param into has room for {@link #MOST_BYTES} and 4 more, or for one digit more than there are
     * @return how many bytes it takes
     */
    int write(byte[] into) {
        carry();
        int low = 0;
        int high = digits.length;
        while (low < high && digits[low] == 0) {
            low++;
        }
        while (low < high && digits[high - 1] == 0) {
            high--;
        }
        into[0] = (byte) specials;
        into[1] = 0;
        LittleEndian.putShort(into, 2, (short) (low == high ? 0 : first + low));
        for (int i = low; i < high; i++) {
            LittleEndian.putLong(into, 4 + (i - low) * 8, digits[i]);
        }
        return 4 + (high - low) * 8;
    }

    /** The digit that has the unit of a power of two. */
    static int digit(int exponent) {
        return Math.max(0, exponent + 1074) >> 5;
    }

    /** The least digit that there is room for. */
    int lowest() {
        return first;
    }

    /** The digit behind the greatest that there is room for. */
    int end() {
        return first + digits.length;
    }

    /** Whether infinities or NaN were added. */
    boolean special() {
        return specials != 0;
    }

    /** The sum of all but infinities and NaN. */
    Dyadic exact() {
        carry();
        BigInteger sum = BigInteger.ZERO;
        for (int i = digits.length - 1; i >= 0; i--) {
            sum = sum.shiftLeft(32).add(BigInteger.valueOf(digits[i]));
        }
        return new Dyadic(sum, 32 * first - 1074);
    }

    /** The sum, rounded once to the nearest double, ties to even. */
    double value() {
        if (specials != 0) {
            return switch (specials) {
                case POSITIVE -> Double.POSITIVE_INFINITY;
                case NEGATIVE -> Double.NEGATIVE_INFINITY;
                default -> Double.NaN;
            };
        }
        Dyadic sum = exact();
        return rounded(sum.digits(), sum.exponent());
    }

    /** The double nearest to {@code number x 2^exponent}. */
    static double rounded(BigInteger number, int exponent) {
        BigInteger magnitude = number.abs();
        // What is left has at most 53 bits, and none below the least double.
        int drop = Math.max(0, Math.max(magnitude.bitLength() - 53, -1074 - exponent));
        BigInteger kept = magnitude.shiftRight(drop);
        long mantissa = kept.longValue();
        if (drop > 0 && magnitude.testBit(drop - 1)) {
            boolean above = magnitude.getLowestSetBit() < drop - 1;
            mantissa += above || (mantissa & 1) != 0 ? 1 : 0;
        }
        double value = Math.scalb((double) mantissa, exponent + drop);
        return number.signum() < 0 ? -value : value;
    }

    @Override
    public String toString() {
        return first + Arrays.toString(digits);
    }
}
