package io.waterwheel.chunk.encoding;

import io.waterwheel.key.KeyCodec;
import io.waterwheel.schema.FieldType;

/** How the values of a column are ordered and encoded. */
public enum ColumnKind {
    /** Signed integers of any width, timestamps, and booleans. */
    INTEGER,
    /** Unsigned integers of four bytes. */
    UNSIGNED,
    /** IEEE 754 singles. */
    FLOAT,
    /** IEEE 754 doubles. */
    DOUBLE,
    /** Values of any length. */
    VARIABLE;

    private static final long POSITIVE_INFINITY = KeyCodec.ofDouble(Double.POSITIVE_INFINITY);
    private static final long NEGATIVE_INFINITY = KeyCodec.ofDouble(Double.NEGATIVE_INFINITY);

    public boolean floating() {
        return this == FLOAT || this == DOUBLE;
    }

    /** Whether the code of a double or float is that of a NaN. */
    public static boolean isNaN(long code) {
        return code > POSITIVE_INFINITY || code < NEGATIVE_INFINITY;
    }

    public static ColumnKind of(FieldType type) {
        return switch (type.physical()) {
            case INT32, INT64, BOOLEAN -> INTEGER;
            case UINT32 -> UNSIGNED;
            case FLOAT32 -> FLOAT;
            case FLOAT64 -> DOUBLE;
            case VARIABLE -> VARIABLE;
        };
    }
}
