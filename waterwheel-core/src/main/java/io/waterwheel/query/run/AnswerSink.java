package io.waterwheel.query.run;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.function.BooleanSupplier;

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

    /** Whether the client has given up on the answer. */
    boolean cancelled();

    /** Who asks, such as host and port of its connection; queries of one client share what is due to it. */
    default String client() {
        return "";
    }

    /** The caller's {@code traceparent}, for the log; empty where none was given. */
    default String trace() {
        return "";
    }

    /**
     * Whether a client asks. A question of the server's own, by which it warms up, is neither measured, nor listed, nor
     * told of in the log.
     */
    default boolean counts() {
        return true;
    }

    /** From now on {@link #rows} also ends, by a failure, soon after this is true; it never becomes false again. */
    default void endWhen(BooleanSupplier ended) {}

    /** Whether {@link #rows} would take some at once. */
    default boolean ready() {
        return true;
    }

    /** From now on this is told when a call waits for the client. */
    default void whileWaiting(ClientWait told) {}

    /** How many bytes of rows it may hold back, about, to hand them to the client together. */
    default void holdBack(int bytes) {}

    /**
     * Nothing comes for a moment: what is held back goes to the client, unless that would have to wait; so does what
     * {@link #start} announced.
     */
    default void flush() {}
}
