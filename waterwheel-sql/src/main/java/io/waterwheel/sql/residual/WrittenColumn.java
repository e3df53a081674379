package io.waterwheel.sql.residual;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.sql.leaf.LeafNode;
import java.math.BigDecimal;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** Columns that hold a written number in all rows: what is written in an aggregate is a column of its input. */
final class WrittenColumn {
    private WrittenColumn() {}

    /** The number; null where it is none, or may not be in all rows. */
    static @Nullable BigDecimal number(RelNode node, int column) {
        if (node instanceof LeafNode leaf) {
            return number(leaf.leaf().columns().get(column));
        } else if (node instanceof Project project) {
            RexNode value = project.getProjects().get(column);
            return value instanceof RexInputRef input ? number(project.getInput(), input.getIndex()) : number(value);
        } else if (node instanceof Filter || node instanceof Sort) {
            return number(node.getInput(0), column);
        } else if (node instanceof Aggregate aggregate && aggregate.getGroupType() == Aggregate.Group.SIMPLE) {
            return column < aggregate.getGroupCount()
                    ? number(aggregate.getInput(), aggregate.getGroupSet().nth(column))
                    : null;
        } else if (node instanceof Join join) {
            int left = join.getLeft().getRowType().getFieldCount();
            boolean ofLeft = column < left;
            boolean mayBeNull = ofLeft
                    ? join.getJoinType().generatesNullsOnLeft()
                    : join.getJoinType().generatesNullsOnRight();
            return mayBeNull ? null : ofLeft ? number(join.getLeft(), column) : number(join.getRight(), column - left);
        }
        return null;
    }

    /** The number that an expression is; null for any other. */
    static @Nullable BigDecimal number(RexNode value) {
        return value instanceof RexLiteral literal && !literal.isNull()
                ? switch (literal.getTypeName()) {
                    case DECIMAL, BIGINT, INTEGER, DOUBLE -> literal.getValueAs(BigDecimal.class);
                    default -> null;
                }
                : null;
    }

    private static @Nullable BigDecimal number(Expression value) {
        if (value instanceof Expression.Whole whole) {
            return BigDecimal.valueOf(whole.value());
        } else if (value instanceof Expression.Decimal decimal) {
            return Double.isFinite(decimal.value()) ? BigDecimal.valueOf(decimal.value()) : null;
        }
        return null;
    }
}
