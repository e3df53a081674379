package io.waterwheel.query.scan;

import io.waterwheel.chunk.LeafDictionary;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The leaves of a chunk that a dictionary names for a term: those with one of its values. Stateless. */
final class DictionaryLeaves {
    /** For more values the leaves are not united: all may match. */
    private static final int MOST_UNITED = 4096;

    private DictionaryLeaves() {}

    /** Leaves with a value in [low, high]; null when there are too many values. */
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

    /** Leaves with text in [low, high]; null where there is no bound, and when there are too many values. */
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

    /** Leaves with text in one of the ranges, each up to its end, which is not in it; null when there are too many. */
    static @Nullable BitSet withinAny(LeafDictionary dictionary, byte[][] lows, byte[] @Nullable [] ends) {
        BitSet leaves = new BitSet();
        int left = MOST_UNITED;
        for (int range = 0; range < lows.length; range++) {
            byte[] end = ends[range];
            int from = dictionary.firstFrom(lows[range]);
            int to = end == null ? dictionary.size() : dictionary.firstFrom(end);
            left -= Math.max(0, to - from);
            if (left < 0) {
                return null;
            }
            dictionary.leaves(from, to, leaves);
        }
        return leaves;
    }

    private static @Nullable BitSet united(LeafDictionary dictionary, int from, int to) {
        if (to - from > MOST_UNITED) {
            return null;
        }
        BitSet leaves = new BitSet();
        dictionary.leaves(from, to, leaves);
        return leaves;
    }
}
