package io.waterwheel.sql.plan;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.sql.SqlValues;
import io.waterwheel.sql.parse.SqlErrors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;

/** {@code VALUES (1, 'a'), (?, ?)}: rows that need no query. */
final class ValueRows {
    private ValueRows() {}

    /** The rows; null when the statement is something else, or a value has to be computed. */
    static @Nullable SqlValues of(SqlNode statement, Instant now) {
        if (statement.getKind() != SqlKind.VALUES) {
            return null;
        }
        List<List<SqlValues.Value>> rows = new ArrayList<>();
        for (SqlNode row : ((SqlCall) statement).getOperandList()) {
            List<SqlNode> cells = row.getKind() == SqlKind.ROW ? ((SqlCall) row).getOperandList() : List.of(row);
            List<SqlValues.Value> values = new ArrayList<>();
            for (SqlNode cell : cells) {
                Expression.Literal literal = ConstantSelect.value(cell, now);
                if (literal == null && !(cell instanceof SqlDynamicParam)) {
                    return null;
                }
                values.add(new SqlValues.Value(literal, cell instanceof SqlDynamicParam mark ? mark.getIndex() : -1));
            }
            if (!rows.isEmpty() && values.size() != rows.get(0).size()) {
                throw SqlErrors.at(
                        row.getParserPosition(),
                        "expected " + rows.get(0).size() + " values, as in the first row, got " + values.size());
            }
            rows.add(values);
        }
        return new SqlValues(rows);
    }
}
