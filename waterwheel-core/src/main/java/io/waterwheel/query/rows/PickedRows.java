package io.waterwheel.query.rows;

import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.tuple.TupleBlock;
import org.jspecify.annotations.Nullable;

/** Hands over single rows of blocks, as many at a time as come of one block. One thread. */
public final class PickedRows {
    private static final int MOST = 2048;

    private final ResultRows answer;
    private final Workspace workspace;
    private final int[] rows = new int[MOST];
    private int count;
    private @Nullable TupleBlock block;

    /** @param answer takes the rows */
    public PickedRows(ResultRows answer, Workspace workspace) {
        this.answer = answer;
        this.workspace = workspace;
    }

    /** Hands over a row, after those before it; its block must stay as it is until {@link #flush}. */
    public void add(TupleBlock of, int row) {
        if (of != block || count == MOST) {
            flush();
            block = of;
        }
        rows[count++] = row;
    }

    /** Hands over what waits. */
    public void flush() {
        if (block != null && count > 0) {
            answer.add(RowView.of(block, workspace), rows, count);
        }
        count = 0;
        block = null;
    }
}
