package io.waterwheel.query.column;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.NarrowLongs;
import io.waterwheel.tuple.NullBits;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The value of a field. */
public final class FieldNode extends ColumnNode {
    private final FieldType fieldType;
    private final int column;
    private final int nullBit;
    private final int nullColumn;
    private final int nullWidth;
    private final int nullByte;
    private final int nullShift;
    /** Where the nulls of the last evaluation lay: masks of a block, or {@link NullBits}. */
    private Object lastMasks = RowView.NO_BYTES;

    private int lastBase;

    public FieldNode(RowLayout layout, int field) {
        super(ValueType.of(layout.fields().get(field).type()));
        this.fieldType = layout.fields().get(field).type();
        this.column = layout.columnOf(field);
        int bit = layout.nullBit(field);
        this.nullBit = bit;
        this.nullColumn = bit < 0 ? -1 : layout.nullMaskColumn();
        this.nullWidth = bit < 0 ? 0 : layout.width(nullColumn);
        this.nullByte = bit >> 3;
        this.nullShift = bit & 7;
    }

    public FieldType fieldType() {
        return fieldType;
    }

    /** Its payload column, or {@link RowLayout#KEY} or {@link RowLayout#TIME}. */
    public int column() {
        return column;
    }

    /** Never where {@link #column} is below 0: the key and the time of a row are there. */
    public boolean nullable() {
        return nullColumn >= 0;
    }

    /** Whether the row's value is null; only when {@link #nullable}. */
    public boolean isNull(RowView view, int row) {
        NullBits byField = view.nulls;
        if (byField != null) {
            return byField.bit(nullBit, row) != 0;
        }
        return (view.columns[nullColumn][view.bases[nullColumn] + row * nullWidth + nullByte] >>> nullShift & 1) != 0;
    }

    /** Whether {@link #keepAmong} can tell its rows. */
    public boolean isWhole() {
        return column >= 0 && fieldType.physical() == PhysicalType.INT64;
    }

    /**
     * Keeps of the first {@code count} of the selected rows those whose number is among some, or those whose is not; of
     * a field that {@link #isWhole}. The numbers are looked at where they are, not copied, and {@link #values} stays.
     *
     * @param bits by distance from the least number, whether it is one of these; the last 64 are none
     * @param negated whether those are kept that are not among them
     * @return how many they are
     */
    public int keepAmong(RowView view, int[] selected, int count, long least, long[] bits, boolean negated) {
        int kept = among(view, selected, count, least, bits, negated);
        // Few are left of most lists: less is read of the masks so.
        return nullColumn < 0 ? kept : keepPresent(view, selected, kept);
    }

    private int among(RowView view, int[] selected, int count, long least, long[] bits, boolean negated) {
        NarrowLongs narrow = view.narrow[column];
        if (narrow == null) {
            return Selection.isRange(selected, count)
                    ? amongRange(view, selected, count, least, bits, negated)
                    : amongSelected(view, selected, count, least, bits, negated);
        } else if (NarrowFilter.holdsAll(narrow, least, bits)) {
            return negated ? 0 : count;
        }
        return NarrowFilter.among(narrow, selected, count, least, bits, negated);
    }

    private int amongRange(RowView view, int[] selected, int count, long least, long[] bits, boolean negated) {
        byte[] bytes = view.columns[column];
        int base = view.bases[column];
        int last = bits.length - 1;
        int flip = negated ? 1 : 0;
        int first = selected[0];
        int kept = 0;
        // Without a branch: whether a row is kept cannot be foreseen.
        for (int row = first; row < first + count; row++) {
            long at = LittleEndian.getLong(bytes, base + row * 8) - least;
            selected[kept] = row;
            kept += (int) (bits[(int) Math.min(at >>> 6, last)] >>> at & 1) ^ flip;
        }
        return kept;
    }

    private int amongSelected(RowView view, int[] selected, int count, long least, long[] bits, boolean negated) {
        byte[] bytes = view.columns[column];
        int base = view.bases[column];
        int last = bits.length - 1;
        int flip = negated ? 1 : 0;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long at = LittleEndian.getLong(bytes, base + row * 8) - least;
            selected[kept] = row;
            kept += (int) (bits[(int) Math.min(at >>> 6, last)] >>> at & 1) ^ flip;
        }
        return kept;
    }

    /** Keeps of the first {@code count} of the selected rows those that are not null; only when {@link #nullable}. */
    public int keepPresent(RowView view, int[] selected, int count) {
        NullBits byField = view.nulls;
        if (byField != null) {
            return hasNulls(byField) ? keepPresent(byField.bits(), byField.start(nullBit), selected, count) : count;
        }
        byte[] masks = view.columns[nullColumn];
        int nulls = view.bases[nullColumn] + nullByte;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            selected[kept] = row;
            kept += ~(masks[nulls + row * nullWidth] >>> nullShift) & 1;
        }
        return kept;
    }

    /** Whether a row of the leaf is null. */
    private boolean hasNulls(NullBits byField) {
        return (byField.some() >>> nullBit & 1) != 0;
    }

    private static int keepPresent(byte[] bits, int from, int[] selected, int count) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            selected[kept] = row;
            kept += ~(bits[from + (row >>> 3)] >>> (row & 7)) & 1;
        }
        return kept;
    }

    /** Where its nulls are told, where masks lie as in a block; only when {@link #nullable}. */
    public byte[] nullMasks(RowView view) {
        return view.columns[nullColumn];
    }

    /** Where in {@link #nullMasks} the byte of row 0 is. */
    public int nullBase(RowView view) {
        return view.bases[nullColumn] + nullByte;
    }

    /** Bytes from one row's to the next one's. */
    public int nullWidth() {
        return nullWidth;
    }

    /** The bit of a row's byte that is set where its value is null. */
    public int nullShift() {
        return nullShift;
    }

    /** Keeps its arrays: it stands in an expression once for all places that name the field. */
    @Override
    public void release(RowView view) {}

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        boolean dense = Selection.isDense(selected, count);
        values(view, selected, count, dense);
        if (nullColumn >= 0) {
            nulls(view, selected, count, dense);
        }
    }

    /** @param dense whether all values from the first selected row to the last may be taken */
    private void values(RowView view, int[] selected, int count, boolean dense) {
        if (column == RowLayout.KEY) {
            out.longs = view.keys;
            return;
        } else if (column == RowLayout.TIME) {
            out.longs = view.times;
            return;
        }
        byte[] bytes = view.columns[column];
        int base = view.bases[column];
        switch (fieldType.physical()) {
            case INT32 -> {
                long[] longs = out.ownLongs(view);
                if (dense) {
                    ints(bytes, base, longs, selected[0], selected[count - 1]);
                    return;
                }
                for (int i = 0; i < count; i++) {
                    longs[selected[i]] = LittleEndian.getInt(bytes, base + selected[i] * 4);
                }
            }
            case BOOLEAN -> {
                long[] longs = out.ownLongs(view);
                for (int i = 0; i < count; i++) {
                    longs[selected[i]] = bytes[base + selected[i]] & 1;
                }
            }
            case FLOAT32 -> {
                double[] doubles = out.ownDoubles(view);
                for (int i = 0; i < count; i++) {
                    doubles[selected[i]] = LittleEndian.getFloat(bytes, base + selected[i] * 4);
                }
            }
            case FLOAT64 -> {
                double[] doubles = out.ownDoubles(view);
                if (dense) {
                    int rows = selected[count - 1] - selected[0] + 1;
                    bytes(view, selected[0], rows).asDoubleBuffer().get(doubles, selected[0], rows);
                    return;
                }
                for (int i = 0; i < count; i++) {
                    doubles[selected[i]] = LittleEndian.getDouble(bytes, base + selected[i] * 8);
                }
            }
            case UINT32 -> {
                long[] longs = out.ownLongs(view);
                for (int i = 0; i < count; i++) {
                    longs[selected[i]] = LittleEndian.getInt(bytes, base + selected[i] * 4) & 0xFFFFFFFFL;
                }
            }
            case INT64, VARIABLE -> {
                long[] longs = out.ownLongs(view);
                if (view.slabs[column] != null) {
                    out.slabs = view.slabs[column];
                }
                out.slabShift = view.slabShift;
                out.origin = view.origin;
                out.codes = view.codes[column];
                out.dictionary = view.dictionaries[column];
                NarrowLongs narrow = view.narrow[column];
                if (narrow != null) {
                    narrow(narrow, selected, count, dense, longs);
                    return;
                }
                if (dense) {
                    int rows = selected[count - 1] - selected[0] + 1;
                    bytes(view, selected[0], rows).asLongBuffer().get(longs, selected[0], rows);
                    return;
                }
                for (int i = 0; i < count; i++) {
                    longs[selected[i]] = LittleEndian.getLong(bytes, base + selected[i] * 8);
                }
            }
        }
    }

    private static void narrow(NarrowLongs numbers, int[] selected, int count, boolean dense, long[] longs) {
        if (dense) {
            numbers.copy(selected[0], selected[count - 1] - selected[0] + 1, longs);
        } else {
            numbers.copy(selected, count, longs);
        }
    }

    private static void ints(byte[] bytes, int base, long[] longs, int first, int last) {
        for (int row = first; row <= last; row++) {
            longs[row] = LittleEndian.getInt(bytes, base + row * 4);
        }
    }

    /** The values of rows, of 8 bytes each, to be copied at once. */
    private ByteBuffer bytes(RowView view, int first, int rows) {
        return ByteBuffer.wrap(view.columns[column], view.bases[column] + first * 8, rows * 8)
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    private void nulls(RowView view, int[] selected, int count, boolean dense) {
        NullBits byField = view.nulls;
        if (byField != null) {
            nulls(byField, view, selected, count, dense);
            return;
        }
        boolean[] nulls = out.ownNulls(view);
        byte[] masks = view.columns[nullColumn];
        int base = view.bases[nullColumn] + nullByte;
        int found = 0;
        boolean whole = nullWidth == 1 && dense;
        if (whole) {
            int rows = selected[count - 1] - selected[0] + 1;
            found = nulls(masks, base, selected[0], rows, nulls);
            if (found > 0 && rows > count) {
                found = 0;
                for (int i = 0; i < count; i++) {
                    found += nulls[selected[i]] ? 1 : 0;
                }
            }
        } else {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                int bit = masks[base + row * nullWidth] >>> nullShift & 1;
                nulls[row] = bit != 0;
                found += bit;
            }
        }
        // One node serves all places that name the field: rows that it was evaluated at before are still looked at.
        out.anyNull = found > 0 || (out.anyNull && masks == lastMasks && base == lastBase);
        out.nullCount = found;
        out.zeroNulls = whole;
        lastMasks = masks;
        lastBase = base;
    }

    /** Of masks that lie by field. */
    private void nulls(NullBits byField, RowView view, int[] selected, int count, boolean dense) {
        boolean[] nulls = out.ownNulls(view);
        byte[] bits = byField.bits();
        int start = byField.start(nullBit);
        int found = 0;
        boolean hasNulls = hasNulls(byField);
        if (hasNulls && dense) {
            int rows = selected[count - 1] - selected[0] + 1;
            found = nullsOfWords(bits, start, selected[0], rows, nulls);
            if (found > 0 && rows > count) {
                found = 0;
                for (int i = 0; i < count; i++) {
                    found += nulls[selected[i]] ? 1 : 0;
                }
            }
        } else if (hasNulls) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                int bit = bits[start + (row >>> 3)] >>> (row & 7) & 1;
                nulls[row] = bit != 0;
                found += bit;
            }
        }
        out.anyNull = found > 0 || (out.anyNull && byField == lastMasks);
        out.nullCount = found;
        out.zeroNulls = dense || found == 0;
        lastMasks = byField;
        lastBase = 0;
    }

    /** Of 64 rows at a time. Makes what is null there 0. */
    private int nullsOfWords(byte[] bits, int from, int first, int count, boolean[] nulls) {
        Arrays.fill(nulls, first, first + count, false);
        int end = first + count;
        int found = 0;
        for (int word = first >>> 6; word << 6 < end; word++) {
            long left = LittleEndian.getLong(bits, from + word * 8);
            if (word == first >>> 6) {
                left &= -1L << first;
            }
            if (end - (word << 6) < Long.SIZE) {
                left &= (1L << end) - 1;
            }
            found += Long.bitCount(left);
            for (; left != 0; left &= left - 1) {
                setNull((word << 6) + Long.numberOfTrailingZeros(left), nulls);
            }
        }
        return found;
    }

    /** Of masks of a byte each, eight at a time: nulls are few in most columns. Makes what is null there 0. */
    private int nulls(byte[] masks, int base, int first, int count, boolean[] nulls) {
        Arrays.fill(nulls, first, first + count, false);
        int found = 0;
        int row = first;
        for (; row + 8 <= first + count; row += 8) {
            long bits = LittleEndian.getLong(masks, base + row) >>> nullShift & 0x0101010101010101L;
            found += Long.bitCount(bits);
            for (long left = bits; left != 0; left &= left - 1) {
                setNull(row + (Long.numberOfTrailingZeros(left) >>> 3), nulls);
            }
        }
        for (; row < first + count; row++) {
            if ((masks[base + row] >>> nullShift & 1) != 0) {
                setNull(row, nulls);
                found++;
            }
        }
        return found;
    }

    private void setNull(int row, boolean[] nulls) {
        nulls[row] = true;
        if (type() == ValueType.DOUBLE) {
            out.doubles[row] = 0;
        } else {
            out.longs[row] = 0;
        }
    }
}
