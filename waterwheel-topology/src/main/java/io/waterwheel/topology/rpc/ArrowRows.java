package io.waterwheel.topology.rpc;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
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
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Copies rows of tuple blocks into a batch of Arrow vectors, block behind block: columns of the same width in one go,
 * text and bytes gathered first. One thread at a time. Holds one batch of memory until closed; a batch that was handed
 * out is left as it is, so that it need not be copied.
 */
final class ArrowRows implements AutoCloseable {
    /** Memory that is taken for text that may come. */
    private static final long MOST_EXPECTED_BYTES = 1 << 20;

    private static final int DECIMAL_BYTES = 16;
    private static final int DECIMAL_BITS = 8 * DECIMAL_BYTES;

    private final List<Field> fields;
    private final VectorSchemaRoot root;
    /** The columns to send: some vectors of the root, in an order and under names of their own. */
    private final VectorSchemaRoot shown;

    /** By field, bytes of text and bytes that the batch has. */
    private final int[] textBytes;

    /** By field, what its values are multiplied by. */
    private final long[] nanosAUnit;

    private int capacity;
    private int rows;
    private byte[] scratch = {};

    ArrowRows(List<Field> fields, BufferAllocator allocator) {
        this(fields, null, FlightExtension.Form.OWN, allocator);
    }

    /**
     * Rows of these fields.
     *
     * @param columns what is sent of them, or null for all
     */
    ArrowRows(
            List<Field> fields,
            @Nullable List<ColumnSink.Column> columns,
            FlightExtension.Form form,
            BufferAllocator allocator) {
        this.fields = List.copyOf(fields);
        this.textBytes = new int[fields.size()];
        this.nanosAUnit = new long[fields.size()];
        for (int f = 0; f < nanosAUnit.length; f++) {
            nanosAUnit[f] = form.nanos() ? nanosAUnit(fields.get(f).type()) : 1;
        }
        root = VectorSchemaRoot.create(schema(fields, form), allocator);
        shown = columns == null ? root : shown(root, columns);
    }

    private static Schema schema(List<Field> fields, FlightExtension.Form form) {
        List<org.apache.arrow.vector.types.pojo.Field> arrow = new ArrayList<>();
        for (Field field : fields) {
            arrow.add(new org.apache.arrow.vector.types.pojo.Field(
                    field.name(),
                    new org.apache.arrow.vector.types.pojo.FieldType(
                            field.nullable() || form.nullable(),
                            form.nanos() && nanosAUnit(field.type()) > 1
                                    ? type(FieldType.TIMESTAMP_NS, form.zoned() ? "UTC" : null)
                                    : type(field.type(), form.zoned() ? "UTC" : null),
                            null,
                            TypeMetadata.of(field.type())),
                    null));
        }
        return new Schema(arrow);
    }

    /** What an answer of these fields is announced as. */
    static Schema schema(List<Field> fields, List<ColumnSink.Column> columns, FlightExtension.Form form) {
        Schema all = schema(fields, form);
        return new Schema(columns.stream()
                .map(column -> new org.apache.arrow.vector.types.pojo.Field(
                        column.label(), all.getFields().get(column.field()).getFieldType(), null))
                .toList());
    }

    private static VectorSchemaRoot shown(VectorSchemaRoot root, List<ColumnSink.Column> columns) {
        List<org.apache.arrow.vector.types.pojo.Field> named = new ArrayList<>();
        List<FieldVector> vectors = new ArrayList<>();
        for (ColumnSink.Column column : columns) {
            FieldVector vector = root.getVector(column.field());
            named.add(new org.apache.arrow.vector.types.pojo.Field(
                    column.label(), vector.getField().getFieldType(), null));
            vectors.add(vector);
        }
        return new VectorSchemaRoot(named, vectors);
    }

    private static ArrowType type(FieldType type, @Nullable String zone) {
        return switch (type.kind()) {
            case INT -> new ArrowType.Int(32, true);
            case LONG -> new ArrowType.Int(64, true);
            case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
            case BOOLEAN -> ArrowType.Bool.INSTANCE;
            case TIMESTAMP -> new ArrowType.Timestamp(TimeUnit.MILLISECOND, zone);
            case TIMESTAMP_US -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, zone);
            case TIMESTAMP_NS -> new ArrowType.Timestamp(TimeUnit.NANOSECOND, zone);
            case IPV4 -> new ArrowType.Int(32, false);
            case STRING -> ArrowType.Utf8.INSTANCE;
            case BYTES -> ArrowType.Binary.INSTANCE;
            case UUID, IPV6 -> new ArrowType.FixedSizeBinary(FieldType.SIXTEEN);
            case DECIMAL -> new ArrowType.Decimal(type.precision(), type.scale(), DECIMAL_BITS);
        };
    }

    /** 1 for what is no time that is coarser. */
    private static long nanosAUnit(FieldType type) {
        return switch (type.kind()) {
            case TIMESTAMP -> 1_000_000;
            case TIMESTAMP_US -> 1_000;
            default -> 1;
        };
    }

    VectorSchemaRoot root() {
        return root;
    }

    /** What is sent. */
    VectorSchemaRoot shown() {
        return shown;
    }

    /**
     * Forgets the rows, and takes memory for others, at most {@code mostRows}; what was handed out may be in use still.
     */
    void begin(int mostRows) {
        root.clear();
        rows = 0;
        capacity = mostRows;
        Arrays.fill(textBytes, 0);
        for (FieldVector vector : root.getFieldVectors()) {
            if (vector instanceof BaseVariableWidthVector variable) {
                variable.allocateNew(0, mostRows);
            } else {
                ((BaseFixedWidthVector) vector).allocateNew(mostRows);
            }
        }
        root.setRowCount(0);
    }

    int rows() {
        return rows;
    }

    /** Rows that can still be added. */
    int room() {
        return capacity - rows;
    }

    /** Adds {@code count} of the block's rows, not more than there is room for; its fields are the constructor's. */
    void add(TupleBlock block, int first, int count) {
        RowLayout layout = block.layout();
        for (int f = 0; f < fields.size(); f++) {
            FieldVector vector = root.getVector(f);
            if (vector instanceof BaseVariableWidthVector variable) {
                addVariable(variable, f, block, layout.columnOf(f), first, count);
            } else if (fields.get(f).type().isDecimal()) {
                addDecimals(vector.getDataBuffer(), block, f, first, count);
            } else if (fields.get(f).type().hasSixteenBytes()) {
                addSixteen(vector.getDataBuffer(), block, layout.columnOf(f), first, count);
            } else if (nanosAUnit[f] > 1) {
                addNanos(vector.getDataBuffer(), block, f, first, count);
            } else {
                addFixed(vector.getDataBuffer(), block, f, first, count);
            }
            addValidity(vector.getValidityBuffer(), block, f, first, count);
        }
        rows += count;
    }

    /** All rows are there: the root has them. */
    void end() {
        for (FieldVector vector : root.getFieldVectors()) {
            // Here the vector may look at the validity.
            if (vector instanceof BaseVariableWidthVector variable) {
                variable.setLastSet(rows - 1);
            }
            vector.setValueCount(rows);
        }
        root.setRowCount(rows);
        if (shown != root) {
            shown.setRowCount(rows);
        }
    }

    private void addFixed(ArrowBuf data, TupleBlock block, int field, int first, int count) {
        int column = block.layout().columnOf(field);
        FieldType type = fields.get(field).type();
        int width = type.width();
        long at = (long) rows * width;
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
            data.setBytes(at, bytes, 0, (long) count * width);
        } else if (type.physical() == PhysicalType.BOOLEAN) {
            byte[] values = block.column(column);
            byte[] bits = bits(data, count);
            int shift = rows & 7;
            for (int i = 0; i < count; i++) {
                bits[(shift + i) >> 3] |= (byte) ((values[first + i] & 1) << ((shift + i) & 7));
            }
            data.setBytes(rows >> 3, bits, 0, bitsBytes(count));
        } else {
            data.setBytes(at, block.column(column), first * width, (long) count * width);
        }
    }

    /** Times as nanoseconds. What stands where one is null may be any number. */
    private void addNanos(ArrowBuf data, TupleBlock block, int field, int first, int count) {
        int column = block.layout().columnOf(field);
        byte[] bytes = scratch(count * Long.BYTES);
        for (int i = 0; i < count; i++) {
            int row = first + i;
            long units = column == RowLayout.KEY
                    ? block.keys()[row]
                    : column < 0 ? block.times()[row] : LittleEndian.getLong(block.column(column), row * Long.BYTES);
            LittleEndian.putLong(bytes, i * Long.BYTES, block.isNull(field, row) ? 0 : nanos(units, field));
        }
        data.setBytes((long) rows * Long.BYTES, bytes, 0, (long) count * Long.BYTES);
    }

    private long nanos(long units, int field) {
        long nanos = units * nanosAUnit[field];
        if (Math.multiplyHigh(units, nanosAUnit[field]) != nanos >> 63) {
            throw new WaterwheelException(
                    ErrorCode.SQL_VALUE,
                    "a time of " + fields.get(field).name() + " is not within the years that nanoseconds hold, 1678 to"
                            + " 2261; ask for it without the option time_unit");
        }
        return nanos;
    }

    /** Numbers of 128 bits, in two's complement. */
    private void addDecimals(ArrowBuf data, TupleBlock block, int field, int first, int count) {
        int column = block.layout().columnOf(field);
        boolean variable = fields.get(field).type().variable();
        byte[] bytes = scratch(count * DECIMAL_BYTES);
        for (int i = 0; i < count; i++) {
            int row = first + i;
            long low = column == RowLayout.KEY
                    ? block.keys()[row]
                    : LittleEndian.getLong(block.column(column), row * Long.BYTES);
            long high = low >> 63;
            if (variable) {
                boolean present = TupleBlock.referenceLength(low) == DECIMAL_BYTES;
                int at = present ? TupleBlock.referenceOffset(low) : 0;
                high = present ? Long.reverseBytes(LittleEndian.getLong(block.arena(), at)) ^ Long.MIN_VALUE : 0;
                low = present ? Long.reverseBytes(LittleEndian.getLong(block.arena(), at + Long.BYTES)) : 0;
            }
            LittleEndian.putLong(bytes, i * DECIMAL_BYTES, low);
            LittleEndian.putLong(bytes, i * DECIMAL_BYTES + Long.BYTES, high);
        }
        data.setBytes((long) rows * DECIMAL_BYTES, bytes, 0, (long) count * DECIMAL_BYTES);
    }

    /** What stands where a value is null means nothing, in the block as in the vector. */
    private void addSixteen(ArrowBuf data, TupleBlock block, int column, int first, int count) {
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
        data.setBytes((long) rows * FieldType.SIXTEEN, bytes, 0, (long) count * FieldType.SIXTEEN);
    }

    private void addVariable(
            BaseVariableWidthVector vector, int field, TupleBlock block, int column, int first, int count) {
        byte[] references = block.column(column);
        byte[] arena = block.arena();
        int total = 0;
        for (int i = 0; i < count; i++) {
            total = Math.addExact(total, LittleEndian.getInt(references, (first + i) * 8 + 4));
        }
        int before = textBytes[field];
        textBytes[field] = Math.addExact(before, total);
        if (vector.getDataBuffer().capacity() < textBytes[field]) {
            // Of the whole batch, by the rows so far; and not a little more for each block.
            long expected = (long) textBytes[field] / (rows + count) * capacity;
            vector.reallocDataBuffer(Math.max(textBytes[field], Math.min(expected, MOST_EXPECTED_BYTES)));
        }
        byte[] bytes = scratch(Math.max(total, (count + 1) * 4));
        int at = 0;
        for (int i = 0; i < count; i++) {
            long reference = LittleEndian.getLong(references, (first + i) * 8);
            int length = TupleBlock.referenceLength(reference);
            System.arraycopy(arena, TupleBlock.referenceOffset(reference), bytes, at, length);
            at += length;
        }
        vector.getDataBuffer().setBytes(before, bytes, 0, total);
        at = before;
        for (int i = 0; i <= count; i++) {
            LittleEndian.putInt(bytes, i * 4, at);
            if (i < count) {
                at += LittleEndian.getInt(references, (first + i) * 8 + 4);
            }
        }
        vector.getOffsetBuffer().setBytes(rows * 4L, bytes, 0, (count + 1L) * 4);
    }

    private void addValidity(ArrowBuf validity, TupleBlock block, int field, int first, int count) {
        int bit = block.layout().nullBit(field);
        byte[] bits = bits(validity, count);
        int shift = rows & 7;
        if (bit < 0) {
            bits[0] |= (byte) (-1 << shift);
            Arrays.fill(bits, 1, Math.max(1, bitsBytes(count)), (byte) -1);
        } else {
            for (int i = 0; i < count; i++) {
                bits[(shift + i) >> 3] |= (byte) ((~(block.nullMask(first + i) >>> bit) & 1) << ((shift + i) & 7));
            }
        }
        validity.setBytes(rows >> 3, bits, 0, bitsBytes(count));
    }

    /** Bytes that hold a bit for each of the next rows; the first one may hold bits of rows before. */
    private int bitsBytes(int count) {
        return ((rows & 7) + count + 7) >> 3;
    }

    /** Those bytes, with the bits of rows before in the first one and no others. */
    private byte[] bits(ArrowBuf buffer, int count) {
        int length = bitsBytes(count);
        byte[] bits = scratch(length);
        Arrays.fill(bits, 0, length, (byte) 0);
        int shift = rows & 7;
        if (shift > 0) {
            bits[0] = (byte) (buffer.getByte(rows >> 3) & ((1 << shift) - 1));
        }
        return bits;
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
