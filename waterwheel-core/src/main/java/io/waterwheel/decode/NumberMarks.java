package io.waterwheel.decode;

import io.waterwheel.schema.RecordText;

/** Brings numbers with a decimal comma or marks between thousands into plain form. Reuses a buffer; one thread. */
final class NumberMarks {
    private static final int GROUP = 3;

    private final byte decimal;
    /** 0: none. */
    private final byte thousands;

    /** The number in plain form, after {@link #plain}. */
    final byte[] bytes = new byte[Numbers.MAX_LENGTH];

    NumberMarks(RecordText.Csv csv) {
        decimal = (byte) csv.decimal();
        thousands = (byte) csv.thousands();
    }

    /** Whether numbers have other marks than a decimal point. */
    static boolean needed(RecordText.Csv csv) {
        return csv.decimal() != '.' || csv.thousands() != '\0';
    }

    /**
     * Writes [from, to) into {@link #bytes} without marks between thousands and with a point for the decimal mark. What
     * is between those is left as it is.
     *
     * @return its length; -1 where a mark stands in the wrong place
     */
    int plain(byte[] number, int from, int to) {
        if (to - from > bytes.length) {
            return -1;
        }
        int length = 0;
        int digits = 0; // since the last mark between thousands, or since the beginning
        boolean grouped = false;
        boolean whole = true;
        for (int at = from; at < to; at++) {
            byte c = number[at];
            if (c == thousands && thousands != 0 && whole) {
                // A group that begins with 0 is none: the mark is a decimal one.
                boolean first = !grouped;
                if (digits < 1
                        || digits > GROUP
                        || (!first && digits != GROUP)
                        || (first && number[at - digits] == '0')) {
                    return -1;
                }
                grouped = true;
                digits = 0;
                continue;
            }
            boolean digit = c >= '0' && c <= '9';
            if (digit) {
                digits++;
            } else if ((c != '-' && c != '+') || length > 0) {
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
