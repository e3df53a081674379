package io.waterwheel.ingest;

import java.time.Duration;
import java.util.function.Consumer;

/** The seam by which a spout reads the log live: any number of partitions of any topics, in offset order each. */
public interface LogSource extends AutoCloseable {
    /** Begins to read a partition at an offset. */
    void add(int streamId, String topic, int partition, long position);

    /** Ends reading a partition. Without effect when it is not read. */
    void remove(int streamId, int partition);

    /** Goes on at another offset. Without effect when the partition is not read. */
    void seek(int streamId, int partition, long position);

    /** Stops reading a partition for a while, or goes on. Without effect when it is not read. */
    void pause(int streamId, int partition, boolean paused);

    /** Where reading of a partition stands: the next offset; -1 when it is not read. */
    long position(int streamId, int partition);

    /**
     * Waits for records, at most so long, and hands over what there is: for each partition a batch that begins where
     * the last one ended.
     */
    void poll(Duration wait, Consumer<RecordBatch> batches);

    @Override
    void close();
}
