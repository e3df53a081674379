package io.waterwheel.sql.plan;

import io.waterwheel.sql.parse.SqlErrors;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.jspecify.annotations.Nullable;

/**
 * Counts the SELECTs and tables of a statement, those of what WITH names as often as they are named: each is planned,
 * and read, by itself. Of {@code a AS (SELECT ...), b AS (SELECT ... FROM a, a), c AS (SELECT ... FROM b, b)} the last
 * has four of the first.
 */
final class ExpandedSize {
    private static final int MOST = 128;

    /** By name in capital letters, the size of what WITH names. */
    private final Map<String, Integer> named;

    private ExpandedSize(Map<String, Integer> named) {
        this.named = named;
    }

    /** Refuses a statement that is too large. */
    static void require(SqlNode statement) {
        int unused = new ExpandedSize(Map.of()).of(statement);
    }

    private static int bounded(int size) {
        if (size > MOST) {
            throw SqlErrors.unsupported("it has over " + MOST
                    + " SELECTs and tables, those of what WITH names counted as often as they are named");
        }
        return size;
    }

    private int of(@Nullable SqlNode node) {
        if (node instanceof SqlWith with) {
            Map<String, Integer> scope = new HashMap<>(named);
            ExpandedSize within = new ExpandedSize(scope);
            for (SqlNode item : with.withList) {
                SqlWithItem named = (SqlWithItem) item;
                String name = named.name.getSimple().toUpperCase(Locale.ROOT);
                if (named.recursive.booleanValue()) {
                    // In its own query it is a table.
                    scope.put(name, 1);
                }
                scope.put(name, within.of(named.query));
            }
            return within.of(with.body);
        } else if (node instanceof SqlSelect select) {
            int size = 1 + from(select.getFrom());
            for (SqlNode operand : select.getOperandList()) {
                size += operand == select.getFrom() ? 0 : of(operand);
            }
            return bounded(size);
        }
        List<@Nullable SqlNode> parts = node instanceof SqlNodeList list
                ? list.getList()
                : node instanceof SqlCall call ? call.getOperandList() : List.of();
        int size = 0;
        for (SqlNode part : parts) {
            size = bounded(size + of(part));
        }
        return size;
    }

    private int from(@Nullable SqlNode node) {
        if (node instanceof SqlIdentifier table) {
            return table.isSimple() ? named.getOrDefault(table.getSimple().toUpperCase(Locale.ROOT), 1) : 1;
        } else if (node instanceof SqlJoin join) {
            return bounded(from(join.getLeft()) + from(join.getRight()) + of(join.getCondition()));
        } else if (node instanceof SqlCall call && node.getKind() == SqlKind.AS) {
            return from(call.operand(0));
        }
        return of(node);
    }
}
