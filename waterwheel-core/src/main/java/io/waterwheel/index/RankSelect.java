package io.waterwheel.index;

import java.util.Arrays;

/**
 * Tells a {@link Division} the runs of equal keys at the ranks that it asks for, without sorting: counts keys by their
 * leading differing bits, and looks further only into the groups that hold such a rank. Linear; scratch is kept. One
 * thread.
 */
final class RankSelect {
    private static final int GROUP_BITS = 8;
    /** Bits of the first step among many keys: fewer share a group with a rank, and fewer are looked at again. */
    private static final int FIRST_BITS = 12;

    private static final int MANY = 1 << 15;
    /** Keys that are sorted outright. */
    private static final int FEW = 64;

    /** Counts, then ends of the groups, for each depth of the search. */
    private final int[][] groups = new int[Long.SIZE / GROUP_BITS + 1][];

    private final int[][] targets = new int[Long.SIZE / GROUP_BITS + 1][];

    RankSelect() {
        for (int depth = 0; depth < groups.length; depth++) {
            groups[depth] = new int[1 << (depth == 0 ? FIRST_BITS : GROUP_BITS)];
            targets[depth] = new int[groups[depth].length];
        }
    }

    /**
     * Tells the runs of the keys of ranks [rank, rank + count).
     *
     * @param keys in any order; of no use afterwards
     * @param spare as long
     * @param low no key is less
     * @param high no key is greater
     */
    void select(Division division, long[] keys, long[] spare, int count, long low, long high, long rank) {
        select(division, keys, spare, 0, count, low, high, rank, 0);
    }

    private void select(
            Division division, long[] keys, long[] spare, int from, int to, long low, long high, long rank, int depth) {
        if (division.nextRank() >= rank + (to - from)) {
            return;
        }
        if (low == high) {
            division.run(low, rank, rank + (to - from));
            return;
        }
        if (to - from <= FEW) {
            sorted(division, keys, from, to, rank);
            return;
        }
        int bits = depth == 0 && to - from >= MANY ? FIRST_BITS : GROUP_BITS;
        int allGroups = 1 << bits;
        int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(high - low) - bits);
        int[] counts = groups[depth];
        Arrays.fill(counts, 0, allGroups, 0);
        for (int i = from; i < to; i++) {
            counts[(int) ((keys[i] - low) >>> shift)]++;
        }
        int moved = from;
        int[] target = targets[depth];
        long end = rank;
        int leaf = division.nextLeaf();
        for (int group = 0; group < allGroups; group++) {
            end += counts[group];
            target[group] = -1;
            if (division.rank(leaf) < end) {
                target[group] = moved;
                moved += counts[group];
                while (division.rank(leaf) < end) {
                    leaf++;
                }
            }
        }
        if (shift > 0) {
            for (int i = from; i < to; i++) {
                int group = (int) ((keys[i] - low) >>> shift);
                int at = target[group];
                if (at >= 0) {
                    spare[at] = keys[i];
                    target[group] = at + 1;
                }
            }
        }
        long begin = rank;
        for (int group = 0; group < allGroups; group++) {
            int size = counts[group];
            if (target[group] >= 0) {
                long groupLow = low + ((long) group << shift);
                if (shift == 0) {
                    division.run(groupLow, begin, begin + size);
                } else {
                    long groupHigh = groupLow + ((1L << shift) - 1);
                    int groupEnd = target[group];
                    select(division, spare, keys, groupEnd - size, groupEnd, groupLow, groupHigh, begin, depth + 1);
                }
            }
            begin += size;
        }
    }

    private static void sorted(Division division, long[] keys, int from, int to, long rank) {
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
