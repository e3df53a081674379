package io.waterwheel.chunk;

import io.waterwheel.model.FieldType;

/** How the values of a column are ordered and encoded. */
enum ColumnKind {
    /** Signed integers of any width, and booleans. */
    INTEGER,
    /** IEEE 754 singles. */
    FLOAT,
    /** IEEE 754 doubles. */
    DOUBLE,
    /** Values of any length. */
    VARIABLE;

    static ColumnKind of(FieldType type) {
        return switch (type) {
            case INT, LONG, BOOLEAN, TIMESTAMP -> INTEGER;
            case FLOAT -> FLOAT;
            case DOUBLE -> DOUBLE;
            case STRING, BYTES -> VARIABLE;
        };
    }
}
