package io.waterwheel.decode;

import io.waterwheel.tuple.LittleEndian;

/** Checks that bytes are UTF-8, eight at a time while they are ASCII. */
public final class Utf8 {
    private static final long HIGH_BITS = 0x8080808080808080L;

    private Utf8() {}

    /** Whether the bytes are valid UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
    public static boolean valid(byte[] bytes, int offset, int length) {
        int at = offset;
        int end = offset + length;
        while (end - at >= 8 && (LittleEndian.getLong(bytes, at) & HIGH_BITS) == 0) {
            at += 8;
        }
        while (at < end) {
            int lead = bytes[at];
            if (lead >= 0) {
                at++;
                continue;
            }
            int further;
            int least;
            int code;
            if ((lead & 0xE0) == 0xC0) {
                further = 1;
                least = 0x80;
                code = lead & 0x1F;
            } else if ((lead & 0xF0) == 0xE0) {
                further = 2;
                least = 0x800;
                code = lead & 0x0F;
            } else if ((lead & 0xF8) == 0xF0) {
                further = 3;
                least = 0x10000;
                code = lead & 0x07;
            } else {
                return false;
            }
            if (end - at <= further) {
                return false;
            }
            for (int i = 1; i <= further; i++) {
                if ((bytes[at + i] & 0xC0) != 0x80) {
                    return false;
                }
                code = (code << 6) | (bytes[at + i] & 0x3F);
            }
            if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
                return false;
            }
            at += further + 1;
        }
        return true;
    }
}
