package io.waterwheel.query.exec.column;

import io.waterwheel.model.TupleBlock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Values of one type by row number; only those of rows that were evaluated mean anything, and {@link #nulls} only when
 * {@link #anyNull}. What stands where a value is null is undefined. Arrays may belong to the stored tuples: not to be
 * changed. One thread.
 */
public final class Values {
    private static final double[] NO_DOUBLES = {};
    private static final boolean[] NO_BOOLEANS = {};

    /** Integers; timestamps; booleans as 0 or 1; references of text and bytes. */
    public long[] longs = RowView.NO_LONGS;

    public double[] doubles = NO_DOUBLES;
    public boolean anyNull;
    public boolean[] nulls = NO_BOOLEANS;
    /** What references refer to, as in {@link RowView}. */
    public byte[][] slabs = {};

    public int slabShift = RowView.ONE_SLAB;

    /** The node's own longs, when {@link #longs} may be someone else's. */
    private long[] ownLongs = RowView.NO_LONGS;

    boolean isNull(int row) {
        return anyNull && nulls[row];
    }

    long[] ownLongs(int rows) {
        if (ownLongs.length < rows) {
            ownLongs = new long[rows];
        }
        longs = ownLongs;
        return ownLongs;
    }

    double[] ownDoubles(int rows) {
        if (doubles.length < rows) {
            doubles = new double[rows];
        }
        return doubles;
    }

    boolean[] ownNulls(int rows) {
        if (nulls.length < rows) {
            nulls = new boolean[rows];
        }
        return nulls;
    }

    /** Null wherever the operand is. */
    void nullsOf(Values operand, int[] selected, int count, int rows) {
        anyNull = operand.anyNull;
        if (anyNull) {
            boolean[] out = ownNulls(rows);
            for (int i = 0; i < count; i++) {
                out[selected[i]] = operand.nulls[selected[i]];
            }
        }
    }

    /** Null wherever either operand is. */
    void nullsOf(Values left, Values right, int[] selected, int count, int rows) {
        if (!left.anyNull || !right.anyNull) {
            nullsOf(left.anyNull ? left : right, selected, count, rows);
            return;
        }
        anyNull = true;
        boolean[] out = ownNulls(rows);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            out[row] = left.nulls[row] || right.nulls[row];
        }
    }

    /** The slab that holds the value of this reference. */
    public byte[] slab(long reference) {
        return TupleBlock.referenceLength(reference) == 0
                ? RowView.NO_BYTES
                : slabs[TupleBlock.referenceOffset(reference) >>> slabShift];
    }

    /** Where in its slab the value of this reference begins. */
    public int offset(long reference) {
        return TupleBlock.referenceLength(reference) == 0
                ? 0
                : TupleBlock.referenceOffset(reference) & ((1 << slabShift) - 1);
    }

    /** A copy of the bytes of a row's text or bytes. */
    public byte[] bytes(int row) {
        long reference = longs[row];
        int offset = offset(reference);
        return Arrays.copyOfRange(slab(reference), offset, offset + TupleBlock.referenceLength(reference));
    }

    /** Compares the text or bytes of two rows, byte by byte, unsigned. */
    static int compareBytes(Values left, int leftRow, Values right, int rightRow) {
        long a = left.longs[leftRow];
        long b = right.longs[rightRow];
        int fromA = left.offset(a);
        int fromB = right.offset(b);
        return Arrays.compareUnsigned(
                left.slab(a),
                fromA,
                fromA + TupleBlock.referenceLength(a),
                right.slab(b),
                fromB,
                fromB + TupleBlock.referenceLength(b));
    }

    int compareBytes(int row, byte[] other) {
        long a = longs[row];
        int from = offset(a);
        return Arrays.compareUnsigned(slab(a), from, from + TupleBlock.referenceLength(a), other, 0, other.length);
    }

    /** Sets all rows to one value, null for NULL. */
    void fill(@Nullable Object value, int rows) {
        anyNull = value == null;
        if (value == null) {
            Arrays.fill(ownNulls(rows), true);
            Arrays.fill(ownLongs(rows), 0);
            Arrays.fill(ownDoubles(rows), 0);
        } else if (value instanceof Double d) {
            Arrays.fill(ownDoubles(rows), d);
        } else if (value instanceof byte[] bytes) {
            slabs = new byte[][] {bytes};
            Arrays.fill(ownLongs(rows), TupleBlock.reference(0, bytes.length));
        } else {
            Arrays.fill(ownLongs(rows), (Long) value);
        }
    }
}
