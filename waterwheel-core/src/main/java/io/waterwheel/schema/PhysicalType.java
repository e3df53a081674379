package io.waterwheel.schema;

/**
 * How the values of a field lie in columns. Code that moves, orders or encodes values asks for this; only code that
 * reads or writes values in words asks for the {@link FieldType}, so that a type with a known physical form has few
 * places.
 */
public enum PhysicalType {
    /** Signed 32-bit integers. */
    INT32(4),
    /** Unsigned 32-bit integers. */
    UINT32(4),
    /** Signed 64-bit integers. */
    INT64(8),
    /** IEEE 754 singles, raw bits. */
    FLOAT32(4),
    /** IEEE 754 doubles, raw bits. */
    FLOAT64(8),
    /** 0 or 1 in one byte. */
    BOOLEAN(1),
    /** Bytes in the arena; the column holds references to them. */
    VARIABLE(8);

    private final int width;

    PhysicalType(int width) {
        this.width = width;
    }

    /** Bytes one row takes in the column. */
    public int width() {
        return width;
    }

    /** Whether a value is a whole number that is its own order-preserving key. */
    public boolean isWholeNumber() {
        return this == INT32 || this == UINT32 || this == INT64;
    }
}
