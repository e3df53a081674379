package io.waterwheel.sql.parse;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the SELECTs within each other. An expression over a sub-query's column is planned with the column's own
 * expression in place of each of its names: {@code x + x} doubles with each level that it is nested. What WITH names
 * counts where it is named.
 *
 * @param depth SELECTs within each other, at most
 * @param copies of the innermost expression, at most
 */
public record NestedSelects(int depth, long copies) {
    private static final int MOST_NESTED = 16;
    private static final long MOST_COPIES = 20_000;
    private static final NestedSelects NONE = new NestedSelects(0, 1);

    public NestedSelects {
        if (depth > MOST_NESTED) {
            throw SqlErrors.unsupported("it has over " + MOST_NESTED + " SELECTs within each other");
        } else if (copies > MOST_COPIES) {
            throw SqlErrors.unsupported(
                    "its expressions are planned in too many copies: columns of its sub-queries are named too often in others,"
                            + " or functions such as GREATEST and COALESCE stand within each other too often");
        }
    }

    /** Refuses a statement that is too large. */
    public static void require(SqlNode statement) {
        NestedSelects unused = of(statement, Map.of());
    }

    private NestedSelects around(NestedSelects other) {
        return new NestedSelects(depth + other.depth, copies * other.copies);
    }

    private NestedSelects beside(NestedSelects other) {
        return new NestedSelects(Math.max(depth, other.depth), Math.max(copies, other.copies));
    }

    /** @param named by name in capital letters, what WITH names */
    private static NestedSelects of(@Nullable SqlNode node, Map<String, NestedSelects> named) {
        if (node instanceof SqlWith with) {
            Map<String, NestedSelects> scope = new HashMap<>(named);
            for (SqlNode one : with.withList) {
                SqlWithItem item = (SqlWithItem) one;
                String name = item.name.getSimple().toUpperCase(Locale.ROOT);
                if (item.recursive.booleanValue()) {
                    // In its own query it is a table.
                    scope.put(name, NONE);
                }
                scope.put(name, of(item.query, scope));
            }
            return of(with.body, scope);
        } else if (node instanceof SqlIdentifier name && name.isSimple()) {
            // A column of that name is counted too.
            return named.getOrDefault(name.getSimple().toUpperCase(Locale.ROOT), NONE);
        }
        List<@Nullable SqlNode> parts = node instanceof SqlNodeList list
                ? list.getList()
                : node instanceof SqlCall call ? call.getOperandList() : List.of();
        NestedSelects nested = NONE;
        for (SqlNode part : parts) {
            nested = nested.beside(of(part, named));
        }
        return node instanceof SqlSelect select ? new NestedSelects(1, mostNames(select)).around(nested) : nested;
    }

    /** How many names the column has that has most. */
    private static int mostNames(SqlSelect select) {
        int most = 1;
        for (SqlNode item : select.getSelectList()) {
            Identifiers names = new Identifiers();
            item.accept(names);
            most = Math.max(most, names.count);
        }
        return most;
    }

    private static final class Identifiers extends SqlBasicVisitor<@Nullable Void> {
        private int count;

        @Override
        public @Nullable Void visit(SqlCall call) {
            int before = count;
            super.visit(call);
            // Up to more than are allowed: it would overflow where calls are many levels deep.
            count = (int) Math.min(MOST_COPIES + 1, count + (copies(call) - 1L) * (count - before));
            return null;
        }

        /** How often an operand stands in the form that a call is planned in. */
        private static int copies(SqlCall call) {
            int operands = call.operandCount();
            return switch (call.getOperator().getName().toUpperCase(Locale.ROOT)) {
                case "ROUND" -> operands == 2 ? 3 : 1;
                case "SIGN" -> 3;
                // A test for null, and the value.
                case "COALESCE", "IFNULL", "NVL", "NULLIF" -> 2;
                // Tested for null, compared with each other one, and by each, and taken: see Rewriter.
                case "GREATEST", "LEAST" -> Math.max(1, 3 * operands - 1);
                default -> 1;
            };
        }

        @Override
        public @Nullable Void visit(SqlIdentifier identifier) {
            count++;
            return null;
        }
    }
}
