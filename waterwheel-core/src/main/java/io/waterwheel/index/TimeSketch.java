package io.waterwheel.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A Bloom filter [Bloom 1970] over the mini-ranges of time that a leaf has tuples in: it says "perhaps" or "certainly
 * not" to a time interval that overlaps the leaf's, but for which the leaf may have nothing (the time sketch of [Wang
 * 2018]). A mini-range is {@code 1 << shift} milliseconds, numbered {@code time >> shift}; who keeps a sketch keeps its
 * shift too.
 *
 * <p>A sketch is {@link #WORDS} longs of an array, from any place of it, all 0 at first. Never "no" for a mini-range
 * that was added; falsely "perhaps" for one that was not: 0.2 % of the time when it holds 16 others, 0.8 % at 32, 3.7 %
 * at 64, 16 % at 128. Adding is O(1) without allocation. The bits of a mini-range are part of the chunk format.
 *
 * <p>Owner: one thread adds. Readers: any; they see what was added before the size of the leaf that they took first.
 * Published by: that size; words are opaque, and a mini-range lies in one word.
 */
public final class TimeSketch {
    /* A blocked filter [Putze 2007] whose blocks are single words: one load and one store for each mini-range, at the price of
     * some false positives (3.7 % at 64 mini-ranges, where Guava's filter of the same size has 2.4 %). Three
     * bits for each: best of 1 to 4 at 64 and 96. 512 bits are one line of the cache, and 0.1 % of a full
     * tree of 256 leaves. */

    /** Longs of a sketch. */
    public static final int WORDS = 8;
    /** Bytes of a sketch: its words in order, little-endian. */
    public static final int BYTES = WORDS * Long.BYTES;
    /** Mini-ranges up to which a sketch tells well; wider mini-ranges should be taken where there are more. */
    public static final int CAPACITY = 64;
    /** Greatest shift: the whole of time is two mini-ranges. */
    public static final int MAX_SHIFT = 63;

    /** An interval of more mini-ranges is always "perhaps": it would be so anyway, and costs no more than a leaf. */
    private static final int MAX_PROBES = 64;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private TimeSketch() {}

    /**
     * Adds a mini-range to the sketch that begins at {@code base}.
     *
     * @return whether the sketch has changed
     */
    public static boolean add(long[] words, int base, long miniRange) {
        long hash = hash(miniRange);
        int at = base + word(hash);
        long bits = bits(hash);
        long before = words[at];
        if ((before & bits) == bits) {
            return false;
        }
        WORD.setOpaque(words, at, before | bits);
        return true;
    }

    /** Whether the mini-range may have been added; false is certain. */
    public static boolean mayContain(long[] words, int base, long miniRange) {
        long hash = hash(miniRange);
        long bits = bits(hash);
        return ((long) WORD.getOpaque(words, base + word(hash)) & bits) == bits;
    }

    /**
     * Whether a time in [fromTime, toTime] may have been added; false is certain. Asks at most 64 mini-ranges: cut the
     * interval to the leaf's own before.
     */
    public static boolean mayMeet(long[] words, int base, int shift, long fromTime, long toTime) {
        long first = fromTime >> shift;
        long last = toTime >> shift;
        // The difference of any two overflows only to a negative number.
        long more = last - first;
        if (more < 0 || more >= MAX_PROBES) {
            return first <= last;
        }
        for (long i = 0; i <= more; i++) {
            if (mayContain(words, base, first + i)) {
                return true;
            }
        }
        return false;
    }

    /** The finaliser of SplitMix64 [Steele 2014]. */
    private static long hash(long miniRange) {
        long z = miniRange + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    private static int word(long hash) {
        return (int) (hash >>> 61);
    }

    private static long bits(long hash) {
        // A shift of a long takes the low six bits of its count.
        return (1L << hash) | (1L << (hash >>> 6)) | (1L << (hash >>> 12));
    }
}
