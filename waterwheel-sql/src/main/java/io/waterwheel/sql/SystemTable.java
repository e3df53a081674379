package io.waterwheel.sql;

import io.waterwheel.schema.Field;
import java.util.List;

/**
 * A table that is no stream: the server knows its rows.
 *
 * @param schema such as information_schema
 * @param name in its schema
 * @param fields of type long, double, boolean, timestamp or string
 */
public record SystemTable(String schema, String name, List<Field> fields) {
    public SystemTable {
        fields = List.copyOf(fields);
    }

    /** As statements write it, such as information_schema.tables. */
    public String qualifiedName() {
        return schema + "." + name;
    }
}
