package io.waterwheel.query.exec.column;

/** NULLIF: null where both arguments are equal. */
final class NullIfNode extends ColumnNode {
    private final ColumnNode first;
    private final ColumnNode second;
    private long[] compared = {};

    NullIfNode(ColumnNode first, ColumnNode second) {
        super(first.type());
        this.first = first;
        this.second = second;
    }

    @Override
    public void evaluate(RowView view, int[] selected, int count) {
        first.evaluate(view, selected, count);
        second.evaluate(view, selected, count);
        if (compared.length < view.rows) {
            compared = new long[view.rows];
        }
        CompareNode.compare(first, second, selected, count, compared);
        Values values = first.out;
        boolean[] nulls = out.ownNulls(view.rows);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            nulls[row] = values.isNull(row) || (!second.out.isNull(row) && compared[row] == 0);
        }
        out.anyNull = true;
        out.longs = values.longs;
        out.doubles = values.doubles;
        out.slabs = values.slabs;
        out.slabShift = values.slabShift;
    }
}
