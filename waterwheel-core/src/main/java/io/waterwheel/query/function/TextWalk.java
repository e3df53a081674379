package io.waterwheel.query.function;

import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.tuple.TupleBlock;

/** One text of a column after the other, where it lies; what looking at it costs is spent. Owner: one evaluation. */
final class TextWalk {
    private final RowView view;
    private final Values values;

    /** Where the present text lies. */
    byte[] slab = new byte[0];

    int from;
    int length;

    TextWalk(RowView view, Values values) {
        this.view = view;
        this.values = values;
    }

    /** Goes to the text of a row, which has one. */
    void to(int row) {
        long reference = values.longs[row];
        length = TupleBlock.referenceLength(reference);
        view.workspace().spend(length);
        slab = values.slab(reference);
        from = values.offset(reference);
    }

    /** How long the texts of rows are together. */
    int bytes(int[] selected, int count) {
        int bytes = 0;
        for (int i = 0; i < count; i++) {
            bytes = values.isNull(selected[i]) ? bytes : Math.addExact(bytes, values.length(selected[i]));
        }
        return bytes;
    }
}
