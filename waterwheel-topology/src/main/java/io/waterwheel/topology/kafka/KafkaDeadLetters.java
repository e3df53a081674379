package io.waterwheel.topology.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.ingest.DeadLetters;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes refused records to {@code <topic>.dead-letters}: the value as it came, with the headers {@code partition},
 * {@code offset}, {@code index} (-1 for the whole record), {@code reason} and {@code length}, all as text. A value over
 * {@link #MAX_VALUE_BYTES} is cut, its {@code length} tells the whole: a letter that no broker takes would stop the
 * stream for ever. The same letter may come twice after a crash.
 *
 * <p>At most {@link #WAITING} letters and {@link #BUFFER_BYTES} wait to be sent, on a thread of its own; further ones
 * are refused at once. The topic must exist, see {@link KafkaTopics#ensureDeadLetters}.
 */
public final class KafkaDeadLetters implements DeadLetters {
    /** Of a value; the rest is cut. Brokers refuse batches over 1 MiB by default. */
    public static final int MAX_VALUE_BYTES = 900_000;

    private static final long BUFFER_BYTES = 8L << 20;
    private static final int BLOCK_MILLIS = 5_000;
    private static final long BACK_OFF_NANOS = 500_000_000;
    /** Letters that wait for the sender; further ones are refused, and come again. */
    private static final int WAITING = 4096;

    private static final int DELIVERY_MILLIS = 30_000;
    private static final int REQUEST_MILLIS = 10_000;
    private static final int MAX_REASON_CHARACTERS = 1_000;
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    private final TopicNames topics;
    private final KafkaProducer<byte[], byte[]> producer;
    /** Kafka's producer waits for a topic that is away: not on the thread that everything else is dispatched on. */
    private final ThreadPoolExecutor sender;
    /** Owner: the sender's thread. */
    private @Nullable Exception lastFailure;

    private long lastFailureNanos;

    public KafkaDeadLetters(String bootstrap, String clientId, TopicNames topics) {
        this.topics = topics;
        Map<String, Object> settings = new HashMap<>();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, BLOCK_MILLIS);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
        this.producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        this.sender = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING), task -> {
            Thread thread = new Thread(task, clientId);
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public void send(
            int streamId,
            int partition,
            long offset,
            int index,
            String reason,
            ByteBuffer raw,
            Consumer<@Nullable Exception> done) {
        String topic = topics.topicOf(streamId);
        if (topic == null) {
            done.accept(new IllegalStateException("stream " + streamId + " is not in the catalog"));
            return;
        }
        byte[] value = new byte[Math.min(raw.remaining(), MAX_VALUE_BYTES)];
        raw.duplicate().get(value);
        List<Header> headers = List.of(
                header("partition", Integer.toString(partition)),
                header("offset", Long.toString(offset)),
                header("index", Integer.toString(index)),
                header("reason", reason.substring(0, Math.min(reason.length(), MAX_REASON_CHARACTERS))),
                header("length", Integer.toString(raw.remaining())));
        ProducerRecord<byte[], byte[]> letter =
                new ProducerRecord<>(TopicNames.deadLettersOf(topic), null, null, null, value, headers);
        try {
            sender.execute(() -> send(letter, done));
        } catch (RejectedExecutionException e) {
            done.accept(e);
        }
    }

    private void send(ProducerRecord<byte[], byte[]> letter, Consumer<@Nullable Exception> done) {
        Exception recent = lastFailure;
        if (recent != null && System.nanoTime() - lastFailureNanos < BACK_OFF_NANOS) {
            // Kafka was away a moment ago: the rest need not each wait to find out.
            done.accept(recent);
            return;
        }
        try {
            var unused = producer.send(letter, (stored, failure) -> done.accept(failure));
            lastFailure = null;
        } catch (KafkaException | IllegalStateException e) {
            lastFailure = e;
            lastFailureNanos = System.nanoTime();
            done.accept(e);
        }
    }

    private static Header header(String name, String text) {
        return new RecordHeader(name, text.getBytes(UTF_8));
    }

    @Override
    public void close() {
        sender.shutdownNow();
        producer.close(CLOSE_PATIENCE);
    }
}
