package io.waterwheel.query.column;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;

/** The value of a field. */
final class FieldNode extends ColumnNode {
    private final FieldType fieldType;
    private final int column;
    private final int nullColumn;
    private final int nullWidth;
    private final int nullByte;
    private final int nullShift;

    FieldNode(RowLayout layout, int field) {
        super(ValueType.of(layout.fields().get(field).type()));
        this.fieldType = layout.fields().get(field).type();
        this.column = layout.columnOf(field);
        int bit = layout.nullBit(field);
        this.nullColumn = bit < 0 ? -1 : layout.nullMaskColumn();
        this.nullWidth = bit < 0 ? 0 : layout.width(nullColumn);
        this.nullByte = bit >> 3;
        this.nullShift = bit & 7;
    }

    FieldType fieldType() {
        return fieldType;
    }

    /** Its payload column, or {@link RowLayout#KEY} or {@link RowLayout#TIME}. */
    int column() {
        return column;
    }

    boolean nullable() {
        return nullColumn >= 0;
    }

    /** Whether the row's value is null; only when {@link #nullable}. */
    boolean isNull(RowView view, int row) {
        return (view.columns[nullColumn][view.bases[nullColumn] + row * nullWidth + nullByte] >>> nullShift & 1) != 0;
    }

    /** Keeps its arrays: it stands in an expression once for all places that name the field. */
    @Override
    public void release(RowView view) {}

    @Override
    void compute(RowView view, int[] selected, int count) {
        if (nullColumn >= 0) {
            out.anyNull = true;
            boolean[] nulls = out.ownNulls(view);
            byte[] masks = view.columns[nullColumn];
            int base = view.bases[nullColumn] + nullByte;
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                nulls[row] = (masks[base + row * nullWidth] >>> nullShift & 1) != 0;
            }
        }
        if (column == RowLayout.KEY) {
            out.longs = view.keys;
            return;
        } else if (column == RowLayout.TIME) {
            out.longs = view.times;
            return;
        }
        byte[] bytes = view.columns[column];
        int base = view.bases[column];
        switch (fieldType) {
            case INT -> {
                long[] longs = out.ownLongs(view);
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
            case FLOAT -> {
                double[] doubles = out.ownDoubles(view);
                for (int i = 0; i < count; i++) {
                    doubles[selected[i]] = LittleEndian.getFloat(bytes, base + selected[i] * 4);
                }
            }
            case DOUBLE -> {
                double[] doubles = out.ownDoubles(view);
                for (int i = 0; i < count; i++) {
                    doubles[selected[i]] = LittleEndian.getDouble(bytes, base + selected[i] * 8);
                }
            }
            case IPV4 -> {
                long[] longs = out.ownLongs(view);
                for (int i = 0; i < count; i++) {
                    longs[selected[i]] = LittleEndian.getInt(bytes, base + selected[i] * 4) & 0xFFFFFFFFL;
                }
            }
            case LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS, STRING, BYTES -> {
                long[] longs = out.ownLongs(view);
                for (int i = 0; i < count; i++) {
                    longs[selected[i]] = LittleEndian.getLong(bytes, base + selected[i] * 8);
                }
                if (view.slabs[column] != null) {
                    out.slabs = view.slabs[column];
                }
                out.slabShift = view.slabShift;
            }
        }
    }
}
