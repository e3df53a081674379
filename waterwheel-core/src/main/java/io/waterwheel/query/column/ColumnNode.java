package io.waterwheel.query.column;

import io.waterwheel.query.expression.ValueType;

/**
 * An expression, ready to be evaluated over rows. Holds its last values, until they are released, in arrays of the
 * view's {@link Workspace} for as many rows as a page or leaf has. One thread.
 */
public abstract class ColumnNode {
    private final ValueType type;
    /** What {@link #evaluate} left. */
    protected final Values out = new Values();

    protected ColumnNode(ValueType type) {
        this.type = type;
    }

    /** What it yields. */
    public final ValueType type() {
        return type;
    }

    /**
     * What the last {@link #evaluate} left; valid until the next, until {@link #release}, or until the view's columns
     * change.
     */
    public final Values values() {
        return out;
    }

    /**
     * Computes the values at the first {@code count} of the selected rows, which ascend.
     *
     * @throws io.waterwheel.error.WaterwheelException of kind USER when an integer overflows
     * @throws ScanEndedException when the scan is not wanted any longer
     */
    public final void evaluate(RowView view, int[] selected, int count) {
        view.workspace.spend(count);
        compute(view, selected, count);
    }

    /** {@link #evaluate}; what takes longer than a nanosecond a row tells the workspace. */
    protected abstract void compute(RowView view, int[] selected, int count);

    /** Gives back the arrays of {@link #values}: nothing reads them until the next {@link #evaluate}. */
    public void release(RowView view) {
        out.release(view.workspace);
    }

    /**
     * For a condition: keeps of the first {@code count} of the selected rows, which ascend, those where it is true, in
     * their order.
     *
     * @return how many they are
     */
    public int keep(RowView view, int[] selected, int count) {
        evaluate(view, selected, count);
        long[] truth = out.longs;
        int kept = 0;
        if (!out.anyNull) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                selected[kept] = row;
                kept += (int) truth[row];
            }
            release(view);
            return kept;
        }
        boolean[] nulls = out.nulls;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            selected[kept] = row;
            kept += nulls[row] ? 0 : (int) truth[row];
        }
        release(view);
        return kept;
    }
}
