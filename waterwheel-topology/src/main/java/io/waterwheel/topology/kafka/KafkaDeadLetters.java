package io.waterwheel.topology.kafka;

import io.waterwheel.ingest.DeadLetters;
import io.waterwheel.ingest.OffsetRanges;
import io.waterwheel.ingest.RefusedRow;
import io.waterwheel.model.WaterwheelException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes refused records to {@code <topic>.dead-letters}, each once; {@link LetterFormat} says what a letter holds. A
 * session is a transactional producer of its partition: opening one ends what an earlier one of the same partition left
 * undone and shuts that out, then reads back what is stored. What {@code store} is given is one transaction.
 *
 * <p>A topic that does not answer is left alone for {@link #PAUSE_NANOS}: what is asked of it meanwhile, by its other
 * partitions, fails at once, for all topics share the threads.
 *
 * <p>A producer is kept for partitions that have bad records only. Storing, and shutting earlier sessions out, runs on
 * one thread in the order of the calls, reading back on another: that waits for open transactions, which the first step
 * of another partition's session may have to end. At most {@link #WAITING} calls wait for each. The topic must exist,
 * see {@link KafkaTopics#ensureDeadLetters}.
 */
public final class KafkaDeadLetters implements DeadLetters {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaDeadLetters.class);
    /** Of a value; the rest is cut. Brokers refuse batches over 1 MiB by default. */
    public static final int MAX_VALUE_BYTES = 900_000;

    private static final long BUFFER_BYTES = 8L << 20;
    private static final int BLOCK_MILLIS = 10_000;
    private static final int WAITING = 4096;
    private static final int DELIVERY_MILLIS = 20_000;
    private static final int REQUEST_MILLIS = 10_000;
    /** Of all partitions, who begins reads what is stored only when the open transactions have ended: not for long. */
    static final int TRANSACTION_MILLIS = 30_000;

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private record PartitionId(int streamId, int partition) {}

    private record Pause(long untilNanos, String why) {}

    private final String bootstrap;
    private final String clientId;
    private final String transactions;
    private final TopicNames topics;
    private final ThreadPoolExecutor thread;
    private final ThreadPoolExecutor reader;
    /** Sessions not closed. */
    private final Set<OpenSession> open = ConcurrentHashMap.newKeySet();
    /** Producers of sessions that are being opened. */
    private final Set<KafkaProducer<byte[], byte[]>> begun = ConcurrentHashMap.newKeySet();
    /** By dead-letter topic, until when it is left alone. */
    private final Map<String, Pause> pauses = new ConcurrentHashMap<>();
    /** What was read back of each partition, and how far. Owner: the reader's thread. */
    private final Map<PartitionId, LetterReader.Found> found = new HashMap<>();

    /** @param transactions begins the transactional ids: the same for all who may write letters of the same streams */
    public KafkaDeadLetters(String bootstrap, String clientId, String transactions, TopicNames topics) {
        this.bootstrap = bootstrap;
        this.clientId = clientId;
        this.transactions = transactions;
        this.topics = topics;
        this.thread = thread(clientId);
        this.reader = thread(clientId + "-back");
    }

    private static ThreadPoolExecutor thread(String name) {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING), task -> {
            Thread created = new Thread(task, name);
            created.setDaemon(true);
            return created;
        });
    }

    @Override
    public void open(int streamId, int partition, BiConsumer<@Nullable Session, @Nullable Exception> done) {
        String topic = topics.topicOf(streamId);
        if (topic == null) {
            done.accept(null, new IllegalStateException("stream " + streamId + " is not in the catalog"));
            return;
        }
        PartitionId id = new PartitionId(streamId, partition);
        String letters = TopicNames.deadLettersOf(topic);
        step(thread, () -> begin(id, letters), (producer, failure) -> {
            if (producer == null) {
                done.accept(null, failure);
            } else {
                step(reader, () -> readBack(id, letters, producer), (session, why) -> {
                    if (begun.remove(producer)) {
                        producer.close(Duration.ZERO); // too many calls wait: it never came to reading
                    }
                    done.accept(session, why);
                });
            }
        });
    }

    /** Makes a step on a thread, and tells how it went. */
    private static <T> void step(
            ThreadPoolExecutor thread, Supplier<T> step, BiConsumer<@Nullable T, @Nullable Exception> done) {
        try {
            thread.execute(() -> {
                T result;
                try {
                    result = step.get();
                } catch (Throwable e) {
                    // Whatever it is: without an answer the partition would stand still for ever.
                    done.accept(null, failure(e));
                    return;
                }
                done.accept(result, null);
            });
        } catch (RejectedExecutionException e) {
            done.accept(null, e);
        }
    }

    private static Exception failure(Throwable what) {
        return what instanceof Exception failure ? failure : new IllegalStateException(what.toString(), what);
    }

    /** Has a topic left alone that did not answer. */
    private void pause(String topic, Exception failure) {
        long now = System.nanoTime();
        pauses.values().removeIf(pause -> now - pause.untilNanos >= 0);
        pauses.put(topic, new Pause(now + PAUSE_NANOS, failure.toString()));
    }

    private void refusePaused(String topic) {
        Pause pause = pauses.get(topic);
        if (pause != null && System.nanoTime() - pause.untilNanos < 0) {
            throw new WaterwheelException(
                    WaterwheelException.Kind.TEMPORARY,
                    "LOG_UNAVAILABLE",
                    topic + ": failed a moment ago, and is asked again in some seconds: " + pause.why);
        }
    }

    /** Shuts earlier sessions of the partition out, and ends what they left open. */
    private KafkaProducer<byte[], byte[]> begin(PartitionId id, String topic) {
        refusePaused(topic);
        KafkaProducer<byte[], byte[]> producer = producer(id);
        boolean done = false;
        try {
            producer.initTransactions();
            begun.add(producer);
            done = true;
            return producer;
        } finally {
            if (!done) {
                producer.close(Duration.ZERO);
            }
        }
    }

    private Session readBack(PartitionId id, String topic, KafkaProducer<byte[], byte[]> producer) {
        boolean opened = false;
        begun.remove(producer);
        try {
            LetterReader.Found known = found.computeIfAbsent(id, key -> new LetterReader.Found());
            // Partitions of streams that are gone need not be remembered.
            found.keySet().removeIf(other -> topics.topicOf(other.streamId()) == null);
            long from = known.next;
            LetterFormat.Sender sender = new LetterFormat.Sender(transactions, id.streamId(), id.partition());
            refusePaused(topic);
            try {
                LetterReader.read(bootstrap, clientId + "-back", topic, sender, known);
            } catch (RuntimeException e) {
                pause(topic, e);
                throw e;
            }
            LOG.info(
                    "dead letters of {} partition {}: session opened, {} letters read back from {}, {} ranges stored",
                    topic,
                    id.partition(),
                    known.letters,
                    from,
                    known.ranges.size());
            OffsetRanges stored = new OffsetRanges();
            stored.addAll(known.ranges);
            OpenSession session = new OpenSession(sender, topic, producer, stored);
            open.add(session);
            opened = true;
            return session;
        } finally {
            if (!opened) {
                producer.close(Duration.ZERO);
            }
        }
    }

    private KafkaProducer<byte[], byte[]> producer(PartitionId id) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, clientId + "-" + id.streamId() + "-" + id.partition());
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactions + "-" + id.streamId() + "-" + id.partition());
        settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_MILLIS);
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, BLOCK_MILLIS);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private final class OpenSession implements Session {
        private final LetterFormat.Sender sender;
        private final String topic;
        private final KafkaProducer<byte[], byte[]> producer;
        private final OffsetRanges stored;
        /** Owner: the thread. */
        private boolean ended;

        OpenSession(
                LetterFormat.Sender sender, String topic, KafkaProducer<byte[], byte[]> producer, OffsetRanges stored) {
            this.sender = sender;
            this.topic = topic;
            this.producer = producer;
            this.stored = stored;
        }

        @Override
        public OffsetRanges stored() {
            return stored;
        }

        @Override
        public void store(long since, long until, List<RefusedRow> letters, Consumer<@Nullable Exception> done) {
            try {
                thread.execute(() -> {
                    Exception failure = null;
                    try {
                        storeNow(since, until, letters);
                    } catch (Throwable e) {
                        // Whatever it is: without an answer the partition would stand still for ever.
                        failure = failure(e);
                        if (e instanceof TimeoutException || e.getCause() instanceof TimeoutException) {
                            pause(topic, failure);
                        }
                        end();
                    }
                    done.accept(failure);
                });
            } catch (RejectedExecutionException e) {
                done.accept(e);
            }
        }

        private void storeNow(long since, long until, List<RefusedRow> letters) {
            if (ended) {
                throw new IllegalStateException("the session has ended");
            }
            refusePaused(topic);
            producer.beginTransaction();
            long previous = Long.MIN_VALUE;
            for (RefusedRow letter : letters) {
                // The value goes with the first row of a record only: a block may have ten thousand.
                boolean value = letter.offset() != previous;
                previous = letter.offset();
                ProducerRecord<byte[], byte[]> record = LetterFormat.write(topic, sender, since, until, letter, value);
                var unused = producer.send(record);
            }
            // Fails when any of them could not be sent; what is unknown then, the next session finds out.
            producer.commitTransaction();
        }

        private void end() {
            if (!ended) {
                ended = true;
                open.remove(this);
                try {
                    producer.close(Duration.ZERO);
                } catch (RuntimeException e) {
                    LOG.warn("dead letters of {}: a producer could not be closed", topic, e);
                }
            }
        }

        @Override
        public void close() {
            try {
                thread.execute(this::end);
            } catch (RejectedExecutionException e) {
                LOG.debug("a session of {} is closed with everything else", topic);
            }
        }
    }

    @Override
    public void close() {
        reader.shutdownNow();
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(CLOSE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    || !reader.awaitTermination(CLOSE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("dead letters: a call of Kafka's did not end in time");
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Set.copyOf(open).forEach(OpenSession::end);
        begun.forEach(producer -> producer.close(Duration.ZERO));
    }
}
