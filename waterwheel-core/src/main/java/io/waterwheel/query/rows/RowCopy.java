package io.waterwheel.query.rows;

import io.waterwheel.query.column.RowView;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.NarrowLongs;
import io.waterwheel.tuple.NullBits;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;

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
    /** Whether a field is copied that may be null: else a view need not have the masks. */
    private final boolean copiesNulls;

    /**
     * @param fields indexes of the stored fields, or {@link #KEY}, {@link #TIME}, {@link #SLOT} or {@link #NOTHING}, by
     *     field of the result
     */
    public RowCopy(RowLayout stored, int[] fields, RowLayout result) {
        this.stored = stored;
        this.fields = fields;
        this.copiesNulls = Arrays.stream(fields).anyMatch(field -> field >= 0 && stored.nullBit(field) >= 0);
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
        if (result.nullMaskColumn() >= 0) {
            gatherNulls(view, selected, from, rows, into, first);
        }
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

    /** Of masks that lie by field: turns those of 8 rows at once, as the next ones are mostly among them. */
    private void gatherNulls(NullBits nulls, int[] selected, int from, int rows, TupleBlock into, int first) {
        byte[] bits = nulls.bits();
        int[] starts = new int[fields.length];
        int[] targets = new int[fields.length];
        int count = 0;
        for (int r = 0; r < fields.length; r++) {
            int bit = fields[r] < 0 ? -1 : stored.nullBit(fields[r]);
            if (bit >= 0 && result.nullBit(r) >= 0 && (nulls.some() >>> bit & 1) != 0) {
                starts[count] = nulls.start(bit);
                targets[count++] = result.nullBit(r);
            }
        }
        if (count == 0) {
            clearNulls(rows, into, first);
            return;
        }
        // By byte of a mask, those of the 8 rows, the first in the lowest byte.
        long[] squares = new long[result.width(result.nullMaskColumn())];
        long some = 0;
        int last = -1;
        for (int i = 0; i < rows; i++) {
            int row = selected[from + i];
            int block = row >>> 3;
            long mask = 0;
            if (block != last && (i + 1 == rows || selected[from + i + 1] >>> 3 != block)) {
                mask = mask(bits, starts, targets, count, row);
            } else {
                if (block != last) {
                    last = block;
                    some = turn(bits, starts, targets, count, block, squares);
                }
                if (some != 0) {
                    int shift = (row & 7) << 3;
                    mask = squares[0] >>> shift & 0xFF;
                    for (int b = 1; b < squares.length; b++) {
                        mask |= (squares[b] >>> shift & 0xFF) << (b << 3);
                    }
                }
            }
            into.setNullMask(first + i, mask);
        }
    }

    /** The mask of a row that is the only one of its 8. */
    private static long mask(byte[] bits, int[] starts, int[] targets, int count, int row) {
        long mask = 0;
        for (int i = 0; i < count; i++) {
            mask |= (bits[starts[i] + (row >>> 3)] >>> (row & 7) & 1L) << targets[i];
        }
        return mask;
    }

    /** Turns the bits of some fields of 8 rows, those that are the given byte of each; 0 where none is null. */
    private static long turn(byte[] bits, int[] starts, int[] targets, int count, int block, long[] squares) {
        long some = 0;
        int i = 0;
        // The targets ascend.
        for (int b = 0; b < squares.length; b++) {
            long square = 0;
            for (; i < count && targets[i] >>> 3 == b; i++) {
                square |= (bits[starts[i] + block] & 0xFFL) << (targets[i] << 3);
            }
            squares[b] = square == 0 ? 0 : NullBits.transposed(square);
            some |= square;
        }
        return some;
    }

    private static void clearNulls(int rows, TupleBlock into, int first) {
        for (int i = 0; i < rows; i++) {
            into.setNullMask(first + i, 0);
        }
    }

    private void gatherNulls(RowView view, int[] selected, int from, int rows, TupleBlock into, int first) {
        int column = stored.nullMaskColumn();
        if (column < 0) {
            return;
        } else if (!copiesNulls) {
            clearNulls(rows, into, first);
            return;
        }
        NullBits byField = view.nulls;
        if (byField != null) {
            gatherNulls(byField, selected, from, rows, into, first);
            return;
        }
        int width = stored.width(column);
        byte[] masks = view.columns[column];
        int base = view.bases[column];
        for (int i = 0; i < rows; i++) {
            int at = base + selected[from + i] * width;
            long mask =
                    switch (width) {
                        case 1 -> masks[at];
                        case 2 -> LittleEndian.getShort(masks, at);
                        case 4 -> LittleEndian.getInt(masks, at);
                        default -> LittleEndian.getLong(masks, at);
                    };
            long translated = 0;
            if (mask != 0) {
                for (int r = 0; r < fields.length; r++) {
                    int bit = fields[r] < 0 ? -1 : stored.nullBit(fields[r]);
                    if (bit >= 0 && ((mask >>> bit) & 1) != 0) {
                        translated |= 1L << result.nullBit(r);
                    }
                }
            }
            into.setNullMask(first + i, translated);
        }
    }
}
