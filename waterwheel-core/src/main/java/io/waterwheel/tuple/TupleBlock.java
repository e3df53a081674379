package io.waterwheel.tuple;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A batch of tuples in columns: the unit of every hop. Keys and times are arrays of longs; every other field is a
 * payload column of little-endian values, {@code width(c)} bytes a row; text and bytes lie in one arena that their
 * columns refer to. Rows 0 to {@link #size()} - 1 are filled.
 *
 * <p>Not thread-safe: one owner at a time; handing over a block hands over its arrays. The accessors that return arrays
 * return the block's own (no copy); they are replaced by the {@code ensure} methods.
 */
public final class TupleBlock {
    /** Longest value of a string or bytes field; longer ones are refused where they are decoded. */
    public static final int MAX_VALUE_BYTES = 32 * 1024;

    private static final long[] NO_LONGS = {};

    private final RowLayout layout;
    private long[] keys;
    private long[] times;
    private final byte[][] columns;
    private byte[] arena;
    private int size;
    private int arenaSize;

    public TupleBlock(RowLayout layout, int rows) {
        this.layout = layout;
        this.keys = layout.keyed() ? new long[rows] : NO_LONGS;
        this.times = layout.keyed() ? new long[rows] : NO_LONGS;
        this.columns = new byte[layout.columns()][];
        for (int c = 0; c < columns.length; c++) {
            columns[c] = new byte[rows * layout.width(c)];
        }
        this.arena = new byte[0];
    }

    public RowLayout layout() {
        return layout;
    }

    public int size() {
        return size;
    }

    /** Sets the number of filled rows; the caller has filled them, after {@link #ensureRows}. */
    public void setSize(int rows) {
        size = rows;
    }

    /** Forgets all rows, keeps the arrays. */
    public void clear() {
        size = 0;
        arenaSize = 0;
    }

    /** Makes room for this many rows in all and a quarter more; grows by half at least. */
    public void ensureRows(int rows) {
        int capacity = capacity();
        if (rows <= capacity) {
            return;
        }
        int grown = grownRows(rows, capacity);
        if (layout.keyed()) {
            keys = Arrays.copyOf(keys, grown);
            times = Arrays.copyOf(times, grown);
        }
        for (int c = 0; c < columns.length; c++) {
            columns[c] = Arrays.copyOf(columns[c], grown * layout.width(c));
        }
    }

    /** A block that is used again for about as many rows should not grow each time by a few. */
    private static int grownRows(int rows, int capacity) {
        return Math.max(Math.addExact(rows, rows >> 2), capacity + (capacity >> 1));
    }

    private int capacity() {
        if (layout.keyed()) {
            return keys.length;
        }
        return columns.length == 0 ? Integer.MAX_VALUE : columns[0].length / layout.width(0);
    }

    /** Makes room for this many further bytes in the arena. */
    public void ensureArena(int further) {
        int needed = Math.addExact(arenaSize, further);
        if (needed > arena.length) {
            arena = Arrays.copyOf(arena, grownArena(needed));
        }
    }

    private int grownArena(int needed) {
        return Math.max(needed, arena.length + (arena.length >> 1));
    }

    /** Bytes of its arrays, filled or not. */
    public long allocatedBytes() {
        long bytes = 8L * keys.length + 8L * times.length + arena.length;
        for (byte[] column : columns) {
            bytes += column.length;
        }
        return bytes;
    }

    /** Bytes of the arrays that making room for further rows and bytes of the arena would allocate. */
    public long growthBytes(int furtherRows, int furtherArena) {
        int capacity = capacity();
        int rows = Math.addExact(size, furtherRows);
        int needed = Math.addExact(arenaSize, furtherArena);
        long width = layout.rowWidth() + (layout.keyed() ? 16L : 0);
        return (rows <= capacity ? 0 : grownRows(rows, capacity) * width)
                + (needed <= arena.length ? 0 : grownArena(needed));
    }

    /** Keys by row; empty for a result block. */
    public long[] keys() {
        return keys;
    }

    /** Times by row, milliseconds since 1970 UTC; empty for a result block. */
    public long[] times() {
        return times;
    }

    /** The bytes of payload column c. */
    public byte[] column(int column) {
        return columns[column];
    }

    /** The bytes that variable columns refer to. */
    public byte[] arena() {
        return arena;
    }

    /** Filled bytes of the arena. */
    public int arenaSize() {
        return arenaSize;
    }

    /** Sets the number of filled arena bytes; the caller has filled them, after {@link #ensureArena}. */
    public void setArenaSize(int bytes) {
        arenaSize = bytes;
    }

    /** Bytes that the tuples take: what credit and the seal size count. */
    public long bytes() {
        return (long) size * layout.rowWidth() + arenaSize;
    }

    /** A reference to arena bytes as variable columns hold it. */
    public static long reference(int offset, int length) {
        return ((long) length << 32) | offset;
    }

    public static int referenceOffset(long reference) {
        return (int) reference;
    }

    public static int referenceLength(long reference) {
        return (int) (reference >>> 32);
    }

    /** Compares the values of two rows in a variable column, as unsigned bytes. */
    public static int compareBytes(TupleBlock one, int row, TupleBlock other, int otherRow, int column) {
        long left = LittleEndian.getLong(one.column(column), row * 8);
        long right = LittleEndian.getLong(other.column(column), otherRow * 8);
        int from = referenceOffset(left);
        int otherFrom = referenceOffset(right);
        return Arrays.compareUnsigned(
                one.arena(),
                from,
                from + referenceLength(left),
                other.arena(),
                otherFrom,
                otherFrom + referenceLength(right));
    }

    /** Copies the bytes into the arena and returns the reference to them. */
    public long addToArena(byte[] bytes, int offset, int length) {
        ensureArena(length);
        System.arraycopy(bytes, offset, arena, arenaSize, length);
        long reference = reference(arenaSize, length);
        arenaSize += length;
        return reference;
    }

    /** The null mask of a row; 0 when no field is nullable. */
    public long nullMask(int row) {
        int column = layout.nullMaskColumn();
        if (column < 0) {
            return 0;
        }
        byte[] bytes = columns[column];
        return switch (layout.width(column)) {
            case 1 -> bytes[row] & 0xFFL;
            case 2 -> LittleEndian.getShort(bytes, row * 2) & 0xFFFFL;
            case 4 -> LittleEndian.getInt(bytes, row * 4) & 0xFFFFFFFFL;
            default -> LittleEndian.getLong(bytes, row * 8);
        };
    }

    /** Sets the null mask of a row; only for layouts that have one. */
    public void setNullMask(int row, long mask) {
        int column = layout.nullMaskColumn();
        byte[] bytes = columns[column];
        switch (layout.width(column)) {
            case 1 -> bytes[row] = (byte) mask;
            case 2 -> LittleEndian.putShort(bytes, row * 2, (short) mask);
            case 4 -> LittleEndian.putInt(bytes, row * 4, (int) mask);
            default -> LittleEndian.putLong(bytes, row * 8, mask);
        }
    }

    public boolean isNull(int field, int row) {
        int bit = layout.nullBit(field);
        return bit >= 0 && (nullMask(row) >>> bit & 1) != 0;
    }

    /**
     * The value of a field as an object, for borders where people look: Integer, Long, Float, Double, Boolean, String,
     * byte[], or null; a timestamp as it is counted, an address and a UUID as text. Allocates; not for the hot path.
     */
    public @Nullable Object value(int field, int row) {
        if (isNull(field, row)) {
            return null;
        }
        int column = layout.columnOf(field);
        FieldType type = layout.fields().get(field).type();
        if (column == RowLayout.KEY || column == RowLayout.TIME) {
            return type.object(column == RowLayout.KEY ? keys[row] : times[row]);
        }
        byte[] bytes = columns[column];
        return switch (type.physical()) {
            case INT32, UINT32 -> type.object(LittleEndian.getInt(bytes, row * 4));
            case INT64 -> type.object(LittleEndian.getLong(bytes, row * 8));
            case FLOAT32 -> LittleEndian.getFloat(bytes, row * 4);
            case FLOAT64 -> LittleEndian.getDouble(bytes, row * 8);
            case BOOLEAN -> bytes[row] != 0;
            case VARIABLE -> {
                long reference = LittleEndian.getLong(bytes, row * 8);
                int from = referenceOffset(reference);
                yield type.object(Arrays.copyOfRange(arena, from, from + referenceLength(reference)));
            }
        };
    }
}
