package io.waterwheel.sql.leaf;

import io.waterwheel.query.expression.Expression;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/**
 * The newest of each key, as SQL says it: rows whose {@code ROW_NUMBER() OVER (PARTITION BY key ORDER BY time DESC)} is
 * at most n, by a sub-query or QUALIFY. The number itself is in no answer of the engine, so nothing above may use it.
 */
final class NewestPattern {
    private static final int MOST = 100_000;

    private NewestPattern() {}

    /**
     * The leaf of the newest, with the columns of the project; the number's column, and that of its comparison, are
     * literals. Null when it is something else.
     *
     * @param term of the filter above the project, which compares the number
     * @param leaf that is below the project
     * @param used columns of the project that are used above it, or in other terms of the filter
     */
    static @Nullable Leaf of(RexNode term, Project project, Leaf leaf, List<Integer> used) {
        String key = leaf.schema().key().onlyField();
        if (!leaf.plain() || key == null) {
            return null;
        }
        int number = -1;
        List<Expression> columns = new ArrayList<>();
        for (int c = 0; c < project.getProjects().size(); c++) {
            RexNode node = project.getProjects().get(c);
            if (node instanceof RexInputRef input) {
                columns.add(leaf.columns().get(input.getIndex()));
                continue;
            }
            if (number >= 0 || used.contains(c)) {
                return null;
            }
            number = c;
            columns.add(new Expression.Truth(true));
        }
        if (number < 0
                || !columns.stream()
                        .allMatch(one -> one instanceof Expression.FieldValue || one instanceof Expression.Truth)) {
            return null;
        }
        RexCall comparison = comparison(term, project.getProjects().get(number), number);
        if (comparison == null || !isNumber(comparison.getOperands().get(0), project, leaf, key)) {
            return null;
        }
        int most = most(comparison);
        return most < 1 || most > MOST ? null : leaf.withWhat(new Leaf.Newest(most), columns);
    }

    /** The comparison of the number: of the filter, or of the column that the filter takes, as QUALIFY has it. */
    private static @Nullable RexCall comparison(RexNode condition, RexNode column, int number) {
        if (condition instanceof RexInputRef input && input.getIndex() == number && column instanceof RexCall call) {
            return call.getOperands().size() == 2 && !(call instanceof RexOver) ? call : null;
        }
        return condition instanceof RexCall call
                        && call.getOperands().size() == 2
                        && call.getOperands().get(0) instanceof RexInputRef input
                        && input.getIndex() == number
                ? call
                : null;
    }

    private static boolean isNumber(RexNode node, Project project, Leaf leaf, String key) {
        RexNode value =
                node instanceof RexInputRef input ? project.getProjects().get(input.getIndex()) : node;
        if (!(value instanceof RexOver over) || over.getAggOperator().getKind() != SqlKind.ROW_NUMBER) {
            return false;
        }
        RexWindow window = over.getWindow();
        if (window.partitionKeys.size() != 1 || window.orderKeys.size() != 1) {
            return false;
        }
        RexFieldCollation order = window.orderKeys.get(0);
        return isField(window.partitionKeys.get(0), leaf, key)
                && isField(order.left, leaf, leaf.schema().timeField())
                && order.getDirection().isDescending();
    }

    private static boolean isField(RexNode node, Leaf leaf, String name) {
        return node instanceof RexInputRef input
                && leaf.columns().get(input.getIndex()).equals(new Expression.FieldValue(name));
    }

    /** How many of each key; 0 when it cannot be told. */
    private static int most(RexCall comparison) {
        if (!(comparison.getOperands().get(1) instanceof RexLiteral literal) || literal.isNull()) {
            return 0;
        }
        Long bound = literal.getValueAs(Long.class);
        if (bound == null || bound < 1 || bound > MOST) {
            return 0;
        }
        return switch (comparison.getKind()) {
            case LESS_THAN_OR_EQUAL -> bound.intValue();
            case LESS_THAN -> bound.intValue() - 1;
            case EQUALS -> bound == 1 ? 1 : 0;
            default -> 0;
        };
    }
}
