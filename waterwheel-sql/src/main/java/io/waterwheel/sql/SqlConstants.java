package io.waterwheel.sql;

import io.waterwheel.query.expression.Expression;
import java.util.List;

/**
 * The one row of a SELECT without FROM. Immutable.
 *
 * @param labels what its columns are called
 * @param values of them
 */
public record SqlConstants(List<String> labels, List<Expression.Literal> values) {
    public SqlConstants {
        labels = List.copyOf(labels);
        values = List.copyOf(values);
    }
}
