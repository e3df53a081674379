package io.waterwheel.key;

import io.waterwheel.model.Box;
import io.waterwheel.model.KeyInterval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Covers a box with key intervals. The codes of a box's cells form up to billions of intervals; this returns the cover
 * of at most N intervals that holds the fewest codes besides: the one that leaves out the N - 1 widest gaps.
 */
/*
 * A rectangle's least code is that of its lower left corner, its greatest that of its upper right corner, because the
 * code grows with either coordinate. Cutting the rectangle at the highest bit in which these two codes differ gives two
 * rectangles whose codes do not interleave, with one gap between. A rectangle's codes span (greatest - least + 1) of
 * which its area are in it; the rest is the sum of all gaps inside, a bound on each. So rectangles are cut in the order
 * of that bound until none can hide a gap wider than those found.
 */
public final class BoxIntervals {
    /** Enough that the exact test on positions throws away little, few enough to be tested on every row. */
    public static final int DEFAULT_LIMIT = 64;

    private record Gap(long afterCode, long beforeCode) {
        long width() {
            return beforeCode - afterCode - 1;
        }
    }

    private record Cells(int minX, int minY, int maxX, int maxY) {
        long least() {
            return ZOrder.interleave(minX, minY);
        }

        long greatest() {
            return ZOrder.interleave(maxX, maxY);
        }

        /** Sum of all gaps between the rectangle's codes. */
        long gaps() {
            return greatest() - least() + 1 - ((long) maxX - minX + 1) * ((long) maxY - minY + 1);
        }
    }

    private BoxIntervals() {}

    /** {@link #of(Box, ZOrder, int)} with {@link #DEFAULT_LIMIT}. */
    public static List<KeyInterval> of(Box box, ZOrder zOrder) {
        return of(box, zOrder, DEFAULT_LIMIT);
    }

    /**
     * At most {@code limit} sorted disjoint intervals that hold the key of every position of the box within the domain;
     * empty when the box lies outside the domain.
     */
    public static List<KeyInterval> of(Box box, ZOrder zOrder, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("box intervals: expected a limit of at least 1, got " + limit);
        }
        Box domain = zOrder.domain();
        double minLongitude = Math.max(box.minLongitude(), domain.minLongitude());
        double maxLongitude = Math.min(box.maxLongitude(), domain.maxLongitude());
        double minLatitude = Math.max(box.minLatitude(), domain.minLatitude());
        double maxLatitude = Math.min(box.maxLatitude(), domain.maxLatitude());
        if (minLongitude > maxLongitude || minLatitude > maxLatitude) {
            return List.of();
        }
        return ofCells(
                zOrder.longitudeCell(minLongitude),
                zOrder.latitudeCell(minLatitude),
                zOrder.longitudeCell(maxLongitude),
                zOrder.latitudeCell(maxLatitude),
                limit);
    }

    static List<KeyInterval> ofCells(int minX, int minY, int maxX, int maxY, int limit) {
        PriorityQueue<Cells> uncut =
                new PriorityQueue<>(Comparator.comparingLong(Cells::gaps).reversed());
        PriorityQueue<Gap> widest = new PriorityQueue<>(Comparator.comparingLong(Gap::width));
        Cells whole = new Cells(minX, minY, maxX, maxY);
        uncut.add(whole);
        while (!uncut.isEmpty() && limit > 1) {
            Cells cells = uncut.remove();
            long bound = cells.gaps();
            if (bound == 0
                    || (widest.size() == limit - 1 && bound <= widest.element().width())) {
                break;
            }
            cut(cells, uncut, widest);
            if (widest.size() == limit) {
                widest.remove();
            }
        }
        List<Gap> gaps = new ArrayList<>(widest);
        gaps.sort(Comparator.comparingLong(Gap::afterCode));
        List<KeyInterval> intervals = new ArrayList<>(gaps.size() + 1);
        long low = whole.least();
        for (Gap gap : gaps) {
            intervals.add(new KeyInterval(low, gap.afterCode()));
            low = gap.beforeCode();
        }
        intervals.add(new KeyInterval(low, whole.greatest()));
        return intervals;
    }

    private static void cut(Cells cells, PriorityQueue<Cells> uncut, PriorityQueue<Gap> widest) {
        int bit = 63 - Long.numberOfLeadingZeros(cells.least() ^ cells.greatest());
        int cellBit = bit >>> 1;
        Cells lower;
        Cells upper;
        if ((bit & 1) == 1) {
            int middle = (cells.maxX() >>> cellBit) << cellBit;
            lower = new Cells(cells.minX(), cells.minY(), middle - 1, cells.maxY());
            upper = new Cells(middle, cells.minY(), cells.maxX(), cells.maxY());
        } else {
            int middle = (cells.maxY() >>> cellBit) << cellBit;
            lower = new Cells(cells.minX(), cells.minY(), cells.maxX(), middle - 1);
            upper = new Cells(cells.minX(), middle, cells.maxX(), cells.maxY());
        }
        Gap gap = new Gap(lower.greatest(), upper.least());
        if (gap.width() > 0) {
            widest.add(gap);
        }
        uncut.add(lower);
        uncut.add(upper);
    }
}
