package io.waterwheel.index;

import java.util.Arrays;

/**
 * Of the first rows of a leaf, those that may be the newest of their key: each other one is older than another row of
 * its key. Immutable, as these rows are.
 *
 * @param upTo how many rows of the leaf were looked at
 * @param rows in ascending order; not to be changed. Empty where they would be most of them: then all count
 */
public record NewestOfLeaf(int upTo, int[] rows) {
    private static final int[] NO_ROWS = {};

    /** Of no row. */
    public static final NewestOfLeaf NONE = new NewestOfLeaf(0, NO_ROWS);

    /** Whether the rows that are not named can be passed over. */
    public boolean isUseful() {
        return rows.length > 0;
    }

    /**
     * What is kept of so many rows: where it would spare little, only that it was looked for.
     *
     * @param count of the first of {@code rows} that may be the newest
     */
    public static NewestOfLeaf of(int upTo, int[] rows, int count) {
        return new NewestOfLeaf(upTo, count > upTo / 2 ? NO_ROWS : Arrays.copyOf(rows, count));
    }
}
