package io.waterwheel.schema;

import io.waterwheel.tuple.TupleBlock;

/** What a field of a tuple holds, and how many bytes a row of its column takes. */
public enum FieldType {
    /** Signed 32-bit integer. */
    INT(4, false),
    /** Signed 64-bit integer. */
    LONG(8, false),
    /** IEEE 754 single, raw bits. */
    FLOAT(4, false),
    /** IEEE 754 double, raw bits. */
    DOUBLE(8, false),
    /** 0 or 1 in one byte. */
    BOOLEAN(1, false),
    /** Milliseconds since 1970-01-01T00:00:00Z, signed 64-bit. */
    TIMESTAMP(8, false),
    /** Microseconds since 1970-01-01T00:00:00Z, signed 64-bit. */
    TIMESTAMP_US(8, false),
    /** Nanoseconds since 1970-01-01T00:00:00Z, signed 64-bit: from the year 1677 to 2262. */
    TIMESTAMP_NS(8, false),
    /** IPv4 address, 32 bits, ordered as an unsigned number. */
    IPV4(4, false),
    /** UTF-8 text of at most {@link TupleBlock#MAX_VALUE_BYTES} bytes, kept in the arena. */
    STRING(8, true),
    /** Bytes, at most {@link TupleBlock#MAX_VALUE_BYTES}, kept in the arena. */
    BYTES(8, true);

    private final int width;
    private final boolean variable;

    FieldType(int width, boolean variable) {
        this.width = width;
        this.variable = variable;
    }

    /** Bytes one row takes in the column; for variable fields the width of the arena reference. */
    public int width() {
        return width;
    }

    /** Whether the value lies in the arena and the column holds a reference to it. */
    public boolean variable() {
        return variable;
    }

    /** The type's name in a schema file: lower case. */
    public String schemaName() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    public boolean isTimestamp() {
        return this == TIMESTAMP || this == TIMESTAMP_US || this == TIMESTAMP_NS;
    }

    /** Whether a value is a whole number that is its own order-preserving key. */
    public boolean isWholeNumber() {
        return this == INT || this == LONG || this == IPV4 || isTimestamp();
    }

    /**
     * The unit that a timestamp type counts in.
     *
     * @throws IllegalStateException for any other type
     */
    public TimestampUnit resolution() {
        return switch (this) {
            case TIMESTAMP -> TimestampUnit.MILLISECONDS;
            case TIMESTAMP_US -> TimestampUnit.MICROSECONDS;
            case TIMESTAMP_NS -> TimestampUnit.NANOSECONDS;
            default -> throw new IllegalStateException(this + " is no timestamp");
        };
    }
}
