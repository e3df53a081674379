package io.waterwheel.query.run;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Hands everything to another sink; for those that look at some of it. */
public abstract class ForwardingSink implements AnswerSink {
    private final AnswerSink to;

    protected ForwardingSink(AnswerSink to) {
        this.to = to;
    }

    @Override
    public void start(List<Field> fields) {
        to.start(fields);
    }

    @Override
    public void rows(TupleBlock rows) {
        to.rows(rows);
    }

    @Override
    public void finish(Verdict verdict) {
        to.finish(verdict);
    }

    @Override
    public void fail(WaterwheelException failure) {
        to.fail(failure);
    }

    @Override
    public boolean cancelled() {
        return to.cancelled();
    }

    @Override
    public String client() {
        return to.client();
    }

    @Override
    public String trace() {
        return to.trace();
    }

    @Override
    public boolean counts() {
        return to.counts();
    }

    @Override
    public void endWhen(BooleanSupplier ended) {
        to.endWhen(ended);
    }

    @Override
    public boolean ready() {
        return to.ready();
    }

    @Override
    public void whileWaiting(ClientWait told) {
        to.whileWaiting(told);
    }

    @Override
    public void holdBack(int bytes) {
        to.holdBack(bytes);
    }

    @Override
    public void flush() {
        to.flush();
    }
}
