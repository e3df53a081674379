package io.waterwheel.index;

import java.util.Arrays;

/**
 * Tells a {@link TemplateBuilder} the runs of equal keys at the ranks that it asks for, without sorting: counts keys by
 * their leading differing bits, and looks further only into the groups that hold such a rank. Linear; scratch is kept.
 * One thread.
 */
final class RankSelect {
    private static final int GROUP_BITS = 8;
    /** Bits of the first step among many keys: fewer share a group with a rank, and fewer are looked at again. */
    private static final int FIRST_BITS = 12;

    /** Pages of a leaf whose keys are laid side by side first: they are looked at twice, the second time near by. */
    private static final int FEW_PAGES = 64;
    /** Keys that are sorted outright. */
    private static final int SORTED_KEYS = 64;
    /** A group that holds no wanted rank. */
    private static final int PASSED = -1;

    /** Keys for which scratch is kept. Needing more, of one leaf's keys that differ little but for some, is rare. */
    private static final int KEPT_KEYS = 256 * 1024;

    /** Keys by group, for each depth of the search. */
    private final int[][] groups = new int[Long.SIZE / GROUP_BITS + 1][];

    /** Where a group's next key is moved to, for each depth of the search, or {@link #PASSED}. */
    private final int[][] targets = new int[Long.SIZE / GROUP_BITS + 1][];

    private long[] keys = new long[0];
    private long[] spare = new long[0];

    RankSelect() {
        for (int depth = 0; depth < groups.length; depth++) {
            groups[depth] = new int[1 << (depth == 0 ? FIRST_BITS : GROUP_BITS)];
            targets[depth] = new int[groups[depth].length];
        }
    }

    /**
     * Tells the runs of the keys of a leaf, whose ranks are [rank, rank + count).
     *
     * @param pages hold the keys, in any order; not changed
     * @param low no key is less
     * @param high no key is greater
     */
    void select(TemplateBuilder division, Page[] pages, int count, long low, long high, long rank) {
        if (division.nextRank() >= rank + count) {
            return;
        }
        if (low == high) {
            division.run(low, rank, rank + count);
            return;
        }
        if (count <= FEW_PAGES * Page.ROWS) {
            room(count);
            for (int row = 0; row < count; row += Page.ROWS) {
                System.arraycopy(pages[row >>> Page.SHIFT].keys(), 0, keys, row, Math.min(Page.ROWS, count - row));
            }
            select(division, keys, spare, 0, count, low, high, rank, 0);
            return;
        }
        int shift = shift(low, high, FIRST_BITS);
        int[] counts = groups[0];
        int[] target = targets[0];
        Arrays.fill(counts, 0);
        for (int row = 0; row < count; row += Page.ROWS) {
            count(pages[row >>> Page.SHIFT].keys(), 0, Math.min(Page.ROWS, count - row), low, shift, counts);
        }
        int moved = mark(division, counts, target, 1 << FIRST_BITS, 0, rank);
        if (shift > 0) {
            room(moved);
            for (int row = 0; row < count; row += Page.ROWS) {
                int rows = Math.min(Page.ROWS, count - row);
                move(pages[row >>> Page.SHIFT].keys(), 0, rows, low, shift, keys, target);
            }
        }
        descend(division, keys, spare, low, shift, 1 << FIRST_BITS, rank, 0);
        if (keys.length > KEPT_KEYS) {
            keys = new long[0];
            spare = new long[0];
        }
    }

    private void room(int count) {
        if (keys.length < count) {
            keys = new long[count];
            spare = new long[count];
        }
    }

    /** The same for keys [from, to) of an array, which are of no use afterwards. */
    private void select(
            TemplateBuilder division,
            long[] in,
            long[] out,
            int from,
            int to,
            long low,
            long high,
            long rank,
            int depth) {
        if (division.nextRank() >= rank + (to - from)) {
            return;
        }
        if (to - from <= SORTED_KEYS) {
            sorted(division, in, from, to, rank);
            return;
        }
        int shift = shift(low, high, GROUP_BITS);
        int[] counts = groups[depth];
        int[] target = targets[depth];
        Arrays.fill(counts, 0, 1 << GROUP_BITS, 0);
        count(in, from, to, low, shift, counts);
        mark(division, counts, target, 1 << GROUP_BITS, from, rank);
        if (shift > 0) {
            move(in, from, to, low, shift, out, target);
        }
        descend(division, out, in, low, shift, 1 << GROUP_BITS, rank, depth);
    }

    /** By how much a key's distance from the low one is shifted to get its group. */
    private static int shift(long low, long high, int bits) {
        return Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(high - low) - bits);
    }

    private static void count(long[] keys, int from, int to, long low, int shift, int[] counts) {
        for (int i = from; i < to; i++) {
            counts[(int) ((keys[i] - low) >>> shift)]++;
        }
    }

    /** Gives each group that holds a wanted rank its place from {@code place} on; returns how many keys these have. */
    private static int mark(TemplateBuilder division, int[] counts, int[] target, int groups, int place, long rank) {
        int moved = 0;
        long end = rank;
        int leaf = division.nextLeaf();
        long wanted = division.nextRank();
        for (int group = 0; group < groups; group++) {
            end += counts[group];
            target[group] = PASSED;
            if (wanted < end) {
                target[group] = place + moved;
                moved += counts[group];
                while (wanted < end) {
                    wanted = division.rank(++leaf);
                }
            }
        }
        return moved;
    }

    private static void move(long[] keys, int from, int to, long low, int shift, long[] out, int[] target) {
        for (int i = from; i < to; i++) {
            int group = (int) ((keys[i] - low) >>> shift);
            int at = target[group];
            if (at != PASSED) {
                out[at] = keys[i];
                target[group] = at + 1;
            }
        }
    }

    /** Looks into the groups that were moved. */
    private void descend(
            TemplateBuilder division, long[] in, long[] out, long low, int shift, int allGroups, long rank, int depth) {
        int[] counts = groups[depth];
        int[] target = targets[depth];
        long begin = rank;
        for (int group = 0; group < allGroups; group++) {
            int size = counts[group];
            if (target[group] != PASSED) {
                long groupLow = low + ((long) group << shift);
                if (shift == 0) {
                    division.run(groupLow, begin, begin + size);
                } else {
                    long groupHigh = groupLow + ((1L << shift) - 1);
                    int groupEnd = target[group];
                    select(division, in, out, groupEnd - size, groupEnd, groupLow, groupHigh, begin, depth + 1);
                }
            }
            begin += size;
        }
    }

    private static void sorted(TemplateBuilder division, long[] keys, int from, int to, long rank) {
        Arrays.sort(keys, from, to);
        int begin = from;
        for (int i = from + 1; i <= to; i++) {
            if (i == to || keys[i] != keys[begin]) {
                division.run(keys[begin], rank + (begin - from), rank + (i - from));
                begin = i;
            }
        }
    }
}
