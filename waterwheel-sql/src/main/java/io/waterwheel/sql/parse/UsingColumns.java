package io.waterwheel.sql.parse;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * Columns that {@code JOIN ... USING (id)} names, where SELECT, WHERE, GROUP BY, HAVING and ORDER BY name them without
 * a table: as the column of the side whose rows are all in the answer. Calcite knows them in the SELECT list alone, and
 * calls them ambiguous elsewhere. Those of a USING before a join by another condition need a table, as that join may
 * bring a column of the name.
 */
final class UsingColumns extends SqlShuttle {
    private UsingColumns() {}

    /** @throws io.waterwheel.error.WaterwheelException code SQL_UNSUPPORTED */
    static @Nullable SqlNode of(SqlNode tree) {
        return tree.accept(new UsingColumns());
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        if (call instanceof SqlOrderBy ordered && ordered.query instanceof SqlSelect select) {
            // Names of its columns count first.
            Naming naming = naming(select);
            SqlNode query = ordered.query.accept(this);
            SqlNode orders = naming == null ? ordered.orderList : ordered.orderList.accept(naming);
            return query != null && orders instanceof SqlNodeList list
                    ? new SqlOrderBy(ordered.getParserPosition(), query, list, ordered.offset, ordered.fetch)
                    : call;
        }
        Naming naming = call instanceof SqlSelect select ? naming(select) : null;
        SqlNode visited = super.visit(call);
        if (visited instanceof SqlSelect select && naming != null) {
            replace(select, naming);
        }
        return visited;
    }

    private static @Nullable Naming naming(SqlSelect select) {
        Map<String, SqlNode> columns = columns(select.getFrom());
        return columns.isEmpty() ? null : new Naming(columns, aliases(select.getSelectList()));
    }

    /** By name in capital letters, what a column of USING is. */
    private static Map<String, SqlNode> columns(@Nullable SqlNode from) {
        if (!(from instanceof SqlJoin join)) {
            return Map.of();
        }
        Map<String, SqlNode> before = columns(join.getLeft());
        boolean merges = join.getConditionType() == JoinConditionType.USING || join.isNatural();
        if (merges && mergesOthers(join.getLeft())) {
            // Calcite would join by the column of the first table alone.
            throw SqlErrors.unsupported(
                    join.getParserPosition(),
                    "USING or NATURAL behind a RIGHT or FULL join by such; write ON COALESCE(a.id, b.id) = c.id");
        }
        String right = SqlValidatorUtil.alias(join.getRight());
        String left = join.getLeft() instanceof SqlJoin ? null : SqlValidatorUtil.alias(join.getLeft());
        Map<String, SqlNode> columns = new HashMap<>();
        if (join.getConditionType() != JoinConditionType.USING
                || !(join.getCondition() instanceof SqlNodeList names)
                || right == null
                || join.getRight() instanceof SqlJoin) {
            return columns;
        }
        // What the joins before merge keeps its name, which is that of one column among them.
        columns.putAll(before);
        for (SqlNode one : names) {
            SqlIdentifier name = (SqlIdentifier) one;
            String key = name.getSimple().toUpperCase(Locale.ROOT);
            SqlNode ofLeft = left == null ? before.get(key) : column(left, name);
            JoinType type = join.getJoinType();
            if (ofLeft != null) {
                columns.put(key, merged(type, ofLeft, column(right, name), name.getParserPosition()));
            } else if (type == JoinType.INNER || type == JoinType.RIGHT) {
                // Which table before has it is not known here; the column of the right one is equal.
                columns.put(key, column(right, name));
            }
        }
        return columns;
    }

    private static SqlNode merged(JoinType type, SqlNode left, SqlNode right, SqlParserPos position) {
        return switch (type) {
            case RIGHT -> right;
            case FULL -> SqlStdOperatorTable.COALESCE.createCall(position, left, right);
            default -> left;
        };
    }

    /** Whether a column of USING or NATURAL is not that of the first table. */
    private static boolean mergesOthers(SqlNode from) {
        return from instanceof SqlJoin join
                && (mergesOthers(join.getLeft())
                        || ((join.getConditionType() == JoinConditionType.USING || join.isNatural())
                                && (join.getJoinType() == JoinType.RIGHT || join.getJoinType() == JoinType.FULL)));
    }

    private static SqlNode column(String table, SqlIdentifier name) {
        return new SqlIdentifier(List.of(table, name.getSimple()), name.getParserPosition());
    }

    /** Names that are given to columns, in capital letters. */
    private static Set<String> aliases(SqlNodeList shown) {
        Set<String> aliases = new HashSet<>();
        for (SqlNode one : shown) {
            if (one.getKind() == SqlKind.AS) {
                aliases.add(String.valueOf(SqlValidatorUtil.alias(one)).toUpperCase(Locale.ROOT));
            }
        }
        return aliases;
    }

    private static void replace(SqlSelect select, Naming naming) {
        List<SqlNode> shown = new ArrayList<>();
        Naming anyName = new Naming(naming.columns, Set.of());
        for (SqlNode one : select.getSelectList()) {
            SqlNode named = one.accept(anyName);
            if (one instanceof SqlIdentifier name && named != null && named != one) {
                SqlIdentifier label = new SqlIdentifier(name.getSimple(), SqlParserPos.ZERO);
                shown.add(SqlStdOperatorTable.AS.createCall(name.getParserPosition(), named, label));
            } else {
                shown.add(named == null ? one : named);
            }
        }
        select.setSelectList(new SqlNodeList(shown, select.getSelectList().getParserPosition()));
        select.setWhere(accepted(select.getWhere(), anyName));
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
        private final Set<String> others;

        /** @param others names that mean something else here */
        Naming(Map<String, SqlNode> columns, Set<String> others) {
            this.columns = columns;
            this.others = others;
        }

        @Override
        public @Nullable SqlNode visit(SqlIdentifier name) {
            String key = name.isSimple() && !name.isStar() ? name.getSimple().toUpperCase(Locale.ROOT) : "";
            SqlNode column = others.contains(key) ? null : columns.get(key);
            return column == null ? name : column.clone(name.getParserPosition());
        }

        @Override
        public @Nullable SqlNode visit(SqlCall call) {
            if (call.isA(SqlKind.QUERY)) {
                return call;
            }
            boolean firstAlone = call.getKind() == SqlKind.AS
                    || call.getKind() == SqlKind.ARGUMENT_ASSIGNMENT
                    || (call.getKind() == SqlKind.OVER && call.operand(1) instanceof SqlIdentifier);
            if (!firstAlone) {
                return super.visit(call);
            }
            SqlNode value = call.operand(0).accept(this);
            if (value != null && value != call.operand(0)) {
                SqlCall same = (SqlCall) call.clone(call.getParserPosition());
                same.setOperand(0, value);
                return same;
            }
            return call;
        }
    }
}
