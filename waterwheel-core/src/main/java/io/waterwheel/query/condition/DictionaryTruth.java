package io.waterwheel.query.condition;

import io.waterwheel.query.column.ReferenceMemo;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Selection;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import org.jspecify.annotations.Nullable;

/**
 * A test of text or bytes that is made once for each value, and not for each row, where a chunk's leaf has a dictionary
 * or rows of a tree share their texts. One for each test of one scan; one thread.
 */
final class DictionaryTruth {
    /** Of values there are, at most one in this number of rows: else most tests would be in vain. */
    private static final int FEWEST_ROWS = 2;

    interface Test {
        boolean of(long reference);
    }

    private final ReferenceMemo memo = new ReferenceMemo();
    /** The workspace that was asked whether this may remember, and what it said. */
    private @Nullable Workspace asked;

    private boolean remembers;

    /** Leaves 1 or 0 at each selected row, where it is null too; false, and no truth is left, where it does not pay. */
    boolean fill(Values values, RowView view, int[] selected, int count, long[] truth, Test test) {
        long[] dictionary = values.dictionary;
        char[] codes = values.codes;
        if (codes.length == 0
                && values.origin != null
                && mayRemember(view.workspace())
                && memo.serves(values, count, view.workspace().memory())) {
            fillShared(values.longs, view, selected, count, truth, test);
            return true;
        }
        if (codes.length == 0 || (long) dictionary.length * FEWEST_ROWS > count) {
            if (values.origin != null) {
                values.lookAhead(selected, count);
            }
            return false;
        }
        long[] truths = view.workspace().takeLongs(dictionary.length);
        for (int code = 0; code < dictionary.length; code++) {
            view.workspace().spend(10);
            truths[code] = test.of(dictionary[code]) ? 1 : 0;
        }
        if (Selection.isRange(selected, count)) {
            int first = selected[0];
            for (int row = first; row < first + count; row++) {
                truth[row] = truths[codes[row]];
            }
        } else {
            for (int i = 0; i < count; i++) {
                truth[selected[i]] = truths[codes[selected[i]]];
            }
        }
        view.workspace().give(truths);
        return true;
    }

    private boolean mayRemember(Workspace workspace) {
        if (workspace != asked) {
            asked = workspace;
            remembers = workspace.takeMemo();
        }
        return remembers;
    }

    private void fillShared(long[] references, RowView view, int[] selected, int count, long[] truth, Test test) {
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            int known = memo.get(references[row]);
            if (known == ReferenceMemo.UNKNOWN) {
                view.workspace().spend(10);
                known = test.of(references[row]) ? 1 : 0;
                memo.put(references[row], known);
            }
            truth[row] = known;
        }
    }
}
