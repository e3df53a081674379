package io.waterwheel.index;

import java.util.Arrays;

/**
 * The time sketches of all leaves of a tree, of one width of mini-range. When leaves have more mini-ranges than a
 * sketch can hold, the tree makes wider ones and replaces them all.
 *
 * <p>Owner: the thread that inserts. Readers: any, see {@link TimeSketch}. Published by: {@link Leaves}, by release.
 */
final class LeafSketches {
    final int shift;
    final long[] words;
    /** By leaf, the mini-range added last: rows come about in the order of time, so most need not be added. */
    private final long[] last;
    /** Calls that changed a sketch: about the mini-ranges in all of them. */
    private long changes;

    LeafSketches(int leaves, int shift) {
        this.shift = shift;
        this.words = new long[leaves * TimeSketch.WORDS];
        this.last = new long[leaves];
        // A mini-range that no time has, as long as a mini-range is wider than a millisecond.
        Arrays.fill(last, Long.MIN_VALUE);
    }

    /** Adds a time to the leaf's sketch. */
    void add(int leaf, long time) {
        long miniRange = time >> shift;
        if (miniRange != last[leaf]) {
            addAnother(leaf, miniRange);
        }
    }

    private void addAnother(int leaf, long miniRange) {
        last[leaf] = miniRange;
        if (TimeSketch.add(words, leaf * TimeSketch.WORDS, miniRange)) {
            changes++;
        }
    }

    /** Adds times [from, from + count) to the leaf's sketch. */
    void add(int leaf, long[] times, int from, int count) {
        long miniRange = last[leaf];
        for (int i = from; i < from + count; i++) {
            long next = times[i] >> shift;
            if (next != miniRange) {
                miniRange = next;
                addAnother(leaf, next);
            }
        }
    }

    /** Whether the leaves have, on average, more mini-ranges than a sketch tells well, and wider ones are possible. */
    boolean full() {
        return changes > (long) last.length * TimeSketch.CAPACITY && shift + WIDEN <= TimeSketch.MAX_SHIFT;
    }

    /** Mini-ranges become four times as wide. */
    static final int WIDEN = 2;
}
