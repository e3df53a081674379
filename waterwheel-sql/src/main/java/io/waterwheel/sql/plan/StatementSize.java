package io.waterwheel.sql.plan;

import io.waterwheel.query.Statement;
import io.waterwheel.sql.parse.NestedSelects;
import io.waterwheel.sql.parse.SqlErrors;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/** Bounds what a statement may cost to plan: its parts, and its SELECTs side by side and within each other. */
final class StatementSize extends SqlBasicVisitor<@Nullable Void> {
    private static final int MOST_PARTS = 20_000;
    private static final int MOST_SELECTS = 48;
    /** Planning takes twice as long with each. */
    private static final int MOST_CONDITIONS = 8;

    private int parts;
    private int selects;
    /** Conditions, as those of CASE, that what is visited stands in, one within the other. */
    private int conditions;

    private StatementSize() {}

    /** Refuses a statement that is too large. */
    static void require(SqlNode statement) {
        statement.accept(new StatementSize());
        NestedSelects.require(statement);
        ExpandedSize.require(statement);
    }

    /** Whether a SELECT is in it. */
    static boolean hasSelect(SqlNode node) {
        StatementSize size = new StatementSize();
        node.accept(size);
        return size.selects > 0;
    }

    private void part() {
        if (++parts > MOST_PARTS) {
            throw SqlErrors.unsupported(
                    "it has over " + MOST_PARTS + " parts, such as values and names; " + Statement.MANY_VALUES);
        }
    }

    @Override
    public @Nullable Void visit(SqlLiteral literal) {
        part();
        return null;
    }

    @Override
    public @Nullable Void visit(SqlIdentifier identifier) {
        part();
        return null;
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        part();
        if (call instanceof SqlSelect && ++selects > MOST_SELECTS) {
            throw SqlErrors.unsupported("it has over " + MOST_SELECTS + " SELECTs");
        } else if (call instanceof SqlSelect && conditions > MOST_CONDITIONS) {
            throw SqlErrors.unsupported(
                    call.getParserPosition(),
                    "a sub-query in over " + MOST_CONDITIONS + " conditions within each other, of CASE, COALESCE or IS"
                            + " DISTINCT FROM; ask it in a column of a sub-query of FROM");
        }
        int around = conditions;
        conditions = call instanceof SqlSelect ? 0 : around;
        for (int i = 0; i < call.operandCount(); i++) {
            SqlNode operand = call.getOperandList().get(i);
            if (operand != null) {
                conditions += isCondition(call, i) ? 1 : 0;
                operand.accept(this);
                conditions -= isCondition(call, i) ? 1 : 0;
            }
        }
        conditions = around;
        return null;
    }

    /** Whether an operand has the conditions of a CASE, or of what is planned as one. */
    private static boolean isCondition(SqlCall call, int operand) {
        return switch (call.getOperator().getName().toUpperCase(Locale.ROOT)) {
            case "CASE" -> operand == 1;
            case "IF", "COALESCE", "IFNULL", "NVL" -> operand == 0;
            case "IS DISTINCT FROM", "IS NOT DISTINCT FROM" -> true;
            default -> false;
        };
    }
}
