package io.waterwheel.sql.plan;

import io.waterwheel.sql.parse.NestedSelects;
import io.waterwheel.sql.parse.SqlErrors;
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

    private int parts;
    private int selects;

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
            throw SqlErrors.unsupported("it has over " + MOST_PARTS + " parts");
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
        }
        return super.visit(call);
    }
}
