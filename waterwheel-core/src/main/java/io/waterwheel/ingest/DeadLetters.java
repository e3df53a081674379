package io.waterwheel.ingest;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The seam to the dead-letter topic of a stream, where records that cannot be decoded go. Thread-safe. */
public interface DeadLetters extends AutoCloseable {
    /**
     * Sends one refused record, or one refused tuple of a block record.
     *
     * @param index of the tuple in the block record, -1 for the whole record
     * @param reason why it was refused, for people
     * @param raw the record's value
     * @param done called once when it is stored for good (null) or could not be (the failure); on any thread
     */
    void send(
            int streamId,
            int partition,
            long offset,
            int index,
            String reason,
            ByteBuffer raw,
            Consumer<@Nullable Exception> done);

    @Override
    void close();
}
