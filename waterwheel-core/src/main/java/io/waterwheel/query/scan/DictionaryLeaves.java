package io.waterwheel.query.scan;

import io.waterwheel.chunk.LeafDictionary;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The leaves of a chunk that a dictionary names for a term: those with one of its values. Stateless. */
final class DictionaryLeaves {
    /** Where the sets of values take more bits the leaves are not united, and all may match: some 0.1 ms of work. */
    private static final long MOST_BITS = 1 << 16;

    /** Of a part that text must have, the bytes that are looked for: they bound the time. */
    private static final int MOST_PART = 32;

    private DictionaryLeaves() {}

    /** Leaves with a value in [low, high]; null when too much is to be united. */
    static @Nullable BitSet within(LeafDictionary dictionary, long low, long high) {
        return low > high ? new BitSet() : united(dictionary, dictionary.firstFrom(low), dictionary.firstAbove(high));
    }

    static BitSet among(LeafDictionary dictionary, long[] codes) {
        BitSet leaves = new BitSet();
        for (long code : codes) {
            dictionary.leaves(dictionary.firstFrom(code), dictionary.firstAbove(code), leaves);
        }
        return leaves;
    }

    /** Leaves with text in [low, high]; null when too much is to be united. */
    static @Nullable BitSet within(LeafDictionary dictionary, byte @Nullable [] low, byte @Nullable [] high) {
        int from = low == null ? 0 : dictionary.firstFrom(low);
        int to = high == null ? dictionary.size() : dictionary.firstAbove(high);
        return united(dictionary, from, Math.max(from, to));
    }

    static BitSet among(LeafDictionary dictionary, byte[][] values) {
        BitSet leaves = new BitSet();
        for (byte[] value : values) {
            dictionary.leaves(dictionary.firstFrom(value), dictionary.firstAbove(value), leaves);
        }
        return leaves;
    }

    /**
     * Leaves with text in one of the ranges, each up to its end, which is not in it; null when too much is to be
     * united.
     */
    static @Nullable BitSet withinAny(LeafDictionary dictionary, byte[][] lows, byte[] @Nullable [] ends) {
        BitSet leaves = new BitSet();
        long left = MOST_BITS;
        for (int range = 0; range < lows.length; range++) {
            byte[] end = ends[range];
            int from = dictionary.firstFrom(lows[range]);
            int to = end == null ? dictionary.size() : dictionary.firstFrom(end);
            left -= dictionary.setBits(from, to);
            if (left < 0) {
                return null;
            }
            dictionary.leaves(from, to, leaves);
        }
        return leaves;
    }

    /**
     * Leaves with text that begins so and has each of the parts as bytes in a row; null when too much is to be searched
     * or united.
     */
    static @Nullable BitSet containing(LeafDictionary dictionary, byte[] prefix, byte[][] parts, SearchBudget budget) {
        int from = dictionary.firstFrom(prefix);
        byte[] above = prefix.clone();
        if (prefix.length > 0) {
            // No byte of UTF-8 is 255.
            above[above.length - 1]++;
        }
        int to = prefix.length == 0 ? dictionary.size() : dictionary.firstFrom(above);
        if (!budget.take((long) parts.length * dictionary.textBytes(from, to))) {
            return null;
        }
        BitSet leaves = new BitSet();
        long left = MOST_BITS;
        for (int value = from; value < to; value++) {
            if (containsAll(dictionary, value, parts)) {
                left -= dictionary.setBits(value, value + 1);
                if (left < 0) {
                    return null;
                }
                dictionary.leaves(value, value + 1, leaves);
            }
        }
        return leaves;
    }

    private static boolean containsAll(LeafDictionary dictionary, int value, byte[][] parts) {
        for (byte[] part : parts) {
            if (!dictionary.contains(value, part, Math.min(part.length, MOST_PART))) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable BitSet united(LeafDictionary dictionary, int from, int to) {
        if (dictionary.setBits(from, to) > MOST_BITS) {
            return null;
        }
        BitSet leaves = new BitSet();
        dictionary.leaves(from, to, leaves);
        return leaves;
    }
}
