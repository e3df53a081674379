package io.waterwheel.trino;

import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.type.Type;
import io.waterwheel.schema.FieldType;

/**
 * A column of a scan: a field of the stream, or an aggregate of all tuples that the scan is about.
 *
 * @param name as Trino knows it, in lower case; the server is asked for it by this name
 * @param field of the stream, as it is written there; empty where {@code expression} is an aggregate
 * @param fieldType what the field is called in a schema, such as {@code decimal(18, 2)}
 * @param type of the values in Trino
 * @param nullable whether a value may be missing
 * @param aggregate what is asked for, such as {@code max(altitude_ft)}; empty for a field
 */
public record StreamColumn(String name, String field, String fieldType, Type type, boolean nullable, String aggregate)
        implements ColumnHandle {
    /** A field. */
    static StreamColumn field(String name, String field, FieldType fieldType, Type type, boolean nullable) {
        return new StreamColumn(name, field, fieldType.schemaName(), type, nullable, "");
    }

    /** The type of the field that it is, or that it is an aggregate of. */
    FieldType waterwheelType() {
        FieldType known = FieldType.named(fieldType);
        if (known == null) {
            throw new IllegalStateException(
                    "column " + name + ": no type of fields is called " + fieldType + "; use one release everywhere");
        }
        return known;
    }

    @Override
    public String toString() {
        return aggregate.isEmpty() ? field : aggregate;
    }
}
