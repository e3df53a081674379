package io.waterwheel.query.exec;

import io.waterwheel.model.Field;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.query.Verdict;
import java.util.List;

/**
 * Where an answer goes: {@link #start}, rows, then {@link #finish} or {@link #fail}. Called by one thread at a time.
 */
public interface AnswerSink {
    /** The fields of the rows to come. */
    void start(List<Field> fields);

    /** Hands over rows; blocks while the client is not ready. May throw when the client is gone or too slow. */
    void rows(TupleBlock rows);

    /** The answer is whole as far as the verdict says. */
    void finish(Verdict verdict);

    /** The answer ends without a verdict. */
    void fail(WaterwheelException failure);

    /** Whether nobody waits for the answer any more. */
    boolean cancelled();
}
