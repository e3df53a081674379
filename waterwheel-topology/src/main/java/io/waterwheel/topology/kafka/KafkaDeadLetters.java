package io.waterwheel.topology.kafka;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.dispatch.DeadLetters;
import io.waterwheel.ingest.dispatch.RefusedRow;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes refused records to {@code <topic>.dead-letters}, each under a key of its own, so that a letter that is stored
 * again takes the place of the first when the topic is compacted; {@link DeadLetterFormat} says what a letter holds. No
 * transactions: each dispatcher that routes a record stores its letters, as often as need be.
 *
 * <p>One producer for all streams, made at the first letter and closed when none came for {@link #IDLE_NANOS}. A topic
 * that does not answer is left alone for {@link #PAUSE_NANOS}: what is asked of it meanwhile fails at once, for all
 * topics share the thread that sends and the producer's {@link #BUFFER_BYTES}. At most {@link #WAITING} calls wait.
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
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long REST_SECONDS = 30;
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private record Pause(long untilNanos, String why) {}

    /** Makes sure that a topic is fit for the letters of a stream's topic. */
    @FunctionalInterface
    public interface Preparation {
        /**
         * Blocks.
         *
         * @return what should be known of it; empty when there is nothing
         */
        String prepare(String topic);
    }

    private final String bootstrap;
    private final String clientId;
    private final String namespace;
    private final TopicNames topics;
    private final Preparation preparation;
    private final long idleNanos;
    /** One at most, which ends when nothing has been sent for {@link #REST_SECONDS}. */
    private final ThreadPoolExecutor thread;
    /** By dead-letter topic, until when it is left alone. */
    private final Map<String, Pause> pauses = new ConcurrentHashMap<>();
    /** By topic of a stream whose letters have a topic that is fit, what should be known of that. */
    private final Map<String, String> prepared = new ConcurrentHashMap<>();
    /** Owner: the thread. */
    private volatile @Nullable KafkaProducer<byte[], byte[]> producer;

    private volatile boolean open;
    private volatile long usedNanos;

    /** What the letters of a server's streams name as their namespace. */
    public static String namespace(WaterwheelConfig config) {
        return "waterwheel-" + config.get(Keys.ZOOKEEPER_ROOT).substring(1).replace('/', '-') + "-"
                + config.get(Keys.NAMESPACE);
    }

    /**
     * @param namespace begins what tells letters of other namespaces apart: the same for all who write letters of the
     *     same streams
     * @param preparation called before the first letter of a topic
     */
    public KafkaDeadLetters(
            String bootstrap, String clientId, String namespace, TopicNames topics, Preparation preparation) {
        this(bootstrap, clientId, namespace, topics, preparation, IDLE_NANOS);
    }

    KafkaDeadLetters(
            String bootstrap,
            String clientId,
            String namespace,
            TopicNames topics,
            Preparation preparation,
            long idleNanos) {
        this.bootstrap = bootstrap;
        this.clientId = clientId;
        this.namespace = namespace;
        this.topics = topics;
        this.preparation = preparation;
        this.idleNanos = idleNanos;
        this.thread = new ThreadPoolExecutor(
                1,
                1,
                REST_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING),
                task -> daemon(task, clientId));
        thread.allowCoreThreadTimeOut(true);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread created = new Thread(task, name);
        created.setDaemon(true);
        return created;
    }

    @Override
    public void store(int streamId, int partition, List<RefusedRow> letters, Consumer<@Nullable Exception> done) {
        String topic = topics.topicOf(streamId);
        if (topic == null) {
            done.accept(new IllegalStateException("stream " + streamId + " is not in the catalog"));
            return;
        }
        Runnable task = () -> {
            try {
                send(topic, new DeadLetterFormat.Sender(namespace, streamId, partition), letters, done);
            } catch (Throwable e) {
                // Whatever it is: without an answer the partition would stand still for ever.
                Exception failure = e instanceof Exception known ? known : new IllegalStateException(e);
                pauseIfSilent(TopicNames.deadLettersOf(topic), failure);
                done.accept(failure);
            }
        };
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            done.accept(e);
        } catch (Error e) {
            // Of memory for a thread. Its caller, a dispatcher's loop, hands the letters over again. The task may be
            // queued all the same, and would answer a second time.
            boolean unused = thread.remove(task);
            done.accept(new IllegalStateException("no thread could be had", e));
        }
    }

    /** What should be known of where a stream's letters are; known from its first letter here on. */
    @Override
    public String warning(int streamId) {
        String topic = topics.topicOf(streamId);
        return topic == null ? "" : prepared.getOrDefault(topic, "");
    }

    private void send(
            String of, DeadLetterFormat.Sender sender, List<RefusedRow> letters, Consumer<@Nullable Exception> done) {
        String topic = TopicNames.deadLettersOf(of);
        refusePaused(topic);
        if (!prepared.containsKey(of)) {
            String warning = preparation.prepare(of);
            if (!warning.isEmpty()) {
                LOG.warn("{}: {}", topic, warning);
            }
            prepared.put(of, warning);
        }
        KafkaProducer<byte[], byte[]> with = producer();
        // One more than there are letters, for the case that sending one throws.
        AtomicInteger left = new AtomicInteger(letters.size() + 1);
        AtomicReference<@Nullable Exception> first = new AtomicReference<>();
        Consumer<@Nullable Exception> one = failure -> {
            if (failure != null && first.compareAndSet(null, failure)) {
                pauseIfSilent(topic, failure);
                // The topic may be gone: it is looked at, and made, again.
                prepared.remove(of);
            }
            if (left.decrementAndGet() == 0) {
                usedNanos = System.nanoTime();
                done.accept(first.get());
            }
        };
        Set<Long> offsets = new HashSet<>();
        int sent = 0;
        try {
            for (RefusedRow letter : letters) {
                // The value goes with the first row of a record only: a block may have ten thousand.
                boolean value = offsets.add(letter.offset());
                var unused = with.send(
                        DeadLetterFormat.write(topic, sender, letter, value), (at, failure) -> one.accept(failure));
                sent++;
            }
            one.accept(null);
        } catch (RuntimeException e) {
            for (int missing = letters.size() + 1 - sent; missing > 0; missing--) {
                one.accept(e);
            }
        }
    }

    private void pauseIfSilent(String topic, Exception failure) {
        if (failure instanceof TimeoutException || failure.getCause() instanceof TimeoutException) {
            long now = System.nanoTime();
            pauses.values().removeIf(pause -> now - pause.untilNanos >= 0);
            pauses.put(topic, new Pause(now + PAUSE_NANOS, failure.toString()));
        }
    }

    private void refusePaused(String topic) {
        Pause pause = pauses.get(topic);
        if (pause != null && System.nanoTime() - pause.untilNanos < 0) {
            throw new WaterwheelException(
                    ErrorCode.LOG_UNAVAILABLE,
                    topic + ": failed a moment ago, and is asked again in some seconds: " + pause.why);
        }
    }

    private KafkaProducer<byte[], byte[]> producer() {
        KafkaProducer<byte[], byte[]> there = producer;
        usedNanos = System.nanoTime();
        if (there != null) {
            return there;
        }
        Map<String, Object> settings = new HashMap<>();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, BLOCK_MILLIS);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
        KafkaProducer<byte[], byte[]> made =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        producer = made;
        open = true;
        closeIdleIn(idleNanos);
        return made;
    }

    /** Whether there is a producer now. */
    boolean isOpen() {
        return open;
    }

    /** By the JDK's clock, which is the same for the whole process, on the thread; not at all when everything ends. */
    private void closeIdleIn(long nanos) {
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, this::executeIfRoom)
                .execute(() -> {
                    long left = idleNanos - (System.nanoTime() - usedNanos);
                    if (left > 0) {
                        closeIdleIn(left);
                        return;
                    }
                    closeProducer(CLOSE_PATIENCE);
                    // Looked at again with the next letter: somebody may have changed the topic.
                    prepared.clear();
                });
    }

    private void executeIfRoom(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            if (!thread.isShutdown()) {
                LOG.debug("dead letters: the producer is in use, and closed later", e);
                closeIdleIn(idleNanos);
            }
        }
    }

    private void closeProducer(Duration patience) {
        KafkaProducer<byte[], byte[]> closing = producer;
        producer = null;
        open = false;
        if (closing != null) {
            try {
                closing.close(patience);
            } catch (RuntimeException e) {
                LOG.warn("dead letters: a producer could not be closed", e);
            }
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(CLOSE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("dead letters: a call of Kafka's did not end in time");
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closeProducer(Duration.ZERO);
    }
}
