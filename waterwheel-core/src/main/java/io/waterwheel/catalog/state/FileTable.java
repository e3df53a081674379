package io.waterwheel.catalog.state;

import io.waterwheel.schema.FieldType;
import java.util.List;

/**
 * A file that statements of SQL name as a table.
 *
 * @param file its path, relative to the folder of such files
 * @param columns in the order of the file
 */
public record FileTable(String name, String file, List<Column> columns) {
    /**
     * A column, all of which may be null.
     *
     * @param source what the file calls it
     * @param type long, double, boolean, a timestamp, string or bytes
     */
    public record Column(String name, String source, FieldType type) {}

    public FileTable {
        columns = List.copyOf(columns);
    }
}
