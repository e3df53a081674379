package io.waterwheel.decode;

import ch.randelshofer.fastdoubleparser.JavaDoubleParser;
import ch.randelshofer.fastdoubleparser.JavaFloatParser;

/**
 * Numbers from ASCII bytes, without a string. A method that may fail says so by {@link #failed}, read right after: the
 * hot path throws nothing. One per decoder.
 */
final class Numbers {
    /** Powers of ten that a double holds exactly. */
    private static final double[] TEN = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };

    private static final long EXACT = 1L << 53;
    /** Longer numbers are refused: no measurement has more digits, and parsing them is slow. */
    static final int MAX_LENGTH = 1000;

    /** Whether the last call failed; its result means nothing then. */
    boolean failed;

    /** A whole number: optional sign, digits, within 64 bits. */
    long parseLong(byte[] bytes, int from, int to) {
        failed = true;
        int at = from;
        boolean negative = false;
        if (at < to && (bytes[at] == '-' || bytes[at] == '+')) {
            negative = bytes[at++] == '-';
        }
        int digits = to - at;
        if (digits < 1 || digits > 40) {
            return 0;
        }
        // Summed as a negative number, which reaches one further than a positive one.
        long value = 0;
        for (; at < to; at++) {
            int digit = bytes[at] - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            if (value < Long.MIN_VALUE / 10) {
                return 0;
            }
            value = value * 10 - digit;
            if (value > 0) {
                return 0;
            }
        }
        if (!negative && value == Long.MIN_VALUE) {
            return 0;
        }
        failed = false;
        return negative ? value : -value;
    }

    /** A decimal number, perhaps with an exponent, or NaN, Infinity, -Infinity; correctly rounded. */
    double parseDouble(byte[] bytes, int from, int to) {
        int at = from;
        boolean negative = at < to && bytes[at] == '-';
        if (negative) {
            at++;
        }
        // Up to 2^53 / 10^22 both are exact, so that one division rounds once. Most measurements end here.
        long mantissa = 0;
        int digits = 0;
        int point = -1;
        for (; at < to && digits <= 18; at++) {
            int c = bytes[at];
            if (c >= '0' && c <= '9') {
                mantissa = mantissa * 10 + (c - '0');
                digits++;
            } else if (c == '.' && point < 0) {
                point = digits;
            } else {
                break;
            }
        }
        if (at == to && digits > 0 && digits <= 18 && mantissa <= EXACT) {
            failed = false;
            double value = point < 0 ? mantissa : mantissa / TEN[digits - point];
            return negative ? -value : value;
        }
        if (!plain(bytes, from, to)) {
            return special(bytes, from, to);
        }
        try {
            double value = JavaDoubleParser.parseDouble(bytes, from, to - from);
            failed = Double.isInfinite(value);
            return value;
        } catch (NumberFormatException e) {
            failed = true;
            return 0;
        }
    }

    /** As {@link #parseDouble}, rounded once to a float. */
    float parseFloat(byte[] bytes, int from, int to) {
        if (!plain(bytes, from, to)) {
            return (float) special(bytes, from, to);
        }
        try {
            float value = JavaFloatParser.parseFloat(bytes, from, to - from);
            failed = Float.isInfinite(value);
            return value;
        } catch (NumberFormatException e) {
            failed = true;
            return 0;
        }
    }

    /** Java's parsers also take spaces, type letters and hexadecimal; a data file that has them is not meant so. */
    private static boolean plain(byte[] bytes, int from, int to) {
        if (to - from > MAX_LENGTH) {
            return false;
        }
        for (int i = from; i < to; i++) {
            int c = bytes[i];
            if ((c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E') {
                return false;
            }
        }
        return true;
    }

    private double special(byte[] bytes, int from, int to) {
        failed = false;
        if (is("NaN", bytes, from, to)) {
            return Double.NaN;
        }
        if (is("Infinity", bytes, from, to)) {
            return Double.POSITIVE_INFINITY;
        }
        if (is("-Infinity", bytes, from, to)) {
            return Double.NEGATIVE_INFINITY;
        }
        failed = true;
        return 0;
    }

    /** Whether the bytes are this ASCII text. */
    static boolean is(String text, byte[] bytes, int from, int to) {
        if (to - from != text.length()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (bytes[from + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
