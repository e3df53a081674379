package io.waterwheel.query.exec;

import io.waterwheel.query.exec.column.RowView;

/** Takes the matching rows of one scan, and hands to its sink what becomes of them. One thread. */
abstract class Collector {
    private long found;

    /** Takes the first {@code count} of the selected rows. */
    abstract void add(RowView view, int[] selected, int count);

    /** Whether no more rows are wanted. */
    boolean done() {
        return false;
    }

    /** Hands over what is left; the last call. */
    abstract void finish();

    /** Counts rows that were taken. */
    final void found(long rows) {
        found += rows;
    }

    /** Rows taken so far. */
    final long found() {
        return found;
    }
}
