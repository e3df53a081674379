package io.waterwheel.encode;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes rows at the end of a block of a stream's layout. One thread at a time. */
final class RowWriter {
    private final List<Field> fields;
    private final RowLayout layout;
    private final TupleBlock block;
    private final int timeField;
    private final boolean keyIsTime;

    RowWriter(Schema schema, TupleBlock block) {
        this.fields = schema.fields();
        this.layout = block.layout();
        this.block = block;
        this.timeField = schema.indexOf(schema.timeField());
        this.keyIsTime = schema.keyIsTime();
    }

    /** Appends the values as a row; when one does not fit, the block has the rows it had. */
    void append(@Nullable Object[] values) {
        if (values.length != fields.size()) {
            throw new IllegalArgumentException(
                    "expected " + fields.size() + " values, one a field of the schema, got " + values.length);
        }
        int row = block.size();
        int arena = block.arenaSize();
        block.ensureRows(row + 1);
        long nulls = 0;
        boolean whole = false;
        try {
            for (int f = 0; f < values.length; f++) {
                Object value = values[f];
                if (value == null) {
                    if (!fields.get(f).nullable()) {
                        throw new IllegalArgumentException(
                                "field " + fields.get(f).name() + " of type "
                                        + fields.get(f).type().schemaName() + " must have a value: it is not nullable");
                    }
                    nulls |= 1L << layout.nullBit(f);
                    clear(f, row);
                } else {
                    set(f, row, value);
                }
            }
            whole = true;
        } finally {
            if (!whole) {
                block.setArenaSize(arena);
            }
        }
        finish(row, nulls);
    }

    private void finish(int row, long nulls) {
        if (layout.nullMaskColumn() >= 0) {
            block.setNullMask(row, nulls);
        }
        if (keyIsTime) {
            block.keys()[row] = block.times()[row];
        }
        block.setSize(row + 1);
    }

    /** Appends a row of another block of the same layout. */
    void copy(TupleBlock from, int fromRow) {
        if (!from.layout().equals(layout)) {
            throw new IllegalArgumentException("the block is not of the stream's schema");
        }
        int row = block.size();
        block.ensureRows(row + 1);
        block.keys()[row] = from.keys()[fromRow];
        block.times()[row] = from.times()[fromRow];
        for (int c = 0; c < layout.columns(); c++) {
            int width = layout.width(c);
            if (layout.variable(c)) {
                long reference = LittleEndian.getLong(from.column(c), fromRow * 8);
                int length = TupleBlock.referenceLength(reference);
                LittleEndian.putLong(
                        block.column(c),
                        row * 8,
                        length == 0
                                ? 0
                                : block.addToArena(from.arena(), TupleBlock.referenceOffset(reference), length));
            } else {
                System.arraycopy(from.column(c), fromRow * width, block.column(c), row * width, width);
            }
        }
        if (keyIsTime) {
            block.keys()[row] = block.times()[row];
        }
        block.setSize(row + 1);
    }

    /** Nulls are zero in their column: blocks of equal tuples have equal bytes. */
    private void clear(int field, int row) {
        int column = layout.columnOf(field);
        int width = layout.width(column);
        java.util.Arrays.fill(block.column(column), row * width, (row + 1) * width, (byte) 0);
    }

    private void set(int f, int row, Object value) {
        Field field = fields.get(f);
        switch (field.type().physical()) {
            case INT32, UINT32, INT64 -> put(f, row, field.type(), JavaValues.wholeNumber(field, value));
            case FLOAT32 ->
                LittleEndian.putInt(column(f), row * 4, Float.floatToRawIntBits(JavaValues.single(field, value)));
            case FLOAT64 ->
                LittleEndian.putLong(
                        column(f),
                        row * 8,
                        Double.doubleToRawLongBits(
                                JavaValues.number(field, value).doubleValue()));
            case BOOLEAN -> column(f)[row] = (byte) (JavaValues.flag(field, value) ? 1 : 0);
            case VARIABLE -> setBytes(f, row, JavaValues.bytes(field, value));
        }
    }

    private byte[] column(int field) {
        return block.column(layout.columnOf(field));
    }

    private void put(int field, int row, FieldType type, long number) {
        int column = layout.columnOf(field);
        if (column == RowLayout.TIME) {
            block.times()[row] = number;
        } else if (column == RowLayout.KEY) {
            block.keys()[row] = number;
        } else if (type.width() == 4) {
            LittleEndian.putInt(block.column(column), row * 4, (int) number);
        } else {
            LittleEndian.putLong(block.column(column), row * 8, number);
            if (field == timeField) {
                block.times()[row] = type.resolution().toMillis(number);
            }
        }
    }

    private void setBytes(int field, int row, byte[] bytes) {
        if (bytes.length > TupleBlock.MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("field " + fields.get(field).name() + ": expected at most "
                    + TupleBlock.MAX_VALUE_BYTES + " bytes, got " + bytes.length);
        }
        long reference = bytes.length == 0 ? 0 : block.addToArena(bytes, 0, bytes.length);
        LittleEndian.putLong(column(field), row * 8, reference);
    }

    /** The values of a row as objects. */
    List<@Nullable Object> values(int row) {
        List<@Nullable Object> values = new ArrayList<>(fields.size());
        for (int f = 0; f < fields.size(); f++) {
            values.add(block.value(f, row));
        }
        return values;
    }
}
