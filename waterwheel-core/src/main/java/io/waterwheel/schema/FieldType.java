package io.waterwheel.schema;

import io.waterwheel.tuple.TupleBlock;

/** What a field of a tuple holds, and how many bytes a row of its column takes. */
public enum FieldType {
    /** Signed 32-bit integer. */
    INT(PhysicalType.INT32),
    /** Signed 64-bit integer. */
    LONG(PhysicalType.INT64),
    /** IEEE 754 single, raw bits. */
    FLOAT(PhysicalType.FLOAT32),
    /** IEEE 754 double, raw bits. */
    DOUBLE(PhysicalType.FLOAT64),
    /** 0 or 1 in one byte. */
    BOOLEAN(PhysicalType.BOOLEAN),
    /** Milliseconds since 1970-01-01T00:00:00Z, signed 64-bit. */
    TIMESTAMP(PhysicalType.INT64),
    /** Microseconds since 1970-01-01T00:00:00Z, signed 64-bit. */
    TIMESTAMP_US(PhysicalType.INT64),
    /** Nanoseconds since 1970-01-01T00:00:00Z, signed 64-bit: from the year 1677 to 2262. */
    TIMESTAMP_NS(PhysicalType.INT64),
    /** IPv4 address, 32 bits, ordered as an unsigned number. */
    IPV4(PhysicalType.UINT32),
    /** UTF-8 text of at most {@link TupleBlock#MAX_VALUE_BYTES} bytes, kept in the arena. */
    STRING(PhysicalType.VARIABLE),
    /** Bytes, at most {@link TupleBlock#MAX_VALUE_BYTES}, kept in the arena. */
    BYTES(PhysicalType.VARIABLE);

    private final PhysicalType physical;

    FieldType(PhysicalType physical) {
        this.physical = physical;
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
        return switch (this) {
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
        return switch (this) {
            case INT -> (int) value;
            case LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> value;
            case IPV4 -> Ipv4.text((int) value);
            case FLOAT, DOUBLE, BOOLEAN, STRING, BYTES -> throw new IllegalStateException(this + " is no whole number");
        };
    }
}
