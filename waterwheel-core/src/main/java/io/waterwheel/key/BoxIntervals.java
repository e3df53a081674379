package io.waterwheel.key;

import io.waterwheel.geo.Box;
import io.waterwheel.tuple.KeyInterval;
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
final class BoxIntervals {
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

    /**
     * At most {@code limit} sorted disjoint intervals that hold the key of every position of the box within the domain;
     * empty when the box lies outside the domain.
     */
    static List<KeyInterval> of(Box box, ZOrder zOrder, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("box intervals: expected a limit of at least 1, got " + limit);
        }
        Box domain = zOrder.domain();
        double west = Math.max(box.west(), domain.west());
        double east = Math.min(box.east(), domain.east());
        double south = Math.max(box.south(), domain.south());
        double north = Math.min(box.north(), domain.north());
        if (west > east || south > north) {
            return List.of();
        }
        return ofCells(
                zOrder.longitudeCell(west),
                zOrder.latitudeCell(south),
                zOrder.longitudeCell(east),
                zOrder.latitudeCell(north),
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
