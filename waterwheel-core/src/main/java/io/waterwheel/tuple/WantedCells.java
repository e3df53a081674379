package io.waterwheel.tuple;

import java.util.Arrays;
import java.util.BitSet;
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
    /** By dimension the first cell of each run of wanted ones, ascending; null where all are wanted. */
    private final long[] @Nullable [] firsts;
    /** The last cell of each run. */
    private final long[] @Nullable [] lasts;

    /**
     * Cells as a condition has narrowed them.
     *
     * @param fields index of each dimension's field
     * @param counts by dimension how many cells it has
     * @param wanted by dimension the numbers of cells; null where all are
     */
    public WantedCells(KeyDimensions dimensions, int[] fields, int[] counts, @Nullable BitSet[] wanted) {
        this.dimensions = dimensions;
        this.fields = fields;
        QuestionShape bounded = QuestionShape.UNBOUNDED;
        this.firsts = new long[wanted.length][];
        this.lasts = new long[wanted.length][];
        for (int d = 0; d < wanted.length; d++) {
            BitSet cells = wanted[d];
            if (cells == null) {
                continue;
            }
            bounded = bounded.with(d, Math.min(cells.cardinality(), counts[d]), counts[d]);
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

    /** The first dimension in which the box has no wanted cell, by number; {@link #NONE} when each has one. */
    public int missedBy(KeyBox box) {
        for (int d = 0; d < fields.length; d++) {
            if (misses(d, dimensions.cell(d, box.least()), dimensions.cell(d, box.greatest()))) {
                return d;
            }
        }
        return NONE;
    }

    /** The same for all keys from low to high. */
    public int missedBetween(long low, long high) {
        for (int d = 0; d < fields.length; d++) {
            if (firsts[d] != null
                    && misses(d, dimensions.leastCell(d, low, high), dimensions.greatestCell(d, low, high))) {
                return d;
            }
        }
        return NONE;
    }

    /**
     * Whether no cell of a dimension from least to greatest is wanted.
     *
     * @param least as {@link KeyDimensions} has cells
     */
    public boolean misses(int dimension, long least, long greatest) {
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
