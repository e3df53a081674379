package io.waterwheel.gateway.answer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Text being made, in UTF-8; grows as it must. One thread. */
public final class Utf8Buffer {
    /** A buffer that one long value has made larger is given up after it. */
    private static final int KEPT_BYTES = 1 << 20;

    /** Of an array, in every JVM. */
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    private static final int LEAST_BYTES = 1 << 16;
    private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

    /** 00 to 99. */
    private static final byte[] DIGITS = new byte[200];

    static {
        for (int i = 0; i < 100; i++) {
            DIGITS[2 * i] = (byte) ('0' + i / 10);
            DIGITS[2 * i + 1] = (byte) ('0' + i % 10);
        }
    }

    private static final long EIGHT_DIGITS = 100_000_000;

    /** Those that a long can be. */
    private static final long[] POWERS_OF_TEN = new long[19];

    static {
        POWERS_OF_TEN[0] = 1;
        for (int i = 1; i < POWERS_OF_TEN.length; i++) {
            POWERS_OF_TEN[i] = 10 * POWERS_OF_TEN[i - 1];
        }
    }

    private byte[] bytes = new byte[LEAST_BYTES];
    private int length;

    public int length() {
        return length;
    }

    /** What there is, up to {@link #length}; overwritten by what comes after {@link #clear}. */
    public byte[] bytes() {
        return bytes;
    }

    public void clear() {
        length = 0;
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[LEAST_BYTES];
        }
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            int needed = Math.addExact(length, more);
            bytes = Arrays.copyOf(bytes, (int) Math.max(needed, Math.min(2L * bytes.length, MOST_BYTES)));
        }
    }

    public void put(byte one) {
        room(1);
        bytes[length++] = one;
    }

    void put(byte[] some) {
        put(some, 0, some.length);
    }

    void put(byte[] some, int offset, int count) {
        room(count);
        System.arraycopy(some, offset, bytes, length, count);
        length += count;
    }

    /** Text of ASCII only. */
    @SuppressWarnings("deprecation") // the one way to copy the low bytes of a string without an array between
    public void ascii(String text) {
        room(text.length());
        text.getBytes(0, text.length(), bytes, length);
        length += text.length();
    }

    /** In decimals. */
    void number(long value) {
        if (value == Long.MIN_VALUE) {
            ascii("-9223372036854775808");
            return;
        }
        room(20);
        long rest = value;
        if (rest < 0) {
            bytes[length++] = '-';
            rest = -rest;
        }
        byte[] to = bytes;
        length += digits(rest);
        int at = length;
        // A division takes longer than all else, most of all one of longs: one makes eight digits, one of ints two.
        while (rest >= EIGHT_DIGITS) {
            long next = rest / EIGHT_DIGITS;
            int eight = (int) (rest - next * EIGHT_DIGITS);
            for (int pair = 0; pair < 4; pair++) {
                int hundreds = eight / 100;
                at = pair(to, at, eight - hundreds * 100);
                eight = hundreds;
            }
            rest = next;
        }
        int few = (int) rest;
        while (few >= 100) {
            int hundreds = few / 100;
            at = pair(to, at, few - hundreds * 100);
            few = hundreds;
        }
        if (few >= 10) {
            pair(to, at, few);
        } else {
            to[at - 1] = (byte) ('0' + few);
        }
    }

    /** The number of decimal digits of a number that is not negative. */
    private static int digits(long value) {
        // A bit is 0.30103 digits: it has this many, or one more.
        int least = ((Long.SIZE - Long.numberOfLeadingZeros(value | 1)) * 1233) >> 12;
        return value < POWERS_OF_TEN[least] ? Math.max(least, 1) : least + 1;
    }

    /** Writes the two digits of a number below 100 before this place; returns where they begin. */
    private static int pair(byte[] to, int at, int number) {
        to[at - 2] = DIGITS[2 * number];
        to[at - 1] = DIGITS[2 * number + 1];
        return at - 2;
    }

    /** A JSON string of text in UTF-8. */
    public void jsonString(byte[] text, int from, int count) {
        put((byte) '"');
        int plain = from;
        for (int i = from; i < from + count; i++) {
            byte b = text[i];
            if (b >= 0 && (b < 0x20 || b == '"' || b == '\\')) {
                put(text, plain, i - plain);
                escape(b);
                plain = i + 1;
            }
        }
        put(text, plain, from + count - plain);
        put((byte) '"');
    }

    private void escape(byte b) {
        switch (b) {
            case '"', '\\' -> {
                put((byte) '\\');
                put(b);
            }
            case '\n' -> ascii("\\n");
            case '\r' -> ascii("\\r");
            case '\t' -> ascii("\\t");
            case '\b' -> ascii("\\b");
            case '\f' -> ascii("\\f");
            default -> {
                ascii("\\u00");
                put(HEX[b >> 4]);
                put(HEX[b & 0xf]);
            }
        }
    }

    /** A CSV value of text in UTF-8: in quotes where it is empty or holds a comma, a quote or a line end. */
    void csvString(byte[] text, int from, int count) {
        boolean quote = count == 0;
        for (int i = from; i < from + count && !quote; i++) {
            byte b = text[i];
            quote = b == ',' || b == '"' || b == '\n' || b == '\r';
        }
        if (!quote) {
            put(text, from, count);
            return;
        }
        put((byte) '"');
        for (int i = from; i < from + count; i++) {
            if (text[i] == '"') {
                put((byte) '"');
            }
            put(text[i]);
        }
        put((byte) '"');
    }
}
