package io.waterwheel.sql;

import io.waterwheel.query.expression.Expression;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a {@code VALUES} of literals and question marks. Immutable.
 *
 * @param rows each of as many values as the others, at least one
 */
public record SqlValues(List<List<Value>> rows) {
    /**
     * One value.
     *
     * @param literal null when it is a question mark
     * @param parameter number of the question mark, from 0
     */
    public record Value(Expression.@Nullable Literal literal, int parameter) {}

    public SqlValues {
        rows = rows.stream().map(List::copyOf).toList();
    }

    /** Number of question marks. */
    public int parameters() {
        return (int) rows.stream()
                .flatMap(List::stream)
                .filter(value -> value.literal() == null)
                .count();
    }
}
