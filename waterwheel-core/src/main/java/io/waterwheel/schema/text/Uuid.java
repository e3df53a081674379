package io.waterwheel.schema.text;

/** UUIDs: 16 bytes, written as 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12. Stateless. */
public final class Uuid {
    private static final int LENGTH = 36;

    private Uuid() {}

    /**
     * Reads a UUID, in letters of either case, from ASCII bytes [from, to) into the first 16 bytes of {@code out}.
     *
     * @return whether the bytes are one; when not, what {@code out} holds is undefined
     */
    public static boolean parse(byte[] text, int from, int to, byte[] out) {
        if (to - from != LENGTH) {
            return false;
        }
        int at = from;
        for (int b = 0; b < 16; b++) {
            if ((b == 4 || b == 6 || b == 8 || b == 10) && text[at++] != '-') {
                return false;
            }
            int high = hexDigit(text[at++]);
            int low = hexDigit(text[at++]);
            if (high < 0 || low < 0) {
                return false;
            }
            out[b] = (byte) (high << 4 | low);
        }
        return true;
    }

    /** The UUID in 16 bytes from {@code at} on as text, in lower case. */
    public static String text(byte[] bytes, int at) {
        StringBuilder out = new StringBuilder(LENGTH);
        for (int b = 0; b < 16; b++) {
            if (b == 4 || b == 6 || b == 8 || b == 10) {
                out.append('-');
            }
            out.append(Character.forDigit(bytes[at + b] >> 4 & 15, 16));
            out.append(Character.forDigit(bytes[at + b] & 15, 16));
        }
        return out.toString();
    }

    /** The value of a hexadecimal digit; -1 when it is none. */
    static int hexDigit(byte digit) {
        if (digit >= '0' && digit <= '9') {
            return digit - '0';
        }
        int lower = digit | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }
}
