package io.waterwheel.topology.sql;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.schema.Field;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the answer to the query of one leaf: hands its rows on, and keeps how it ended. The client's sink is told of no
 * query, for it may be one of several.
 */
final class LeafSink implements AnswerSink {
    private final ColumnSink asker;
    private final BooleanSupplier unwanted;
    private final ResidualExecutor.Rows taker;
    private @Nullable Verdict verdict;
    private @Nullable WaterwheelException failure;

    /**
     * One of a leaf.
     *
     * @param asker who waits for the answer to the statement
     * @param unwanted whether nothing more of it is wanted
     */
    LeafSink(ColumnSink asker, BooleanSupplier unwanted, ResidualExecutor.Rows taker) {
        this.asker = asker;
        this.unwanted = unwanted;
        this.taker = taker;
    }

    /**
     * The verdict.
     *
     * @throws WaterwheelException what the query ended with instead
     */
    Verdict verdict() {
        if (failure != null) {
            throw failure;
        } else if (verdict == null) {
            throw new WaterwheelException(ErrorCode.BUG, "the query of a leaf was given no end");
        }
        return verdict;
    }

    @Override
    public void start(List<Field> fields) {
        // The plan knows them.
    }

    @Override
    public void rows(TupleBlock block) {
        taker.take(block);
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
        return unwanted.getAsBoolean();
    }

    @Override
    public String client() {
        return asker.client();
    }

    @Override
    public String trace() {
        return asker.trace();
    }
}
