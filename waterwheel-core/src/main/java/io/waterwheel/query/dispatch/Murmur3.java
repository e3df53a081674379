package io.waterwheel.query.dispatch;

import io.waterwheel.tuple.LittleEndian;
import java.nio.charset.StandardCharsets;

/**
 * MurmurHash3 [Appleby 2011], x86, 32 bits, seed 0, of a text's UTF-8 bytes: equal in every process and version. Public
 * domain.
 */
final class Murmur3 {
    private static final int C1 = 0xcc9e2d51;
    private static final int C2 = 0x1b873593;

    private Murmur3() {}

    static int hash(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int hash = 0;
        int at = 0;
        for (; at + 4 <= bytes.length; at += 4) {
            hash = Integer.rotateLeft(hash ^ scramble(LittleEndian.getInt(bytes, at)), 13) * 5 + 0xe6546b64;
        }
        int rest = 0;
        for (int i = bytes.length - 1; i >= at; i--) {
            rest = rest << 8 | (bytes[i] & 0xff);
        }
        hash ^= scramble(rest) ^ bytes.length;
        hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
        hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
        return hash ^ (hash >>> 16);
    }

    private static int scramble(int block) {
        return Integer.rotateLeft(block * C1, 15) * C2;
    }
}
