package io.waterwheel.query.rows;

import io.waterwheel.query.column.RowView;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.NarrowLongs;
import io.waterwheel.tuple.TupleBlock;

/** Copies fields of selected rows into result blocks, column by column. Immutable; any thread. */
public final class RowCopy {
    /** In place of a field's index: the key of the stored tuple, as a long. */
    public static final int KEY = -1;

    /** In place of a field's index: the time of the stored tuple, as a long. */
    public static final int TIME = -2;

    /** In place of a field's index: the slot of the tuple in a lookup, as a long. */
    public static final int SLOT = -3;

    /** In place of a field's index: what is not copied. */
    public static final int NOTHING = -4;

    /** Bytes of text and bytes that fill a block. */
    public static final int BLOCK_BYTES = 64 * 1024;

    private final RowLayout stored;
    private final RowLayout result;
    private final int[] fields;
    private final NullCopy nulls;

    /**
     * @param fields indexes of the stored fields, or {@link #KEY}, {@link #TIME}, {@link #SLOT} or {@link #NOTHING}, by
     *     field of the result
     */
    public RowCopy(RowLayout stored, int[] fields, RowLayout result) {
        this.stored = stored;
        this.fields = fields;
        this.nulls = new NullCopy(stored, fields, result);
        this.result = result;
    }

    /** The indexes of all fields of a layout. */
    public static int[] identity(RowLayout layout) {
        int[] fields = new int[layout.fields().size()];
        for (int f = 0; f < fields.length; f++) {
            fields[f] = f;
        }
        return fields;
    }

    /** The layout of the blocks it copies into. */
    public RowLayout layout() {
        return result;
    }

    private int source(int field) {
        return switch (field) {
            case KEY -> RowLayout.KEY;
            case TIME -> RowLayout.TIME;
            case SLOT, NOTHING -> field;
            default -> stored.columnOf(field);
        };
    }

    /**
     * Of the rows, those whose values the block's arena takes before it is full; at least one.
     *
     * @return how many they are, {@link #rows}, and the bytes that they add to the arena, {@link #arenaBytes}
     */
    public long rowsThatFit(RowView view, int[] selected, int from, int rows, int arenaSize) {
        if (!result.hasVariable()) {
            return (long) rows << 32;
        }
        int bytes = 0;
        for (int i = 0; i < rows; i++) {
            bytes += arenaBytes(view, selected[from + i]);
            if (arenaSize + bytes >= BLOCK_BYTES) {
                return (i + 1L) << 32 | bytes;
            }
        }
        return (long) rows << 32 | bytes;
    }

    /** Of what {@link #rowsThatFit} says, the number of rows. */
    public static int rows(long thatFit) {
        return (int) (thatFit >>> 32);
    }

    /** Of what {@link #rowsThatFit} says, the bytes of the arena. */
    public static int arenaBytes(long thatFit) {
        return (int) thatFit;
    }

    /** Bytes of the arena that one row takes. */
    public int arenaBytes(RowView view, int row) {
        int bytes = 0;
        for (int field : fields) {
            int column = source(field);
            if (column >= 0 && stored.variable(column)) {
                bytes += TupleBlock.referenceLength(reference(view, column, row));
            }
        }
        return bytes;
    }

    private static long reference(RowView view, int column, int row) {
        return LittleEndian.getLong(view.columns[column], view.bases[column] + row * 8);
    }

    /** Copies rows to the end of a block. What it does not fill of them is left as it is. */
    public void copy(RowView view, int[] selected, int from, int rows, TupleBlock into) {
        int first = into.size();
        into.ensureRows(first + rows);
        for (int r = 0; r < fields.length; r++) {
            if (fields[r] != NOTHING) {
                copy(view, source(fields[r]), selected, from, rows, into, result.columnOf(r));
            }
        }
        into.setSize(first + rows);
        nulls.copy(view, selected, from, rows, into, first);
    }

    /** Copies one column. */
    private void copy(RowView view, int source, int[] selected, int from, int rows, TupleBlock into, int target) {
        int width = result.width(target);
        byte[] out = into.column(target);
        int at = into.size() * width;
        if (source < 0) {
            long[] longs = source == SLOT ? view.slots : source == RowLayout.KEY ? view.keys : view.times;
            gatherLongs(longs, selected, from, rows, width, out, at);
            return;
        }
        NarrowLongs narrow = view.narrow[source];
        if (result.variable(target)) {
            gatherVariable(view, source, selected, from, rows, into, target);
        } else if (narrow != null) {
            narrow.gather(selected, from, rows, out, at);
        } else {
            gatherFixed(view.columns[source], view.bases[source], selected, from, rows, width, out, at);
        }
    }

    /** Copies one value of a block into a row of another, whose field has the same type; null too. */
    public static void value(TupleBlock from, int row, int field, TupleBlock into, int toRow, int toField) {
        RowLayout layout = from.layout();
        if (layout.nullBit(field) >= 0 && from.isNull(field, row)) {
            into.setNullMask(toRow, into.nullMask(toRow) | 1L << into.layout().nullBit(toField));
            return;
        }
        byte[] source = from.column(layout.columnOf(field));
        int column = into.layout().columnOf(toField);
        if (layout.fields().get(field).type().variable()) {
            long reference = LittleEndian.getLong(source, row * 8);
            int length = TupleBlock.referenceLength(reference);
            long copied =
                    length == 0 ? 0 : into.addToArena(from.arena(), TupleBlock.referenceOffset(reference), length);
            LittleEndian.putLong(into.column(column), toRow * 8, copied);
        } else {
            int width = layout.fields().get(field).type().width();
            System.arraycopy(source, row * width, into.column(column), toRow * width, width);
        }
    }

    private static void gatherLongs(long[] source, int[] selected, int from, int rows, int width, byte[] out, int at) {
        for (int i = 0; i < rows; i++) {
            long value = source[selected[from + i]];
            if (width == 4) {
                LittleEndian.putInt(out, at + i * 4, (int) value);
            } else {
                LittleEndian.putLong(out, at + i * 8, value);
            }
        }
    }

    private static void gatherFixed(
            byte[] source, int base, int[] selected, int from, int rows, int width, byte[] out, int at) {
        switch (width) {
            case 1 -> {
                for (int i = 0; i < rows; i++) {
                    out[at + i] = source[base + selected[from + i]];
                }
            }
            case 4 -> {
                for (int i = 0; i < rows; i++) {
                    LittleEndian.putInt(out, at + i * 4, LittleEndian.getInt(source, base + selected[from + i] * 4));
                }
            }
            default -> {
                for (int i = 0; i < rows; i++) {
                    LittleEndian.putLong(out, at + i * 8, LittleEndian.getLong(source, base + selected[from + i] * 8));
                }
            }
        }
    }

    private static void gatherVariable(
            RowView view, int source, int[] selected, int from, int rows, TupleBlock into, int target) {
        int first = into.size();
        int mask = (1 << view.slabShift) - 1;
        for (int i = 0; i < rows; i++) {
            long reference = reference(view, source, selected[from + i]);
            int length = TupleBlock.referenceLength(reference);
            long copied = 0;
            if (length > 0) {
                int offset = TupleBlock.referenceOffset(reference);
                copied = into.addToArena(view.slabs[source][offset >>> view.slabShift], offset & mask, length);
            }
            LittleEndian.putLong(into.column(target), (first + i) * 8, copied);
        }
    }
}
