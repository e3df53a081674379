package io.waterwheel.cli.losses;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/** Whether a double keeps all digits of a number as it is written: for a person, or to the last bit. One thread. */
final class KeptDigits {
    /** A double keeps any number of this number of digits. */
    static final int ALWAYS = 15;

    /** One of more digits never is the shortest that makes a double. */
    private static final int SHORTEST = 17;

    private static final long EXACT = 1L << 53;
    /** The powers of ten that a double holds. */
    private static final double[] TEN = new double[23];

    static {
        TEN[0] = 1;
        for (int i = 1; i < TEN.length; i++) {
            TEN[i] = TEN[i - 1] * 10; // exact up to 10^22
        }
    }

    /** Digits before the point of the number asked of last, without zeros before them; and those behind it. */
    int before;

    int behind;

    /** Whether it does; allocates only where it hardly does. */
    boolean keeps(double read, byte[] bytes, int from, int to) {
        long mantissa = 0;
        int digits = 0;
        int zeros = 0;
        int point = -1;
        boolean exponent = false;
        before = 0;
        behind = 0;
        for (int at = from; at < to; at++) {
            int c = bytes[at];
            if (c >= '0' && c <= '9') {
                before += point < 0 && (before > 0 || c != '0') ? 1 : 0;
                behind += point < 0 ? 0 : 1;
                if (digits > 0 || c != '0') {
                    digits++;
                    zeros = c == '0' ? zeros + 1 : 0;
                    mantissa = digits <= SHORTEST ? mantissa * 10 + (c - '0') : mantissa;
                }
            } else if (c == '.') {
                point = at;
            } else {
                exponent |= c == 'e' || c == 'E';
            }
        }
        if (exponent) {
            return exactly(read, bytes, from, to);
        }
        if (digits - zeros <= ALWAYS) {
            return true;
        }
        return (digits <= SHORTEST && behind < TEN.length && isShortest(Math.abs(read), mantissa, digits, behind))
                || exactly(read, bytes, from, to);
    }

    /** Whether these digits are the fewest that make the double; perhaps not where it says no. */
    private static boolean isShortest(double read, long mantissa, int digits, int behind) {
        // The double in units of the last digit: of all numbers of as many digits this is the nearest one.
        long high = mantissa & -2048L;
        double off = Math.fma(read, TEN[behind], -(double) high) - (mantissa - high);
        if (Math.abs(off) > 0.5) {
            return false;
        }
        if (Math.ulp(read) * TEN[behind] < 1) {
            return true; // and no other is as near
        }
        long fewer = mantissa / 10;
        return digits == SHORTEST
                && behind > 0
                && fewer < EXACT
                && fewer / TEN[behind - 1] != read
                && (fewer + 1) / TEN[behind - 1] != read;
    }

    private static boolean exactly(double read, byte[] bytes, int from, int to) {
        BigDecimal exact;
        try {
            exact = new BigDecimal(new String(bytes, from, to - from, StandardCharsets.US_ASCII));
        } catch (NumberFormatException beyond) {
            // An exponent that no program computes with: there is no number to compare.
            return true;
        }
        return exact.compareTo(new BigDecimal(Double.toString(read))) == 0
                || exact.compareTo(new BigDecimal(read)) == 0;
    }
}
