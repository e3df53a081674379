package io.waterwheel.sql.parse;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * Columns that {@code JOIN ... USING (id)} names, where they are named without a table: as the column of the side whose
 * rows are all in the answer. Calcite knows them in the SELECT list alone, and calls them ambiguous elsewhere.
 */
final class UsingColumns extends SqlShuttle {
    private UsingColumns() {}

    static @Nullable SqlNode of(SqlNode tree) {
        return tree.accept(new UsingColumns());
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        SqlNode visited = super.visit(call);
        if (visited instanceof SqlSelect select && select.getFrom() != null) {
            Map<String, SqlNode> columns = columns(select.getFrom());
            if (!columns.isEmpty()) {
                replace(select, columns);
            }
        }
        return visited;
    }

    /** By name in capital letters, what a column of USING is. */
    private static Map<String, SqlNode> columns(@Nullable SqlNode from) {
        if (!(from instanceof SqlJoin join)) {
            return Map.of();
        }
        Map<String, SqlNode> columns = new HashMap<>(columns(join.getLeft()));
        if (join.getConditionType() != JoinConditionType.USING || !(join.getCondition() instanceof SqlNodeList names)) {
            return columns;
        }
        String left = table(join.getLeft());
        String right = table(join.getRight());
        for (SqlNode one : names) {
            if (!(one instanceof SqlIdentifier name) || right == null) {
                continue;
            }
            String key = name.getSimple().toUpperCase(Locale.ROOT);
            SqlNode ofLeft = columns.containsKey(key) || left == null ? columns.get(key) : column(left, name);
            if (ofLeft == null) {
                continue;
            }
            SqlNode ofRight = column(right, name);
            boolean leftHasAll = join.getJoinType() == JoinType.INNER || join.getJoinType() == JoinType.LEFT;
            columns.put(
                    key,
                    leftHasAll
                            ? ofLeft
                            : join.getJoinType() == JoinType.RIGHT
                                    ? ofRight
                                    : SqlStdOperatorTable.COALESCE.createCall(
                                            name.getParserPosition(), ofLeft, ofRight));
        }
        return columns;
    }

    private static SqlNode column(String table, SqlIdentifier name) {
        return new SqlIdentifier(List.of(table, name.getSimple()), name.getParserPosition());
    }

    /** The one table of a side; null where it has several, or no name. */
    private static @Nullable String table(SqlNode side) {
        return side instanceof SqlJoin ? null : SqlValidatorUtil.alias(side);
    }

    private static void replace(SqlSelect select, Map<String, SqlNode> columns) {
        Naming naming = new Naming(columns);
        SqlNodeList shown = select.getSelectList();
        for (int c = 0; c < shown.size(); c++) {
            SqlNode one = shown.get(c);
            SqlNode named = one.accept(naming);
            shown.set(
                    c,
                    one instanceof SqlIdentifier name && name.isSimple() && named != one && named != null
                            ? SqlStdOperatorTable.AS.createCall(
                                    name.getParserPosition(),
                                    named,
                                    new SqlIdentifier(name.getSimple(), SqlParserPos.ZERO))
                            : named);
        }
        select.setWhere(accepted(select.getWhere(), naming));
        select.setHaving(accepted(select.getHaving(), naming));
        SqlNode groups = accepted(select.getGroup(), naming);
        if (groups instanceof SqlNodeList list) {
            select.setGroupBy(list);
        }
    }

    private static @Nullable SqlNode accepted(@Nullable SqlNode node, Naming naming) {
        return node == null ? null : node.accept(naming);
    }

    /** Puts them into the places of their names; a query within has names of its own. */
    private static final class Naming extends SqlShuttle {
        private final Map<String, SqlNode> columns;

        Naming(Map<String, SqlNode> columns) {
            this.columns = columns;
        }

        @Override
        public @Nullable SqlNode visit(SqlIdentifier name) {
            SqlNode column = name.isSimple() && !name.isStar()
                    ? columns.get(name.getSimple().toUpperCase(Locale.ROOT))
                    : null;
            return column == null ? name : column.clone(name.getParserPosition());
        }

        @Override
        public @Nullable SqlNode visit(SqlCall call) {
            if (call.isA(SqlKind.QUERY)) {
                return call;
            } else if (call.getKind() == SqlKind.AS) {
                SqlNode value = call.operand(0).accept(this);
                return value == null || value == call.operand(0)
                        ? call
                        : SqlStdOperatorTable.AS.createCall(call.getParserPosition(), value, call.operand(1));
            }
            return super.visit(call);
        }
    }
}
