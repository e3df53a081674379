package io.waterwheel.query.rows;

import io.waterwheel.query.aggregate.state.RowSummary;
import io.waterwheel.query.column.RowView;

/** Takes the matching rows of one scan, and hands to its sink what becomes of them. One thread. */
public abstract class RowCollector {
    private long found;

    /**
     * Is told before the first row that each call of {@link #add} has all rows of a leaf that match, and that no key of
     * a leaf is below one of a leaf before it.
     */
    public void comesByLeaves() {}

    /** Takes the first {@code count} of the selected rows, and leaves the selection as it is. */
    public abstract void add(RowView view, int[] selected, int count);

    /** Takes all rows of a leaf by what is known of them; false, and nothing is taken, when that is not enough. */
    public boolean addSummary(RowSummary rows) {
        return false;
    }

    /** Whether a row of a leaf may change what it gives, by what is known of the leaf; false is certain. */
    public boolean mayTake(RowSummary rows) {
        return true;
    }

    /** Whether a row that is older than another of its key changes nothing, whatever its other fields are. */
    public boolean takesNewestOnly() {
        return false;
    }

    /** Whether no more rows are wanted. */
    public boolean done() {
        return false;
    }

    /** Is told that no row of a key below this one will come. */
    public void settled(long below) {}

    /** Hands over what is left; the last call. */
    public abstract void finish();

    /** Counts rows that were taken. */
    public final void found(long rows) {
        found += rows;
    }

    /** Rows taken so far. */
    public final long found() {
        return found;
    }
}
