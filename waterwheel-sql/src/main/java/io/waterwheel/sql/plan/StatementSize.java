package io.waterwheel.sql.plan;

import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what a statement may cost to plan. An expression over a sub-query's column is planned with the column's own
 * expression in place of each of its names: {@code x + x} doubles with each level that it is nested.
 */
final class StatementSize extends SqlBasicVisitor<@Nullable Void> {
    private static final int MOST_PARTS = 20_000;
    private static final int MOST_SELECTS = 16;
    private static final long MOST_COPIES = 20_000;

    private int parts;
    private int selects;
    /** Copies of the innermost expression, at most. */
    private long copies = 1;

    private StatementSize() {}

    /** Refuses a statement that is too large. */
    static void require(SqlNode statement) {
        statement.accept(new StatementSize());
        ExpandedSize.require(statement);
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
        if (call instanceof SqlSelect select) {
            if (++selects > MOST_SELECTS) {
                throw SqlErrors.unsupported("it has over " + MOST_SELECTS + " SELECTs");
            }
            int most = 1;
            for (SqlNode item : select.getSelectList()) {
                Identifiers names = new Identifiers();
                item.accept(names);
                most = Math.max(most, names.count);
            }
            copies *= most;
            if (copies > MOST_COPIES) {
                throw SqlErrors.unsupported("expressions of its sub-queries are named too often in others");
            }
        }
        return super.visit(call);
    }

    private static final class Identifiers extends SqlBasicVisitor<@Nullable Void> {
        private int count;

        @Override
        public @Nullable Void visit(SqlIdentifier identifier) {
            count++;
            return null;
        }
    }
}
