package io.waterwheel.catalog.state;

import java.util.List;

/**
 * A statement of SQL that has a name, as a table of its rows.
 *
 * @param columns what its columns are called, as many as the query has; none twice
 * @param query its text
 */
public record View(String name, List<String> columns, String query) {
    public View {
        columns = List.copyOf(columns);
    }
}
