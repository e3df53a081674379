package io.waterwheel.schema;

import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.schema.text.Ipv6;
import io.waterwheel.schema.text.Uuid;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a field of a tuple holds, and how many bytes a row of its column takes. There is one object of each type, so
 * that {@code ==} tells whether two are the same; {@link #kind} is what a {@code switch} asks for. Immutable.
 */
public final class FieldType {
    /** The kinds of types; each constant of {@link FieldType} has the kind of its name. */
    public enum Kind {
        INT,
        LONG,
        FLOAT,
        DOUBLE,
        BOOLEAN,
        TIMESTAMP,
        TIMESTAMP_US,
        TIMESTAMP_NS,
        IPV4,
        STRING,
        BYTES,
        UUID,
        IPV6
    }

    /** Signed 32-bit integer. */
    public static final FieldType INT = new FieldType(Kind.INT, PhysicalType.INT32);

    /** Signed 64-bit integer. */
    public static final FieldType LONG = new FieldType(Kind.LONG, PhysicalType.INT64);

    /** IEEE 754 single, raw bits. */
    public static final FieldType FLOAT = new FieldType(Kind.FLOAT, PhysicalType.FLOAT32);

    /** IEEE 754 double, raw bits. */
    public static final FieldType DOUBLE = new FieldType(Kind.DOUBLE, PhysicalType.FLOAT64);

    /** 0 or 1 in one byte. */
    public static final FieldType BOOLEAN = new FieldType(Kind.BOOLEAN, PhysicalType.BOOLEAN);

    /** Milliseconds since 1970-01-01T00:00:00Z, signed 64-bit. */
    public static final FieldType TIMESTAMP = new FieldType(Kind.TIMESTAMP, PhysicalType.INT64);

    /** Microseconds since 1970-01-01T00:00:00Z, signed 64-bit. */
    public static final FieldType TIMESTAMP_US = new FieldType(Kind.TIMESTAMP_US, PhysicalType.INT64);

    /** Nanoseconds since 1970-01-01T00:00:00Z, signed 64-bit: from the year 1677 to 2262. */
    public static final FieldType TIMESTAMP_NS = new FieldType(Kind.TIMESTAMP_NS, PhysicalType.INT64);

    /** IPv4 address, 32 bits, ordered as an unsigned number. */
    public static final FieldType IPV4 = new FieldType(Kind.IPV4, PhysicalType.UINT32);

    /** UTF-8 text of at most {@link TupleBlock#MAX_VALUE_BYTES} bytes, kept in the arena. */
    public static final FieldType STRING = new FieldType(Kind.STRING, PhysicalType.VARIABLE);

    /** Bytes, at most {@link TupleBlock#MAX_VALUE_BYTES}, kept in the arena. */
    public static final FieldType BYTES = new FieldType(Kind.BYTES, PhysicalType.VARIABLE);

    /** UUID, its 16 bytes in the arena, ordered as bytes. */
    public static final FieldType UUID = new FieldType(Kind.UUID, PhysicalType.VARIABLE);

    /** IPv6 address, its 16 bytes in the arena, ordered as an unsigned number. */
    public static final FieldType IPV6 = new FieldType(Kind.IPV6, PhysicalType.VARIABLE);

    /** Bytes of a value of a type that {@link #hasSixteenBytes}. */
    public static final int SIXTEEN = 16;

    private static final FieldType[] ALL = {
        INT, LONG, FLOAT, DOUBLE, BOOLEAN, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS, IPV4, STRING, BYTES, UUID, IPV6
    };

    private final Kind kind;
    private final PhysicalType physical;

    private FieldType(Kind kind, PhysicalType physical) {
        this.kind = kind;
        this.physical = physical;
    }

    /** All types, in an array of the caller's own. */
    public static FieldType[] values() {
        return ALL.clone();
    }

    /** The type of that {@link #schemaName}; null when there is none. */
    public static @Nullable FieldType named(String schemaName) {
        for (FieldType type : ALL) {
            if (type.schemaName().equals(schemaName)) {
                return type;
            }
        }
        return null;
    }

    /**
     * The type of that {@link #name}.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static FieldType valueOf(String name) {
        for (FieldType type : ALL) {
            if (type.name().equals(name)) {
                return type;
            }
        }
        throw new IllegalArgumentException("no type of fields has the name " + name);
    }

    /** What tells it from types that are read and written in another way. */
    public Kind kind() {
        return kind;
    }

    /** The type's name in catalogs: that of its constant. */
    public String name() {
        return kind.name();
    }

    /** How values lie in columns. */
    public PhysicalType physical() {
        return physical;
    }

    /** Bytes one row takes in the column; for variable fields the width of the arena reference. */
    public int width() {
        return physical.width();
    }

    /** Whether the value lies in the arena and the column holds a reference to it. */
    public boolean variable() {
        return physical == PhysicalType.VARIABLE;
    }

    /** The type's name in a schema file: lower case. */
    public String schemaName() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    public boolean isTimestamp() {
        return this == TIMESTAMP || this == TIMESTAMP_US || this == TIMESTAMP_NS;
    }

    /** Whether it is a number: whole or not, no time. */
    public boolean isNumber() {
        return this == INT || this == LONG || this == FLOAT || this == DOUBLE;
    }

    /** Whether each value has 16 bytes, which are written as text in one way: a UUID or an IPv6 address. */
    public boolean hasSixteenBytes() {
        return this == UUID || this == IPV6;
    }

    /**
     * Reads a value of 16 bytes from ASCII bytes [from, to) into the first 16 of {@code out}.
     *
     * @return whether they are a value of this type; when not, what {@code out} holds is undefined
     * @throws IllegalStateException for a type that has no {@link #hasSixteenBytes 16 bytes}
     */
    public boolean parseSixteen(byte[] text, int from, int to, byte[] out) {
        return switch (kind) {
            case UUID -> Uuid.parse(text, from, to, out);
            case IPV6 -> Ipv6.parse(text, from, to, out);
            default -> throw new IllegalStateException(this + " has no 16 bytes");
        };
    }

    /**
     * A value of 16 bytes, those from {@code at} on, as text.
     *
     * @throws IllegalStateException for a type that has no {@link #hasSixteenBytes 16 bytes}
     */
    public String textOfSixteen(byte[] bytes, int at) {
        return switch (kind) {
            case UUID -> Uuid.text(bytes, at);
            case IPV6 -> Ipv6.text(bytes, at);
            default -> throw new IllegalStateException(this + " has no 16 bytes");
        };
    }

    /** A value of 16 bytes in words, for messages. */
    public String sixteenExpected() {
        return switch (kind) {
            case UUID -> "a UUID such as 123e4567-e89b-12d3-a456-426614174000";
            case IPV6 -> "an IPv6 address such as 2001:db8::1";
            default -> throw new IllegalStateException(this + " has no 16 bytes");
        };
    }

    /** Whether a value is a whole number that is its own order-preserving key. */
    public boolean isWholeNumber() {
        return physical.isWholeNumber();
    }

    /**
     * The unit that a timestamp type counts in.
     *
     * @throws IllegalStateException for any other type
     */
    public TimestampUnit resolution() {
        return switch (kind) {
            case TIMESTAMP -> TimestampUnit.MILLISECONDS;
            case TIMESTAMP_US -> TimestampUnit.MICROSECONDS;
            case TIMESTAMP_NS -> TimestampUnit.NANOSECONDS;
            default -> throw new IllegalStateException(this + " is no timestamp");
        };
    }

    /**
     * A whole number of this type as an object, for borders where people look: Integer, Long, or an address as text.
     *
     * @throws IllegalStateException for a type that is not of whole numbers
     */
    public Object object(long value) {
        return switch (kind) {
            case INT -> (int) value;
            case LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> value;
            case IPV4 -> Ipv4.text((int) value);
            case FLOAT, DOUBLE, BOOLEAN, STRING, BYTES, UUID, IPV6 ->
                throw new IllegalStateException(this + " is no whole number");
        };
    }

    /**
     * The bytes of a value as an object, for borders where people look: byte[]; String of text, a UUID and an address.
     *
     * @throws IllegalStateException for a type whose values do not lie in the arena
     */
    public Object object(byte[] bytes) {
        return switch (kind) {
            case STRING -> new String(bytes, StandardCharsets.UTF_8);
            case BYTES -> bytes;
            case UUID, IPV6 -> textOfSixteen(bytes, 0);
            default -> throw new IllegalStateException(this + " is not in the arena");
        };
    }

    @Override
    public String toString() {
        return name();
    }
}
