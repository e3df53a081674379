package io.waterwheel.query.exec;

import java.util.Arrays;

/**
 * The columns of a page or a chunk's leaf, wherever they lie; set anew for each. Columns that a scan does not need are
 * not set.
 */
final class RowView {
    static final long[] NO_LONGS = {};
    static final byte[] NO_BYTES = {};

    long[] keys = NO_LONGS;
    long[] times = NO_LONGS;
    /** Where column c lies, and at which offset it begins. */
    final byte[][] columns;

    final int[] bases;
    /**
     * What each variable column refers to: reference offset {@code >>> slabShift} is the slab of {@code slabs[column]},
     * the lower bits are the offset in it.
     */
    final byte[][][] slabs;

    int slabShift;

    RowView(int columns) {
        this.columns = new byte[columns][];
        this.bases = new int[columns];
        this.slabs = new byte[columns][][];
        Arrays.fill(this.columns, NO_BYTES);
    }
}
