package io.waterwheel.chunk.encoding;

import io.waterwheel.key.KeyCodec;
import io.waterwheel.tuple.LittleEndian;

/** Hashes and bits of the chunk format's Bloom filters: four bits in one word for each distinct value. */
public final class BloomBits {
    private static final int BITS_PER_VALUE = 10;
    /** The code that stands for every NaN. */
    public static final long NAN = KeyCodec.ofDouble(Double.NaN);

    private BloomBits() {}

    /** Words of a filter for a number of distinct values: 0, 1, 2 or a multiple of 4, so that it can be folded. */
    public static int words(int distinct) {
        int words = (distinct * BITS_PER_VALUE + Long.SIZE - 1) / Long.SIZE;
        return words <= 2 ? words : (words + 3) & ~3;
    }

    /** The hash of a value of fixed width, by its code. */
    public static long hash(long code, boolean floating) {
        return mix(floating && ColumnKind.isNaN(code) ? NAN : code);
    }

    /** The hash of a string or bytes. */
    public static long hash(byte[] bytes, int offset, int length) {
        long hash = mix(length);
        int i = 0;
        for (; i + 8 <= length; i += 8) {
            hash = mix(hash ^ LittleEndian.getLong(bytes, offset + i));
        }
        if (i < length) {
            long last = 0;
            for (int b = 0; i + b < length; b++) {
                last |= (bytes[offset + i + b] & 0xFFL) << (8 * b);
            }
            hash = mix(hash ^ last);
        }
        return hash;
    }

    public static void add(long[] words, int base, int count, long hash) {
        words[base + word(hash, count)] |= bits(hash);
    }

    public static boolean mayContain(long[] words, int base, int count, long hash) {
        long bits = bits(hash);
        return (words[base + word(hash, count)] & bits) == bits;
    }

    private static int word(long hash, int count) {
        return (int) (((hash >>> 32) * count) >>> 32);
    }

    private static long bits(long hash) {
        // A shift of a long takes the low six bits of its count.
        return (1L << hash) | (1L << (hash >>> 6)) | (1L << (hash >>> 12)) | (1L << (hash >>> 18));
    }

    /** The finaliser of SplitMix64 [Steele 2014]. */
    private static long mix(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
