package io.waterwheel.client;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.wire.TypeMetadata;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.TimeStampNanoTZVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;

/** The types of fields in Java: which vectors, objects and record components they are, both ways. Pure functions. */
final class JavaTypes {
    private JavaTypes() {}

    /** The type of the field that a vector of an answer is of. */
    static FieldType of(FieldVector vector) {
        if (vector instanceof IntVector) {
            return FieldType.INT;
        } else if (vector instanceof BigIntVector) {
            return FieldType.LONG;
        } else if (vector instanceof TimeStampMilliTZVector) {
            return FieldType.TIMESTAMP;
        } else if (vector instanceof TimeStampMicroTZVector) {
            return FieldType.TIMESTAMP_US;
        } else if (vector instanceof TimeStampNanoTZVector) {
            return FieldType.TIMESTAMP_NS;
        } else if (vector instanceof UInt4Vector) {
            return FieldType.IPV4;
        } else if (vector instanceof Float4Vector) {
            return FieldType.FLOAT;
        } else if (vector instanceof Float8Vector) {
            return FieldType.DOUBLE;
        } else if (vector instanceof BitVector) {
            return FieldType.BOOLEAN;
        } else if (vector instanceof VarCharVector) {
            return FieldType.STRING;
        } else if (vector instanceof VarBinaryVector) {
            return FieldType.BYTES;
        } else if (vector instanceof FixedSizeBinaryVector bytes && bytes.getByteWidth() == FieldType.SIXTEEN) {
            FieldType type = TypeMetadata.sixteen(vector.getField().getMetadata());
            if (type != null) {
                return type;
            }
        }
        throw new IllegalArgumentException("field " + vector.getField() + ": its type is unknown to this client");
    }

    /** The types of a record's component that hold every value of a field of the type. */
    static Set<Class<?>> fitting(FieldType type) {
        return switch (type) {
            case INT -> Set.of(int.class, Integer.class, long.class, Long.class);
            case LONG -> Set.of(long.class, Long.class);
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> Set.of(Instant.class, long.class, Long.class);
            case FLOAT -> Set.of(float.class, Float.class, double.class, Double.class);
            case DOUBLE -> Set.of(double.class, Double.class);
            case BOOLEAN -> Set.of(boolean.class, Boolean.class);
            case STRING, IPV4, IPV6 -> Set.of(String.class);
            case UUID -> Set.of(UUID.class, String.class);
            case BYTES -> Set.of(byte[].class);
        };
    }

    /** The value of a row that is not null. */
    static Object value(Columns columns, int field, int row) {
        return switch (columns.fields().get(field).type()) {
            case INT -> (int) columns.getLong(field, row);
            case LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> columns.getLong(field, row);
            case FLOAT -> columns.getFloat(field, row);
            case DOUBLE -> columns.getDouble(field, row);
            case BOOLEAN -> columns.getBoolean(field, row);
            case STRING, IPV4, IPV6, UUID -> columns.getString(field, row);
            case BYTES -> columns.getBytes(field, row);
        };
    }

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
