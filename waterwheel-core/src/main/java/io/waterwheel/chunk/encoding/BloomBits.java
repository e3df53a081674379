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
            hash = mix(hash ^ rest(bytes, offset + i, length - i, i > 0));
        }
        return hash;
    }

    /** The last bytes of a value, one to seven, as a word that is filled up with 0. */
    private static long rest(byte[] bytes, int from, int count, boolean followsWord) {
        if (followsWord) {
            // One load, of bytes before them too.
            return LittleEndian.getLong(bytes, from + count - 8) >>> (8 * (8 - count));
        }
        long rest = 0;
        for (int b = 0; b < count; b++) {
            rest |= (bytes[from + b] & 0xFFL) << (8 * b);
        }
        return rest;
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
