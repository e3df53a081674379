package io.waterwheel.query.run;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An answer as it was handed out: how it ended, and its rows, counted; those that a test wants are kept. */
public class CollectedAnswer implements AnswerSink {
    private List<Field> fields = List.of();
    private long rows;
    private volatile @Nullable Verdict verdict;
    private volatile @Nullable WaterwheelException failure;
    private volatile boolean gone;

    /** Keeps nothing of the rows; a test may. */
    protected void take(TupleBlock block) {}

    @Override
    public void start(List<Field> of) {
        fields = of;
    }

    @Override
    public void rows(TupleBlock block) {
        rows += block.size();
        take(block);
    }

    @Override
    public void finish(Verdict end) {
        verdict = end;
    }

    @Override
    public void fail(WaterwheelException reason) {
        failure = reason;
    }

    @Override
    public boolean cancelled() {
        return gone;
    }

    /** The client is gone from now on. */
    public final void leave() {
        gone = true;
    }

    public final List<Field> fields() {
        return fields;
    }

    public final long rowCount() {
        return rows;
    }

    /** How it ended; fails with the reason when it did not end whole. */
    public final Verdict verdict() {
        Verdict end = verdict;
        if (end == null) {
            throw new AssertionError("the answer has no verdict", failure);
        }
        return end;
    }

    /** Why it failed; fails when it did not. */
    public final WaterwheelException failure() {
        WaterwheelException why = failure;
        if (why == null) {
            throw new AssertionError("the answer did not fail; its verdict: " + verdict);
        }
        return why;
    }

    /** Whether it ended with an error. */
    public final boolean failed() {
        return failure != null;
    }

    /** Values of a column of eight bytes, in the order of the rows. */
    static List<Long> longs(TupleBlock block, int column) {
        List<Long> values = new ArrayList<>();
        for (int row = 0; row < block.size(); row++) {
            values.add(io.waterwheel.tuple.LittleEndian.getLong(block.column(column), row * 8));
        }
        return values;
    }
}
