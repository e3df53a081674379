package io.waterwheel.query.condition;

import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Selection;
import io.waterwheel.query.column.Values;

/** A test of text or bytes, made once for each value of a dictionary, and not for each row. Stateless, thread-safe. */
final class DictionaryTruth {
    /** Of values there are, at most one in this number of rows: else most tests would be in vain. */
    private static final int FEWEST_ROWS = 2;

    interface Test {
        boolean of(long reference);
    }

    private DictionaryTruth() {}

    /** Leaves 1 or 0 at each selected row, where it is null too; false, and nothing is done, where it does not pay. */
    static boolean fill(Values values, RowView view, int[] selected, int count, long[] truth, Test test) {
        long[] dictionary = values.dictionary;
        char[] codes = values.codes;
        if (codes.length == 0 || (long) dictionary.length * FEWEST_ROWS > count) {
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
}
