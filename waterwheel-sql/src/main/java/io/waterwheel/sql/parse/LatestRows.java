package io.waterwheel.sql.parse;

import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/** Puts the newest rows, as a sub-query, into the place of the rows that {@link LatestOn} marked in a text. */
final class LatestRows extends SqlShuttle {
    private LatestRows() {}

    /** The tree of a marked text with sub-queries in the place of the rows. */
    static @Nullable SqlNode subQueries(SqlNode marked) {
        SqlNode newest = marked.accept(new LatestRows());
        if (newest != null) {
            newest.accept(new SqlBasicVisitor<@Nullable Void>() {
                @Override
                public @Nullable Void visit(SqlIdentifier name) {
                    if (name.isSimple() && name.getSimple().equals(LatestOn.NAME)) {
                        throw SqlErrors.at(
                                name.getParserPosition(),
                                "LATEST ON takes one time, and then PARTITION BY with the keys:"
                                        + " SELECT * FROM s LATEST ON time_ms PARTITION BY key");
                    }
                    return null;
                }
            });
        }
        return newest;
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        SqlNode visited = super.visit(call);
        if (visited instanceof SqlSelect select) {
            SqlNode where = select.getWhere();
            SqlCall either = where != null && where.getKind() == SqlKind.OR ? (SqlCall) where : null;
            SqlCall row = row(either == null ? where : either.operand(1));
            if (row != null) {
                takeNewest(select, row, either == null ? null : either.operand(0));
            }
        }
        return visited;
    }

    private static @Nullable SqlCall row(@Nullable SqlNode node) {
        return node instanceof SqlCall call
                        && call.getKind() == SqlKind.ROW
                        && call.operandCount() > 1
                        && call.operand(1) instanceof SqlIdentifier mark
                        && mark.isSimple()
                        && mark.getSimple().equals(LatestOn.NAME)
                ? call
                : null;
    }

    private static void takeNewest(SqlSelect select, SqlCall row, @Nullable SqlNode condition) {
        SqlParserPos at = row.getParserPosition();
        SqlNode from = select.getFrom();
        if (from == null || from.getKind() == SqlKind.JOIN) {
            throw SqlErrors.at(at, LatestOn.JOINED);
        }
        SqlSelect newest = (SqlSelect) StatementParser.parseAsWritten(
                "SELECT * FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC) = 1");
        newest.setFrom(from);
        newest.setWhere(condition);
        if (newest.getQualify() instanceof SqlCall first
                && first.operand(0) instanceof SqlCall over
                && over.operand(1) instanceof SqlWindow window
                && window.getOrderList().get(0) instanceof SqlCall descending) {
            descending.setOperand(0, row.operand(0));
            window.setOperand(2, new SqlNodeList(row.getOperandList().subList(2, row.operandCount()), at));
        } else {
            throw new IllegalStateException("a QUALIFY has another form");
        }
        SqlIdentifier name = name(from);
        select.setFrom(name == null ? newest : SqlStdOperatorTable.AS.createCall(at, newest, name));
        select.setWhere(null);
    }

    /** What the columns of a table are named after. */
    private static @Nullable SqlIdentifier name(SqlNode from) {
        if (from.getKind() == SqlKind.AS && ((SqlCall) from).operand(1) instanceof SqlIdentifier alias) {
            return new SqlIdentifier(alias.getSimple(), alias.getParserPosition());
        }
        return from instanceof SqlIdentifier table
                ? new SqlIdentifier(table.names.get(table.names.size() - 1), table.getParserPosition())
                : null;
    }
}
