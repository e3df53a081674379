package io.waterwheel.decode;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.List;

/** Block records: {@link BlockCodec}, and what is asked of a block that comes from outside. */
final class BlockRecordDecoder implements RecordDecoder {
    private final RowLayout layout;
    private final List<Field> fields;
    private final int keyField;
    private final int timeField;
    private final boolean keysSent;
    private final boolean keyIsTime;
    private final long unusedNullBits;
    private byte[] copy = {};

    BlockRecordDecoder(Schema schema) {
        layout = RowLayout.of(schema);
        fields = schema.fields();
        timeField = schema.indexOf(schema.timeField());
        keyField = schema.keyField();
        keyIsTime = schema.keyIsTime();
        keysSent = layout.hasKeyField();
        long nullable = fields.stream().filter(Field::nullable).count();
        unusedNullBits = nullable == 64 ? 0 : -1L << nullable;
    }

    /** Of records that are text or tuple blocks, each as it begins. */
    static RecordDecoder beside(RecordDecoder text, Schema schema) {
        RecordDecoder blocks = new BlockRecordDecoder(schema);
        return (value, facts, into) -> (BlockCodec.begins(value) ? blocks : text).decode(value, facts, into);
    }

    @Override
    public void decode(ByteBuffer value, RecordFacts facts, TupleBlock into) throws RejectedRecordException {
        if (!value.hasRemaining()) {
            throw new RejectedRecordException(RefusalKind.FORM, "the record is empty");
        }
        int rows = into.size();
        int arena = into.arenaSize();
        try {
            boolean keys = decodeBlock(value, into);
            if (keys != keysSent) {
                throw new RejectedRecordException(
                        RefusalKind.FORM,
                        keys
                                ? "tuple block: has keys, but this stream's keys are made by the server"
                                : "tuple block: lacks keys (flag bit 0), which this stream's key field "
                                        + fields.get(keyField).name() + " travels in");
            }
            check(into, rows, arena);
        } catch (BlockFormatException e) {
            throw new RejectedRecordException(RefusalKind.FORM, String.valueOf(e.getMessage()));
        } catch (RejectedRecordException e) {
            into.setSize(rows);
            into.setArenaSize(arena);
            throw e;
        }
        if (keyIsTime) {
            System.arraycopy(into.times(), rows, into.keys(), rows, into.size() - rows);
        }
    }

    private boolean decodeBlock(ByteBuffer value, TupleBlock into) {
        int length = value.remaining();
        if (value.hasArray()) {
            return BlockCodec.decode(value.array(), value.arrayOffset() + value.position(), length, into);
        }
        if (copy.length < length) {
            copy = new byte[length];
        }
        value.get(value.position(), copy, 0, length);
        return BlockCodec.decode(copy, 0, length, into);
    }

    private void check(TupleBlock block, int first, int arenaBefore) throws RejectedRecordException {
        if (unusedNullBits != 0 && layout.nullMaskColumn() >= 0) {
            for (int row = first; row < block.size(); row++) {
                if ((block.nullMask(row) & unusedNullBits & widthMask()) != 0) {
                    throw new RejectedRecordException(
                            RefusalKind.FORM,
                            "tuple block: row " + (row - first) + ": unused bits of the null mask are set");
                }
            }
        }
        long room = (long) block.arenaSize() - arenaBefore;
        for (int f = 0; f < fields.size(); f++) {
            Field field = fields.get(f);
            if (field.nullable()) {
                checkNulls(block, f, first);
            }
            if (field.type().variable()) {
                room -= checkValues(block, f, first);
                if (room < 0) {
                    throw new RejectedRecordException(RefusalKind.FORM, "tuple block: values share bytes of the arena");
                }
            } else if (field.type().isDecimal()) {
                checkDecimals(block, f, first);
            } else if (field.type().physical() == PhysicalType.BOOLEAN) {
                checkBooleans(block, f, first);
            } else if (f == keyField && keysSent && field.type().width() == 4) {
                checkKeys(block, first, field.type());
            } else if (f == timeField && layout.columnOf(f) >= 0) {
                checkTimes(block, first);
            }
        }
    }

    private long widthMask() {
        int bits = layout.width(layout.nullMaskColumn()) * 8;
        return bits == 64 ? -1L : (1L << bits) - 1;
    }

    private void checkNulls(TupleBlock block, int field, int first) throws RejectedRecordException {
        int column = layout.columnOf(field);
        byte[] bytes = block.column(column);
        int width = layout.width(column);
        for (int row = first; row < block.size(); row++) {
            if (block.isNull(field, row)) {
                long value = width == 1
                        ? bytes[row]
                        : width == 4 ? LittleEndian.getInt(bytes, row * 4) : LittleEndian.getLong(bytes, row * 8);
                if (value != 0) {
                    throw refused(field, row - first, "is null, but its column is not 0");
                }
            }
        }
    }

    /** Checks strings; returns the bytes that the field's values take in the arena. */
    private long checkValues(TupleBlock block, int field, int first) throws RejectedRecordException {
        byte[] references = block.column(layout.columnOf(field));
        FieldType type = fields.get(field).type();
        long sum = 0;
        for (int row = first; row < block.size(); row++) {
            long reference = LittleEndian.getLong(references, row * 8);
            int length = TupleBlock.referenceLength(reference);
            sum += length;
            if (type == FieldType.STRING && !Utf8.valid(block.arena(), TupleBlock.referenceOffset(reference), length)) {
                throw refused(field, row - first, "is not valid UTF-8");
            }
            if (type.valueBytes() >= 0 && length != type.valueBytes() && !block.isNull(field, row)) {
                throw refused(
                        field,
                        row - first,
                        "expected " + type.valueBytes() + " bytes for a value of type " + type.schemaName() + ", got "
                                + length);
            }
            if (type.isDecimal()
                    && !block.isNull(field, row)
                    && !type.holds(block.arena(), TupleBlock.referenceOffset(reference))) {
                throw refused(field, row - first, "has more than " + type.precision() + " digits");
            }
        }
        return sum;
    }

    private void checkDecimals(TupleBlock block, int field, int first) throws RejectedRecordException {
        FieldType type = fields.get(field).type();
        int column = layout.columnOf(field);
        for (int row = first; row < block.size(); row++) {
            long value = column == RowLayout.KEY
                    ? block.keys()[row]
                    : LittleEndian.getLong(block.column(column), row * Long.BYTES);
            if (!type.holds(value)) {
                throw refused(field, row - first, "has more than " + type.precision() + " digits");
            }
        }
    }

    private void checkBooleans(TupleBlock block, int field, int first) throws RejectedRecordException {
        byte[] bytes = block.column(layout.columnOf(field));
        for (int row = first; row < block.size(); row++) {
            if (bytes[row] != 0 && bytes[row] != 1) {
                throw refused(field, row - first, "expected 0 or 1, got " + bytes[row]);
            }
        }
    }

    private void checkKeys(TupleBlock block, int first, FieldType type) throws RejectedRecordException {
        for (int row = first; row < block.size(); row++) {
            long key = block.keys()[row];
            if (type.physical() == PhysicalType.INT32 ? key != (int) key : key >>> 32 != 0) {
                throw refused(keyField, row - first, key + " is outside the range of an " + type.schemaName());
            }
        }
    }

    /** A time field finer than milliseconds travels in a column; the times must be those that follow from it. */
    private void checkTimes(TupleBlock block, int first) throws RejectedRecordException {
        byte[] bytes = block.column(layout.columnOf(timeField));
        TimestampUnit resolution = fields.get(timeField).type().resolution();
        for (int row = first; row < block.size(); row++) {
            long millis = resolution.toMillis(LittleEndian.getLong(bytes, row * 8));
            if (millis != block.times()[row]) {
                throw refused(
                        timeField,
                        row - first,
                        "lies in millisecond " + millis + ", the time is " + block.times()[row]);
            }
        }
    }

    private RejectedRecordException refused(int field, int row, String why) {
        return new RejectedRecordException(
                RefusalKind.FORM,
                "tuple block: row " + row + ", field " + fields.get(field).name() + ": " + why);
    }
}
