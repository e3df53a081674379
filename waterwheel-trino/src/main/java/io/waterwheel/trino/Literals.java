package io.waterwheel.trino;

import io.airlift.slice.Slice;
import io.trino.spi.type.DateTimeEncoding;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Values of columns as Trino's planner holds them, in Waterwheel's forms. Pure functions. */
final class Literals {
    private static final int PICOS_OF_NANO = 1_000;
    private static final int MAPPED_FROM = 10;
    private static final int ADDRESS_FROM = 12;

    private Literals() {}

    /**
     * A literal of the column's type.
     *
     * @param value as a Domain of the type has it
     * @return null for what no literal is: NaN, infinities, times beyond the years 1 to 9999, broken UTF-8
     */
    static Expression.@Nullable Literal of(StreamColumn column, Object value) {
        FieldType type = column.waterwheelType();
        return switch (type.kind()) {
            case INT, LONG -> new Expression.Whole((Long) value);
            case FLOAT -> finite(Float.intBitsToFloat(Math.toIntExact((Long) value)));
            case DOUBLE -> finite((Double) value);
            case BOOLEAN -> new Expression.Truth((Boolean) value);
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> moment(value);
            case STRING -> text((Slice) value);
            case BYTES -> new Expression.Hex(HexFormat.of().formatHex(((Slice) value).getBytes()));
            case DECIMAL -> new Expression.Exact(decimal((DecimalType) column.type(), value));
            case UUID -> new Expression.Sixteen(ValueType.UUID, type.textOfSixteen(((Slice) value).getBytes(), 0));
            case IPV6 -> new Expression.Sixteen(ValueType.IPV6, type.textOfSixteen(((Slice) value).getBytes(), 0));
            case IPV4 -> address(((Slice) value).getBytes());
        };
    }

    /** Whether ranges of the column's values may be asked for, and not only values. */
    static boolean inOrder(StreamColumn column) {
        return switch (column.waterwheelType().kind()) {
            case INT, LONG, FLOAT, DOUBLE, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS, STRING, BYTES, DECIMAL -> true;
            // Trino orders UUIDs and addresses by rules of its own.
            case BOOLEAN, UUID, IPV4, IPV6 -> false;
        };
    }

    /**
     * Whether comparisons mean the same on both sides for every value. Of floats they do not: NaN is above all numbers
     * in Waterwheel, and beside them in Trino. What Waterwheel finds is then more than what Trino wants.
     */
    static boolean sameOrder(StreamColumn column) {
        FieldType.Kind kind = column.waterwheelType().kind();
        return kind != FieldType.Kind.FLOAT && kind != FieldType.Kind.DOUBLE;
    }

    /**
     * The key of a value of the field that makes the key.
     *
     * @return empty where it is not known here, and the key is not bounded then
     */
    static OptionalLong key(StreamColumn column, Object value) {
        FieldType type = column.waterwheelType();
        return switch (type.kind()) {
            case INT, LONG -> OptionalLong.of((Long) value);
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> timestamp(type, value);
            case DOUBLE ->
                Double.isNaN((Double) value)
                        ? OptionalLong.empty()
                        : OptionalLong.of(KeyCodec.ofDouble((Double) value));
            case STRING, BYTES -> {
                byte[] bytes = ((Slice) value).getBytes();
                yield OptionalLong.of(KeyCodec.ofBytes(bytes, 0, bytes.length));
            }
            case DECIMAL -> type.variable() ? OptionalLong.empty() : OptionalLong.of((Long) value);
            case FLOAT, BOOLEAN, UUID, IPV4, IPV6 -> OptionalLong.empty();
        };
    }

    /** Milliseconds since 1970 UTC in which a time lies. */
    static long millis(Object value) {
        return value instanceof LongTimestampWithTimeZone time
                ? time.getEpochMillis()
                : DateTimeEncoding.unpackMillisUtc((Long) value);
    }

    private static OptionalLong timestamp(FieldType type, Object value) {
        try {
            return OptionalLong.of(type.resolution().units(instant(value)));
        } catch (DateTimeException e) {
            // Beyond what the field can hold.
            return OptionalLong.empty();
        }
    }

    private static Instant instant(Object value) {
        Instant milli = Instant.ofEpochMilli(millis(value));
        return value instanceof LongTimestampWithTimeZone time
                ? milli.plusNanos(time.getPicosOfMilli() / PICOS_OF_NANO)
                : milli;
    }

    private static Expression.@Nullable Literal moment(Object value) {
        try {
            return new Expression.Moment(instant(value));
        } catch (IllegalArgumentException e) {
            // Before the year 1 or after 9999.
            return null;
        }
    }

    private static Expression.@Nullable Literal finite(double value) {
        return Double.isFinite(value) ? new Expression.Decimal(value) : null;
    }

    private static Expression.@Nullable Literal text(Slice value) {
        try {
            return new Expression.Text(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value.getBytes()))
                    .toString());
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static BigDecimal decimal(DecimalType type, Object value) {
        BigInteger unscaled = type.isShort() ? BigInteger.valueOf((Long) value) : ((Int128) value).toBigInteger();
        return new BigDecimal(unscaled, type.getScale());
    }

    private static Expression.@Nullable Literal address(byte[] sixteen) {
        for (int i = 0; i < ADDRESS_FROM; i++) {
            if (sixteen[i] != (byte) (i < MAPPED_FROM ? 0 : 0xFF)) {
                return null;
            }
        }
        return new Expression.Address(ByteBuffer.wrap(sixteen).getInt(ADDRESS_FROM));
    }
}
