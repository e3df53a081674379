package io.waterwheel.ingest.source;

import io.waterwheel.schema.text.KafkaFields;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The seam by which a dispatcher reads part of the log again, for channels that lag behind live reading. Reads at the
 * same isolation as live reading. Thread-safe; at most one read per partition of a stream is under way.
 */
public interface LogReader extends AutoCloseable {
    /**
     * Starts reading at an offset and returns at once.
     *
     * @param from first position to read
     * @param base added to an offset of the log to make a position
     * @param wanted what the batch is to hold beside the values of records
     * @param maxBytes about how much to read at most; at least one record is read however large
     * @param done called once, on the reader's thread, with the batch (its {@code from} is the offset asked for), or
     *     with the failure; a batch that ends where it begins means that the log has nothing further yet
     */
    void read(
            int streamId,
            int partition,
            long from,
            long base,
            KafkaFields wanted,
            int maxBytes,
            BiConsumer<@Nullable RecordBatch, @Nullable Exception> done);

    /**
     * Ends the read of a partition soon, as a failure, unless it is done before. Without effect when none is under way.
     */
    void cancel(int streamId, int partition);

    @Override
    void close();
}
