package io.waterwheel.sql.plan;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/** Where a statement calls an operator, for a plan no longer knows. */
final class OperatorPlace {
    private OperatorPlace() {}

    /** The place of its one call, else that of nothing: which of several is meant cannot be told. */
    static SqlParserPos of(SqlNode statement, @Nullable String operator) {
        if (operator == null) {
            return SqlParserPos.ZERO;
        }
        List<SqlParserPos> found = new ArrayList<>();
        statement.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                if (call.getOperator().getName().equalsIgnoreCase(operator)) {
                    found.add(call.getParserPosition());
                }
                return super.visit(call);
            }
        });
        return found.size() == 1 ? found.get(0) : SqlParserPos.ZERO;
    }
}
