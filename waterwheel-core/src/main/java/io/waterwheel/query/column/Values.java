package io.waterwheel.query.column;

import io.waterwheel.tuple.TupleBlock;
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
    /** Nulls among the rows that were evaluated last, where that was counted; else -1. */
    public int nullCount = -1;
    /** Whether 0 stands for each number of the rows that were evaluated last that is null. */
    public boolean zeroNulls;
    /** What references refer to, as in {@link RowView}. */
    public byte[][] slabs = {};

    public int slabShift = RowView.ONE_SLAB;
    /** As {@link RowView#origin}, of values that are a field's own. */
    public @Nullable Object origin;
    /** By row, where in {@link #dictionary} its reference is; empty where there is no dictionary. */
    public char[] codes = RowView.NO_CODES;
    /** References of the text or bytes that there are. */
    public long[] dictionary = RowView.NO_LONGS;
    /**
     * What of a row's number says where its value is: all of it, or nothing where one value, the first, is that of
     * every row. Only nodes see the second ({@link ConstantNode}); what they hand out to others has a value a row.
     */
    public int rowMask = -1;

    /* What the node took of the workspace; the public arrays may be someone else's. */
    private long[] ownLongs = RowView.NO_LONGS;
    private double[] ownDoubles = NO_DOUBLES;
    private boolean[] ownNulls = NO_BOOLEANS;
    private byte[] ownBytes = RowView.NO_BYTES;
    /** Of bytes that were looked at, so that no compiler leaves that out. */
    @SuppressWarnings("UnusedVariable") // written so that the bytes are read
    private int lookedAt;

    public boolean isNull(int row) {
        return anyNull && nulls[row & rowMask];
    }

    public long[] ownLongs(RowView view) {
        if (ownLongs.length < view.rows) {
            if (ownLongs.length > 0) {
                view.workspace.give(ownLongs);
            }
            ownLongs = view.workspace.takeLongs(view.rows);
        }
        longs = ownLongs;
        return ownLongs;
    }

    public double[] ownDoubles(RowView view) {
        if (ownDoubles.length < view.rows) {
            if (ownDoubles.length > 0) {
                view.workspace.give(ownDoubles);
            }
            ownDoubles = view.workspace.takeDoubles(view.rows);
        }
        doubles = ownDoubles;
        return ownDoubles;
    }

    public boolean[] ownNulls(RowView view) {
        if (ownNulls.length < view.rows) {
            if (ownNulls.length > 0) {
                view.workspace.give(ownNulls);
            }
            ownNulls = view.workspace.takeBooleans(view.rows);
        }
        nulls = ownNulls;
        return ownNulls;
    }

    /** Room for text that the node makes, all of it in one slab. */
    public byte[] ownBytes(RowView view, int length) {
        if (ownBytes.length < length) {
            if (ownBytes.length > 0) {
                view.workspace.give(ownBytes);
            }
            ownBytes = view.workspace.takeBytes(length);
        }
        slabs = new byte[][] {ownBytes};
        slabShift = RowView.ONE_SLAB;
        return ownBytes;
    }

    /** The same, of which the first {@code filled} bytes stay. */
    public byte[] moreBytes(RowView view, int filled, int further) {
        int needed = Math.addExact(filled, further);
        if (needed <= ownBytes.length) {
            return ownBytes;
        }
        byte[] old = ownBytes;
        ownBytes = RowView.NO_BYTES;
        byte[] larger = ownBytes(view, (int) Math.min(Integer.MAX_VALUE - 8L, needed + (needed >>> 1)));
        System.arraycopy(old, 0, larger, 0, filled);
        if (old.length > 0) {
            view.workspace.give(old);
        }
        return larger;
    }

    /** Gives back what was taken of the workspace. */
    void release(Workspace workspace) {
        if (ownLongs.length > 0) {
            workspace.give(ownLongs);
            ownLongs = RowView.NO_LONGS;
        }
        if (ownDoubles.length > 0) {
            workspace.give(ownDoubles);
            ownDoubles = NO_DOUBLES;
        }
        if (ownNulls.length > 0) {
            workspace.give(ownNulls);
            ownNulls = NO_BOOLEANS;
        }
        if (ownBytes.length > 0) {
            workspace.give(ownBytes);
            ownBytes = RowView.NO_BYTES;
        }
        longs = RowView.NO_LONGS;
        doubles = NO_DOUBLES;
        nulls = NO_BOOLEANS;
    }

    /** Null wherever the operand is. */
    public void nullsOf(Values operand, int[] selected, int count, RowView view) {
        anyNull = operand.anyNull;
        if (anyNull) {
            boolean[] out = ownNulls(view);
            for (int i = 0; i < count; i++) {
                out[selected[i]] = operand.nulls[selected[i] & operand.rowMask];
            }
        }
    }

    /** Null wherever either operand is. */
    public void nullsOf(Values left, Values right, int[] selected, int count, RowView view) {
        if (!left.anyNull || !right.anyNull) {
            nullsOf(left.anyNull ? left : right, selected, count, view);
            return;
        }
        anyNull = true;
        boolean[] out = ownNulls(view);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            out[row] = left.nulls[row & left.rowMask] || right.nulls[row & right.rowMask];
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

    /**
     * Looks at both ends of the text or bytes of each selected row. Those of a tree lie in the order in which they
     * came, so that most are in no cache; here the processor asks for several at a time, as none waits for another.
     */
    public void lookAhead(int[] selected, int count) {
        int looked = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i] & rowMask;
            long reference = longs[row];
            int length = TupleBlock.referenceLength(reference);
            if (length > 0 && !(anyNull && nulls[row])) {
                byte[] slab = slabs[TupleBlock.referenceOffset(reference) >>> slabShift];
                int from = TupleBlock.referenceOffset(reference) & ((1 << slabShift) - 1);
                looked += slab[from] + slab[from + length - 1];
            }
        }
        lookedAt += looked;
    }

    /** Bytes of a row's text or bytes. */
    public int length(int row) {
        return TupleBlock.referenceLength(longs[row & rowMask]);
    }

    /** A copy of the bytes of a row's text or bytes. */
    public byte[] bytes(int row) {
        long reference = longs[row];
        int offset = offset(reference);
        return Arrays.copyOfRange(slab(reference), offset, offset + TupleBlock.referenceLength(reference));
    }

    /** Compares the text or bytes of two rows, byte by byte, unsigned. */
    public static int compareBytes(Values left, int leftRow, Values right, int rightRow) {
        long a = left.longs[leftRow & left.rowMask];
        long b = right.longs[rightRow & right.rowMask];
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

    /** Compares the text or bytes of a reference with others. */
    public int compareBytes(long reference, byte[] other) {
        int from = offset(reference);
        return Arrays.compareUnsigned(
                slab(reference), from, from + TupleBlock.referenceLength(reference), other, 0, other.length);
    }

    /** Has one value for all rows, null for NULL, in arrays of its own. */
    void setOne(@Nullable Object value) {
        rowMask = 0;
        anyNull = value == null;
        nulls = new boolean[] {anyNull};
        doubles = new double[] {value instanceof Double number ? number : 0};
        longs = new long[] {value instanceof Long number ? number : 0};
        if (value instanceof byte[] bytes) {
            slabs = new byte[][] {bytes};
            slabShift = RowView.ONE_SLAB;
            longs[0] = TupleBlock.reference(0, bytes.length);
        }
    }

    /** Sets the selected rows to one value, null for NULL. */
    void fill(@Nullable Object value, RowView view, int[] selected, int count) {
        anyNull = value == null;
        long word;
        if (value == null) {
            boolean[] nulls = ownNulls(view);
            for (int i = 0; i < count; i++) {
                nulls[selected[i]] = true;
            }
            ownLongs(view);
            ownDoubles(view);
            return;
        } else if (value instanceof Double number) {
            double[] doubles = ownDoubles(view);
            for (int i = 0; i < count; i++) {
                doubles[selected[i]] = number;
            }
            return;
        } else if (value instanceof byte[] bytes) {
            slabs = new byte[][] {bytes};
            slabShift = RowView.ONE_SLAB;
            word = TupleBlock.reference(0, bytes.length);
        } else {
            word = (Long) value;
        }
        long[] longs = ownLongs(view);
        for (int i = 0; i < count; i++) {
            longs[selected[i]] = word;
        }
    }
}
