package io.waterwheel.tuple;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cells of each dimension that rows which match a query can have. Tells from bounds of the cells of some rows that
 * none of these rows can match, and by which dimension. Immutable; any thread.
 */
public final class WantedCells {
    /** No dimension rules the rows out. */
    public static final int NONE = -1;

    private final KeyDimensions dimensions;
    private final int[] fields;
    private final QuestionShape shape;
    /** By version of the scales, from 1 on. */
    private final Runs[] versions;

    /** Wanted cells of each dimension, as runs of one behind the other. */
    private static final class Runs {
        /** By dimension the first cell of each run of wanted ones, ascending; null where all are wanted. */
        final long[] @Nullable [] firsts;
        /** The last cell of each run. */
        final long[] @Nullable [] lasts;

        Runs(KeyDimensions dimensions, @Nullable BitSet[] wanted) {
            this.firsts = new long[wanted.length][];
            this.lasts = new long[wanted.length][];
            for (int d = 0; d < wanted.length; d++) {
                BitSet cells = wanted[d];
                if (cells != null) {
                    add(dimensions, d, cells);
                }
            }
        }

        private void add(KeyDimensions dimensions, int d, BitSet cells) {
            long[] first = new long[cells.cardinality()];
            long[] last = new long[first.length];
            int runs = 0;
            for (int from = cells.nextSetBit(0); from >= 0; ) {
                int to = cells.nextClearBit(from);
                first[runs] = dimensions.cellOf(d, from);
                last[runs++] = dimensions.cellOf(d, to - 1);
                from = cells.nextSetBit(to);
            }
            firsts[d] = Arrays.copyOf(first, runs);
            lasts[d] = Arrays.copyOf(last, runs);
        }

        boolean misses(int dimension, long least, long greatest) {
            long[] first = firsts[dimension];
            long[] last = lasts[dimension];
            if (first == null || last == null) {
                return false;
            }
            int run = Arrays.binarySearch(last, least);
            run = run < 0 ? -run - 1 : run;
            return run == last.length || first[run] > greatest;
        }
    }

    /**
     * Cells as a condition has narrowed them.
     *
     * @param fields index of each dimension's field
     * @param counts by dimension how many cells it has by the newest scales
     * @param wanted by version of the scales from 1 on, by dimension the numbers of cells; null where all are
     */
    public WantedCells(KeyDimensions dimensions, int[] fields, int[] counts, List<@Nullable BitSet[]> wanted) {
        this.dimensions = dimensions;
        this.fields = fields;
        this.versions =
                wanted.stream().map(cells -> new Runs(dimensions, cells)).toArray(Runs[]::new);
        QuestionShape bounded = QuestionShape.UNBOUNDED;
        @Nullable BitSet[] newest = wanted.get(wanted.size() - 1);
        for (int d = 0; d < newest.length; d++) {
            BitSet cells = newest[d];
            if (cells != null) {
                bounded = bounded.with(d, Math.min(cells.cardinality(), counts[d]), counts[d]);
            }
        }
        this.shape = bounded;
    }

    /** How narrow they are, without saying which. */
    public QuestionShape shape() {
        return shape;
    }

    /** Index of the field that a dimension is made of. */
    public int field(int dimension) {
        return fields[dimension];
    }

    /**
     * The first dimension in which the box has no wanted cell, by number; {@link #NONE} when each has one.
     *
     * @param low the least key of the rows in the box
     * @param high their greatest
     */
    public int missedBy(KeyBox box, long low, long high) {
        for (int d = 0; d < fields.length; d++) {
            if (misses(d, dimensions.cell(d, box.least()), dimensions.cell(d, box.greatest()), low, high)) {
                return d;
            }
        }
        return NONE;
    }

    /** The same for all keys from low to high. */
    public int missedBetween(long low, long high) {
        Runs newest = versions[versions.length - 1];
        for (int d = 0; d < fields.length; d++) {
            if (newest.firsts[d] != null
                    && misses(
                            d, dimensions.leastCell(d, low, high), dimensions.greatestCell(d, low, high), low, high)) {
                return d;
            }
        }
        return NONE;
    }

    /**
     * Whether no cell of a dimension from least to greatest is wanted, by any version of the scales that keys from low
     * to high can be of.
     *
     * @param least as {@link KeyDimensions} has cells
     */
    public boolean misses(int dimension, long least, long greatest, long low, long high) {
        // Keys of version 2 are the lowest, then those of 3 and so on; those of 1 are above all.
        int first = ScaleVersion.of(low);
        int last = high >= 0 ? versions.length : ScaleVersion.of(high);
        if (first > versions.length || last > versions.length) {
            // Of scales that are not known here: nothing is known of the cells.
            return false;
        }
        for (int version = first; low < 0 && version <= last; version++) {
            if (!versions[version - 1].misses(dimension, least, greatest)) {
                return false;
            }
        }
        return high < 0 || versions[0].misses(dimension, least, greatest);
    }
}
