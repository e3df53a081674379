package io.waterwheel.sql.parse;

import java.util.ArrayList;
import java.util.List;
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
    /** A table without a name, whose columns any may be. */
    private static final String UNNAMED = "";

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
            SqlCall function = call.operand(0);
            function.getOperandList().forEach(this::look);
            look(call.operand(1));
            return null;
        } else if (own != null && within && isAggregate(call) && isOuter(call, own)) {
            throw SqlErrors.unsupported(
                    call.getParserPosition(),
                    "an aggregate of columns of the query around it alone, which is an aggregate of that query; write"
                            + " it in the SELECT of that query, or in a sub-query that reads the table again");
        }
        super.visit(call);
        tables = own;
        within = outermost;
        return null;
    }

    private void look(@Nullable SqlNode node) {
        if (node != null) {
            node.accept(this);
        }
    }

    private static boolean isAggregate(SqlCall call) {
        return call.getOperator().isAggregator()
                || call.getKind() == SqlKind.FILTER
                || call.getKind() == SqlKind.WITHIN_GROUP;
    }

    private static void addNames(@Nullable SqlNode from, List<String> names) {
        if (from instanceof SqlJoin join) {
            addNames(join.getLeft(), names);
            addNames(join.getRight(), names);
        } else if (from != null) {
            String alias = SqlValidatorUtil.alias(from);
            names.add(alias == null ? UNNAMED : alias);
        }
    }

    /** Whether it names columns, and none of the tables. One that asks a sub-query is taken for the query's own. */
    private static boolean isOuter(SqlCall aggregate, List<String> tables) {
        boolean[] outer = {false, !tables.contains(UNNAMED)};
        aggregate.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier name) {
                boolean column = name.names.size() > 1;
                outer[0] |= column;
                String table = column ? name.names.get(name.names.size() - 2) : UNNAMED;
                outer[1] &= column && tables.stream().noneMatch(table::equalsIgnoreCase);
                return null;
            }

            @Override
            public @Nullable Void visit(SqlCall call) {
                outer[1] &= !call.isA(SqlKind.QUERY);
                return super.visit(call);
            }
        });
        return outer[0] && outer[1];
    }
}
