package io.waterwheel.key;

import io.waterwheel.tuple.KeyInterval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Sets of keys as lists of intervals, sorted, disjoint and not even touching. Pure functions. */
public final class KeyIntervals {
    private KeyIntervals() {}

    /** The same keys as sorted, disjoint intervals that do not touch. */
    public static List<KeyInterval> merged(List<KeyInterval> intervals) {
        if (intervals.size() < 2) {
            return List.copyOf(intervals);
        }
        List<KeyInterval> sorted = new ArrayList<>(intervals);
        sorted.sort(Comparator.comparingLong(KeyInterval::low));
        List<KeyInterval> merged = new ArrayList<>();
        for (KeyInterval next : sorted) {
            int last = merged.size() - 1;
            if (last >= 0
                    && (merged.get(last).high() == Long.MAX_VALUE
                            || next.low() <= merged.get(last).high() + 1)) {
                merged.set(last, merged.get(last).span(next));
            } else {
                merged.add(next);
            }
        }
        return List.copyOf(merged);
    }

    /** Keys that lie in both sets, each sorted and disjoint. */
    public static List<KeyInterval> intersection(List<KeyInterval> left, List<KeyInterval> right) {
        List<KeyInterval> both = new ArrayList<>();
        int l = 0;
        int r = 0;
        while (l < left.size() && r < right.size()) {
            KeyInterval a = left.get(l);
            KeyInterval b = right.get(r);
            if (a.overlaps(b)) {
                both.add(new KeyInterval(Math.max(a.low(), b.low()), Math.min(a.high(), b.high())));
            }
            if (a.high() < b.high()) {
                l++;
            } else {
                r++;
            }
        }
        return List.copyOf(both);
    }

    /**
     * At most {@code limit} intervals that hold all the keys and of others the fewest: only the widest gaps are left
     * out.
     *
     * @param limit at least 1
     */
    static List<KeyInterval> fewest(List<KeyInterval> intervals, int limit) {
        List<KeyInterval> merged = merged(intervals);
        if (merged.size() <= limit) {
            return merged;
        }
        Integer[] gaps = new Integer[merged.size() - 1];
        Arrays.setAll(gaps, i -> i);
        // A gap may be wider than a long counts, so as an unsigned number; ties by position, to be the same everywhere.
        Arrays.sort(gaps, (a, b) -> Long.compareUnsigned(gap(merged, b), gap(merged, a)));
        int[] kept = new int[limit - 1];
        Arrays.setAll(kept, i -> gaps[i]);
        Arrays.sort(kept);
        List<KeyInterval> fewer = new ArrayList<>(limit);
        int first = 0;
        for (int gap : kept) {
            fewer.add(new KeyInterval(merged.get(first).low(), merged.get(gap).high()));
            first = gap + 1;
        }
        fewer.add(new KeyInterval(
                merged.get(first).low(), merged.get(merged.size() - 1).high()));
        return fewer;
    }

    private static long gap(List<KeyInterval> intervals, int index) {
        return intervals.get(index + 1).low() - intervals.get(index).high();
    }
}
