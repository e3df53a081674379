package io.waterwheel.sql.parse;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Windows that begin with the name of another and have a frame, {@code OVER (w ROWS 1 PRECEDING)}, as windows of their
 * own: they take partition and order from that one. Calcite would do the same, but forgets their frames. What it
 * refuses is left as it is; what it would find beyond the windows declared before is refused.
 */
final class NamedWindows extends SqlBasicVisitor<@Nullable Void> {
    /** Of the SELECT that is looked at, as they were written. */
    private List<SqlNode> declared = List.of();

    private NamedWindows() {}

    /** Changes the windows of a parsed statement. */
    static void resolve(SqlNode statement) {
        statement.accept(new NamedWindows());
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        List<SqlNode> around = declared;
        if (call instanceof SqlSelect select) {
            SqlNodeList windows = select.getWindowList();
            declared = List.copyOf(windows.getList());
            for (int w = 0; w < windows.size(); w++) {
                windows.set(w, whole((SqlWindow) windows.get(w), w));
            }
        } else if (call.getKind() == SqlKind.OVER && call.operand(1) instanceof SqlWindow window) {
            call.setOperand(1, whole(window, declared.size()));
        }
        super.visit(call);
        declared = around;
        return null;
    }

    /** @param before declared windows that it may name */
    private SqlWindow whole(SqlWindow window, int before) {
        boolean framed = window.getLowerBound() != null || window.getUpperBound() != null;
        return framed && window.getRefName() != null ? extended(window, before) : window;
    }

    private SqlWindow extended(SqlWindow window, int before) {
        if (window.getRefName() == null) {
            return window;
        }
        String name = window.getRefName().toString();
        int at = before - 1;
        while (at >= 0 && !name.equals(name(declared.get(at)))) {
            at--;
        }
        if (at < 0) {
            throw SqlErrors.at(
                    window.getRefName().getParserPosition(),
                    "no window '" + name + "' is declared before this one, in the WINDOW of its own SELECT");
        }
        SqlWindow base = extended((SqlWindow) declared.get(at), at);
        if (!mayExtend(window, base)) {
            return window;
        }
        List<SqlNode> operands = new ArrayList<>(window.getOperandList());
        operands.set(1, null);
        operands.set(2, base.getPartitionList());
        operands.set(3, window.getOrderList().isEmpty() ? base.getOrderList() : window.getOrderList());
        return (SqlWindow)
                window.getOperator().createCall(null, window.getParserPosition(), operands.toArray(SqlNode[]::new));
    }

    private static @Nullable String name(SqlNode declared) {
        return declared instanceof SqlWindow window && window.getDeclName() != null
                ? window.getDeclName().toString()
                : null;
    }

    private static boolean mayExtend(SqlWindow window, SqlWindow base) {
        return base.getRefName() == null
                && window.getPartitionList().isEmpty()
                && (window.getOrderList().isEmpty() || base.getOrderList().isEmpty())
                && base.getLowerBound() == null
                && base.getUpperBound() == null;
    }
}
