package io.waterwheel.topology.sql;

import io.waterwheel.status.DeadLetterText;
import java.util.Map;
import java.util.function.Consumer;

/** Where the dead letters of streams are. Thread-safe. */
@FunctionalInterface
public interface LetterLog {
    /**
     * Hands over the last letters of streams, as many as are kept in bounds.
     *
     * @param topics of the streams, by their ids
     * @param goOn is asked now and then; throws to end it
     */
    void last(Map<Integer, String> topics, Runnable goOn, Consumer<DeadLetterText> each) throws InterruptedException;
}
