package io.waterwheel.sql.parse;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Windows that begin with the name of another, {@code OVER (w ROWS 1 PRECEDING)}, as windows of their own: they take
 * partition and order from that one. Calcite would do the same, but forgets their frames. What it refuses is left as it
 * is.
 */
final class NamedWindows extends SqlBasicVisitor<@Nullable Void> {
    /** Of the SELECT that is looked at. */
    private SqlNodeList declared = SqlNodeList.EMPTY;

    private NamedWindows() {}

    /** Changes the windows of a parsed statement. */
    static void resolve(SqlNode statement) {
        statement.accept(new NamedWindows());
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        SqlNodeList around = declared;
        if (call instanceof SqlSelect select) {
            declared = select.getWindowList();
            for (int w = 0; w < declared.size(); w++) {
                declared.set(w, resolved((SqlWindow) declared.get(w), w));
            }
        } else if (call.getKind() == SqlKind.OVER && call.operand(1) instanceof SqlWindow window) {
            call.setOperand(1, resolved(window, declared.size()));
        }
        super.visit(call);
        declared = around;
        return null;
    }

    /** @param before declared windows that it may name */
    private SqlWindow resolved(SqlWindow window, int before) {
        SqlWindow base = window.getRefName() == null ? null : named(window.getRefName(), before);
        if (base == null || !mayExtend(window, base)) {
            return window;
        }
        List<SqlNode> operands = new ArrayList<>(window.getOperandList());
        operands.set(1, null);
        operands.set(2, base.getPartitionList());
        operands.set(3, window.getOrderList().isEmpty() ? base.getOrderList() : window.getOrderList());
        return (SqlWindow)
                window.getOperator().createCall(null, window.getParserPosition(), operands.toArray(SqlNode[]::new));
    }

    private @Nullable SqlWindow named(SqlIdentifier name, int before) {
        for (int w = 0; w < before; w++) {
            SqlWindow window = (SqlWindow) declared.get(w);
            if (window.getDeclName() != null && window.getDeclName().toString().equals(name.toString())) {
                return window;
            }
        }
        return null;
    }

    private static boolean mayExtend(SqlWindow window, SqlWindow base) {
        return base.getRefName() == null
                && window.getPartitionList().isEmpty()
                && (window.getOrderList().isEmpty() || base.getOrderList().isEmpty())
                && base.getLowerBound() == null
                && base.getUpperBound() == null;
    }
}
