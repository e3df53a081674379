package io.waterwheel.sql;

import java.util.List;

/**
 * A view that statements may name: a query with a name.
 *
 * @param columns what its columns are called, as many as the query has
 * @param query its text
 */
public record SqlView(String name, List<String> columns, String query) {
    public SqlView {
        columns = List.copyOf(columns);
    }
}
