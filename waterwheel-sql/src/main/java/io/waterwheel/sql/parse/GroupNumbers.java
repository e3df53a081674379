package io.waterwheel.sql.parse;

import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Refuses {@code GROUP BY 1.75}, also within ROLLUP, CUBE and GROUPING SETS. A whole number there is the number of a
 * column; of one with a point Calcite drops what is behind the point, and groups by the first column.
 */
final class GroupNumbers extends SqlBasicVisitor<@Nullable Void> {
    private GroupNumbers() {}

    /** @throws io.waterwheel.error.WaterwheelException code BAD_SQL, with the place of the first */
    static void require(SqlNode tree) {
        tree.accept(new GroupNumbers());
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        if (call instanceof SqlSelect select && select.getGroup() != null) {
            require(select.getGroup().getList());
        }
        return super.visit(call);
    }

    private static void require(List<? extends @Nullable SqlNode> items) {
        for (SqlNode item : items) {
            if (item instanceof SqlNumericLiteral number && !number.isInteger()) {
                throw SqlErrors.at(
                        number.getParserPosition(),
                        "GROUP BY takes a column, the number of one, or a value that is computed of columns, not "
                                + number.toValue() + "; leave it out, for it is the same in all rows");
            } else if (item instanceof SqlNodeList list) {
                require(list.getList());
            } else if (item instanceof SqlCall call && isOfSets(call.getKind())) {
                require(call.getOperandList());
            }
        }
    }

    private static boolean isOfSets(SqlKind kind) {
        return kind == SqlKind.ROLLUP || kind == SqlKind.CUBE || kind == SqlKind.GROUPING_SETS || kind == SqlKind.ROW;
    }
}
