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
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends the rows of INSERT statements, those of each in one transaction: all or none. One producer, made when it is
 * first needed; statements take turns. Thread-safe.
 *
 * <p>A transaction that is not committed ends with its producer: the next one under the same id has it aborted, and
 * else Kafka does after {@link #TRANSACTION_MILLIS}.
 */
public final class KafkaInserts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaInserts.class);
    private static final int BLOCK_MILLIS = 10_000;
    private static final int REQUEST_MILLIS = 10_000;
    private static final int DELIVERY_MILLIS = 15_000;
    private static final int TRANSACTION_MILLIS = 20_000;
    /** More than the records of one statement. */
    private static final long BUFFER_BYTES = 24L << 20;

    /** Between two looks whether a statement that waits is still wanted. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Supplier<Producer<byte[], byte[]>> producers;
    private final Semaphore turn = new Semaphore(1, true);
    /** Written by who has the turn, and when this closes; null while there is none. */
    private volatile @Nullable Producer<byte[], byte[]> producer;

    private volatile boolean closed;
    /** Of who has the turn. */
    private int nextPartition;

    /** @param transactionalId of this coordinator alone: a producer that begins with it shuts out the one before */
    public KafkaInserts(String bootstrap, String transactionalId) {
        this(() -> kafka(bootstrap, transactionalId));
    }

    /** @param producers makes one that has begun no transactions yet */
    KafkaInserts(Supplier<Producer<byte[], byte[]>> producers) {
        this.producers = producers;
    }

    private static Producer<byte[], byte[]> kafka(String bootstrap, String transactionalId) {
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
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Appends records to the partitions of a topic in turn, all of them or none.
     *
     * @param deadlineNanos by {@link System#nanoTime}; not begun after it
     * @param cancelled whether the rows are no longer wanted; asked until they are committed
     * @param still throws a WaterwheelException when the rows must not be stored; called just before they are sent, and
     *     before they are committed
     * @return by partition that has some of them, the offset after the last
     * @throws WaterwheelException when none was appended; code OUTCOME_UNKNOWN when that is not known
     */
    public Map<Integer, Long> append(
            String topic,
            int partitions,
            List<byte[]> records,
            long deadlineNanos,
            BooleanSupplier cancelled,
            Runnable still)
            throws InterruptedException {
        Runnable wanted = () -> {
            requireOpen();
            requireWanted(cancelled);
            still.run();
        };
        awaitTurn(deadlineNanos, cancelled);
        try {
            return inTurn(topic, partitions, records, deadlineNanos, wanted);
        } finally {
            turn.release();
        }
    }

    private void awaitTurn(long deadlineNanos, BooleanSupplier cancelled) throws InterruptedException {
        do {
            requireOpen();
            requireWanted(cancelled);
            requireTime(deadlineNanos);
        } while (!turn.tryAcquire(Math.min(LOOK_NANOS, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS));
    }

    private static void requireTime(long deadlineNanos) {
        if (deadlineNanos - System.nanoTime() <= 0) {
            throw new WaterwheelException(
                    ErrorCode.SERVER_BUSY,
                    "the statement's time was over before its rows could be sent; nothing was stored, try again");
        }
    }

    private static void requireWanted(BooleanSupplier cancelled) {
        if (cancelled.getAsBoolean()) {
            throw new WaterwheelException(ErrorCode.CANCELLED, "the statement was cancelled; nothing was stored");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw closing(new IllegalStateException("closed"));
        }
    }

    private static WaterwheelException closing(IllegalStateException cause) {
        return new WaterwheelException(
                ErrorCode.SERVER_CLOSING, "the server is closing; nothing was stored, ask again", cause);
    }

    private Map<Integer, Long> inTurn(
            String topic, int partitions, List<byte[]> records, long deadlineNanos, Runnable wanted)
            throws InterruptedException {
        boolean usable = false;
        try {
            Producer<byte[], byte[]> with = producer();
            // To begin with a producer may have taken seconds.
            requireTime(deadlineNanos);
            Map<Integer, Long> ends;
            try {
                wanted.run();
                ends = sent(with, topic, partitions, records);
            } catch (KafkaException e) {
                if (!isForgotten(e)) {
                    throw e;
                }
                // It stood idle for so long that Kafka has forgotten it, or was shut out meanwhile.
                drop();
                with = producer();
                ends = sent(with, topic, partitions, records);
            }
            try {
                wanted.run();
            } catch (WaterwheelException e) {
                usable = isAborted(with);
                throw e;
            }
            commit(with, topic);
            usable = true;
            return ends;
        } catch (KafkaException e) {
            throw failed(topic, e);
        } catch (IllegalStateException e) {
            // The producer was closed under this thread, before the commit.
            throw closed ? closing(e) : e;
        } finally {
            if (!usable) {
                drop();
            }
        }
    }

    private Map<Integer, Long> sent(Producer<byte[], byte[]> with, String topic, int partitions, List<byte[]> records)
            throws InterruptedException {
        with.beginTransaction();
        List<Future<RecordMetadata>> confirmed = new ArrayList<>(records.size());
        for (byte[] record : records) {
            int partition = Math.floorMod(nextPartition++, partitions);
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

    private static boolean isAborted(Producer<byte[], byte[]> with) {
        try {
            with.abortTransaction();
            return true;
        } catch (KafkaException | IllegalStateException e) {
            LOG.warn("a transaction was not aborted; Kafka does that after {} ms", TRANSACTION_MILLIS, e);
            return false;
        }
    }

    private static void commit(Producer<byte[], byte[]> with, String topic) {
        try {
            with.commitTransaction();
        } catch (KafkaException | IllegalStateException e) {
            throw new WaterwheelException(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "topic " + topic + ": whether the rows were stored is not known, all of them or none: "
                            + e.getMessage() + "; look before you try again",
                    e);
        }
    }

    private static boolean isForgotten(KafkaException e) {
        return isBy(e, ProducerFencedException.class)
                || isBy(e, InvalidProducerEpochException.class)
                || isBy(e, InvalidPidMappingException.class);
    }

    /** Whether this is the reason: a producer that has failed wraps it in what it throws from then on. */
    private static boolean isBy(Throwable failure, Class<? extends Throwable> reason) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < 10; depth++) {
            if (reason.isInstance(at)) {
                return true;
            }
            at = at.getCause();
        }
        return false;
    }

    private static WaterwheelException failed(String topic, KafkaException e) {
        String what = "topic " + topic + ": " + e.getMessage() + "; nothing was stored";
        if (isBy(e, AuthorizationException.class)) {
            return new WaterwheelException(ErrorCode.NOT_ALLOWED, what, e);
        } else if (isBy(e, RecordTooLargeException.class)) {
            return new WaterwheelException(ErrorCode.RECORD_TOO_LARGE, what, e);
        }
        return new WaterwheelException(ErrorCode.KAFKA_UNAVAILABLE, what + ", try again", e);
    }

    private Producer<byte[], byte[]> producer() {
        requireOpen();
        Producer<byte[], byte[]> there = producer;
        if (there != null) {
            return there;
        }
        Producer<byte[], byte[]> made = producers.get();
        boolean begun = false;
        try {
            made.initTransactions();
            begun = true;
        } finally {
            if (!begun) {
                close(made);
            }
        }
        producer = made;
        if (closed) {
            // By now close() may have looked for one to end.
            drop();
            throw closing(new IllegalStateException("closed"));
        }
        return made;
    }

    private void drop() {
        Producer<byte[], byte[]> closing = producer;
        producer = null;
        if (closing != null) {
            close(closing);
        }
    }

    /** An interrupted thread could not wait for the producer's to end, and what it is about to say would be lost. */
    private static void close(Producer<byte[], byte[]> closing) {
        boolean interrupted = Thread.interrupted();
        try {
            closing.close(Duration.ZERO);
        } catch (KafkaException e) {
            LOG.warn("a producer of INSERT did not close", e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A statement that is appending is given some seconds; no other begins. */
    @Override
    public void close() throws InterruptedException {
        closed = true;
        boolean own = false;
        try {
            own = turn.tryAcquire(DELIVERY_MILLIS, TimeUnit.MILLISECONDS);
        } finally {
            drop();
            if (own) {
                turn.release();
            }
        }
    }
}
