package io.waterwheel.query.expression;

import io.waterwheel.schema.FieldType;
import org.jspecify.annotations.Nullable;

/** What an expression yields. Fields of several types share one: what is computed has no width. */
public enum ValueType {
    BOOLEAN,
    /** Signed 64-bit integer; fields of type int and long. */
    INTEGER,
    /** IEEE 754 double; fields of type float and double. */
    DOUBLE,
    /** Milliseconds since 1970 UTC. Timestamps of any resolution compare with each other, exactly. */
    TIMESTAMP,
    /** Microseconds since 1970 UTC. */
    TIMESTAMP_US,
    /** Nanoseconds since 1970 UTC. */
    TIMESTAMP_NS,
    /** IPv4 address, ordered as an unsigned number. */
    IPV4,
    /** Text, compared by its UTF-8 bytes. */
    STRING,
    BYTES,
    /** UUID, ordered by its bytes. */
    UUID,
    /** IPv6 address, ordered as an unsigned number. */
    IPV6,
    /** The literal NULL, which fits wherever a value is expected. */
    NULL;

    /** What a field of this type yields. */
    public static ValueType of(FieldType type) {
        return switch (type) {
            case INT, LONG -> INTEGER;
            case FLOAT, DOUBLE -> DOUBLE;
            case BOOLEAN -> BOOLEAN;
            case TIMESTAMP -> TIMESTAMP;
            case TIMESTAMP_US -> TIMESTAMP_US;
            case TIMESTAMP_NS -> TIMESTAMP_NS;
            case IPV4 -> IPV4;
            case STRING -> STRING;
            case BYTES -> BYTES;
            case UUID -> UUID;
            case IPV6 -> IPV6;
        };
    }

    /** The field type that holds every value of this type. */
    public FieldType fieldType() {
        return switch (this) {
            case BOOLEAN -> FieldType.BOOLEAN;
            case INTEGER -> FieldType.LONG;
            case DOUBLE -> FieldType.DOUBLE;
            case TIMESTAMP -> FieldType.TIMESTAMP;
            case TIMESTAMP_US -> FieldType.TIMESTAMP_US;
            case TIMESTAMP_NS -> FieldType.TIMESTAMP_NS;
            case IPV4 -> FieldType.IPV4;
            case STRING -> FieldType.STRING;
            case BYTES -> FieldType.BYTES;
            case UUID -> FieldType.UUID;
            case IPV6 -> FieldType.IPV6;
            case NULL -> throw new IllegalArgumentException("NULL alone has no type");
        };
    }

    /** What it is called in CAST; null when nothing is cast to it. */
    public @Nullable String castName() {
        return switch (this) {
            case INTEGER -> "BIGINT";
            case DOUBLE -> "DOUBLE";
            case STRING -> "VARCHAR";
            case TIMESTAMP -> "TIMESTAMP";
            default -> null;
        };
    }

    public boolean numeric() {
        return this == INTEGER || this == DOUBLE;
    }

    public boolean isTimestamp() {
        return this == TIMESTAMP || this == TIMESTAMP_US || this == TIMESTAMP_NS;
    }

    /** Whether values are bytes, of whatever meaning, rather than numbers. */
    public boolean variable() {
        return this == STRING || this == BYTES || hasSixteenBytes();
    }

    /** Whether it is a UUID or an IPv6 address: 16 bytes that are written as text in one way. */
    public boolean hasSixteenBytes() {
        return this == UUID || this == IPV6;
    }

    /** The type's name in messages. */
    public String spoken() {
        return this == NULL ? "NULL" : name().toLowerCase(java.util.Locale.ROOT);
    }
}
