package io.waterwheel.topology.kafka;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Appends the rows of INSERT statements, those of each in one transaction: all or none. One producer, made when it is
 * first needed; statements take turns. Thread-safe.
 *
 * <p>A transaction that is not committed ends with its producer: the next one under the same id has it aborted, and
 * else Kafka does after {@link #TRANSACTION_MILLIS}.
 */
public final class KafkaInserts implements AutoCloseable {
    private static final int BLOCK_MILLIS = 10_000;
    private static final int REQUEST_MILLIS = 10_000;
    private static final int DELIVERY_MILLIS = 15_000;
    private static final int TRANSACTION_MILLIS = 20_000;
    /** More than the records of one statement. */
    private static final long BUFFER_BYTES = 24L << 20;

    private final String bootstrap;
    private final String transactionalId;
    private final Semaphore turn = new Semaphore(1, true);
    /** Of who has the turn; null while there is none. */
    private @Nullable KafkaProducer<byte[], byte[]> producer;

    private int next;

    /** @param transactionalId of this coordinator alone: a producer that begins with it shuts out the one before */
    public KafkaInserts(String bootstrap, String transactionalId) {
        this.bootstrap = bootstrap;
        this.transactionalId = transactionalId;
    }

    /**
     * Appends records to the partitions of a topic in turn, all of them or none.
     *
     * @param deadlineNanos by {@link System#nanoTime}; not begun after it
     * @return by partition that has some of them, the offset after the last
     * @throws WaterwheelException when none was appended; code OUTCOME_UNKNOWN when that is not known
     */
    public Map<Integer, Long> append(String topic, int partitions, List<byte[]> records, long deadlineNanos)
            throws InterruptedException {
        if (!turn.tryAcquire(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw new WaterwheelException(
                    ErrorCode.SERVER_BUSY,
                    "the server is busy: other INSERT statements are before this one; nothing was stored, try again");
        }
        boolean committed = false;
        try {
            Map<Integer, Long> ends;
            try {
                ends = sent(topic, partitions, records);
            } catch (ProducerFencedException | InvalidProducerEpochException | InvalidPidMappingException e) {
                // The producer stood idle for so long that Kafka has forgotten it, or was shut out meanwhile.
                drop();
                ends = sent(topic, partitions, records);
            }
            commit(topic);
            committed = true;
            return ends;
        } catch (KafkaException e) {
            throw failed(topic, e);
        } finally {
            if (!committed) {
                drop();
            }
            turn.release();
        }
    }

    private Map<Integer, Long> sent(String topic, int partitions, List<byte[]> records) throws InterruptedException {
        KafkaProducer<byte[], byte[]> with = producer();
        with.beginTransaction();
        List<Future<RecordMetadata>> confirmed = new ArrayList<>(records.size());
        for (byte[] record : records) {
            int partition = Math.floorMod(next++, partitions);
            confirmed.add(with.send(new ProducerRecord<>(topic, partition, null, record)));
        }
        with.flush();
        Map<Integer, Long> ends = new HashMap<>();
        for (Future<RecordMetadata> one : confirmed) {
            try {
                RecordMetadata at = one.get();
                if (!at.hasOffset()) {
                    throw new KafkaException("a confirmation named no offset");
                }
                ends.merge(at.partition(), at.offset() + 1, Math::max);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof KafkaException known ? known : new KafkaException(e.getCause());
            }
        }
        return ends;
    }

    private void commit(String topic) {
        try {
            producer().commitTransaction();
        } catch (KafkaException e) {
            throw new WaterwheelException(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "topic " + topic + ": whether the rows were stored is not known, all of them or none: "
                            + e.getMessage() + "; look before you try again",
                    e);
        }
    }

    private static WaterwheelException failed(String topic, KafkaException e) {
        String what = "topic " + topic + ": " + e.getMessage() + "; nothing was stored";
        if (e instanceof AuthorizationException) {
            return new WaterwheelException(ErrorCode.NOT_ALLOWED, what, e);
        } else if (e instanceof RecordTooLargeException) {
            return new WaterwheelException(ErrorCode.RECORD_TOO_LARGE, what, e);
        }
        return new WaterwheelException(ErrorCode.KAFKA_UNAVAILABLE, what + ", try again", e);
    }

    private KafkaProducer<byte[], byte[]> producer() {
        KafkaProducer<byte[], byte[]> there = producer;
        if (there != null) {
            return there;
        }
        Map<String, Object> settings = new HashMap<>();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, transactionalId);
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_MILLIS);
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, BLOCK_MILLIS);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
        KafkaProducer<byte[], byte[]> made =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        try {
            made.initTransactions();
        } catch (KafkaException e) {
            made.close(Duration.ZERO);
            throw e;
        }
        producer = made;
        return made;
    }

    private void drop() {
        KafkaProducer<byte[], byte[]> closing = producer;
        producer = null;
        if (closing != null) {
            closing.close(Duration.ZERO);
        }
    }

    /** A statement that is appending is given some seconds. */
    @Override
    public void close() throws InterruptedException {
        boolean own = turn.tryAcquire(DELIVERY_MILLIS, TimeUnit.MILLISECONDS);
        drop();
        if (own) {
            turn.release();
        }
    }
}
