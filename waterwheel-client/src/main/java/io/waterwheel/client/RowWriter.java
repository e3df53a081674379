package io.waterwheel.client;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.Ipv4;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
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

    private void set(int field, int row, Object value) {
        FieldType type = fields.get(field).type();
        switch (type) {
            case INT, LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> setInteger(field, row, type, value);
            case IPV4 -> setAddress(field, row, value);
            case FLOAT ->
                LittleEndian.putInt(
                        column(field),
                        row * 4,
                        Float.floatToRawIntBits(number(field, value, "a number").floatValue()));
            case DOUBLE ->
                LittleEndian.putLong(
                        column(field),
                        row * 8,
                        Double.doubleToRawLongBits(
                                number(field, value, "a number").doubleValue()));
            case BOOLEAN -> {
                if (!(value instanceof Boolean flag)) {
                    throw unfit(field, "a Boolean", value);
                }
                column(field)[row] = (byte) (flag ? 1 : 0);
            }
            case STRING -> {
                if (!(value instanceof String text)) {
                    throw unfit(field, "a String", value);
                }
                setBytes(field, row, utf8(field, text));
            }
            case BYTES -> {
                if (!(value instanceof byte[] bytes)) {
                    throw unfit(field, "a byte[]", value);
                }
                setBytes(field, row, bytes);
            }
        }
    }

    private byte[] column(int field) {
        return block.column(layout.columnOf(field));
    }

    private void setInteger(int field, int row, FieldType type, Object value) {
        long number;
        if (type.isTimestamp() && value instanceof Instant instant) {
            number = units(field, type, instant);
        } else {
            Number given = number(field, value, type.isTimestamp() ? "a Long or an Instant" : "a whole number");
            if (!(given instanceof Long
                    || given instanceof Integer
                    || given instanceof Short
                    || given instanceof Byte)) {
                throw unfit(field, "a whole number", value);
            }
            number = given.longValue();
        }
        if (type == FieldType.INT && number != (int) number) {
            throw unfit(field, "a whole number of 32 bits", value);
        }
        put(field, row, type, number);
    }

    private long units(int field, FieldType type, Instant instant) {
        try {
            return type.resolution().units(instant);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("field " + fields.get(field).name() + ": " + e.getMessage(), e);
        }
    }

    private void setAddress(int field, int row, Object value) {
        if (!(value instanceof String text)) {
            throw unfit(field, "a String with an IPv4 address", value);
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        long address = Ipv4.parse(bytes, 0, bytes.length);
        if (address < 0) {
            throw unfit(field, "a String with an IPv4 address", value);
        }
        put(field, row, FieldType.IPV4, address);
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

    private byte[] utf8(int field, String text) {
        try {
            java.nio.ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(java.nio.CharBuffer.wrap(text));
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            return copy;
        } catch (java.nio.charset.CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "field " + fields.get(field).name() + ": half of a surrogate pair is no character", e);
        }
    }

    private Number number(int field, Object value, String expected) {
        if (value instanceof Number number) {
            return number;
        }
        throw unfit(field, expected, value);
    }

    private IllegalArgumentException unfit(int field, String expected, Object value) {
        return new IllegalArgumentException("field " + fields.get(field).name() + " of type "
                + fields.get(field).type().schemaName() + ": expected " + expected + ", got "
                + value.getClass().getSimpleName() + " " + value);
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
