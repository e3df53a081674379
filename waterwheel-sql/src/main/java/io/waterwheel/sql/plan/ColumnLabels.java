package io.waterwheel.sql.plan;

import io.waterwheel.sql.cache.NowNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;

/** What columns are called that a statement gives no name: as their function, {@code count}, or by their number. */
final class ColumnLabels {
    /** What Calcite calls them. */
    private static final String UNNAMED = "EXPR$";

    private ColumnLabels() {}

    /**
     * What the columns are called.
     *
     * @param written labels of those without a name, see {@link #unnamed}
     * @param names of all, as Calcite gives them
     */
    static List<String> of(List<String> written, List<String> names) {
        long count = names.stream().filter(name -> name.startsWith(UNNAMED)).count();
        List<String> labels = new ArrayList<>();
        int next = 0;
        for (String name : names) {
            boolean named = !name.startsWith(UNNAMED);
            String label = named ? name : count == written.size() ? written.get(next++) : "";
            labels.add(label.isEmpty() ? "column" + (labels.size() + 1) : label);
        }
        return labels;
    }

    /** Labels of the columns that a statement gives no name, as it was written; empty for what has none. */
    static List<String> unnamed(SqlNode statement) {
        if (statement instanceof SqlOrderBy order) {
            return unnamed(order.query);
        } else if (statement instanceof SqlWith with) {
            return unnamed(with.body);
        }
        List<String> labels = new ArrayList<>();
        if (statement instanceof SqlSelect select) {
            for (SqlNode column : select.getSelectList()) {
                // Some functions are written as names.
                boolean now = column instanceof SqlIdentifier name && NowNames.isPlain(name.toString());
                if (now || !(column instanceof SqlIdentifier || column.getKind() == SqlKind.AS)) {
                    labels.add(label(column));
                }
            }
        }
        return labels;
    }

    private static String label(SqlNode node) {
        SqlNode value = node;
        while (value instanceof SqlCall call
                && (call.getKind() == SqlKind.FILTER
                        || call.getKind() == SqlKind.OVER
                        || call.getKind() == SqlKind.WITHIN_GROUP)) {
            value = call.operand(0);
        }
        if (!(value instanceof SqlCall call)) {
            return "";
        } else if (call.getKind() == SqlKind.CAST) {
            return "cast";
        }
        return call.getOperator() instanceof SqlFunction
                ? call.getOperator().getName().toLowerCase(Locale.ROOT)
                : "";
    }
}
