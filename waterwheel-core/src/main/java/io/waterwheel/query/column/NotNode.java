package io.waterwheel.query.column;

import io.waterwheel.query.expression.ValueType;

/** NOT: null stays null. */
final class NotNode extends ColumnNode {
    private final ColumnNode operand;

    NotNode(ColumnNode operand) {
        super(ValueType.BOOLEAN);
        this.operand = operand;
    }

    @Override
    void compute(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        out.nullsOf(operand.out, selected, count, view);
        long[] truth = out.ownLongs(view);
        for (int i = 0; i < count; i++) {
            truth[selected[i]] = operand.out.longs[selected[i]] ^ 1;
        }
        operand.release(view);
    }
}
