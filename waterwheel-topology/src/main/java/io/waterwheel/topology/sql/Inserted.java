package io.waterwheel.topology.sql;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes the answer of the query of an INSERT as rows to store. Called by one thread at a time. */
final class Inserted implements ColumnSink {
    private final InsertRows rows;
    private final ColumnSink client;
    private int[] shown = new int[0];
    /** What is wrong first: the query is of no use from then on. */
    private volatile @Nullable WaterwheelException failure;

    /** @param client who waits */
    Inserted(InsertRows rows, ColumnSink client) {
        this.rows = rows;
        this.client = client;
    }

    @Override
    public void show(List<Column> columns) {
        rows.requireColumns(columns.size());
        shown = columns.stream().mapToInt(Column::field).toArray();
    }

    @Override
    public void start(List<Field> fields) {
        // The columns have said which.
    }

    @Override
    public void rows(TupleBlock block) {
        if (failure != null) {
            return;
        }
        try {
            rows.add(block, shown);
        } catch (WaterwheelException e) {
            // The query that hands over the rows knows nothing of the stream that they are for.
            failure = e;
        }
    }

    @Override
    public void finish(Verdict verdict) {
        if (!verdict.complete()) {
            fail(new WaterwheelException(
                    ErrorCode.INCOMPLETE, "statement: the answer to its query lacks something; nothing was stored"));
        }
    }

    @Override
    public void fail(WaterwheelException reason) {
        if (failure == null) {
            failure = reason;
        }
    }

    /** Throws what went wrong, if something did. */
    void requireWhole() {
        WaterwheelException reason = failure;
        if (reason != null) {
            throw reason;
        }
    }

    @Override
    public boolean cancelled() {
        return failure != null || client.cancelled();
    }

    @Override
    public String client() {
        return client.client();
    }
}
