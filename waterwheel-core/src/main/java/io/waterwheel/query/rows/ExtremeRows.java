package io.waterwheel.query.rows;

import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.tuple.TupleBlock;

/**
 * Rows of which, of each series and step of time, only that with the least value and that with the greatest are kept,
 * of equal ones the first by the order; rows that have no value are not kept. So scans hand over, and a merge holds,
 * two rows for each step.
 */
public final class ExtremeRows extends BoundedRows {
    private final RowOrder bySeries;
    private final Values values;

    /** What is known of a row of a block. */
    public interface Values {
        /** Whether it has a value. */
        boolean has(TupleBlock rows, int row);

        /** A number that is greater for a greater value. */
        long ordered(TupleBlock rows, int row);

        /** The step of time that it lies in. */
        long step(TupleBlock rows, int row);
    }

    /**
     * None yet.
     *
     * @param order by series, then by time
     * @param bySeries rows that are equal in it are of one series
     */
    public ExtremeRows(RowCopy copy, RowOrder order, RowOrder bySeries, Values values, Workspace workspace) {
        super(copy, order, workspace);
        this.bySeries = bySeries;
        this.values = values;
    }

    @Override
    void add(RowView view, int[] selected, int count) {
        keep(view, selected, count);
    }

    @Override
    int cut(int[] sorted, int count) {
        int staying = 0;
        int low = -1;
        int high = -1;
        for (int i = 0; i < count; i++) {
            int row = sorted[i];
            if (!values.has(block(), row)) {
                continue;
            }
            if (low >= 0
                    && (bySeries.compare(block(), low, row) != 0
                            || values.step(block(), low) != values.step(block(), row))) {
                staying = put(sorted, staying, low, high);
                low = -1;
            }
            if (low < 0) {
                low = row;
                high = row;
            } else if (values.ordered(block(), row) < values.ordered(block(), low)) {
                low = row;
            } else if (values.ordered(block(), row) > values.ordered(block(), high)) {
                high = row;
            }
        }
        return low < 0 ? staying : put(sorted, staying, low, high);
    }

    /** Puts one or both rows behind those that stay, in their order. */
    private int put(int[] sorted, int staying, int low, int high) {
        int next = staying;
        boolean lowFirst = order().compare(block(), low, high) <= 0;
        sorted[next++] = lowFirst ? low : high;
        if (low != high) {
            sorted[next++] = lowFirst ? high : low;
        }
        return next;
    }

    @Override
    String remedy() {
        return "ask for fewer points, or for fewer series";
    }
}
