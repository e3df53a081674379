package io.waterwheel.client.kafka;

import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.StreamDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends records to the partitions of a topic in turn, each once, and remembers how far each partition has come. With a
 * transactional id readers see records only once they are committed.
 *
 * <p>Owner: one thread at a time. The producer's thread reports through atomics.
 */
public final class RecordSender implements AutoCloseable {
    /** Kafka's is 3: a log of tuple blocks has a twelfth more bytes by this one, and takes less processor time. */
    private static final int ZSTD_LEVEL = 2;

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);
    private static final int REQUEST_TIMEOUT_MILLIS = 30_000;
    /**
     * Until Kafka aborts the transaction of a sender that is gone: as long no reader gets past its first record. The
     * same sender, back again, ends it at once.
     */
    private static final int TRANSACTION_MILLIS = 20_000;

    private final String topic;
    private final String bootstrapServers;
    /** By partition, what makes an offset a position. */
    private final Map<Integer, Long> bases;

    private final int partitions;
    private final KafkaProducer<byte[], byte[]> producer;
    private int nextPartition;
    private boolean inTransaction;

    /** By partition the offset after the highest confirmed; -1 while there is none. */
    private final AtomicLongArray ends;

    /** By partition the number of confirmations that named no offset. */
    private final AtomicLongArray nameless;

    private final boolean transactional;
    /** What went wrong first: a record may be missing since. */
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    /**
     * How records are sent.
     *
     * @param linger how long one may wait for others to go with it
     * @param batchBytes that go together to a partition at most, where one record does not have more
     * @param memoryBytes what may wait for the brokers; when it is used up, sending waits
     * @param timeout how long the brokers may take to confirm
     * @param compression as Kafka calls it
     */
    public record Sending(Duration linger, int batchBytes, long memoryBytes, Duration timeout, String compression) {}

    /** One for the topic of a stream. Here, so that appenders can be linked, and say so, where Kafka's clients lack. */
    public static RecordSender open(StreamDetails stream, Sending settings, @Nullable String transactionalId) {
        try {
            return new RecordSender(
                    stream.definition(),
                    stream.topic().bootstrapServers(),
                    stream.topic().bases(),
                    settings,
                    transactionalId);
        } catch (KafkaException e) {
            throw new WaterwheelException(
                    ErrorCode.KAFKA_UNREACHABLE,
                    "Kafka at " + stream.topic().bootstrapServers() + " cannot be used: " + e.getMessage(),
                    e);
        }
    }

    private RecordSender(
            StreamDefinition stream,
            String bootstrapServers,
            Map<Integer, Long> bases,
            Sending settings,
            @Nullable String transactionalId) {
        this.topic = stream.topic();
        this.transactional = transactionalId != null;
        this.bootstrapServers = bootstrapServers;
        this.bases = bases;
        this.partitions = stream.partitions();
        this.ends = new AtomicLongArray(partitions);
        this.nameless = new AtomicLongArray(partitions);
        for (int p = 0; p < partitions; p++) {
            ends.set(p, -1);
        }
        int timeoutMillis = (int) settings.timeout().toMillis();
        int lingerMillis = (int) settings.linger().toMillis();
        int requestMillis = Math.max(1, Math.min(REQUEST_TIMEOUT_MILLIS, timeoutMillis - lingerMillis));
        Map<String, Object> conf = new HashMap<>();
        conf.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        conf.put(ProducerConfig.ACKS_CONFIG, "all");
        conf.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        conf.put(ProducerConfig.LINGER_MS_CONFIG, lingerMillis);
        conf.put(ProducerConfig.BATCH_SIZE_CONFIG, settings.batchBytes());
        conf.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, settings.compression());
        conf.put(ProducerConfig.COMPRESSION_ZSTD_LEVEL_CONFIG, ZSTD_LEVEL);
        conf.put(ProducerConfig.BUFFER_MEMORY_CONFIG, settings.memoryBytes());
        conf.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeoutMillis);
        conf.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, requestMillis);
        conf.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Math.max(timeoutMillis, requestMillis + lingerMillis));
        if (transactionalId != null) {
            conf.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
            conf.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_MILLIS);
        }
        this.producer = new KafkaProducer<>(conf, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Ends whatever a former sender of the same transactional id has begun, and shuts it out. Once, at first. */
    public void takeOver() {
        try {
            producer.initTransactions();
        } catch (TimeoutException e) {
            producer.close(Duration.ZERO);
            throw new WaterwheelException(
                    ErrorCode.KAFKA_UNREACHABLE,
                    "topic " + topic + " at " + bootstrapServers + ": the name could not be taken over: "
                            + e.getMessage() + "; nothing was appended, try again",
                    e);
        } catch (KafkaException e) {
            producer.close(Duration.ZERO);
            throw failed(e);
        }
    }

    /** Begins a transaction, if none is open; what is sent from now on is for {@link #commit}. */
    public void begin() {
        if (!inTransaction) {
            try {
                producer.beginTransaction();
            } catch (KafkaException | IllegalStateException e) {
                throw failed(e);
            }
            inTransaction = true;
        }
    }

    /** Sends one more record, to a topic of its own, and commits all since {@link #begin}; then it is to be seen. */
    public Map<Integer, Long> commit(String progressTopic, byte[] key, byte[] value) {
        note(progressTopic, 0, key, value);
        Map<Integer, Long> positions = flush();
        commit();
        return positions;
    }

    /**
     * Sends a record to a topic of its own; a failure is told by the next {@link #flush}.
     *
     * @param value null: what was there under the key is to go
     */
    public void note(String noteTopic, int partition, byte[] key, byte @Nullable [] value) {
        try {
            var unused = producer.send(new ProducerRecord<>(noteTopic, partition, key, value), (record, e) -> {
                if (e != null) {
                    failure.compareAndSet(null, e);
                }
            });
        } catch (KafkaException | IllegalStateException e) {
            throw failed(e);
        }
    }

    /** Commits all since {@link #begin}. */
    public void commit() {
        try {
            producer.commitTransaction();
            inTransaction = false;
        } catch (KafkaException | IllegalStateException e) {
            throw failed(e);
        }
    }

    /** Sends a record; waits while the memory is used up. */
    public void send(byte[] record) {
        checkFailure();
        int partition = nextPartition;
        nextPartition = (partition + 1) % partitions;
        try {
            var unused = producer.send(new ProducerRecord<>(topic, partition, null, record), this::sent);
        } catch (KafkaException | IllegalStateException e) {
            // Interrupted while it waited for room: the producer has not taken the record, and does not report it.
            failure.compareAndSet(null, e);
            throw failed(e);
        }
        checkFailure();
    }

    private void sent(RecordMetadata record, @Nullable Exception e) {
        if (e != null) {
            failure.compareAndSet(null, e);
        } else if (record.hasOffset()) {
            ends.accumulateAndGet(record.partition(), record.offset() + 1, Math::max);
        } else {
            // A repeat of what the broker had stored long before it came again.
            nameless.incrementAndGet(record.partition());
        }
    }

    /** Waits until all is confirmed. By partition the offset below which it lies. */
    public Map<Integer, Long> flush() {
        try {
            producer.flush();
        } catch (InterruptException e) {
            throw failed(e);
        }
        checkFailure();
        askForNamelessEnds();
        Map<Integer, Long> positions = new HashMap<>();
        for (int p = 0; p < partitions; p++) {
            if (ends.get(p) >= 0) {
                positions.put(p, ends.get(p) + bases.getOrDefault(p, 0L));
            }
        }
        return positions;
    }

    /** Where a confirmation named no offset, the end of the partition is above it. */
    private void askForNamelessEnds() {
        List<TopicPartition> unknown = new ArrayList<>();
        for (int p = 0; p < partitions; p++) {
            if (nameless.getAndSet(p, 0) > 0) {
                unknown.add(new TopicPartition(topic, p));
            }
        }
        if (unknown.isEmpty()) {
            return;
        }
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.endOffsets(unknown)
                    .forEach((partition, end) -> ends.accumulateAndGet(partition.partition(), end, Math::max));
        } catch (KafkaException e) {
            unknown.forEach(partition -> nameless.incrementAndGet(partition.partition()));
            throw failed(e);
        }
    }

    private void checkFailure() {
        Exception e = failure.get();
        if (e != null) {
            throw told(e);
        }
    }

    private WaterwheelException failed(Exception e) {
        if (e instanceof InterruptException) {
            Thread.currentThread().interrupt();
        }
        return told(e);
    }

    private WaterwheelException told(Exception e) {
        if (e instanceof ProducerFencedException || e instanceof InvalidProducerEpochException) {
            return new WaterwheelException(
                    ErrorCode.TAKEN_OVER,
                    "topic " + topic
                            + ": another append under the same name has begun, or this one stood still for over "
                            + TRANSACTION_MILLIS / 1000 + " s; what it had not committed is not appended."
                            + " Run it again under its name and it goes on where it stood",
                    e);
        }
        if (e instanceof RecordTooLargeException) {
            return new WaterwheelException(
                    ErrorCode.RECORD_TOO_LARGE,
                    "topic " + topic + ": " + e.getMessage() + "; what was appended after it may be missing",
                    e);
        }
        if (e instanceof AuthorizationException) {
            return new WaterwheelException(
                    ErrorCode.NOT_ALLOWED, "topic " + topic + " at " + bootstrapServers + ": " + e.getMessage(), e);
        }
        return new WaterwheelException(
                ErrorCode.APPEND_FAILED,
                "topic " + topic + " at " + bootstrapServers + ": some of what was appended was not confirmed: "
                        + e.getMessage()
                        + (transactional
                                ? "; open its name again: what was committed is known then"
                                : "; look what is there before appending it again"),
                e);
    }

    /** Ends the connection; Kafka takes back what was not committed. */
    @Override
    public void close() {
        producer.close(CLOSE_PATIENCE);
    }
}
