package io.waterwheel.sql.parse;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * {@code ROLLUP (a, b)} as {@code GROUPING SETS ((a, b), (a), ())}, and CUBE in the same way. Of {@code ROLLUP (a, a)}
 * two sets are of the same values, and Calcite takes them for one where it is not written so.
 */
final class GroupingSets extends SqlShuttle {
    /** Of CUBE, which has a set for each choice among them; a greater one stays as it is. */
    private static final int MOST_ITEMS = 12;

    private GroupingSets() {}

    static @Nullable SqlNode of(SqlNode tree) {
        return tree.accept(new GroupingSets());
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        boolean sets = call.getKind() == SqlKind.ROLLUP
                || (call.getKind() == SqlKind.CUBE && call.operandCount() <= MOST_ITEMS);
        if (!sets) {
            return super.visit(call);
        }
        SqlParserPos position = call.getParserPosition();
        int items = call.operandCount();
        List<SqlNode> made = new ArrayList<>();
        if (call.getKind() == SqlKind.ROLLUP) {
            for (int length = items; length >= 0; length--) {
                made.add(set(position, call.getOperandList().subList(0, length)));
            }
        } else {
            for (long chosen = (1L << items) - 1; chosen >= 0; chosen--) {
                List<SqlNode> values = new ArrayList<>();
                for (int item = 0; item < items; item++) {
                    if ((chosen >> item & 1) != 0) {
                        values.add(call.operand(item));
                    }
                }
                made.add(set(position, values));
            }
        }
        return SqlStdOperatorTable.GROUPING_SETS.createCall(position, made);
    }

    private static SqlNode set(SqlParserPos position, List<SqlNode> items) {
        List<SqlNode> values = new ArrayList<>();
        items.forEach(item -> values.addAll(values(item)));
        return values.isEmpty() ? new SqlNodeList(position) : SqlStdOperatorTable.ROW.createCall(position, values);
    }

    /** Of several in parentheses each. */
    private static List<SqlNode> values(SqlNode item) {
        if (item instanceof SqlNodeList list) {
            return Arrays.asList(list.toArray(new SqlNode[0]));
        }
        return item.getKind() == SqlKind.ROW ? ((SqlCall) item).getOperandList() : List.of(item);
    }
}
