package io.waterwheel.sql;

import io.waterwheel.query.Query;
import io.waterwheel.schema.Field;
import java.util.List;

/**
 * How a statement is answered: by one query, whose answer's fields are shown in the order, and under the names, that
 * the statement says. Immutable.
 *
 * @param query what the engine answers, without timeout and demands
 * @param fields of the query's answer
 * @param columns of the statement's answer, at least one
 */
public record SqlPlan(Query query, List<Field> fields, List<SqlColumn> columns) implements StatementPlan {
    public SqlPlan {
        fields = List.copyOf(fields);
        columns = List.copyOf(columns);
    }

    @Override
    public List<String> streams() {
        return List.of(query.stream());
    }
}
