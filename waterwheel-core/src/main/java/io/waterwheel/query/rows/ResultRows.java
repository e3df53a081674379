package io.waterwheel.query.rows;

import io.waterwheel.query.column.RowView;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import org.jspecify.annotations.Nullable;

/** Gathers fields of the matching rows into blocks and hands these to the sink, up to a limit. One thread. */
public final class ResultRows extends RowCollector {
    private static final int BLOCK_ROWS = 2048;
    /** By this a block grows that is to take more rows, up to its most. */
    private static final int GROWTH = 4;

    private final RowCopy copy;
    private final RowLayout result;
    private final RowSink sink;
    private final int blockRows;
    private long left;
    private boolean stopped;
    private @Nullable TupleBlock block;

    public ResultRows(RowLayout stored, int[] fields, RowLayout result, long limit, RowSink sink) {
        this.copy = new RowCopy(stored, fields, result);
        this.result = result;
        this.sink = sink;
        this.left = limit;
        this.blockRows = Math.max(1, Math.min(BLOCK_ROWS, RowCopy.BLOCK_BYTES / Math.max(1, result.rowWidth())));
    }

    @Override
    public boolean done() {
        return stopped || left == 0;
    }

    /** Adds rows until no more are wanted; {@link #found} counts those handed over. */
    @Override
    public void add(RowView view, int[] selected, int count) {
        add(copy, view, selected, 0, count);
    }

    /** The same of rows that another copy makes rows of the result of: those selected from one place on. */
    public void add(RowCopy copy, RowView view, int[] selected, int first, int count) {
        int from = first;
        int end = first + count;
        while (from < end && !done()) {
            TupleBlock into = block;
            if (into == null) {
                into = new TupleBlock(result, Math.min(blockRows, end - from));
                block = into;
            } else if (into.size() > 0) {
                // Where rows come again, as many more will: it should not be copied for each few.
                into.ensureRows(Math.min(blockRows, Math.max(into.size() + end - from, GROWTH * into.size())));
            }
            int rows = (int) Math.min(left, Math.min(blockRows - into.size(), end - from));
            rows = RowCopy.rows(copy.rowsThatFit(view, selected, from, rows, into.arenaSize()));
            copy.copy(view, selected, from, rows, into);
            from += rows;
            left -= rows;
            found(rows);
            if (into.size() == blockRows || into.arenaSize() >= RowCopy.BLOCK_BYTES || from < end) {
                finish();
            }
        }
    }

    /** Hands over the unfinished block. */
    @Override
    public void finish() {
        TupleBlock full = block;
        block = null;
        if (full != null && full.size() > 0 && !stopped) {
            stopped = !sink.accept(full);
        }
    }
}
