package io.waterwheel.index;

import java.util.Arrays;

/**
 * Of the first rows of a leaf, those that may be the newest of their key: each other one is older than another row of
 * its key. Immutable, as these rows are.
 */
public final class NewestOfLeaf {
    private static final int[] NO_ROWS = {};

    /** Of no row. */
    public static final NewestOfLeaf NONE = new NewestOfLeaf(0, NO_ROWS);

    private final int upTo;
    private final int[] rows;

    private NewestOfLeaf(int upTo, int[] rows) {
        this.upTo = upTo;
        this.rows = rows;
    }

    /**
     * What is kept of the first {@code upTo} rows: where it would spare little, only that it was looked for.
     *
     * @param rows in ascending order, the first {@code count}
     */
    public static NewestOfLeaf of(int upTo, int[] rows, int count) {
        return new NewestOfLeaf(upTo, count > upTo / 2 ? NO_ROWS : Arrays.copyOf(rows, count));
    }

    /** How many rows of the leaf were looked at. */
    public int upTo() {
        return upTo;
    }

    /** In ascending order; not to be changed. Empty where they would be most of them: then all count. */
    public int[] rows() {
        return rows;
    }

    /** Whether the rows that are not named can be passed over. */
    public boolean isUseful() {
        return rows.length > 0;
    }
}
