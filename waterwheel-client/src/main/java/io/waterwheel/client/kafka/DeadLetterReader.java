package io.waterwheel.client.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.client.admin.DeadLetter;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/**
 * Reads the dead letters of a stream from Kafka, at the address that the server names. Committed ones only, and each
 * once, the last that was stored: what is not compacted yet, or was stored before letters had keys, may be there twice.
 */
public final class DeadLetterReader {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    private DeadLetterReader() {}

    /** Which row a letter is of. */
    private record Row(long partition, long offset, long index) {}

    /** Takes records until it says that it has enough. */
    @FunctionalInterface
    private interface Take {
        boolean more(ConsumerRecord<byte[], byte[]> record);
    }

    /**
     * Hands over the letters there are at the call, oldest first, {@code limit} at most. Reads the topic twice: first
     * where the last of each row is, which takes about 100 bytes of memory a letter.
     */
    public static void read(StreamDetails stream, long limit, Consumer<DeadLetter> each) {
        Map<Row, Long> last = new HashMap<>();
        long end = scan(stream, Long.MAX_VALUE, record -> {
            last.put(row(record), record.offset());
            return true;
        });
        long[] given = {0};
        if (limit > 0) {
            scan(stream, end, record -> {
                if (last.getOrDefault(row(record), record.offset()) == record.offset()) {
                    each.accept(letter(record));
                    given[0]++;
                }
                return given[0] < limit;
            });
        }
    }

    private static Row row(ConsumerRecord<byte[], byte[]> record) {
        return new Row(number(record, "partition"), number(record, "offset"), number(record, "index"));
    }

    /** Reads the stream's letters to the end, or to this offset, and returns how far. */
    private static long scan(StreamDetails stream, long to, Take take) {
        String topic = stream.definition().topic() + ".dead-letters";
        TopicPartition from = new TopicPartition(topic, 0);
        Map<String, Object> conf = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                stream.topic().bootstrapServers(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false);
        try (KafkaConsumer<byte[], byte[]> consumer = new TopicConsumer(conf)) {
            consumer.assign(List.of(from));
            consumer.seekToBeginning(List.of(from));
            long end = Math.min(to, consumer.endOffsets(List.of(from)).getOrDefault(from, 0L));
            long before = -1;
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (consumer.position(from) < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    if (record.offset() < end && isOf(stream, record) && !take.more(record)) {
                        return end;
                    }
                }
                if (consumer.position(from) > before) {
                    before = consumer.position(from);
                    deadline = System.nanoTime() + PATIENCE_NANOS;
                } else if (System.nanoTime() - deadline > 0) {
                    throw failed(topic, stream, "nothing came within 30 s", null);
                }
            }
            return end;
        } catch (KafkaException e) {
            throw failed(topic, stream, String.valueOf(e.getMessage()), e);
        }
    }

    /** The topic outlives a stream, and other namespaces may have one of its id on it. */
    private static boolean isOf(StreamDetails stream, ConsumerRecord<byte[], byte[]> record) {
        return number(record, "stream") == stream.id()
                && (stream.topic().letterNamespace().isEmpty()
                        || stream.topic().letterNamespace().equals(text(record, "namespace")));
    }

    private static WaterwheelException failed(
            String topic, StreamDetails stream, String why, @org.jspecify.annotations.Nullable KafkaException cause) {
        String message = "topic " + topic + " at " + stream.topic().bootstrapServers() + " cannot be read: " + why;
        return cause == null
                ? new WaterwheelException(ErrorCode.KAFKA_UNREACHABLE, message)
                : new WaterwheelException(ErrorCode.KAFKA_UNREACHABLE, message, cause);
    }

    private static DeadLetter letter(ConsumerRecord<byte[], byte[]> record) {
        byte[] value = record.value();
        return new DeadLetter(
                (int) number(record, "partition"),
                number(record, "offset"),
                (int) number(record, "index"),
                text(record, "reason"),
                (int) number(record, "length"),
                value == null ? new byte[0] : value);
    }

    private static String text(ConsumerRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null || header.value() == null ? "" : new String(header.value(), UTF_8);
    }

    /** -1 where somebody else's record says nothing. */
    private static long number(ConsumerRecord<byte[], byte[]> record, String name) {
        try {
            return Long.parseLong(text(record, name));
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
