package io.waterwheel.cli.input;

import io.waterwheel.schema.RecordText;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a CSV file that are no rows.
 *
 * @param first at the beginning, before the names
 * @param comment what others begin with; 0: none do
 * @param last rows at the end, such as totals
 * @param names whether the first of the others names the columns, and is no row either
 */
public record LinesLeftOut(int first, char comment, int last, boolean names) {
    /** All lines are rows, but for the names. */
    public static final LinesLeftOut NONE = new LinesLeftOut(0, '\0', 0, false);

    /**
     * As a person says, and where nothing is said as the stream does. Lines before the names are left out only where a
     * line of names is read: nothing else would show that a file has none of them.
     *
     * @param first null: nothing is said
     * @param comment null: nothing is said
     * @param isNamed whether no line of the file names its columns
     */
    public static LinesLeftOut of(
            @Nullable Integer first, @Nullable Character comment, int last, RecordText text, boolean isNamed) {
        return new LinesLeftOut(
                first != null ? first : isNamed ? 0 : text.export().skipLines(),
                comment != null ? comment : text.export().comment(),
                last,
                !isNamed);
    }

    /** Has a reader leave them out. */
    public InputLines of(InputLines lines) {
        return lines.leaveOut(first, comment, last, names);
    }
}
