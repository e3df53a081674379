package io.waterwheel.sql;

import io.waterwheel.schema.Field;
import java.util.List;

/**
 * How a statement is answered that shows columns of a system table as they are. Immutable.
 *
 * @param table its qualified name
 * @param fields of the table
 * @param columns of the statement's answer
 */
public record SystemPlan(String table, List<Field> fields, List<SqlColumn> columns) implements StatementPlan {
    public SystemPlan {
        fields = List.copyOf(fields);
        columns = List.copyOf(columns);
    }

    @Override
    public List<String> streams() {
        return List.of();
    }
}
