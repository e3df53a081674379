package io.waterwheel.decode;

import io.waterwheel.schema.RecordText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Brings numbers into plain form that have a decimal comma, marks between thousands, a unit beside them, or parentheses
 * around them for a minus. Reuses a buffer; one thread.
 */
final class NumberMarks {
    private static final int GROUP = 3;

    /** Spaces that no line breaks at, in UTF-8: U+00A0, U+202F. */
    private static final byte[][] SPACES = {{(byte) 0xC2, (byte) 0xA0}, {(byte) 0xE2, (byte) 0x80, (byte) 0xAF}};

    /** The apostrophe as a typesetter has it, U+2019, which is a mark where the other one is. */
    private static final byte[] APOSTROPHE = {(byte) 0xE2, (byte) 0x80, (byte) 0x99};

    private static final byte[][] NOT_FINITE = {
        "NaN".getBytes(StandardCharsets.US_ASCII),
        "Infinity".getBytes(StandardCharsets.US_ASCII),
        "-Infinity".getBytes(StandardCharsets.US_ASCII)
    };

    private final byte decimal;
    /** 0: none. */
    private final byte thousands;

    private final boolean parentheses;

    /** The number in plain form, after {@link #plain}. */
    final byte[] bytes = new byte[Numbers.MAX_LENGTH];

    NumberMarks(RecordText text) {
        decimal = (byte) text.csv().decimal();
        thousands = (byte) text.csv().thousands();
        parentheses = text.export().parentheses();
    }

    /** Whether numbers may be written otherwise than with a decimal point and a minus. */
    static boolean needed(RecordText text) {
        return text.csv().decimal() != '.'
                || text.csv().thousands() != '\0'
                || text.export().parentheses()
                || !text.export().units().isEmpty();
    }

    /**
     * Writes [from, to) into {@link #bytes} without marks between thousands, unit and parentheses, and with a point for
     * the decimal mark. What is between those is left as it is.
     *
     * @param unit that may stand before or behind it, perhaps behind a space; null: none
     * @return its length; -1 where a mark stands in the wrong place
     */
    int plain(byte[] number, int from, int to, byte @Nullable [] unit) {
        if (unit == null && !parentheses) {
            return digits(number, from, to, 0);
        }
        int first = from;
        int last = to;
        boolean negative = false;
        boolean minus = false;
        boolean united = unit == null;
        // From the outside inwards: each once.
        for (boolean more = true; more && first < last; ) {
            more = false;
            if (parentheses && !negative && number[first] == '(' && number[last - 1] == ')') {
                negative = true;
                first++;
                last--;
                more = true;
            } else if (unit != null && !united && isAt(unit, number, first, last)) {
                united = true;
                first = behindSpace(number, first + unit.length, last);
                more = true;
            } else if (unit != null
                    && !united
                    && isAt(unit, number, last - unit.length, last)
                    && last - first > unit.length) {
                united = true;
                last = beforeSpace(number, first, last - unit.length);
                more = true;
            } else if (unit != null
                    && !united
                    && !minus
                    && number[first] == '-'
                    && isAt(unit, number, first + 1, last)) {
                minus = true;
                united = true;
                first = behindSpace(number, first + 1 + unit.length, last);
                more = true;
            }
        }
        boolean signed = first < last && (number[first] == '-' || number[first] == '+');
        if ((signed && (minus || negative)) || (minus && negative)) {
            return -1;
        }
        if (!minus && !negative) {
            return digits(number, first, last, 0);
        }
        bytes[0] = '-';
        return first == last ? -1 : digits(number, first, last, 1);
    }

    /** Whether all of it are digits, signs and letters of numbers, or it is a number that is not finite. */
    static boolean isNumber(byte[] plain, int length) {
        for (byte[] one : NOT_FINITE) {
            if (Arrays.equals(one, 0, one.length, plain, 0, length)) {
                return true;
            }
        }
        for (int i = 0; i < length; i++) {
            byte c = plain[i];
            if ((c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && (c | 0x20) != 'e') {
                return false;
            }
        }
        return length > 0;
    }

    private static boolean isAt(byte[] part, byte[] bytes, int at, int to) {
        if (at < 0 || at + part.length > to) {
            return false;
        }
        for (int i = 0; i < part.length; i++) {
            if (bytes[at + i] != part[i]) {
                return false;
            }
        }
        return true;
    }

    private static int behindSpace(byte[] bytes, int at, int to) {
        int width = at < to && bytes[at] == ' ' ? 1 : space(bytes, at, to);
        return at + width;
    }

    private static int beforeSpace(byte[] bytes, int from, int to) {
        if (to > from && bytes[to - 1] == ' ') {
            return to - 1;
        }
        for (byte[] space : SPACES) {
            if (to - space.length >= from && isAt(space, bytes, to - space.length, to)) {
                return to - space.length;
            }
        }
        return to;
    }

    /** Bytes of a space at a place that is no ASCII; 0: there is none. */
    private static int space(byte[] bytes, int at, int to) {
        for (byte[] space : SPACES) {
            if (isAt(space, bytes, at, to)) {
                return space.length;
            }
        }
        return 0;
    }

    /** Bytes of a mark between thousands at a place that is no ASCII; 0: there is none. */
    private int wide(byte[] bytes, int at, int to) {
        return thousands == ' '
                ? space(bytes, at, to)
                : thousands == '\'' && isAt(APOSTROPHE, bytes, at, to) ? APOSTROPHE.length : 0;
    }

    /** @param written of {@link #bytes}: a sign that stands before it */
    private int digits(byte[] number, int from, int to, int written) {
        if (to - from + written > bytes.length) {
            return -1;
        }
        int length = written;
        int digits = 0; // since the last mark between thousands, or since the beginning
        int start = from; // of these digits
        boolean grouped = false;
        boolean whole = true;
        for (int at = from; at < to; at++) {
            byte c = number[at];
            int width = c == thousands && thousands != 0 ? 1 : c < 0 ? wide(number, at, to) : 0;
            if (width > 0 && whole) {
                // A group that begins with 0 is none: the mark is a decimal one.
                boolean first = !grouped;
                if (digits < 1 || digits > GROUP || (!first && digits != GROUP) || (first && number[start] == '0')) {
                    return -1;
                }
                grouped = true;
                digits = 0;
                at += width - 1;
                continue;
            }
            boolean digit = c >= '0' && c <= '9';
            if (digit) {
                start = digits == 0 ? at : start;
                digits++;
            } else if ((c != '-' && c != '+') || length > written) {
                if (whole && grouped && digits != GROUP) {
                    return -1;
                }
                whole = false;
                if (c == '.' && decimal != '.') {
                    return -1;
                }
            }
            bytes[length++] = c == decimal ? (byte) '.' : c;
        }
        return whole && grouped && digits != GROUP ? -1 : length;
    }
}
