package io.waterwheel.benchmark.comparison;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;

/**
 * Rows of tuple blocks as Parquet's records: each field a column of the type that says the same. A key that is made
 * from fields is not among them.
 */
final class ParquetRows extends WriteSupport<ParquetRows.Row> {
    /** A row of a block. */
    record Row(TupleBlock block, int row) {}

    private final RowLayout layout;
    private final MessageType schema;
    private RecordConsumer consumer;

    @SuppressWarnings("NullAway.Init") // Parquet hands out the consumer before the first row
    private ParquetRows(RowLayout layout) {
        this.layout = layout;
        this.schema = new MessageType(
                "tuple", layout.fields().stream().map(ParquetRows::type).toList());
    }

    /** Makes writers. */
    static final class Builder extends ParquetWriter.Builder<Row, Builder> {
        private final RowLayout layout;

        Builder(OutputFile file, RowLayout layout) {
            super(file);
            this.layout = layout;
        }

        @Override
        protected Builder self() {
            return this;
        }

        @Override
        @SuppressWarnings("deprecation") // abstract: there is no way around it
        protected WriteSupport<Row> getWriteSupport(Configuration configuration) {
            return new ParquetRows(layout);
        }
    }

    private static Type type(Field field) {
        Type.Repetition repetition = field.nullable() ? Type.Repetition.OPTIONAL : Type.Repetition.REQUIRED;
        PrimitiveTypeName name =
                switch (field.type().physical()) {
                    case INT32, UINT32 -> PrimitiveTypeName.INT32;
                    case INT64 -> PrimitiveTypeName.INT64;
                    case FLOAT32 -> PrimitiveTypeName.FLOAT;
                    case FLOAT64 -> PrimitiveTypeName.DOUBLE;
                    case BOOLEAN -> PrimitiveTypeName.BOOLEAN;
                    case VARIABLE -> PrimitiveTypeName.BINARY;
                };
        Types.PrimitiveBuilder<?> type = Types.primitive(name, repetition);
        switch (field.type().kind()) {
            case TIMESTAMP -> type.as(LogicalTypeAnnotation.timestampType(true, TimeUnit.MILLIS));
            case TIMESTAMP_US -> type.as(LogicalTypeAnnotation.timestampType(true, TimeUnit.MICROS));
            case TIMESTAMP_NS -> type.as(LogicalTypeAnnotation.timestampType(true, TimeUnit.NANOS));
            case IPV4 -> type.as(LogicalTypeAnnotation.intType(32, false));
            case STRING -> type.as(LogicalTypeAnnotation.stringType());
            default -> {}
        }
        return (Type) type.named(field.name());
    }

    @Override
    @SuppressWarnings("deprecation") // abstract: there is no way around it
    public WriteContext init(Configuration configuration) {
        return new WriteContext(schema, Map.of());
    }

    @Override
    public void prepareForWrite(RecordConsumer rows) {
        this.consumer = rows;
    }

    @Override
    public void write(Row row) {
        consumer.startMessage();
        List<Field> fields = layout.fields();
        for (int f = 0; f < fields.size(); f++) {
            Field field = fields.get(f);
            if (!field.nullable() || !row.block.isNull(f, row.row)) {
                consumer.startField(field.name(), f);
                value(row.block, f, row.row);
                consumer.endField(field.name(), f);
            }
        }
        consumer.endMessage();
    }

    private void value(TupleBlock block, int field, int row) {
        int column = layout.columnOf(field);
        switch (layout.fields().get(field).type().physical()) {
            case INT32, UINT32 ->
                consumer.addInteger(
                        column == RowLayout.KEY
                                ? (int) block.keys()[row]
                                : LittleEndian.getInt(block.column(column), row * 4));
            case INT64 -> consumer.addLong(wide(block, column, row));
            case FLOAT32 -> consumer.addFloat(Float.intBitsToFloat(LittleEndian.getInt(block.column(column), row * 4)));
            case FLOAT64 -> consumer.addDouble(LittleEndian.getDouble(block.column(column), row * 8));
            case BOOLEAN -> consumer.addBoolean(block.column(column)[row] != 0);
            case VARIABLE -> {
                long reference = LittleEndian.getLong(block.column(column), row * 8);
                // Parquet copies what it keeps: the block is used again.
                consumer.addBinary(Binary.fromReusedByteArray(
                        block.arena(), TupleBlock.referenceOffset(reference), TupleBlock.referenceLength(reference)));
            }
        }
    }

    private static long wide(TupleBlock block, int column, int row) {
        return switch (column) {
            case RowLayout.KEY -> block.keys()[row];
            case RowLayout.TIME -> block.times()[row];
            default -> LittleEndian.getLong(block.column(column), row * 8);
        };
    }

    /** Makes a record that was read the only row of the block, as it was when it was written. */
    static void toBlock(Group group, TupleBlock block) {
        RowLayout layout = block.layout();
        block.clear();
        block.ensureRows(1);
        long mask = 0;
        for (int f = 0; f < layout.fields().size(); f++) {
            if (group.getFieldRepetitionCount(f) == 0) {
                mask |= 1L << layout.nullBit(f);
                continue;
            }
            int column = layout.columnOf(f);
            switch (layout.fields().get(f).type().physical()) {
                case INT32, UINT32 -> {
                    if (column == RowLayout.KEY) {
                        block.keys()[0] = group.getInteger(f, 0);
                    } else {
                        LittleEndian.putInt(block.column(column), 0, group.getInteger(f, 0));
                    }
                }
                case INT64 -> {
                    switch (column) {
                        case RowLayout.KEY -> block.keys()[0] = group.getLong(f, 0);
                        case RowLayout.TIME -> block.times()[0] = group.getLong(f, 0);
                        default -> LittleEndian.putLong(block.column(column), 0, group.getLong(f, 0));
                    }
                }
                case FLOAT32 ->
                    LittleEndian.putInt(block.column(column), 0, Float.floatToRawIntBits(group.getFloat(f, 0)));
                case FLOAT64 ->
                    LittleEndian.putLong(block.column(column), 0, Double.doubleToRawLongBits(group.getDouble(f, 0)));
                case BOOLEAN -> block.column(column)[0] = (byte) (group.getBoolean(f, 0) ? 1 : 0);
                case VARIABLE -> {
                    byte[] value = group.getBinary(f, 0).getBytes();
                    LittleEndian.putLong(block.column(column), 0, block.addToArena(value, 0, value.length));
                }
            }
        }
        block.setSize(1);
        if (layout.nullMaskColumn() >= 0) {
            block.setNullMask(0, mask);
        }
    }
}
