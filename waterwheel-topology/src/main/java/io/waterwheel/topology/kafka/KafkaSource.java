package io.waterwheel.topology.kafka;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.schema.text.KafkaFields;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Live reading of any number of partitions of any number of streams with one consumer; a topic's partition is read for
 * one stream only, see {@link KafkaSources} for more. Partitions come and go while it runs. Used by one thread, the
 * spout task's. A failure of Kafka's client that it does not overcome by itself ends the reading of the partitions that
 * it is about, see {@link FailedPartitions}; the others go on.
 */
public final class KafkaSource implements LogSource {
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);
    private static final int FURTHER_ANSWER_BYTES = 2 << 20;

    private record StreamPartition(int streamId, int partition) {}

    private static final class Reading {
        private final StreamPartition of;
        /** Added to an offset to make a position. */
        private final long base;
        /** What batches hold beside the values. */
        private final KafkaFields wanted;

        private long position;
        private boolean paused;
        /** Not resumed before the next seek. */
        private boolean gap;
        /** Whether a poll has passed since it was assigned. */
        private boolean polled;

        Reading(StreamPartition of, long position, long base, KafkaFields wanted) {
            this.of = of;
            this.position = position;
            this.base = base;
            this.wanted = wanted;
        }
    }

    private final Consumer<ByteBuffer, ByteBuffer> consumer;
    private final int batchBytes;
    private final Map<TopicPartition, Reading> readings = new HashMap<>();
    private final Map<StreamPartition, TopicPartition> topicPartitions = new HashMap<>();

    /**
     * Connects lazily, at the first poll.
     *
     * @param batchBytes about how many bytes of values a batch holds at most
     */
    public KafkaSource(String bootstrap, String clientId, int batchBytes) {
        if (batchBytes < 1) {
            throw new IllegalArgumentException("batch size " + batchBytes + " bytes: expected at least 1");
        }
        this.consumer = ConsumerSettings.consumer(bootstrap, clientId, 1 << 20);
        this.batchBytes = batchBytes;
    }

    /**
     * One that reads beside another, and takes less memory: 2 MiB of a broker on the way and not 16.
     *
     * @param batchBytes about how many bytes of values a batch holds at most
     */
    public static KafkaSource further(String bootstrap, String clientId, int batchBytes) {
        return new KafkaSource(
                ConsumerSettings.consumer(bootstrap, clientId, 1 << 20, FURTHER_ANSWER_BYTES, "read_committed"),
                batchBytes);
    }

    /** One that reads by this consumer, and closes it. */
    KafkaSource(Consumer<ByteBuffer, ByteBuffer> consumer, int batchBytes) {
        this.consumer = consumer;
        this.batchBytes = batchBytes;
    }

    /**
     * Begins to read a partition.
     *
     * @param from first position to read
     * @param base added to an offset of the log to make a position
     * @param wanted what batches are to hold beside the values of records
     * @throws IllegalArgumentException when the stream's or the topic's partition is read already
     */
    @Override
    public void assign(int streamId, String topic, int partition, long from, long base, KafkaFields wanted) {
        StreamPartition key = new StreamPartition(streamId, partition);
        TopicPartition topicPartition = new TopicPartition(topic, partition);
        Reading other = readings.get(topicPartition);
        if (other != null || topicPartitions.containsKey(key)) {
            throw new IllegalArgumentException("topic " + topic + ", partition " + partition + " for stream " + streamId
                    + ": already read"
                    + (other == null ? " from another topic" : " for stream " + other.of.streamId()));
        }
        readings.put(topicPartition, new Reading(key, from, base, wanted));
        topicPartitions.put(key, topicPartition);
        consumer.assign(readings.keySet());
        consumer.seek(topicPartition, Math.max(0, from - base));
    }

    /** Whether it reads this partition of a topic, for whichever stream. */
    boolean reads(String topic, int partition) {
        return readings.containsKey(new TopicPartition(topic, partition));
    }

    /** Whether it reads a partition of a stream. */
    boolean reads(int streamId, int partition) {
        return topicPartitions.containsKey(new StreamPartition(streamId, partition));
    }

    /** Whether it reads nothing. */
    boolean isIdle() {
        return readings.isEmpty();
    }

    /** Ends reading of a partition; without effect when it is not read. */
    @Override
    public void remove(int streamId, int partition) {
        TopicPartition topicPartition = topicPartitions.remove(new StreamPartition(streamId, partition));
        if (topicPartition != null) {
            readings.remove(topicPartition);
            consumer.assign(readings.keySet());
        }
    }

    /** Goes on from another offset, also after a gap. */
    @Override
    public void seek(int streamId, int partition, long offset) {
        TopicPartition topicPartition = require(streamId, partition);
        Reading reading = reading(topicPartition);
        reading.position = Math.max(offset, reading.base);
        reading.gap = false;
        consumer.seek(topicPartition, reading.position - reading.base);
        if (!reading.paused) {
            consumer.resume(Set.of(topicPartition));
        }
    }

    /** Brings no more of the partition until {@link #resume}; its position stays. */
    @Override
    public void pause(int streamId, int partition) {
        TopicPartition topicPartition = require(streamId, partition);
        reading(topicPartition).paused = true;
        consumer.pause(Set.of(topicPartition));
    }

    /** Goes on after {@link #pause}; a partition that met a gap still waits for {@link #seek}. */
    @Override
    public void resume(int streamId, int partition) {
        TopicPartition topicPartition = require(streamId, partition);
        Reading reading = reading(topicPartition);
        reading.paused = false;
        if (!reading.gap) {
            consumer.resume(Set.of(topicPartition));
        }
    }

    /** The next offset to be read. */
    @Override
    public long position(int streamId, int partition) {
        return reading(require(streamId, partition)).position;
    }

    /**
     * Waits for records at most so long and returns what came, in offset order for each partition. An empty list means
     * no news. The buffers of values share memory with each other.
     */
    @Override
    public List<PollEvent> poll(Duration atMost) {
        if (readings.isEmpty()) {
            return List.of();
        }
        List<PollEvent> news = new ArrayList<>();
        ConsumerRecords<ByteBuffer, ByteBuffer> records;
        boolean failed = false;
        try {
            records = consumer.poll(atMost);
        } catch (OffsetOutOfRangeException e) {
            e.offsetOutOfRangePartitions()
                    .forEach((topicPartition, position) -> gap(topicPartition, position, e, news));
            readings.values().forEach(reading -> reading.polled = true);
            goOnWhereTheyStand();
            records = ConsumerRecords.empty();
        } catch (InterruptException | WakeupException e) {
            throw e;
        } catch (KafkaException | IllegalStateException e) {
            endReading(FailedPartitions.of(e, readings.keySet()), e, news);
            failed = true;
            records = ConsumerRecords.empty();
        }
        for (Map.Entry<TopicPartition, Reading> entry : readings.entrySet()) {
            Reading reading = entry.getValue();
            reading.polled |= !failed;
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> read = records.records(entry.getKey());
            // Not asked of the consumer: it might have to ask the broker first, and wait, or throw.
            OffsetAndMetadata next = records.nextOffsets().get(entry.getKey());
            if (reading.gap || next == null) {
                continue;
            }
            long to = next.offset() + reading.base;
            if (to > reading.position) {
                int epoch = epoch(read, next);
                for (RecordBatch batch : Batches.cut(
                        reading.of.streamId(),
                        reading.of.partition(),
                        reading.position,
                        to,
                        reading.base,
                        read,
                        reading.wanted,
                        batchBytes)) {
                    news.add(new PollEvent.Read(batch, epoch));
                }
                reading.position = to;
            }
        }
        return news;
    }

    /** Of the last record: epochs only rise in a log. */
    private static int epoch(List<ConsumerRecord<ByteBuffer, ByteBuffer>> read, OffsetAndMetadata next) {
        int last = read.isEmpty() ? -1 : read.get(read.size() - 1).leaderEpoch().orElse(-1);
        return Math.max(last, next.leaderEpoch().orElse(-1));
    }

    private void endReading(Set<TopicPartition> blamed, RuntimeException why, List<PollEvent> news) {
        for (TopicPartition topicPartition : blamed) {
            Reading reading = readings.remove(topicPartition);
            if (reading != null) {
                topicPartitions.remove(reading.of);
                news.add(new PollEvent.Unreadable(
                        reading.of.streamId(),
                        reading.of.partition(),
                        new WaterwheelException(
                                ErrorCode.LOG_UNREADABLE,
                                "topic " + topicPartition.topic() + ", partition " + topicPartition.partition()
                                        + ": cannot be read from offset " + (reading.position - reading.base) + ": "
                                        + why,
                                why)));
            }
        }
        // Also lets go of what was fetched of them: it would fail again.
        consumer.assign(readings.keySet());
        goOnWhereTheyStand();
    }

    /**
     * A poll that fails may have passed records of other partitions, and has not handed them on: all go back to what
     * was handed on.
     */
    private void goOnWhereTheyStand() {
        readings.forEach((topicPartition, reading) -> {
            if (!reading.gap) {
                consumer.seek(topicPartition, Math.max(0, reading.position - reading.base));
            }
        });
    }

    private void gap(TopicPartition topicPartition, long position, OffsetOutOfRangeException e, List<PollEvent> news) {
        Reading reading = readings.get(topicPartition);
        if (reading != null && !isOfReadingBefore(reading, e)) {
            reading.gap = true;
            consumer.pause(Set.of(topicPartition));
            long truncatedAt = truncatedAt(topicPartition, position, e);
            news.add(new PollEvent.Gap(
                    reading.of.streamId(),
                    reading.of.partition(),
                    truncatedAt < 0 ? -1 : truncatedAt + reading.base,
                    new LogGapException(topicPartition, position, e)));
        }
    }

    /**
     * Whether a truncation is told of the partition as it was read before it was assigned anew. The consumer finds it
     * out in one poll and throws at the next, whatever was assigned between them; a partition that was just assigned
     * has nothing by which a truncation could be found. Taken for one of the new reading, it would move the log to new
     * positions again, and what was read at those of now would be read at those too.
     */
    private static boolean isOfReadingBefore(Reading reading, OffsetOutOfRangeException e) {
        return !reading.polled && e instanceof LogTruncationException;
    }

    /** The offset from which on the log differs from what was read; -1 when it is not known to. */
    static long truncatedAt(TopicPartition topicPartition, long position, OffsetOutOfRangeException e) {
        if (!(e instanceof LogTruncationException truncation)) {
            return -1;
        }
        OffsetAndMetadata diverging = truncation.divergentOffsets().get(topicPartition);
        // Where the logs part may not be known: what was read last is in doubt, all below may be.
        return diverging == null ? position : Math.min(position, diverging.offset());
    }

    private Reading reading(TopicPartition topicPartition) {
        @Nullable Reading reading = readings.get(topicPartition);
        if (reading == null) {
            throw new IllegalStateException(topicPartition + " is not read");
        }
        return reading;
    }

    private TopicPartition require(int streamId, int partition) {
        TopicPartition topicPartition = topicPartitions.get(new StreamPartition(streamId, partition));
        if (topicPartition == null) {
            throw new IllegalArgumentException(
                    "stream " + streamId + ", partition " + partition + ": is not read here");
        }
        return topicPartition;
    }

    /** Closes without a word to the brokers, and so waits for none. */
    void closeAtOnce() {
        consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ZERO));
    }

    @Override
    public void close() {
        consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(CLOSE_PATIENCE));
    }
}
