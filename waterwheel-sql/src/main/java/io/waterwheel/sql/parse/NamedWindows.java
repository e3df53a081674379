package io.waterwheel.sql.parse;

import io.waterwheel.error.WaterwheelException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.util.Litmus;
import org.jspecify.annotations.Nullable;

/**
 * Windows by their names, {@code OVER w} and {@code OVER (w ROWS 1 PRECEDING)}, as windows of their own. Calcite would
 * do the same, but forgets the frames of those that name another, and refuses two that are alike, or that have the name
 * of one of a query around theirs. What it rightly refuses is left as it is.
 */
final class NamedWindows extends SqlBasicVisitor<@Nullable Void> {
    /** Of the SELECT that is looked at, as they were written. */
    private List<SqlWindow> declared = List.of();

    /** Names of those that stand in the places of their names. */
    private Set<String> placed = new HashSet<>();

    /** Whether one is as it was, for Calcite to refuse it. */
    private boolean left;

    /** Those that keep their places, whose names no query around theirs may have. */
    private int renamed;

    private NamedWindows() {}

    /** Changes the windows of a parsed statement. */
    static void resolve(SqlNode statement) {
        statement.accept(new NamedWindows());
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        if (call instanceof SqlOrderBy ordered && ordered.query instanceof SqlSelect select) {
            select(select, ordered.orderList);
            return null;
        } else if (call instanceof SqlSelect select) {
            select(select, SqlNodeList.EMPTY);
            return null;
        } else if (call.getKind() == SqlKind.OVER) {
            call.setOperand(1, whole(call.operand(1)));
        }
        return super.visit(call);
    }

    /** @param order by which its rows are ordered, which may name its windows */
    private void select(SqlSelect select, SqlNodeList order) {
        List<SqlWindow> around = declared;
        Set<String> placedAround = placed;
        boolean leftAround = left;
        SqlNodeList windows = select.getWindowList();
        declared = windows.getList().stream().map(SqlWindow.class::cast).toList();
        placed = new HashSet<>();
        left = declared.stream().map(NamedWindows::name).distinct().count() < declared.size();
        for (int w = 0; w < declared.size() && !left; w++) {
            SqlWindow unused = extended(declared.get(w), w);
        }
        super.visit(select);
        order.accept(this);
        if (!left) {
            List<SqlWindow> kept = new ArrayList<>();
            for (int w = 0; w < declared.size(); w++) {
                SqlWindow window = extended(declared.get(w), w);
                if (!placed.contains(name(window))
                        && kept.stream().noneMatch(other -> other.equalsDeep(window, Litmus.IGNORE))) {
                    kept.add(window);
                }
            }
            windows.clear();
            for (SqlWindow window : kept) {
                window.setDeclName(new SqlIdentifier("window$" + renamed++, window.getParserPosition()));
                windows.add(window);
            }
        }
        declared = around;
        placed = placedAround;
        left = leftAround;
    }

    private SqlNode whole(SqlNode window) {
        if (left) {
            return window;
        } else if (window instanceof SqlIdentifier id && id.isSimple()) {
            int at = place(id.getSimple(), declared.size());
            if (at < 0) {
                throw notDeclared(id, "");
            }
            SqlWindow named = extended(declared.get(at), at);
            placed.add(id.getSimple());
            return copy(named, named.getPartitionList(), named.getOrderList());
        }
        return window instanceof SqlWindow own ? extended(own, declared.size()) : window;
    }

    /** @param before declared windows that it may name */
    private SqlWindow extended(SqlWindow window, int before) {
        if (window.getRefName() == null) {
            return window;
        }
        String name = window.getRefName().toString();
        int at = place(name, before);
        if (at < 0) {
            throw notDeclared(window.getRefName(), "before this one, ");
        }
        SqlWindow base = extended(declared.get(at), at);
        if (!mayExtend(window, base)) {
            left = true;
            return window;
        }
        placed.add(name);
        SqlWindow extended = copy(
                window,
                base.getPartitionList(),
                window.getOrderList().isEmpty() ? base.getOrderList() : window.getOrderList());
        SqlIdentifier own = window.getDeclName();
        if (own != null) {
            extended.setDeclName(own);
        }
        return extended;
    }

    private static WaterwheelException notDeclared(SqlIdentifier name, String where) {
        return SqlErrors.at(
                name.getParserPosition(),
                "no window '" + name + "' is declared " + where + "in the WINDOW of its own SELECT");
    }

    private int place(String name, int before) {
        int at = before - 1;
        while (at >= 0 && !name.equals(name(declared.get(at)))) {
            at--;
        }
        return at;
    }

    /** Without its name, and that of another. */
    private static SqlWindow copy(SqlWindow window, SqlNodeList partition, SqlNodeList order) {
        List<@Nullable SqlNode> operands = new ArrayList<>(window.getOperandList());
        operands.set(0, null);
        operands.set(1, null);
        operands.set(2, partition);
        operands.set(3, order);
        return (SqlWindow)
                window.getOperator().createCall(null, window.getParserPosition(), operands.toArray(SqlNode[]::new));
    }

    private static @Nullable String name(SqlWindow window) {
        return window.getDeclName() == null ? null : window.getDeclName().toString();
    }

    private static boolean mayExtend(SqlWindow window, SqlWindow base) {
        return base.getRefName() == null
                && window.getPartitionList().isEmpty()
                && (window.getOrderList().isEmpty() || base.getOrderList().isEmpty())
                && base.getLowerBound() == null
                && base.getUpperBound() == null;
    }
}
