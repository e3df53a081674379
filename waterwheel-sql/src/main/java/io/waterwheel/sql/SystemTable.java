package io.waterwheel.sql;

import io.waterwheel.schema.Field;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table that is no stream: the server knows its rows, or a file has them.
 *
 * @param schema such as information_schema
 * @param name in its schema
 * @param fields of type long, double, boolean, timestamp, string or bytes
 * @param file that has its rows; null where the server knows them
 */
public record SystemTable(
        String schema,
        String name,
        List<Field> fields,
        @Nullable File file) {
    /**
     * A file.
     *
     * @param path relative to the folder of such files
     * @param select of its rows, in the dialect of the executor; columns are called c0, c1 and so on
     */
    public record File(String path, String select) {}

    public SystemTable {
        fields = List.copyOf(fields);
    }

    /** A table of what the server knows. */
    public SystemTable(String schema, String name, List<Field> fields) {
        this(schema, name, fields, null);
    }

    /** As statements write it, such as information_schema.tables. */
    public String qualifiedName() {
        return schema + "." + name;
    }
}
