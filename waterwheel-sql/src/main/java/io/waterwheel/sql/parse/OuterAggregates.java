package io.waterwheel.sql.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * Refuses aggregates in a sub-query that are of columns of a query around it alone, {@code (SELECT MAX(o.x) FROM v)}:
 * they belong to that query, and Calcite takes them for the sub-query's own.
 */
public final class OuterAggregates extends SqlBasicVisitor<@Nullable Void> {
    /** What stands around an aggregate or a window function, which is its first operand. */
    private static final Set<SqlKind> AROUND = Set.of(
            SqlKind.FILTER, SqlKind.WITHIN_GROUP, SqlKind.WITHIN_DISTINCT, SqlKind.RESPECT_NULLS, SqlKind.IGNORE_NULLS);

    /** Tables of the SELECT that is looked at, as it calls them; null in none. */
    private @Nullable List<String> tables;

    private boolean within;

    private OuterAggregates() {}

    /**
     * Looks at a statement.
     *
     * @param statement with names looked up
     * @throws io.waterwheel.error.WaterwheelException code SQL_UNSUPPORTED
     */
    public static void refuse(SqlNode statement) {
        statement.accept(new OuterAggregates());
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        List<String> own = tables;
        boolean outermost = within;
        if (call instanceof SqlSelect select) {
            within = own != null;
            tables = new ArrayList<>();
            addNames(select.getFrom(), tables);
        } else if (call.getKind() == SqlKind.OVER) {
            // A window function is of the rows of its own query.
            lookAtArguments(call.operand(0));
            look(call.operand(1));
            return null;
        } else if (call.getOperator().isAggregator() || AROUND.contains(call.getKind())) {
            if (own != null && within && isOuter(call, own)) {
                throw SqlErrors.unsupported(
                        call.getParserPosition(),
                        "an aggregate of columns of the query around it alone, which is an aggregate of that query; write"
                                + " it in the SELECT of that query, or in a sub-query that reads the table again");
            }
            lookAtArguments(call);
            return null;
        }
        super.visit(call);
        tables = own;
        within = outermost;
        return null;
    }

    /** Of a function, which has been judged with what stands around it. */
    private void lookAtArguments(SqlNode function) {
        if (function instanceof SqlCall call) {
            boolean around = AROUND.contains(call.getKind());
            if (around) {
                lookAtArguments(call.operand(0));
            }
            call.getOperandList().stream().skip(around ? 1 : 0).forEach(this::look);
        }
    }

    private void look(@Nullable SqlNode node) {
        if (node != null) {
            node.accept(this);
        }
    }

    private static void addNames(@Nullable SqlNode from, List<String> names) {
        if (from instanceof SqlJoin join) {
            addNames(join.getLeft(), names);
            addNames(join.getRight(), names);
        } else if (from != null) {
            String alias = SqlValidatorUtil.alias(from);
            if (alias != null) {
                names.add(alias);
            }
        }
    }

    /** Whether it names columns, and none of the tables, also in queries within it. */
    private static boolean isOuter(SqlCall aggregate, List<String> tables) {
        Columns columns = new Columns(tables);
        aggregate.accept(columns);
        return columns.others && !columns.own;
    }

    /** Whether columns of some tables are named, and others outside of the queries within. */
    private static final class Columns extends SqlBasicVisitor<@Nullable Void> {
        private final List<String> tables;
        /** Tables of the queries that are gone through. */
        private List<String> inner = List.of();
        /** Queries around what is looked at, within the aggregate. */
        private int depth;

        boolean own;
        boolean others;

        Columns(List<String> tables) {
            this.tables = tables;
        }

        @Override
        public @Nullable Void visit(SqlIdentifier name) {
            if (name.isStar()) {
                return null;
            } else if (name.isSimple()) {
                // A name of the SELECT's list, of what it is not told here.
                own |= depth == 0;
                return null;
            }
            String table = name.names.get(name.names.size() - 2);
            if (inner.stream().noneMatch(table::equalsIgnoreCase)) {
                boolean ofTables = tables.stream().anyMatch(table::equalsIgnoreCase);
                own |= ofTables;
                others |= !ofTables && depth == 0;
            }
            return null;
        }

        @Override
        public @Nullable Void visit(SqlCall call) {
            if (!(call instanceof SqlSelect select)) {
                return super.visit(call);
            }
            List<String> around = inner;
            inner = new ArrayList<>(around);
            depth++;
            addNames(select.getFrom(), inner);
            from(select.getFrom());
            for (SqlNode operand : select.getOperandList()) {
                if (operand != null && operand != select.getFrom()) {
                    operand.accept(this);
                }
            }
            inner = around;
            depth--;
            return null;
        }

        /** Conditions and queries in it, not names of tables. */
        private void from(@Nullable SqlNode from) {
            if (from instanceof SqlJoin join) {
                from(join.getLeft());
                from(join.getRight());
                if (join.getCondition() != null) {
                    join.getCondition().accept(this);
                }
            } else if (from instanceof SqlCall call && call.getKind() == SqlKind.AS) {
                from(call.operand(0));
            } else if (from instanceof SqlCall call && call.isA(SqlKind.QUERY)) {
                call.accept(this);
            }
        }
    }
}
