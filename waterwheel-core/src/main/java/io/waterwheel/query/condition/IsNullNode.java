package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.FieldNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.ValueType;
import org.jspecify.annotations.Nullable;

/** IS NULL and IS NOT NULL. */
final class IsNullNode extends ColumnNode {
    private final ColumnNode operand;
    private final boolean negated;

    IsNullNode(ColumnNode operand, boolean negated) {
        super(ValueType.BOOLEAN);
        this.operand = operand;
        this.negated = negated;
    }

    /** The field that is its operand; null where that is something else. */
    @Nullable
    FieldNode field() {
        return operand instanceof FieldNode field ? field : null;
    }

    boolean negated() {
        return negated;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        long[] truth = out.ownLongs(view);
        for (int i = 0; i < count; i++) {
            truth[selected[i]] = operand.values().isNull(selected[i]) != negated ? 1 : 0;
        }
        operand.release(view);
    }
}
