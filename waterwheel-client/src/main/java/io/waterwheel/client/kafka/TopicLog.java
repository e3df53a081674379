package io.waterwheel.client.kafka;

import io.waterwheel.decode.RecordFacts;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;

/** The log of a stream's topic, read from some offset of each partition on. One thread. */
public interface TopicLog extends AutoCloseable {
    /** Takes records. */
    @FunctionalInterface
    interface Take {
        /**
         * A record.
         *
         * @param value empty where the record has none
         * @param facts what Kafka has of it beside that
         */
        void record(ByteBuffer value, RecordFacts facts);
    }

    /** The first offset that the partition has. */
    long beginning(int partition);

    /** One after the last offset of the partition, committed or not. */
    long end(int partition);

    /** Reads the partition from here on; also one that was not read before. */
    void seek(int partition, long offset);

    /** Reads the partition no more. */
    void drop(int partition);

    /**
     * Hands over some records that readers of committed records see, those of a partition in order. Waits for the first
     * of them.
     *
     * @return partitions that do not have the offset at which reading is to go on; nothing is handed over then
     */
    Set<Integer> poll(Duration patience, Take take);

    @Override
    void close();
}
