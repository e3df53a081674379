package io.waterwheel.ingest.source;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.text.KafkaFields;
import java.time.Duration;
import java.util.List;

/**
 * The seam by which a spout reads the log live: any number of partitions of any topics, in offset order each. Used by
 * one thread.
 */
public interface LogSource extends AutoCloseable {
    /** What a poll tells of a partition. */
    sealed interface PollEvent {
        /**
         * Everything visible in the batch's [from, to); the next batch of the partition begins at its {@code to}.
         *
         * @param epoch no lower than that of any leader that took one of the records; -1 when not known
         */
        record Read(RecordBatch batch, int epoch) implements PollEvent {}

        /**
         * Reading cannot go on: the partition is paused until {@link #seek} or {@link #remove}.
         *
         * @param truncatedAt first position that is known to differ from what was read; -1 when nothing is known of
         *     that
         */
        record Gap(int streamId, int partition, long truncatedAt, WaterwheelException problem) implements PollEvent {}

        /**
         * Reading failed for another reason: it is not allowed, or what is stored is damaged. The partition is no
         * longer read, as after {@link #remove}; {@link #assign} tries again.
         */
        record Unreadable(int streamId, int partition, WaterwheelException problem) implements PollEvent {}
    }

    /**
     * Begins to read a partition.
     *
     * @param from first position to read
     * @param base added to an offset of the log to make a position
     * @param wanted what batches are to hold beside the values of records
     * @throws IllegalArgumentException when the stream's partition is read already
     */
    void assign(int streamId, String topic, int partition, long from, long base, KafkaFields wanted);

    /** The same where all fields are in the values. */
    default void assign(int streamId, String topic, int partition, long from, long base) {
        assign(streamId, topic, partition, from, base, KafkaFields.NONE);
    }

    /** Ends reading of a partition; without effect when it is not read. */
    void remove(int streamId, int partition);

    /** Goes on from another offset, also after a gap. */
    void seek(int streamId, int partition, long offset);

    /** Brings no more of the partition until {@link #resume}; its position stays. */
    void pause(int streamId, int partition);

    /** Goes on after {@link #pause}; a partition that met a gap still waits for {@link #seek}. */
    void resume(int streamId, int partition);

    /** The next offset to be read. */
    long position(int streamId, int partition);

    /**
     * Waits for records at most so long and returns what came, in offset order for each partition. An empty list means
     * no news. The buffers of values share memory with each other.
     */
    List<PollEvent> poll(Duration atMost);

    @Override
    void close();
}
