package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.ValueType;

/** NOT: null stays null. */
final class NotNode extends ColumnNode {
    private final ColumnNode operand;

    NotNode(ColumnNode operand) {
        super(ValueType.BOOLEAN);
        this.operand = operand;
    }

    ColumnNode operand() {
        return operand;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        out.nullsOf(operand.values(), selected, count, view);
        long[] truth = out.ownLongs(view);
        for (int i = 0; i < count; i++) {
            truth[selected[i]] = operand.values().longs[selected[i]] ^ 1;
        }
        operand.release(view);
    }
}
