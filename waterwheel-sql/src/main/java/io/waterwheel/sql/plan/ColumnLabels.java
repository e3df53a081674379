package io.waterwheel.sql.plan;

import io.waterwheel.sql.leaf.EngineFunctions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.fun.SqlCase;
import org.jspecify.annotations.Nullable;

/** What columns are called that a statement gives no name: as their function, {@code count}, or by their number. */
final class ColumnLabels {
    /** What Calcite calls them. */
    private static final String UNNAMED = "EXPR$";

    private ColumnLabels() {}

    static List<String> of(SqlNode statement, List<String> names) {
        List<String> labels = new ArrayList<>();
        for (int c = 0; c < names.size(); c++) {
            String name = names.get(c);
            labels.add(name.startsWith(UNNAMED) ? label(selected(statement, c), c) : name);
        }
        return labels;
    }

    /** What makes a column of a SELECT; null when it is not there. */
    private static @Nullable SqlNode selected(SqlNode statement, int column) {
        if (statement instanceof SqlOrderBy order) {
            return selected(order.query, column);
        } else if (statement instanceof SqlWith with) {
            return selected(with.body, column);
        }
        return statement instanceof SqlSelect select
                        && column < select.getSelectList().size()
                ? select.getSelectList().get(column)
                : null;
    }

    private static String label(@Nullable SqlNode node, int column) {
        SqlNode value = node;
        while (value instanceof SqlCall call
                && (call.getKind() == SqlKind.AS
                        || call.getKind() == SqlKind.FILTER
                        || call.getKind() == SqlKind.OVER)) {
            value = call.operand(0);
        }
        if (value instanceof SqlCall call && call.getOperator().getName().equals(EngineFunctions.TO_DOUBLE)) {
            return "cast";
        }
        if (value instanceof SqlCase choice
                && choice.getElseOperand() instanceof SqlCall call
                && call.getOperator().getName().equals(EngineFunctions.TO_DOUBLE)) {
            // What ROUND to digits is rewritten to.
            return "round";
        }
        return value instanceof SqlCall call && call.getOperator() instanceof SqlFunction
                ? call.getOperator().getName().toLowerCase(Locale.ROOT)
                : "column" + (column + 1);
    }
}
