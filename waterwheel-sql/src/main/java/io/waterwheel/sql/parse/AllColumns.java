package io.waterwheel.sql.parse;

import io.waterwheel.sql.leaf.EngineFunctions;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.fun.SqlLibrary;
import org.apache.calcite.sql.fun.SqlLibraryOperatorTableFactory;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * {@code GROUP BY ALL}, the columns of a SELECT that are no aggregates, and {@code ORDER BY ALL}, its columns one after
 * another, with these columns in the place of the word.
 */
final class AllColumns extends SqlShuttle {
    private static final Set<String> AGGREGATES = aggregates();

    private AllColumns() {}

    private static Set<String> aggregates() {
        // Those that are made others of by their names.
        Set<String> names = new HashSet<>(Set.of(
                "COUNT_IF",
                "COUNTIF",
                "STRING_AGG",
                "LISTAGG",
                "GROUP_CONCAT",
                "APPROX_QUANTILE",
                "APPROX_PERCENTILE",
                "QUANTILE_DISC",
                "QUANTILE_CONT",
                "CORR",
                "REGR_SLOPE",
                "REGR_INTERCEPT",
                "REGR_R2"));
        List<SqlOperator> known = SqlLibraryOperatorTableFactory.INSTANCE
                .getOperatorTable(SqlLibrary.STANDARD, SqlLibrary.POSTGRESQL)
                .getOperatorList();
        known.forEach(operator -> add(names, operator));
        new EngineFunctions().operators().forEach(operator -> add(names, operator));
        return names;
    }

    private static void add(Set<String> names, SqlOperator operator) {
        if (operator.isAggregator()) {
            names.add(operator.getName().toUpperCase(Locale.ROOT));
        }
    }

    static @Nullable SqlNode of(SqlNode tree) {
        return tree.accept(new AllColumns());
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        SqlNode visited = super.visit(call);
        if (visited instanceof SqlSelect select
                && select.getGroup() != null
                && select.getGroup().size() == 1
                && isAll(select.getGroup().get(0))) {
            select.setGroupBy(groups(select, select.getGroup().getParserPosition()));
        } else if (visited instanceof SqlOrderBy ordered
                && ordered.orderList.size() == 1
                && isAll(value(ordered.orderList.get(0)))) {
            SqlNode item = ordered.orderList.get(0);
            return new SqlOrderBy(
                    ordered.getParserPosition(),
                    ordered.query,
                    orders(columns(ordered.query), item),
                    ordered.offset,
                    ordered.fetch);
        }
        return visited;
    }

    private static boolean isAll(SqlNode node) {
        return node instanceof SqlIdentifier name
                && name.isSimple()
                && !name.isComponentQuoted(0)
                && name.getSimple().equalsIgnoreCase("ALL");
    }

    private static SqlNodeList groups(SqlSelect select, SqlParserPos position) {
        SqlNodeList groups = new SqlNodeList(position);
        boolean aggregates = false;
        for (SqlNode column : select.getSelectList()) {
            SqlNode value = column.getKind() == SqlKind.AS ? ((SqlCall) column).operand(0) : column;
            requireNoStar(column, "GROUP BY ALL");
            boolean aggregate = aggregate(value);
            aggregates |= aggregate;
            // A literal would be the number of a column, and makes no group.
            if (!aggregate && !(value instanceof SqlLiteral) && !(value instanceof SqlDynamicParam)) {
                groups.add(value);
            }
        }
        if (groups.isEmpty() && !aggregates) {
            throw SqlErrors.at(position, "GROUP BY ALL needs a column that is no literal");
        }
        return groups;
    }

    private static void requireNoStar(SqlNode column, String what) {
        if (column instanceof SqlIdentifier name && name.isStar()) {
            throw SqlErrors.at(column.getParserPosition(), what + " beside *: name the columns");
        }
    }

    /** Whether a value is of a group: it has an aggregate, in no sub-query. */
    private static boolean aggregate(SqlNode value) {
        boolean[] found = new boolean[1];
        value.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                if (call.isA(SqlKind.QUERY)) {
                    return null;
                } else if (call.getKind() == SqlKind.OVER) {
                    throw SqlErrors.at(
                            call.getParserPosition(), "GROUP BY ALL beside a window function: write what groups");
                }
                found[0] |= AGGREGATES.contains(call.getOperator().getName().toUpperCase(Locale.ROOT));
                return super.visit(call);
            }
        });
        return found[0];
    }

    /** How many columns a query has. */
    private static int columns(SqlNode query) {
        if (query instanceof SqlWith with) {
            return columns(with.body);
        } else if (query instanceof SqlSelect select) {
            select.getSelectList().forEach(column -> requireNoStar(column, "ORDER BY ALL"));
            return select.getSelectList().size();
        } else if (query instanceof SqlCall set && set.isA(SqlKind.SET_QUERY)) {
            return columns(set.operand(0));
        }
        throw SqlErrors.at(query.getParserPosition(), "ORDER BY ALL of what is no SELECT");
    }

    private static SqlNodeList orders(int columns, SqlNode item) {
        SqlNodeList orders = new SqlNodeList(item.getParserPosition());
        for (int column = 1; column <= columns; column++) {
            orders.add(directed(item, SqlLiteral.createExactNumeric(String.valueOf(column), item.getParserPosition())));
        }
        return orders;
    }

    private static boolean isDirection(SqlNode node) {
        return node.getKind() == SqlKind.DESCENDING
                || node.getKind() == SqlKind.NULLS_FIRST
                || node.getKind() == SqlKind.NULLS_LAST;
    }

    private static SqlNode value(SqlNode item) {
        return isDirection(item) ? value(((SqlCall) item).operand(0)) : item;
    }

    private static SqlNode directed(SqlNode item, SqlNode value) {
        return isDirection(item)
                ? ((SqlCall) item)
                        .getOperator()
                        .createCall(item.getParserPosition(), directed(((SqlCall) item).operand(0), value))
                : value;
    }
}
