package io.waterwheel.decode;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;

/**
 * Writes one row at the end of a block, field by field, and makes it part of the block only when it is whole. Every
 * field is set or nulled between {@link #begin} and {@link #commit}; {@link #rollback} forgets the row.
 */
public final class RowAppender {
    final FieldType[] types;
    final String[] names;
    final Field[] fields;
    private final RowLayout layout;
    private final int[] columns;
    private final int[] nullBits;
    private final int timeField;
    /** The key is the time: it has no place of its own in the layout. */
    private final boolean keyIsTime;

    private TupleBlock block;
    private int row;
    private int arenaBefore;
    private long nulls;

    public RowAppender(Schema schema) {
        layout = RowLayout.of(schema);
        int n = schema.fields().size();
        types = new FieldType[n];
        names = new String[n];
        fields = schema.fields().toArray(Field[]::new);
        columns = new int[n];
        nullBits = new int[n];
        for (int f = 0; f < n; f++) {
            types[f] = fields[f].type();
            names[f] = fields[f].name();
            columns[f] = layout.columnOf(f);
            nullBits[f] = layout.nullBit(f);
        }
        timeField = schema.indexOf(schema.timeField());
        keyIsTime = schema.keyIsTime();
        block = new TupleBlock(layout, 0);
    }

    RowLayout layout() {
        return layout;
    }

    public void begin(TupleBlock into) {
        if (into != block && !into.layout().equals(layout)) {
            throw new IllegalArgumentException("the block is not of the decoder's schema");
        }
        block = into;
        row = into.size();
        arenaBefore = into.arenaSize();
        nulls = 0;
        into.ensureRows(row + 1);
    }

    public void commit() {
        if (layout.nullMaskColumn() >= 0) {
            block.setNullMask(row, nulls);
        }
        if (keyIsTime) {
            block.keys()[row] = block.times()[row];
        }
        block.setSize(row + 1);
    }

    public void rollback() {
        block.setArenaSize(arenaBefore);
    }

    /** Marks the field null; false when it must not be. */
    public boolean setNull(int field) {
        int bit = nullBits[field];
        if (bit < 0) {
            return false;
        }
        nulls |= 1L << bit;
        // Null values are zero in their column: blocks and leaves of equal tuples have equal bytes.
        switch (types[field].width()) {
            case 1 -> block.column(columns[field])[row] = 0;
            case 4 -> LittleEndian.putInt(block.column(columns[field]), row * 4, 0);
            default -> LittleEndian.putLong(block.column(columns[field]), row * 8, 0);
        }
        return true;
    }

    /** Sets a field of a whole number; whether it is within the type's range is the caller's to check. */
    public void setInteger(int field, long value) {
        int column = columns[field];
        if (column == RowLayout.TIME) {
            block.times()[row] = value;
        } else if (column == RowLayout.KEY) {
            block.keys()[row] = value;
        } else if (types[field].width() == 4) {
            LittleEndian.putInt(block.column(column), row * 4, (int) value);
        } else {
            LittleEndian.putLong(block.column(column), row * 8, value);
            if (field == timeField) {
                block.times()[row] = types[field].resolution().toMillis(value);
            }
        }
    }

    /** Sets a field to what it is in a row of another block of the same layout. */
    void copy(int field, TupleBlock from, int fromRow) {
        if (from.isNull(field, fromRow)) {
            setNull(field);
            return;
        }
        int column = columns[field];
        if (column == RowLayout.TIME) {
            block.times()[row] = from.times()[fromRow];
        } else if (column == RowLayout.KEY) {
            block.keys()[row] = from.keys()[fromRow];
        } else if (types[field].variable()) {
            long reference = LittleEndian.getLong(from.column(column), fromRow * 8);
            setBytes(field, from.arena(), TupleBlock.referenceOffset(reference), TupleBlock.referenceLength(reference));
        } else {
            int width = types[field].width();
            System.arraycopy(from.column(column), fromRow * width, block.column(column), row * width, width);
        }
        if (field == timeField) {
            block.times()[row] = from.times()[fromRow];
        }
    }

    public void setDouble(int field, double value) {
        LittleEndian.putLong(block.column(columns[field]), row * 8, Double.doubleToRawLongBits(value));
    }

    public void setFloat(int field, float value) {
        LittleEndian.putInt(block.column(columns[field]), row * 4, Float.floatToRawIntBits(value));
    }

    public void setBoolean(int field, boolean value) {
        block.column(columns[field])[row] = (byte) (value ? 1 : 0);
    }

    /** Sets a string (already known to be UTF-8) or bytes field; at most {@link TupleBlock#MAX_VALUE_BYTES} long. */
    public void setBytes(int field, byte[] bytes, int offset, int length) {
        long reference = length == 0 ? 0 : block.addToArena(bytes, offset, length);
        LittleEndian.putLong(block.column(columns[field]), row * 8, reference);
    }
}
