package io.waterwheel.sql.parse;

import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * Sub-queries of ORDER BY that begin with WITH, {@code ORDER BY (WITH w AS (...) SELECT ...)}, as {@code (SELECT * FROM
 * (WITH w AS (...) SELECT ...))}: Calcite looks for all names of such a one, also for that of WITH, among the columns
 * of the query around it, but leaves a SELECT alone.
 */
final class OrderedWith extends SqlBasicVisitor<@Nullable Void> {
    private static final SqlShuttle ENCLOSING = new SqlShuttle() {
        @Override
        public @Nullable SqlNode visit(SqlCall call) {
            if (call instanceof SqlSelect) {
                return call;
            }
            return call instanceof SqlWith with ? enclosed(with) : super.visit(call);
        }
    };

    private OrderedWith() {}

    /** Changes the ORDER BY of a parsed statement, and those within. */
    static void enclose(SqlNode statement) {
        statement.accept(new OrderedWith());
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        super.visit(call);
        if (call instanceof SqlOrderBy order) {
            for (int k = 0; k < order.orderList.size(); k++) {
                order.orderList.set(k, order.orderList.get(k).accept(ENCLOSING));
            }
        }
        return null;
    }

    private static SqlNode enclosed(SqlWith with) {
        SqlParserPos at = with.getParserPosition();
        return new SqlSelect(
                at,
                null,
                SqlNodeList.of(SqlIdentifier.star(at)),
                with,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }
}
