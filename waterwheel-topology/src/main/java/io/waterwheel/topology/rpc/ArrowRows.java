package io.waterwheel.topology.rpc;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.wire.TypeMetadata;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;

/**
 * Copies rows of tuple blocks into Arrow vectors: columns of the same width in one go, text and bytes gathered first.
 * One thread at a time. Holds one batch of memory until closed.
 */
final class ArrowRows implements AutoCloseable {
    private final List<Field> fields;
    private final VectorSchemaRoot root;
    private byte[] scratch = {};

    ArrowRows(List<Field> fields, BufferAllocator allocator) {
        this.fields = List.copyOf(fields);
        List<org.apache.arrow.vector.types.pojo.Field> arrow = new ArrayList<>();
        for (Field field : fields) {
            arrow.add(new org.apache.arrow.vector.types.pojo.Field(
                    field.name(),
                    new org.apache.arrow.vector.types.pojo.FieldType(
                            field.nullable(), type(field.type()), null, TypeMetadata.of(field.type())),
                    null));
        }
        root = VectorSchemaRoot.create(new org.apache.arrow.vector.types.pojo.Schema(arrow), allocator);
    }

    private static ArrowType type(FieldType type) {
        return switch (type) {
            case INT -> new ArrowType.Int(32, true);
            case LONG -> new ArrowType.Int(64, true);
            case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
            case BOOLEAN -> ArrowType.Bool.INSTANCE;
            case TIMESTAMP -> new ArrowType.Timestamp(TimeUnit.MILLISECOND, "UTC");
            case TIMESTAMP_US -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC");
            case TIMESTAMP_NS -> new ArrowType.Timestamp(TimeUnit.NANOSECOND, "UTC");
            case IPV4 -> new ArrowType.Int(32, false);
            case STRING -> ArrowType.Utf8.INSTANCE;
            case BYTES -> ArrowType.Binary.INSTANCE;
            case UUID, IPV6 -> new ArrowType.FixedSizeBinary(FieldType.SIXTEEN);
        };
    }

    VectorSchemaRoot root() {
        return root;
    }

    /** Replaces the root's rows by none. */
    void clear() {
        root.clear();
        root.setRowCount(0);
    }

    /** Replaces the root's rows by {@code count} of the block's; its fields must be those of the constructor. */
    void fill(TupleBlock block, int first, int count) {
        root.clear();
        RowLayout layout = block.layout();
        for (int f = 0; f < fields.size(); f++) {
            FieldVector vector = root.getVector(f);
            if (vector instanceof BaseVariableWidthVector variable) {
                fillVariable(variable, block, layout.columnOf(f), first, count);
            } else if (fields.get(f).type().hasSixteenBytes()) {
                fillSixteen((BaseFixedWidthVector) vector, block, layout.columnOf(f), first, count);
            } else {
                fillFixed((BaseFixedWidthVector) vector, block, f, first, count);
            }
            fillValidity(vector.getValidityBuffer(), block, f, first, count);
            // After the validity: this is where the vector may look at it.
            if (vector instanceof BaseVariableWidthVector variable) {
                variable.setLastSet(count - 1);
            }
            vector.setValueCount(count);
        }
        root.setRowCount(count);
    }

    private void fillFixed(BaseFixedWidthVector vector, TupleBlock block, int field, int first, int count) {
        vector.allocateNew(count);
        ArrowBuf data = vector.getDataBuffer();
        int column = block.layout().columnOf(field);
        FieldType type = fields.get(field).type();
        int width = type.width();
        if (column < 0) {
            long[] values = column == RowLayout.KEY ? block.keys() : block.times();
            byte[] bytes = scratch(count * width);
            for (int i = 0; i < count; i++) {
                if (width == 4) {
                    LittleEndian.putInt(bytes, i * 4, (int) values[first + i]);
                } else {
                    LittleEndian.putLong(bytes, i * 8, values[first + i]);
                }
            }
            data.setBytes(0, bytes, 0, (long) count * width);
        } else if (type.physical() == PhysicalType.BOOLEAN) {
            byte[] values = block.column(column);
            byte[] bits = scratch((count + 7) / 8);
            Arrays.fill(bits, 0, (count + 7) / 8, (byte) 0);
            for (int i = 0; i < count; i++) {
                bits[i >> 3] |= (byte) ((values[first + i] & 1) << (i & 7));
            }
            data.setBytes(0, bits, 0, (count + 7) / 8);
        } else {
            data.setBytes(0, block.column(column), first * width, (long) count * width);
        }
    }

    /** What stands where a value is null means nothing, in the block as in the vector. */
    private void fillSixteen(BaseFixedWidthVector vector, TupleBlock block, int column, int first, int count) {
        vector.allocateNew(count);
        byte[] references = block.column(column);
        byte[] bytes = scratch(count * FieldType.SIXTEEN);
        for (int i = 0; i < count; i++) {
            long reference = LittleEndian.getLong(references, (first + i) * 8);
            int at = i * FieldType.SIXTEEN;
            if (TupleBlock.referenceLength(reference) == FieldType.SIXTEEN) {
                System.arraycopy(block.arena(), TupleBlock.referenceOffset(reference), bytes, at, FieldType.SIXTEEN);
            } else {
                Arrays.fill(bytes, at, at + FieldType.SIXTEEN, (byte) 0);
            }
        }
        vector.getDataBuffer().setBytes(0, bytes, 0, (long) count * FieldType.SIXTEEN);
    }

    private void fillVariable(BaseVariableWidthVector vector, TupleBlock block, int column, int first, int count) {
        byte[] references = block.column(column);
        byte[] arena = block.arena();
        int total = 0;
        for (int i = 0; i < count; i++) {
            total = Math.addExact(total, LittleEndian.getInt(references, (first + i) * 8 + 4));
        }
        vector.allocateNew(total, count);
        byte[] bytes = scratch(Math.max(total, (count + 1) * 4));
        int at = 0;
        for (int i = 0; i < count; i++) {
            long reference = LittleEndian.getLong(references, (first + i) * 8);
            int length = TupleBlock.referenceLength(reference);
            System.arraycopy(arena, TupleBlock.referenceOffset(reference), bytes, at, length);
            at += length;
        }
        vector.getDataBuffer().setBytes(0, bytes, 0, total);
        at = 0;
        for (int i = 0; i <= count; i++) {
            LittleEndian.putInt(bytes, i * 4, at);
            if (i < count) {
                at += LittleEndian.getInt(references, (first + i) * 8 + 4);
            }
        }
        vector.getOffsetBuffer().setBytes(0, bytes, 0, (count + 1L) * 4);
    }

    private void fillValidity(ArrowBuf validity, TupleBlock block, int field, int first, int count) {
        int length = (count + 7) / 8;
        int bit = block.layout().nullBit(field);
        byte[] bits = scratch(length);
        if (bit < 0) {
            Arrays.fill(bits, 0, length, (byte) -1);
        } else {
            Arrays.fill(bits, 0, length, (byte) 0);
            for (int i = 0; i < count; i++) {
                bits[i >> 3] |= (byte) ((~(block.nullMask(first + i) >>> bit) & 1) << (i & 7));
            }
        }
        validity.setBytes(0, bits, 0, length);
    }

    private byte[] scratch(int length) {
        if (scratch.length < length) {
            scratch = new byte[Math.max(length, 4096)];
        }
        return scratch;
    }

    @Override
    public void close() {
        root.close();
    }
}
