package io.waterwheel.decode.avro;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.decode.avro.AvroType.Logical;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.ValueKind;
import io.waterwheel.decode.typed.ValueSink;
import io.waterwheel.schema.TimestampUnit;

/** Steps that read the value of a field. */
final class AvroLeaf {
    private AvroLeaf() {}

    /** What the values of a type are. */
    private static ValueKind kind(AvroType type) {
        return switch (type.logical) {
            case DATE -> ValueKind.DATE;
            case DECIMAL -> ValueKind.DECIMAL;
            case TIME_MILLIS, TIME_MICROS -> ValueKind.TIME_OF_DAY;
            case TIMESTAMP_MILLIS, TIMESTAMP_MICROS, TIMESTAMP_NANOS -> ValueKind.INSTANT;
            case LOCAL_TIMESTAMP_MILLIS, LOCAL_TIMESTAMP_MICROS, LOCAL_TIMESTAMP_NANOS -> ValueKind.LOCAL_TIME;
            case NONE, UUID ->
                switch (type.kind) {
                    case BOOLEAN -> ValueKind.BOOLEAN;
                    case INT, LONG -> ValueKind.INTEGER;
                    case FLOAT, DOUBLE -> ValueKind.NUMBER;
                    case BYTES, FIXED -> ValueKind.BYTES;
                    case STRING, ENUM -> ValueKind.TEXT;
                    case NULL, RECORD, ARRAY, MAP, UNION -> ValueKind.STRUCTURE;
                };
        };
    }

    /**
     * The step that reads a field of a type that is no union.
     *
     * @throws MalformedException when the field can hold no value of it
     */
    static AvroNode of(AvroType type, int field, ValueSink sink) throws MalformedException {
        if (type.kind == AvroType.Kind.NULL) {
            return (in, values) -> values.nothing(field);
        }
        String unfit = sink.unfit(field, kind(type));
        if (unfit != null) {
            throw new MalformedException(unfit + " (the schema has " + type.describe()
                    + (type.logical == Logical.NONE ? "" : ", " + type.logical) + ")");
        }
        return switch (type.logical) {
            case NONE, UUID -> plain(type, field);
            case DATE -> (in, values) -> values.date(field, in.readInt());
            case TIME_MILLIS -> (in, values) -> values.timeOfDay(field, in.readInt(), TimestampUnit.MILLISECONDS);
            case TIME_MICROS -> (in, values) -> values.timeOfDay(field, in.readLong(), TimestampUnit.MICROSECONDS);
            case TIMESTAMP_MILLIS -> (in, values) -> values.instant(field, in.readLong(), TimestampUnit.MILLISECONDS);
            case TIMESTAMP_MICROS -> (in, values) -> values.instant(field, in.readLong(), TimestampUnit.MICROSECONDS);
            case TIMESTAMP_NANOS -> (in, values) -> values.instant(field, in.readLong(), TimestampUnit.NANOSECONDS);
            case LOCAL_TIMESTAMP_MILLIS ->
                (in, values) -> values.local(field, in.readLong(), TimestampUnit.MILLISECONDS);
            case LOCAL_TIMESTAMP_MICROS ->
                (in, values) -> values.local(field, in.readLong(), TimestampUnit.MICROSECONDS);
            case LOCAL_TIMESTAMP_NANOS -> (in, values) -> values.local(field, in.readLong(), TimestampUnit.NANOSECONDS);
            case DECIMAL ->
                (in, values) -> {
                    int length = type.kind == AvroType.Kind.FIXED ? type.size : in.length();
                    int from = in.at;
                    in.skip(length);
                    values.decimal(field, in.bytes, from, length, type.scale);
                };
        };
    }

    private static AvroNode plain(AvroType type, int field) {
        return switch (type.kind) {
            case BOOLEAN -> (in, values) -> values.bool(field, in.readBoolean());
            case INT -> (in, values) -> values.integer(field, in.readInt());
            case LONG -> (in, values) -> values.integer(field, in.readLong());
            case FLOAT -> (in, values) -> values.single(field, in.readFloat());
            case DOUBLE -> (in, values) -> values.number(field, in.readDouble());
            case BYTES ->
                (in, values) -> {
                    int length = in.length();
                    int from = in.at;
                    in.skip(length);
                    values.bytes(field, in.bytes, from, length);
                };
            case STRING ->
                (in, values) -> {
                    int length = in.length();
                    int from = in.at;
                    in.skip(length);
                    values.text(field, in.bytes, from, length);
                };
            case FIXED ->
                (in, values) -> {
                    int from = in.at;
                    in.skip(type.size);
                    values.bytes(field, in.bytes, from, type.size);
                };
            case ENUM -> {
                byte[][] symbols = type.symbols.stream()
                        .map(symbol -> symbol.getBytes(UTF_8))
                        .toArray(byte[][]::new);
                yield (in, values) -> {
                    byte[] symbol = symbols[in.index(symbols.length, type.name)];
                    values.text(field, symbol, 0, symbol.length);
                };
            }
            case NULL, RECORD, ARRAY, MAP, UNION ->
                throw new IllegalStateException("no field holds " + type.describe());
        };
    }
}
