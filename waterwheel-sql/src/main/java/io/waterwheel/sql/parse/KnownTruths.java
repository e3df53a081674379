package io.waterwheel.sql.parse;

import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * Where only true counts, or only false, a condition that asks a list of a sub-query says so by COALESCE: {@code (x IN
 * (SELECT ...)) IS NOT TRUE} is {@code NOT COALESCE(x IN (SELECT ...), FALSE)}. Calcite takes such a condition to be
 * never unknown where x is never null, whatever the list has.
 */
final class KnownTruths extends SqlShuttle {
    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        SqlNode visited = super.visit(call);
        if (visited instanceof SqlCase cases && cases.getValueOperand() == null) {
            SqlNodeList conditions = cases.getWhenOperands();
            for (int c = 0; c < conditions.size(); c++) {
                conditions.set(c, known(conditions.get(c), false));
            }
            return cases;
        }
        if (!(visited instanceof SqlCall known) || known.operandCount() == 0) {
            return visited;
        }
        String name = known.getOperator().getName().toUpperCase(Locale.ROOT);
        if ((name.equals("IF") || name.equals("IIF")) && known.operandCount() == 3) {
            known.setOperand(0, known(known.operand(0), false));
            return known;
        }
        return switch (known.getKind()) {
            case IS_TRUE -> asks(known.operand(0)) ? known(known.operand(0), false) : known;
            case IS_NOT_TRUE -> asks(known.operand(0)) ? not(known(known.operand(0), false)) : known;
            case IS_FALSE -> asks(known.operand(0)) ? not(known(known.operand(0), true)) : known;
            case IS_NOT_FALSE -> asks(known.operand(0)) ? known(known.operand(0), true) : known;
            default -> known;
        };
    }

    /** A condition, and what it is where it is unknown. */
    private static SqlNode known(SqlNode condition, boolean unknown) {
        SqlParserPos position = condition.getParserPosition();
        return asks(condition)
                ? SqlStdOperatorTable.COALESCE.createCall(
                        position, condition, SqlLiteral.createBoolean(unknown, position))
                : condition;
    }

    private static SqlNode not(SqlNode condition) {
        return SqlStdOperatorTable.NOT.createCall(condition.getParserPosition(), condition);
    }

    /**
     * Whether a condition, by itself, asks whether a value is in the list of a sub-query, or how it compares with it.
     */
    private static boolean asks(SqlNode condition) {
        boolean[] found = {false};
        condition.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                List<SqlNode> operands = call.getOperandList();
                boolean list = call.getKind() == SqlKind.IN
                        || call.getKind() == SqlKind.NOT_IN
                        || call.getKind() == SqlKind.SOME
                        || call.getKind() == SqlKind.ALL;
                found[0] |= list && operands.get(operands.size() - 1).isA(SqlKind.QUERY);
                return call.isA(SqlKind.QUERY) ? null : super.visit(call);
            }
        });
        return found[0];
    }
}
