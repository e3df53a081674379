package io.waterwheel.topology.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * How transactions ended, by the log of their coordinator: it has what the coordinator itself has forgotten since, as
 * far as the log was not compacted. Immutable.
 */
final class TransactionDecisions {
    private static final String TOPIC = "__transaction_state";
    private static final Duration POLL = Duration.ofMillis(100);

    // What Kafka's TransactionLogValue begins with, in each of its versions.
    private static final int MOST_VERSION = 1;
    private static final int LEAST_BYTES = Short.BYTES + Long.BYTES + Short.BYTES + Integer.BYTES + 1;
    private static final byte ONGOING = 1;
    private static final byte PREPARE_COMMIT = 2;
    private static final byte PREPARE_ABORT = 3;

    /** One transaction: while its records are written a producer has an epoch, which the end of it raises. */
    private record Written(long producerId, int epoch) {}

    private final Map<Long, Written> ongoing = new HashMap<>();
    private final Map<Written, TransactionResult> decisions = new HashMap<>();

    /** Nothing is known yet. */
    TransactionDecisions() {}

    /**
     * Reads the log to its end.
     *
     * @param millis that this may take
     * @throws IOException when it cannot be read in time
     */
    static TransactionDecisions read(String bootstrap, int millis) throws IOException {
        try {
            return readAll(bootstrap, millis);
        } catch (KafkaException e) {
            throw new IOException(TOPIC + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static TransactionDecisions readAll(String bootstrap, int millis) throws IOException {
        long deadline = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        TransactionDecisions read = new TransactionDecisions();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrap,
                        ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                        millis),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<PartitionInfo> infos = consumer.partitionsFor(TOPIC);
            List<TopicPartition> partitions = infos.stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(POLL)) {
                    read.add(entry.value());
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException(TOPIC + " could not be read in " + millis + " ms");
                }
            }
        }
        return read;
    }

    /** Takes the next entry of the log. */
    void add(byte @Nullable [] value) {
        if (value == null || value.length < LEAST_BYTES) {
            return;
        }
        ByteBuffer bytes = ByteBuffer.wrap(value);
        if (bytes.getShort() > MOST_VERSION) {
            // Not known what it says: then nothing is known.
            return;
        }
        long producerId = bytes.getLong();
        int epoch = bytes.getShort();
        bytes.getInt();
        switch (bytes.get()) {
            case ONGOING -> ongoing.put(producerId, new Written(producerId, epoch));
            case PREPARE_COMMIT -> decide(ongoing.remove(producerId), TransactionResult.COMMIT);
            case PREPARE_ABORT -> decide(ongoing.remove(producerId), TransactionResult.ABORT);
            default -> {
                // Others repeat what was decided, or come before a transaction.
            }
        }
    }

    private void decide(@Nullable Written written, TransactionResult result) {
        // Without one there was nothing to decide: it was aborted before it had a partition, or its beginning was
        // compacted.
        if (written != null) {
            // Producers of the first version of transactions keep their epoch. Where such a one has ended both ways it
            // is not known which of the two hangs: better twice than lost.
            decisions.merge(written, result, (before, now) -> before == now ? now : TransactionResult.COMMIT);
        }
    }

    /**
     * How a transaction ended; null when the log does not say so.
     *
     * @param epoch of the producer when it wrote the records
     */
    public @Nullable TransactionResult of(long producerId, int epoch) {
        return decisions.get(new Written(producerId, epoch));
    }
}
