package io.waterwheel.query.column;

/**
 * Functions on selections. A selection has the numbers of the selected rows, ascending, each once. So the first and the
 * last number tell whether there is a gap between them, and loops over rows without a gap need not look at the others.
 * Stateless, thread-safe.
 */
public final class Selection {
    private Selection() {}

    /** Whether the first {@code count} of the selected rows are some, and follow each other without a gap. */
    public static boolean isRange(int[] selected, int count) {
        return count > 0 && selected[count - 1] - selected[0] == count - 1;
    }

    /**
     * Whether the first {@code count} of the selected rows are some, and at least a third of those from the first to
     * the last: to look at all of these takes less than to look at each alone.
     */
    public static boolean isDense(int[] selected, int count) {
        return count > 0 && selected[count - 1] - selected[0] < count * 3L;
    }
}
