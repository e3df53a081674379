package io.waterwheel.encode;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.UUID;

/** Java's values as the columns of fields hold them. Pure functions. */
final class JavaValues {
    private JavaValues() {}

    /**
     * The number that the column of a field of whole numbers holds for a value.
     *
     * @throws IllegalArgumentException when the value does not fit the field
     */
    static long wholeNumber(Field field, Object value) {
        FieldType type = field.type();
        if (type == FieldType.IPV4) {
            return address(field, value);
        }
        if (type.isDecimal()) {
            try {
                return Decimals.unscaled(decimal(field, value), type.precision(), type.scale());
            } catch (ArithmeticException e) {
                throw unfit(field, Decimals.expected(type.precision(), type.scale()), value);
            }
        }
        if (type.isTimestamp() && value instanceof Instant instant) {
            try {
                return type.resolution().units(instant);
            } catch (DateTimeException e) {
                throw new IllegalArgumentException("field " + field.name() + ": " + e.getMessage(), e);
            }
        }
        if (!(value instanceof Number given)) {
            throw unfit(field, type.isTimestamp() ? "a Long or an Instant" : "a whole number", value);
        }
        if (!(value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte)) {
            throw unfit(field, "a whole number", value);
        }
        long number = given.longValue();
        if (type == FieldType.INT && number != (int) number) {
            throw unfit(field, "a whole number of 32 bits", value);
        }
        return number;
    }

    /** A decimal: a BigDecimal, a whole number, or text. No double: what it stands for is not what was written. */
    private static BigDecimal decimal(Field field, Object value) {
        if (value instanceof BigDecimal decimal) {
            return decimal;
        } else if (value instanceof BigInteger whole) {
            return new BigDecimal(whole);
        } else if (value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte) {
            return BigDecimal.valueOf(((Number) value).longValue());
        } else if (value instanceof String text) {
            try {
                return Decimals.value(text);
            } catch (IllegalArgumentException e) {
                throw unfit(field, "a String with a decimal", value);
            }
        }
        throw unfit(field, "a BigDecimal, a whole number, or a String with a decimal", value);
    }

    private static long address(Field field, Object value) {
        if (value instanceof String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            long address = Ipv4.parse(bytes, 0, bytes.length);
            if (address >= 0) {
                return address;
            }
        }
        throw unfit(field, "a String with an IPv4 address", value);
    }

    /** The number of a field of floats or doubles; see {@link #wholeNumber}. */
    static Number number(Field field, Object value) {
        if (value instanceof Number number) {
            return number;
        }
        throw unfit(field, "a number", value);
    }

    /** The number of a field of floats; see {@link #wholeNumber}. It may be rounded, but not to an infinity. */
    static float single(Field field, Object value) {
        Number number = number(field, value);
        float single = number.floatValue();
        if (Float.isInfinite(single) && !Double.isInfinite(number.doubleValue())) {
            throw unfit(field, "a number in the range of a float", value);
        }
        return single;
    }

    /** The value of a boolean field; see {@link #wholeNumber}. */
    static boolean flag(Field field, Object value) {
        if (value instanceof Boolean flag) {
            return flag;
        }
        throw unfit(field, "a Boolean", value);
    }

    /** The bytes of a field whose values lie in the arena; see {@link #wholeNumber}. */
    static byte[] bytes(Field field, Object value) {
        if (field.type() == FieldType.BYTES) {
            if (value instanceof byte[] bytes) {
                return bytes;
            }
            throw unfit(field, "a byte[]", value);
        }
        if (field.type().hasSixteenBytes()) {
            return sixteen(field, value);
        }
        if (field.type().isDecimal()) {
            try {
                return Decimals.bytes(
                        decimal(field, value),
                        field.type().precision(),
                        field.type().scale());
            } catch (ArithmeticException e) {
                throw unfit(
                        field,
                        Decimals.expected(field.type().precision(), field.type().scale()),
                        value);
            }
        }
        if (!(value instanceof String text)) {
            throw unfit(field, "a String", value);
        }
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            return copy;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "field " + field.name() + ": half of a surrogate pair is no character", e);
        }
    }

    private static byte[] sixteen(Field field, Object value) {
        FieldType type = field.type();
        byte[] bytes = new byte[FieldType.SIXTEEN];
        if (type == FieldType.UUID && value instanceof UUID uuid) {
            ByteBuffer.wrap(bytes).putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
            return bytes;
        }
        if (value instanceof String text) {
            byte[] written = text.getBytes(StandardCharsets.UTF_8);
            if (type.parseSixteen(written, 0, written.length, bytes)) {
                return bytes;
            }
        }
        throw unfit(
                field,
                type == FieldType.UUID ? "a UUID, or a String with one" : "a String with an IPv6 address",
                value);
    }

    private static IllegalArgumentException unfit(Field field, String expected, Object value) {
        return new IllegalArgumentException(
                "field " + field.name() + " of type " + field.type().schemaName() + ": expected " + expected + ", got "
                        + value.getClass().getSimpleName() + " " + value);
    }
}
