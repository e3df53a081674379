package io.waterwheel.query.rows;

import io.waterwheel.query.aggregate.state.RowSummary;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;

/** The first rows by an order: top-k. Rows that come after the last of them by the first field are not even copied. */
public final class TopRows extends BoundedRows {
    private final int most;
    private final ColumnNode first;
    private final int firstField;
    private long lastPrefix = Long.MAX_VALUE;
    private int[] candidates = {};

    /**
     * None yet.
     *
     * @param first the field that is ordered by first, in terms of the source of the rows
     * @param firstField its index there
     */
    public TopRows(RowCopy copy, RowOrder order, int most, ColumnNode first, int firstField, Workspace workspace) {
        super(copy, order, workspace);
        this.most = most;
        this.first = first;
        this.firstField = firstField;
    }

    @Override
    void add(RowView view, int[] selected, int count) {
        candidates = workspace().renewed(candidates, count);
        int kept = 0;
        first.evaluate(view, selected, count);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            candidates[kept] = row;
            kept += order().prefix(first.type(), first.values(), row) <= lastPrefix ? 1 : 0;
        }
        if (kept > 0 && most > 0) {
            keep(view, candidates, kept);
        }
    }

    @Override
    boolean mayTake(RowSummary rows) {
        RowSummary.OfField known = lastPrefix == Long.MAX_VALUE ? null : rows.field(firstField);
        return known == null || order().leastPrefix(known) <= lastPrefix;
    }

    @Override
    int cut(int[] sorted, int count) {
        if (count < most) {
            return count;
        }
        if (most > 0) {
            lastPrefix = order().prefix(block(), sorted[most - 1]);
        }
        return most;
    }

    @Override
    boolean allStay(int count) {
        return count < most;
    }

    @Override
    String remedy() {
        return "add a limit, or narrow the query";
    }
}
