package io.waterwheel.query.function;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;

/** COALESCE; a later argument is looked at only in rows where those before are null. */
final class CoalesceNode extends ChoiceNode {
    private final ColumnNode[] arguments;

    /**
     * @param text what it computes, for the message of an overflow
     * @param arguments of the type, or INTEGER where the type is DOUBLE, or coarser timestamps
     */
    CoalesceNode(Expression text, ValueType type, ColumnNode[] arguments) {
        super(text, type);
        this.arguments = arguments;
        for (ColumnNode argument : arguments) {
            ConstantNode.once(argument);
        }
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        int[] open = view.workspace().takeInts(view.rows);
        System.arraycopy(selected, 0, open, 0, count);
        boolean[] nulls = begin(view);
        int left = count;
        for (int a = 0; a < arguments.length && left > 0; a++) {
            arguments[a].evaluate(view, open, left);
            int still = 0;
            for (int i = 0; i < left; i++) {
                int row = open[i];
                if (arguments[a].values().isNull(row)) {
                    nulls[row] = true;
                    open[still++] = row;
                } else {
                    nulls[row] = false;
                    take(view, arguments[a], row);
                }
            }
            left = still;
            arguments[a].release(view);
        }
        out.anyNull = left > 0;
        view.workspace().give(open);
    }
}
