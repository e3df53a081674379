package io.waterwheel.key;

import io.waterwheel.key.curve.Interleaving;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.ScaleVersion;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Makes keys of dimensions from the columns of a layout: of the rows of a block, and of those of a leaf whose keys its
 * chunk leaves out. Goes dimension by dimension, a column at a time. Immutable; any thread.
 */
final class DimensionKeys extends KeyMaker implements DerivedKeys {
    /** How chunk files name it. */
    static final int KIND = 2;

    /** The same by scales of a later version, which comes before the rest of the parameters. */
    static final int SCALED_KIND = 3;

    /** The same, also by the first version, where cuts of a dimension may be long texts. */
    static final int LONG_KIND = 4;

    private static final int MOST_DIMENSIONS = 8;
    private static final byte[] NO_MASKS = {};
    private static final long[] NO_NULLS = {};

    /** One dimension, and where its values lie. */
    private static final class Axis {
        final Division division;
        final Scale scale;
        /** By cell, its bits in the key. */
        final long[] spread;

        final int column;
        final PhysicalType type;
        /** Where the null bit of a row lies: in which byte of its mask; -1 when the field is not nullable. */
        final int nullByte;

        final int nullShift;
        final int maskWidth;

        Axis(RowLayout layout, int field, Division division, long[] spread) {
            this.division = division;
            this.scale = division.scale();
            this.spread = spread;
            this.column = layout.columnOf(field);
            this.type = layout.fields().get(field).type().physical();
            int bit = layout.nullBit(field);
            this.nullByte = bit < 0 ? -1 : bit >>> 3;
            this.nullShift = bit & 7;
            this.maskWidth = bit < 0 ? 0 : layout.width(layout.nullMaskColumn());
        }

        /** The number of a row's cell: null has one below all others. */
        private int numbered(int cell, byte[] masks, int row) {
            if (nullByte < 0) {
                return cell;
            }
            return (masks[row * maskWidth + nullByte] >>> nullShift & 1) != 0 ? 0 : cell + 1;
        }

        /** Adds its bits to the keys of rows [from, to). */
        void add(byte[] values, byte[] arena, byte[] masks, int from, int to, long[] keys) {
            switch (type) {
                case FLOAT64 -> {
                    for (int row = from; row < to; row++) {
                        int cell = scale.cell(LittleEndian.getDouble(values, row * 8));
                        keys[row] |= spread[numbered(cell, masks, row)];
                    }
                }
                case FLOAT32 -> {
                    for (int row = from; row < to; row++) {
                        int cell = scale.cell((double) LittleEndian.getFloat(values, row * 4));
                        keys[row] |= spread[numbered(cell, masks, row)];
                    }
                }
                case INT64 -> {
                    for (int row = from; row < to; row++) {
                        int cell = scale.cell(LittleEndian.getLong(values, row * 8));
                        keys[row] |= spread[numbered(cell, masks, row)];
                    }
                }
                case INT32 -> {
                    for (int row = from; row < to; row++) {
                        int cell = scale.cell((long) LittleEndian.getInt(values, row * 4));
                        keys[row] |= spread[numbered(cell, masks, row)];
                    }
                }
                case UINT32 -> {
                    for (int row = from; row < to; row++) {
                        int cell = scale.cell(LittleEndian.getInt(values, row * 4) & 0xFFFF_FFFFL);
                        keys[row] |= spread[numbered(cell, masks, row)];
                    }
                }
                case BOOLEAN -> {
                    for (int row = from; row < to; row++) {
                        keys[row] |= spread[numbered(scale.cell((long) values[row]), masks, row)];
                    }
                }
                case VARIABLE -> {
                    for (int row = from; row < to; row++) {
                        long reference = LittleEndian.getLong(values, row * 8);
                        long code = division.code(
                                arena, TupleBlock.referenceOffset(reference), TupleBlock.referenceLength(reference));
                        keys[row] |= spread[numbered(scale.cellOfText(code), masks, row)];
                    }
                }
            }
        }

        /**
         * Adds its bits to the keys of rows.
         *
         * @param values by row its bits, as {@link DerivedKeys#makes} has them; of one row at least
         * @param nulls by row the null mask; not read where the field is not nullable
         */
        void add(long[] values, long[] nulls, int rows, long[] keys) {
            // Rows of a leaf often stand such that equal values follow each other.
            long last = values[0];
            int cell = cell(last);
            for (int row = 0; row < rows; row++) {
                long value = values[row];
                if (value != last) {
                    last = value;
                    cell = cell(value);
                }
                keys[row] |= spread[numbered(cell, nulls, row)];
            }
        }

        private int cell(long value) {
            return switch (type) {
                case FLOAT64 -> scale.cell(Double.longBitsToDouble(value));
                case FLOAT32 -> scale.cell((double) Float.intBitsToFloat((int) value));
                case UINT32 -> scale.cell(value & 0xFFFF_FFFFL);
                case INT32, INT64, BOOLEAN -> scale.cell(value);
                case VARIABLE -> scale.cellOfText(value);
            };
        }

        private int numbered(int cell, long[] nulls, int row) {
            if (nullByte < 0) {
                return cell;
            }
            return (nulls[row] >>> (Byte.SIZE * nullByte + nullShift) & 1) != 0 ? 0 : cell + 1;
        }
    }

    private final Axis[] axes;
    private final Interleaving interleaving;
    /** The version of the scales, from 1 on. */
    private final int version;
    /** What all keys have beside the bits of their cells. */
    private final long prefix;
    /** The null mask; -1 when no dimension is nullable. */
    private final int maskColumn;

    /**
     * Dimensions of a layout.
     *
     * @param fields by dimension, its index in the layout; none is the time
     * @param scales by dimension
     * @param version of the scales
     */
    DimensionKeys(RowLayout layout, int[] fields, Division[] scales, Interleaving interleaving, int version) {
        this.interleaving = interleaving;
        this.version = version;
        this.prefix = ScaleVersion.prefix(version);
        this.axes = new Axis[fields.length];
        boolean nullable = false;
        for (int d = 0; d < fields.length; d++) {
            axes[d] = new Axis(layout, fields[d], scales[d], interleaving.spread(d));
            nullable |= axes[d].nullByte >= 0;
        }
        this.maskColumn = nullable ? layout.nullMaskColumn() : -1;
    }

    @Override
    public int fill(TupleBlock block, int fromRow, RowRejects rejects) {
        long[] keys = block.keys();
        int size = block.size();
        byte[] masks = maskColumn < 0 ? NO_MASKS : block.column(maskColumn);
        Arrays.fill(keys, fromRow, size, prefix);
        for (Axis axis : axes) {
            axis.add(block.column(axis.column), block.arena(), masks, fromRow, size, keys);
        }
        return 0;
    }

    @Override
    public int columns() {
        return axes.length + (maskColumn < 0 ? 0 : 1);
    }

    @Override
    public int column(int index) {
        return index < axes.length ? axes[index].column : maskColumn;
    }

    @Override
    public boolean makes(long[] keys, long[][] values, int rows) {
        long[] made = prefixes(rows);
        long[] nulls = maskColumn < 0 ? NO_NULLS : values[axes.length];
        for (int d = 0; d < axes.length; d++) {
            axes[d].add(values[d], nulls, rows, made);
        }
        return Arrays.equals(made, 0, rows, keys, 0, rows);
    }

    @Override
    public long code(int index, byte[] bytes, int offset, int length) {
        return axes[index].division.code(bytes, offset, length);
    }

    @Override
    public long[] keys(byte[][] values, byte[][] arenas, int rows) {
        long[] keys = prefixes(rows);
        byte[] masks = maskColumn < 0 ? NO_MASKS : values[axes.length];
        for (int d = 0; d < axes.length; d++) {
            axes[d].add(values[d], arenas[d], masks, 0, rows, keys);
        }
        return keys;
    }

    private long[] prefixes(int rows) {
        long[] keys = new long[rows];
        if (prefix != 0) {
            Arrays.fill(keys, prefix);
        }
        return keys;
    }

    @Override
    public int kind() {
        for (Axis axis : axes) {
            if (axis.division.texts() != null) {
                return LONG_KIND;
            }
        }
        return version == 1 ? KIND : SCALED_KIND;
    }

    @Override
    public byte[] parameters() {
        int kind = kind();
        int bytes = (kind == KIND ? 0 : 1) + 1 + 1 + interleaving.bits();
        for (Axis axis : axes) {
            bytes += 2 + 2 + 8 * axis.division.cuts();
            TextCodes texts = axis.division.texts();
            bytes += kind != LONG_KIND ? 0 : texts == null ? 1 : 1 + axis.division.cuts() * texts.cuts()[0].length;
        }
        ByteBuffer out = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (kind != KIND) {
            out.put((byte) version);
        }
        out.put((byte) axes.length);
        for (Axis axis : axes) {
            out.putShort((short) axis.column).putShort((short) axis.division.cuts());
            TextCodes texts = axis.division.texts();
            if (kind == LONG_KIND) {
                out.put((byte) (texts == null ? 0 : texts.cuts()[0].length));
            }
            if (texts == null) {
                for (long cut : axis.scale.cuts()) {
                    out.putLong(cut);
                }
            } else {
                for (byte[] cut : texts.cuts()) {
                    out.put(cut);
                }
            }
        }
        out.put((byte) interleaving.bits());
        for (int dimension : interleaving.order()) {
            out.put((byte) dimension);
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    /**
     * Reads what {@link #parameters} gave.
     *
     * @param kind what {@link #kind} gave
     * @throws IllegalArgumentException when they do not fit; says what was expected
     */
    static DimensionKeys read(RowLayout layout, int kind, ByteBuffer parameters) {
        ByteBuffer in = parameters.order(ByteOrder.LITTLE_ENDIAN);
        int version =
                kind == KIND ? 1 : number(in, 1, kind == LONG_KIND ? 1 : 2, ScaleVersion.MOST, "a version of scales");
        int count = number(in, 1, 1, MOST_DIMENSIONS, "dimensions");
        int[] fields = new int[count];
        Division[] scales = new Division[count];
        for (int d = 0; d < count; d++) {
            fields[d] = field(layout, number(in, 2, 0, layout.columns() - 1, "a column"));
            Field field = layout.fields().get(fields[d]);
            int cuts = number(in, 2, 0, (1 << Dimension.MAX_BITS) - 1, "cuts");
            int bytes = kind == LONG_KIND ? number(in, 1, 0, Dimension.MAX_BYTES, "bytes of a cut") : 0;
            if (bytes > 0 && (cuts == 0 || !field.type().variable())) {
                throw new IllegalArgumentException("expected long cuts of texts, at least one, got " + cuts + " of '"
                        + field.name() + "', " + field.type().schemaName());
            }
            scales[d] = bytes > 0
                    ? Division.of(new TextCodes(texts(in, cuts, bytes)))
                    : Division.of(Scale.of(cuts(in, cuts), isFloating(field)));
        }
        int bits = number(in, 1, 1, version == 1 ? Interleaving.MAX_BITS : ScaleVersion.CELL_BITS, "bits");
        int[] order = new int[bits];
        int[] bitsOf = new int[count];
        for (int bit = 0; bit < bits; bit++) {
            order[bit] = number(in, 1, 0, count - 1, "a dimension");
            bitsOf[order[bit]]++;
        }
        if (in.hasRemaining()) {
            throw new IllegalArgumentException("expected no more parameters, got " + in.remaining() + " bytes");
        }
        for (int d = 0; d < count; d++) {
            requireRoom(bitsOf[d], scales[d].cuts(), layout.fields().get(fields[d]));
        }
        return new DimensionKeys(layout, fields, scales, new Interleaving(order, count), version);
    }

    private static void requireRoom(int bits, int cuts, Field field) {
        int cells = cuts + 1 + (field.nullable() ? 1 : 0);
        if (bits < 1 || bits > Dimension.MAX_BITS || cells > 1 << bits) {
            throw new IllegalArgumentException("expected 1 to " + Dimension.MAX_BITS + " bits, enough for " + cells
                    + " cells of '" + field.name() + "', got " + bits);
        }
    }

    /** Long texts, each of as many bytes. */
    private static byte[][] texts(ByteBuffer in, int count, int bytes) {
        if (in.remaining() < bytes * count) {
            throw new IllegalArgumentException(
                    "expected " + count + " cuts of " + bytes + " bytes, got " + in.remaining() + " bytes");
        }
        byte[][] texts = new byte[count][bytes];
        for (int i = 0; i < count; i++) {
            in.get(texts[i]);
            if (i > 0 && Arrays.compareUnsigned(texts[i - 1], texts[i]) >= 0) {
                throw new IllegalArgumentException(
                        "expected ascending cuts, got text " + i + " not above the one" + " before it");
            }
        }
        return texts;
    }

    static boolean isFloating(Field field) {
        PhysicalType type = field.type().physical();
        return type == PhysicalType.FLOAT64 || type == PhysicalType.FLOAT32;
    }

    private static int field(RowLayout layout, int column) {
        List<Field> fields = layout.fields();
        for (int f = 0; f < fields.size(); f++) {
            if (layout.columnOf(f) == column) {
                return f;
            }
        }
        throw new IllegalArgumentException("expected a column of values, got the null mask");
    }

    private static long[] cuts(ByteBuffer in, int count) {
        if (in.remaining() < 8 * count) {
            throw new IllegalArgumentException("expected " + count + " cuts, got " + in.remaining() + " bytes");
        }
        long[] cuts = new long[count];
        for (int i = 0; i < count; i++) {
            cuts[i] = in.getLong();
            if (i > 0 && cuts[i] <= cuts[i - 1]) {
                throw new IllegalArgumentException("expected ascending cuts, got " + cuts[i] + " after " + cuts[i - 1]);
            }
        }
        return cuts;
    }

    private static int number(ByteBuffer in, int bytes, int least, int most, String what) {
        if (in.remaining() < bytes) {
            throw new IllegalArgumentException("expected more parameters, for " + what);
        }
        int number = bytes == 1 ? in.get() & 0xFF : in.getShort() & 0xFFFF;
        if (number < least || number > most) {
            throw new IllegalArgumentException(
                    "expected " + what + " from " + least + " to " + most + ", got " + number);
        }
        return number;
    }
}
