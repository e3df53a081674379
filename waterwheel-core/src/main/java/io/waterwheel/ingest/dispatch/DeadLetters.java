package io.waterwheel.ingest.dispatch;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The seam to the dead-letter topic of a stream, where records that cannot be decoded go. A letter's key is stream,
 * partition, offset and row: stored again, by any task, it replaces itself. Thread-safe.
 */
public interface DeadLetters extends AutoCloseable {
    /**
     * Stores letters.
     *
     * @param letters those of one offset are all among them
     * @param done called once, on any thread: with null when all are stored for good, or with the failure; then some
     *     may be stored, and all are to be stored again
     */
    void store(int streamId, int partition, List<RefusedRow> letters, Consumer<@Nullable Exception> done);

    /** A warning about the store of the letters, for the stream's operator; empty when there is nothing. */
    default String warning(int streamId) {
        return "";
    }

    @Override
    void close();
}
