package io.waterwheel.query.column;

/**
 * What is to be known of selections: the numbers of the selected rows, ascending, each once. So that rows without a gap
 * between them are seen by the first and the last, and loops over them need not look at the others. Stateless,
 * thread-safe.
 */
public final class Selection {
    private Selection() {}

    /** Whether the first {@code count} of the selected rows are some, and follow each other without a gap. */
    public static boolean isRange(int[] selected, int count) {
        return count > 0 && selected[count - 1] - selected[0] == count - 1;
    }
}
