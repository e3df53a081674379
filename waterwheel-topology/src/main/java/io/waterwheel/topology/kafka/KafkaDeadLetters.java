package io.waterwheel.topology.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.ingest.DeadLetters;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * <p>At most {@link #BUFFER_BYTES} wait to be sent; when they are used up, sending blocks for up to
 * {@link #BLOCK_MILLIS} and then fails. The topic must exist, see {@link KafkaTopics#ensureDeadLetters}.
 */
public final class KafkaDeadLetters implements DeadLetters {
    /** Of a value; the rest is cut. Brokers refuse batches over 1 MiB by default. */
    public static final int MAX_VALUE_BYTES = 900_000;

    private static final long BUFFER_BYTES = 8L << 20;
    private static final int BLOCK_MILLIS = 5_000;
    private static final int DELIVERY_MILLIS = 30_000;
    private static final int REQUEST_MILLIS = 10_000;
    private static final int MAX_REASON_CHARACTERS = 1_000;
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    private final TopicNames topics;
    private final KafkaProducer<byte[], byte[]> producer;

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
        String deadLetters = TopicNames.deadLettersOf(topic);
        try {
            var unused = producer.send(
                    new ProducerRecord<>(deadLetters, null, null, null, value, headers),
                    (stored, failure) -> done.accept(failure));
        } catch (KafkaException | IllegalStateException e) {
            done.accept(e);
        }
    }

    private static Header header(String name, String text) {
        return new RecordHeader(name, text.getBytes(UTF_8));
    }

    @Override
    public void close() {
        producer.close(CLOSE_PATIENCE);
    }
}
