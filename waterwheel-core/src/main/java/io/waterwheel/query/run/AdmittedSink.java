package io.waterwheel.query.run;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.QueryState;
import io.waterwheel.tuple.TupleBlock;

/**
 * The sink of a query that takes turns: gives the turn back while the client takes nothing, and ends the answer when
 * the query is called off.
 */
final class AdmittedSink extends ForwardingSink {
    private final Admission.OpenQuery open;
    private final long deadlineNanos;

    AdmittedSink(AnswerSink to, Admission.OpenQuery open) {
        super(to);
        this.open = open;
        this.deadlineNanos = open.deadlineNanos();
        to.endWhen(open::calledOff);
    }

    @Override
    public void rows(TupleBlock rows) {
        if (!ready()) {
            open.pause(QueryState.Stage.SENDING);
        }
        super.rows(rows);
        try {
            // Where it was paused.
            open.resume(deadlineNanos, this::cancelled);
        } catch (InterruptedException e) {
            // Who waits next is told.
            Thread.currentThread().interrupt();
        }
        open.sent(rows.size(), rows.bytes());
    }

    /** A wait for the client is not the work that a turn is for. */
    @Override
    public void whileWaiting(ClientWait told) {
        super.whileWaiting(new ClientWait() {
            @Override
            public void begin(Runnable end) {
                open.pause(QueryState.Stage.SENDING);
                told.begin(end);
            }

            @Override
            public void end() {
                told.end();
            }
        });
    }

    @Override
    public void finish(Verdict verdict) {
        if (open.calledOff()) {
            // What was left away is not missing by the verdict: no client was to wait for it.
            throw open.calledOffFailure();
        }
        // No work is left.
        open.pause(QueryState.Stage.SENDING);
        super.finish(verdict);
        open.answered(verdict.complete() ? "complete" : "incomplete", verdict.statistics());
    }

    @Override
    public void fail(WaterwheelException failure) {
        WaterwheelException told = open.calledOff() ? open.calledOffFailure() : failure;
        open.endedAs(told.code());
        super.fail(told);
    }

    @Override
    public boolean cancelled() {
        return open.calledOff() || super.cancelled();
    }
}
