package io.waterwheel.query.column;

import io.waterwheel.tuple.NarrowLongs;
import io.waterwheel.tuple.NullBits;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a page, of a chunk's leaf or of a block, wherever they lie; set anew for each. Columns that a scan
 * does not need are not set. One thread.
 */
public final class RowView {
    public static final long[] NO_LONGS = {};
    public static final byte[] NO_BYTES = {};
    public static final char[] NO_CODES = {};
    /** A {@link #slabShift} that leaves nothing of an offset: all values lie in one slab. */
    public static final int ONE_SLAB = 31;

    /** Rows there may be: every selected row is below. */
    public int rows;

    public long[] keys = NO_LONGS;
    public long[] times = NO_LONGS;
    /** By row, which pair of a lookup it is for, where that is known. */
    public long[] slots = NO_LONGS;
    /** Where column c lies, and at which offset it begins. */
    public final byte[][] columns;

    public final int[] bases;
    /**
     * By column of whole numbers, its numbers where they lie narrow: {@link #columns} means nothing then. Null where
     * the column lies as in a block.
     */
    public final @Nullable NarrowLongs[] narrow;
    /**
     * The null masks where they lie by field: their column of {@link #columns} means nothing then. Null where they lie
     * as in a block.
     */
    public @Nullable NullBits nulls;
    /**
     * What each variable column refers to: reference offset {@code >>> slabShift} is the slab of {@code slabs[column]},
     * the lower bits are the offset in it.
     */
    public final byte[][][] slabs;

    public int slabShift;
    /**
     * The tree that the rows are of, where a reference leads to the same text in all rows; null where it means
     * something in one leaf only.
     */
    public @Nullable Object origin;
    /**
     * By variable column that has a dictionary: by row, where in {@link #dictionaries} its reference is; else empty.
     */
    public final char[][] codes;

    public final long[][] dictionaries;

    final Workspace workspace;

    /** A view for work that always goes on to its end. */
    public RowView(int columns) {
        this(columns, Workspace.unhurried());
    }

    public RowView(int columns, Workspace workspace) {
        this.workspace = workspace;
        this.columns = new byte[columns][];
        this.bases = new int[columns];
        this.narrow = new NarrowLongs[columns];
        this.slabs = new byte[columns][][];
        this.codes = new char[columns][];
        this.dictionaries = new long[columns][];
        Arrays.fill(this.columns, NO_BYTES);
        Arrays.fill(this.codes, NO_CODES);
        Arrays.fill(this.dictionaries, NO_LONGS);
    }

    /** What the expressions that are evaluated on it share. */
    public Workspace workspace() {
        return workspace;
    }

    /** The rows of a block; its arrays are looked at, not copied. */
    public static RowView of(TupleBlock block) {
        return of(block, Workspace.unhurried());
    }

    /** The same, for a scan. */
    public static RowView of(TupleBlock block, Workspace workspace) {
        RowView view = new RowView(block.layout().columns(), workspace);
        view.rows = block.size();
        view.keys = block.keys();
        view.times = block.times();
        for (int c = 0; c < view.columns.length; c++) {
            view.columns[c] = block.column(c);
        }
        Arrays.fill(view.slabs, new byte[][] {block.arena()});
        view.slabShift = ONE_SLAB;
        return view;
    }
}
