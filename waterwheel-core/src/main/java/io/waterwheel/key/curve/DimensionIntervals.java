package io.waterwheel.key.curve;

import io.waterwheel.tuple.KeyInterval;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Covers a set of cells, given by dimension, with key intervals: the one of at most N intervals that leaves out the N -
 * 1 widest gaps found, as {@code BoxIntervals} does in two dimensions.
 */
/*
 * A set's least key is that of the least cell in each dimension, its greatest that of the greatest, because the key
 * grows with each. Cutting the set at the highest bit in which these two keys differ gives two sets whose keys do not
 * interleave, with one gap between. Many dimensions have gaps by the million that are equally wide, so the sets are cut
 * in the order of the gaps they hide, and no more often than a bound allows.
 */
public final class DimensionIntervals {
    /** Sets cut for each interval wanted: the cover gets little closer with more. */
    private static final int CUTS_PER_INTERVAL = 16;

    private record Gap(long afterKey, long beforeKey) {
        long width() {
            return beforeKey - afterKey - 1;
        }
    }

    /** The cells of the set from the least to the greatest in each dimension, both of them in it. */
    private final class Cells {
        final int[] least;
        final int[] greatest;
        final long leastKey;
        final long greatestKey;
        /** Sum of all gaps between the keys. */
        final long gaps;

        Cells(int[] least, int[] greatest) {
            this.least = least;
            this.greatest = greatest;
            this.leastKey = interleaving.key(least);
            this.greatestKey = interleaving.key(greatest);
            long keys = 1;
            for (int d = 0; d < least.length; d++) {
                keys *= count(d, least[d], greatest[d]);
            }
            // Up to 2^63 keys: as a long that is negative, and right again when one is taken from it.
            this.gaps = greatestKey - leastKey - (keys - 1);
        }

        /** Adds the halves; they are below and above a bound of one dimension. */
        void cut() {
            int bit = 63 - Long.numberOfLeadingZeros(leastKey ^ greatestKey);
            int dimension = interleaving.dimensionAt(bit);
            int shift = interleaving.bitAt(bit);
            int middle = greatest[dimension] >>> shift << shift;
            int[] below = greatest.clone();
            below[dimension] = previous(dimension, middle - 1);
            int[] above = least.clone();
            above[dimension] = next(dimension, middle);
            Cells lower = new Cells(least, below);
            Cells upper = new Cells(above, greatest);
            Gap gap = new Gap(lower.greatestKey, upper.leastKey);
            if (gap.width() > 0) {
                widest.add(gap);
            }
            uncut.add(lower);
            uncut.add(upper);
        }
    }

    private final Interleaving interleaving;
    private final @Nullable BitSet[] wanted;
    /** By dimension, by cell, the number of wanted cells below; null where all are wanted. */
    private final int[] @Nullable [] below;

    private final PriorityQueue<Cells> uncut = new PriorityQueue<>(
            Comparator.comparingLong((Cells cells) -> cells.gaps).reversed());
    private final PriorityQueue<Gap> widest = new PriorityQueue<>(Comparator.comparingLong(Gap::width));

    private DimensionIntervals(Interleaving interleaving, @Nullable BitSet[] wanted) {
        this.interleaving = interleaving;
        this.wanted = wanted;
        this.below = new int[wanted.length][];
        for (int d = 0; d < wanted.length; d++) {
            BitSet cells = wanted[d];
            if (cells != null) {
                int[] counts = new int[(1 << interleaving.bits(d)) + 1];
                for (int cell = 0; cell + 1 < counts.length; cell++) {
                    counts[cell + 1] = counts[cell] + (cells.get(cell) ? 1 : 0);
                }
                below[d] = counts;
            }
        }
    }

    /**
     * At most {@code limit} sorted disjoint intervals that hold the key of every combination of wanted cells; none when
     * there is no combination.
     *
     * @param wanted by dimension; null where all cells are
     * @param limit at least 1
     */
    public static List<KeyInterval> of(Interleaving interleaving, @Nullable BitSet[] wanted, int limit) {
        int[] least = new int[wanted.length];
        int[] greatest = new int[wanted.length];
        for (int d = 0; d < wanted.length; d++) {
            BitSet cells = wanted[d];
            if (cells != null && cells.isEmpty()) {
                return List.of();
            }
            least[d] = cells == null ? 0 : cells.nextSetBit(0);
            greatest[d] = cells == null ? (1 << interleaving.bits(d)) - 1 : cells.length() - 1;
        }
        return new DimensionIntervals(interleaving, wanted).cover(least, greatest, limit);
    }

    private List<KeyInterval> cover(int[] least, int[] greatest, int limit) {
        Cells whole = new Cells(least, greatest);
        uncut.add(whole);
        for (int left = CUTS_PER_INTERVAL * limit; left > 0 && limit > 1 && !uncut.isEmpty(); left--) {
            Cells cells = uncut.remove();
            if (cells.gaps == 0
                    || (widest.size() == limit - 1
                            && cells.gaps <= widest.element().width())) {
                break;
            }
            cells.cut();
            if (widest.size() == limit) {
                widest.remove();
            }
        }
        List<Gap> gaps = new ArrayList<>(widest);
        gaps.sort(Comparator.comparingLong(Gap::afterKey));
        List<KeyInterval> intervals = new ArrayList<>(gaps.size() + 1);
        long low = whole.leastKey;
        for (Gap gap : gaps) {
            intervals.add(new KeyInterval(low, gap.afterKey()));
            low = gap.beforeKey();
        }
        intervals.add(new KeyInterval(low, whole.greatestKey));
        return intervals;
    }

    private long count(int dimension, int from, int to) {
        int[] counts = below[dimension];
        return counts == null ? to - from + 1 : counts[to + 1] - counts[from];
    }

    private int next(int dimension, int cell) {
        BitSet cells = wanted[dimension];
        return cells == null ? cell : cells.nextSetBit(cell);
    }

    private int previous(int dimension, int cell) {
        BitSet cells = wanted[dimension];
        return cells == null ? cell : cells.previousSetBit(cell);
    }
}
