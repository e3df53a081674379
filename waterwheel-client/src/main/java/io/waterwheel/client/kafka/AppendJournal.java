package io.waterwheel.client.kafka;

import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Where the lanes of a stream note what they committed: the compacted topic {@code TOPIC.append-keys}, with one
 * partition a lane. Streams of one topic have their notes there side by side, each with lanes of its own. It remembers
 * how far it has read. One thread at a time.
 */
public final class AppendJournal {
    private static final String SUFFIX = ".append-keys";
    private static final Duration POLL = Duration.ofMillis(200);

    private final StreamDetails stream;
    private final Duration timeout;
    private final int lanes;
    private final ProgressTopic topic;
    private final Map<TopicPartition, Long> read = new HashMap<>();
    private boolean made;

    /**
     * That of a stream.
     *
     * @param lanes the same for all who append to the stream under keys
     */
    public AppendJournal(StreamDetails stream, Duration timeout, int lanes) {
        this.stream = stream;
        this.timeout = timeout;
        this.lanes = lanes;
        this.topic =
                new ProgressTopic(stream.definition().topic(), stream.topic().bootstrapServers(), SUFFIX, lanes);
    }

    /** Its topic's name. */
    public String topic() {
        return topic.name();
    }

    /** What Kafka knows the owner of a lane by. */
    public String transactionalId(int lane) {
        return "waterwheel.append-keys/" + stream.definition().topic() + "/" + own() + lane;
    }

    /**
     * Under which key the owner of the lanes notes in each of them that it has taken it. It has a length that keys of
     * commits never have.
     */
    public byte[] claimKey() {
        return (own() + "claim").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Under which key the owner of the lanes notes who it is, together with its {@link #claimKey}. It has a length that
     * keys of commits never have.
     */
    public byte[] ownerKey() {
        return (own() + "owner").getBytes(StandardCharsets.US_ASCII);
    }

    /** Nothing for the first stream of a topic, whose names are those of releases that knew no other. */
    private String own() {
        return stream.topic().shared() ? String.format(Locale.ROOT, "stream-%010d/", stream.id()) : "";
    }

    /** Makes the topic when there is none. */
    public void ensure() {
        if (!made) {
            topic.ensure(timeout);
            made = true;
        }
    }

    /** Takes a committed note. */
    @FunctionalInterface
    public interface Reader {
        /**
         * A note.
         *
         * @param value null where the key's note has gone
         */
        void note(int lane, byte[] key, byte @Nullable [] value);
    }

    /**
     * Reads what was committed since it was read last, up to the end as it is now, by lane in the order of commits.
     * Waits for transactions that are open there.
     */
    public void read(Reader reader) {
        ensure();
        List<TopicPartition> partitions = IntStream.range(0, lanes)
                .mapToObj(lane -> new TopicPartition(topic.name(), lane))
                .toList();
        long deadline = System.nanoTime() + timeout.toNanos();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            Map<TopicPartition, Long> ends = ends(partitions);
            consumer.assign(partitions);
            for (TopicPartition partition : partitions) {
                Long from = read.get(partition);
                if (from == null) {
                    consumer.seekToBeginning(List.of(partition));
                } else {
                    consumer.seek(partition, from);
                }
            }
            while (!reached(consumer, ends)) {
                for (ConsumerRecord<byte[], byte[]> note : consumer.poll(POLL)) {
                    if (note.key() != null) {
                        reader.note(note.partition(), note.key(), note.value());
                    }
                }
                if (System.nanoTime() - deadline > 0) {
                    throw failed("its end was not reached within " + timeout.toSeconds() + " s", null);
                }
            }
            for (TopicPartition partition : partitions) {
                read.put(partition, consumer.position(partition, timeout));
            }
        } catch (InterruptException e) {
            Thread.currentThread().interrupt();
            throw failed("interrupted", e);
        } catch (KafkaException e) {
            throw failed(e.toString(), e);
        }
    }

    /**
     * Reads what was committed in lane 0 since it was read last, without waiting for transactions that are open there.
     * All that came before a claim has ended when the claim does, so the notes of the last one are among it; where
     * another stream of the topic has left one open, perhaps not.
     */
    public void readFirst(Reader reader) {
        ensure();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            readFirst(consumer, reader);
        }
    }

    /** Where time is over before the end is reached, the next time goes on from there. */
    void readFirst(Consumer<byte[], byte[]> consumer, Reader reader) {
        TopicPartition first = new TopicPartition(topic.name(), 0);
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            consumer.assign(List.of(first));
            // Of what is committed, as the consumer reads no other.
            long end = consumer.endOffsets(List.of(first), timeout).getOrDefault(first, 0L);
            Long from = read.get(first);
            if (from == null) {
                consumer.seekToBeginning(List.of(first));
            } else {
                consumer.seek(first, from);
            }
            while (consumer.position(first, timeout) < end) {
                for (ConsumerRecord<byte[], byte[]> note : consumer.poll(POLL)) {
                    if (note.key() != null) {
                        reader.note(0, note.key(), note.value());
                    }
                }
                read.put(first, consumer.position(first, timeout));
                if (read.get(first) < end && System.nanoTime() - deadline > 0) {
                    throw failed("its end was not reached within " + timeout.toSeconds() + " s", null);
                }
            }
        } catch (InterruptException e) {
            Thread.currentThread().interrupt();
            throw failed("interrupted", e);
        } catch (KafkaException e) {
            throw failed(e.toString(), e);
        }
    }

    private boolean reached(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
            if (consumer.position(end.getKey(), timeout) < end.getValue()) {
                return false;
            }
        }
        return true;
    }

    private Admin admin() {
        int millis = (int) timeout.toMillis();
        return Admin.create(Map.<String, Object>of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                stream.topic().bootstrapServers(),
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                millis,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                millis));
    }

    /** Above everything that is there now, committed or not. */
    private Map<TopicPartition, Long> ends(List<TopicPartition> partitions) {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        partitions.forEach(partition -> latest.put(partition, OffsetSpec.latest()));
        try (Admin admin = admin()) {
            Map<TopicPartition, Long> ends = new HashMap<>();
            admin.listOffsets(latest, new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
                    .all()
                    .get(timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .forEach((partition, end) -> ends.put(partition, end.offset()));
            return ends;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw failed("its end is not known: " + (e.getCause() == null ? e : e.getCause()), e);
        }
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return new TopicConsumer(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                stream.topic().bootstrapServers(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false));
    }

    private WaterwheelException failed(String why, @Nullable Exception cause) {
        String message = "topic " + topic.name() + " at " + stream.topic().bootstrapServers()
                + ", where the keys of appends are: " + why;
        return cause == null
                ? new WaterwheelException(ErrorCode.PROGRESS_UNREADABLE, message)
                : new WaterwheelException(ErrorCode.PROGRESS_UNREADABLE, message, cause);
    }
}
