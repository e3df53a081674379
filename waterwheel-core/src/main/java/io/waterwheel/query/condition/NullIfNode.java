package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;

/** NULLIF: null where both arguments are equal. */
final class NullIfNode extends ColumnNode {
    private final ColumnNode first;
    private final ColumnNode second;

    NullIfNode(ColumnNode first, ColumnNode second) {
        super(first.type());
        this.first = first;
        // Of the first the values are handed on.
        this.second = ConstantNode.once(second);
    }

    /** Its values are those of the first argument. */
    @Override
    public void release(RowView view) {
        super.release(view);
        first.release(view);
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        first.evaluate(view, selected, count);
        second.evaluate(view, selected, count);
        long[] compared = view.workspace().takeLongs(view.rows);
        CompareNode.compare(first, second, view, selected, count, compared);
        Values values = first.values();
        boolean[] nulls = out.ownNulls(view);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            nulls[row] = values.isNull(row) || (!second.values().isNull(row) && compared[row] == 0);
        }
        out.anyNull = true;
        view.workspace().give(compared);
        second.release(view);
        out.longs = values.longs;
        out.doubles = values.doubles;
        out.slabs = values.slabs;
        out.slabShift = values.slabShift;
    }
}
