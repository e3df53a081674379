package io.waterwheel.query.function;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import org.jspecify.annotations.Nullable;

/**
 * CASE: the result of the first condition that is true. A condition is looked at only in rows that those before leave
 * open, a result only in rows that it is for.
 */
final class CaseNode extends ChoiceNode {
    private final ColumnNode[] conditions;
    private final @Nullable ColumnNode[] results;
    private final @Nullable ColumnNode otherwise;

    /**
     * @param results as many as conditions, each of the type, or of one that becomes it; null for NULL
     * @param otherwise in rows where no condition is true; null for NULL
     */
    CaseNode(
            Expression text,
            ValueType type,
            ColumnNode[] conditions,
            @Nullable ColumnNode[] results,
            @Nullable ColumnNode otherwise) {
        super(text, type);
        this.conditions = conditions;
        this.results = results;
        this.otherwise = otherwise;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        int[] open = view.workspace().takeInts(view.rows);
        int[] chosen = view.workspace().takeInts(view.rows);
        System.arraycopy(selected, 0, open, 0, count);
        boolean[] nulls = begin(view);
        out.anyNull = true;
        int left = count;
        for (int c = 0; c < conditions.length && left > 0; c++) {
            System.arraycopy(open, 0, chosen, 0, left);
            int found = conditions[c].keep(view, chosen, left);
            fill(view, results[c], chosen, found, nulls);
            left = without(open, left, chosen, found);
        }
        fill(view, otherwise, open, left, nulls);
        view.workspace().give(chosen);
        view.workspace().give(open);
    }

    private void fill(RowView view, @Nullable ColumnNode result, int[] rows, int count, boolean[] nulls) {
        if (count == 0) {
            return;
        } else if (result == null) {
            for (int i = 0; i < count; i++) {
                nulls[rows[i]] = true;
            }
            return;
        }
        result.evaluate(view, rows, count);
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            nulls[row] = result.values().isNull(row);
            if (!nulls[row]) {
                take(view, result, row);
            }
        }
        result.release(view);
    }

    /** Takes rows, in their order, out of others, which have all of them; returns how many are left. */
    private static int without(int[] rows, int count, int[] taken, int takenCount) {
        int left = 0;
        int next = 0;
        for (int i = 0; i < count; i++) {
            if (next < takenCount && rows[i] == taken[next]) {
                next++;
            } else {
                rows[left++] = rows[i];
            }
        }
        return left;
    }
}
