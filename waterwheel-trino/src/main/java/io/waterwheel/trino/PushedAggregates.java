package io.waterwheel.trino;

import io.trino.spi.connector.AggregateFunction;
import io.trino.spi.connector.Assignment;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.expression.Variable;
import io.trino.spi.type.BigintType;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.FieldType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates that the server computes exactly as Trino would.
 *
 * @param columns what the server is asked for
 * @param projections where Trino finds each
 * @param assignments the same as variables
 */
record PushedAggregates(
        List<StreamColumn> columns, List<ConnectorExpression> projections, List<Assignment> assignments) {
    /** The server takes no more. */
    private static final int MOST = 32;

    /** Empty where one of them is none of these. */
    static Optional<PushedAggregates> of(List<AggregateFunction> functions, Map<String, ColumnHandle> columns) {
        if (functions.size() > MOST) {
            return Optional.empty();
        }
        PushedAggregates pushed = new PushedAggregates(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (AggregateFunction function : functions) {
            StreamColumn column = column(function, columns, "aggregate_" + pushed.columns.size());
            if (column == null) {
                return Optional.empty();
            }
            pushed.columns.add(column);
            pushed.projections.add(new Variable(column.name(), column.type()));
            pushed.assignments.add(new Assignment(column.name(), column, column.type()));
        }
        return Optional.of(pushed);
    }

    private static @Nullable StreamColumn column(
            AggregateFunction function, Map<String, ColumnHandle> columns, String name) {
        if (function.isDistinct()
                || function.getFilter().isPresent()
                || !function.getSortItems().isEmpty()) {
            return null;
        }
        if (function.getArguments().isEmpty()) {
            return function.getFunctionName().equals("count") ? count(name, "count(*)") : null;
        }
        if (function.getArguments().size() != 1
                || !(function.getArguments().get(0) instanceof Variable variable)
                || !(columns.get(variable.getName()) instanceof StreamColumn of)) {
            return null;
        }
        String value = function.getFunctionName() + "(" + new Expression.FieldValue(of.field()) + ")";
        return switch (function.getFunctionName()) {
            case "count" -> count(name, value);
            case "min", "max" -> extremum(of, value, name);
            // Sums differ in what an overflow is, means in how they are rounded.
            default -> null;
        };
    }

    private static StreamColumn count(String name, String value) {
        return new StreamColumn(name, "", FieldType.LONG.schemaName(), BigintType.BIGINT, false, value);
    }

    /** Floats differ in what NaN is; addresses and UUIDs in their order. */
    private static @Nullable StreamColumn extremum(StreamColumn of, String value, String name) {
        return Literals.inOrder(of) && Literals.sameOrder(of)
                ? new StreamColumn(name, "", of.fieldType(), of.type(), true, value)
                : null;
    }
}
