package io.waterwheel.topology.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.status.DeadLetterText;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Reads the last dead letters of a namespace's streams, as {@link DeadLetterFormat} has them; of a row that is there
 * twice the last. Bounded: the last {@link #LAST} records of a topic, or fewer that have as many bytes as are its part,
 * those of other namespaces among them; and the first {@link #CHARACTERS} characters of a letter. One call at a time
 * reads, with a consumer of its own. Thread-safe.
 */
public final class KafkaLetters {
    /** Records of a topic of letters. */
    public static final int LAST = 1_000;

    /** Of what a letter holds. */
    public static final int CHARACTERS = 4_000;

    /** Values of all topics, about; each has as large a part. */
    private static final long MOST_BYTES = 64L << 20;

    private static final long LEAST_BYTES = 1L << 20;
    /** Records that are read at a time at first, of up to a megabyte each. */
    private static final long STEP = 10;

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final int FETCH_BYTES = 1 << 20;

    private final String bootstrap;
    private final String clientId;
    private final String namespace;
    private final Semaphore turn = new Semaphore(1, true);

    /** @param namespace of the streams; letters of others, which may have the same topics and ids, are passed over */
    public KafkaLetters(String bootstrap, String clientId, String namespace) {
        this.bootstrap = bootstrap;
        this.clientId = clientId;
        this.namespace = namespace;
    }

    /**
     * Hands over the letters, of each topic the oldest first.
     *
     * @param topics of streams, by the streams' ids
     * @param goOn is asked now and then; throws to end it
     */
    public void read(Map<Integer, String> topics, Runnable goOn, Consumer<DeadLetterText> each)
            throws InterruptedException {
        while (!turn.tryAcquire(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
            goOn.run();
        }
        try (Closing closing = new Closing(
                ConsumerSettings.consumer(bootstrap, clientId, FETCH_BYTES, FETCH_BYTES, "read_committed"))) {
            read(closing.consumer, topics, goOn, each);
        } catch (InterruptException e) {
            boolean unused = Thread.interrupted();
            InterruptedException interrupted = new InterruptedException("while dead letters were read");
            interrupted.initCause(e);
            throw interrupted;
        } catch (KafkaException e) {
            throw new WaterwheelException(
                    ErrorCode.KAFKA_UNREACHABLE,
                    "the dead letters at " + bootstrap + " cannot be read: " + e.getMessage(),
                    e);
        } finally {
            turn.release();
        }
    }

    /** Closes without a wait for the broker. */
    private record Closing(KafkaConsumer<ByteBuffer, ByteBuffer> consumer) implements AutoCloseable {
        @Override
        public void close() {
            consumer.close(CloseOptions.timeout(Duration.ZERO));
        }
    }

    private void read(
            KafkaConsumer<ByteBuffer, ByteBuffer> consumer,
            Map<Integer, String> topics,
            Runnable goOn,
            Consumer<DeadLetterText> each) {
        // Asked for the end of a topic that is not there, the consumer waits for it.
        Set<String> there = consumer.listTopics(PATIENCE).keySet();
        goOn.run();
        Map<String, Set<Integer>> streams = new TreeMap<>();
        topics.forEach((stream, topic) -> {
            String letters = TopicNames.deadLettersOf(topic);
            if (there.contains(letters)) {
                streams.computeIfAbsent(letters, unused -> new TreeSet<>()).add(stream);
            }
        });
        List<TopicPartition> all = streams.keySet().stream()
                .map(topic -> new TopicPartition(topic, DeadLetterFormat.PARTITION))
                .toList();
        // Ends of topics that it has not been given it warns of.
        consumer.assign(all);
        Map<TopicPartition, Long> begins = consumer.beginningOffsets(all, PATIENCE);
        Map<TopicPartition, Long> ends = consumer.endOffsets(all, PATIENCE);
        for (TopicPartition topic : all) {
            long bytes = Math.max(LEAST_BYTES, MOST_BYTES / all.size());
            long end = ends.getOrDefault(topic, 0L);
            long begin = Math.max(begins.getOrDefault(topic, 0L), end - LAST);
            Set<Integer> wanted = streams.getOrDefault(topic.topic(), Set.of());
            last(consumer, topic, begin, end, bytes, wanted, goOn).forEach(each);
        }
    }

    /** The last letters of [begin, end): backwards in steps, until they have {@code bytes} bytes. */
    private List<DeadLetterText> last(
            KafkaConsumer<ByteBuffer, ByteBuffer> consumer,
            TopicPartition topic,
            long begin,
            long end,
            long bytes,
            Set<Integer> wanted,
            Runnable goOn) {
        TreeMap<Long, DeadLetterText> found = new TreeMap<>();
        Set<String> rows = new HashSet<>();
        long left = bytes;
        long step = STEP;
        for (long to = end; to > begin && left > 0; ) {
            long from = Math.max(begin, to - step);
            List<DeadLetterText> letters = new ArrayList<>();
            long read = scan(consumer, topic, from, to, goOn, record -> {
                if (header(record, "namespace").equals(namespace)) {
                    letters.add(letter(record));
                }
            });
            for (int l = letters.size() - 1; l >= 0; l--) {
                DeadLetterText letter = letters.get(l);
                // Of a row that is there twice the last.
                if (wanted.contains(letter.streamId())
                        && rows.add(letter.streamId() + "/" + letter.partition() + "/" + letter.offset() + "/"
                                + letter.index())) {
                    found.put(letter.letterOffset(), letter);
                }
            }
            left -= read;
            step = read > left ? STEP : 2 * step;
            to = from;
        }
        return List.copyOf(found.values());
    }

    /** Returns how many bytes the values have. */
    private static long scan(
            KafkaConsumer<ByteBuffer, ByteBuffer> consumer,
            TopicPartition topic,
            long from,
            long end,
            Runnable goOn,
            Consumer<ConsumerRecord<ByteBuffer, ByteBuffer>> taker) {
        long bytes = 0;
        consumer.assign(List.of(topic));
        consumer.seek(topic, from);
        while (consumer.position(topic, PATIENCE) < end) {
            goOn.run();
            for (ConsumerRecord<ByteBuffer, ByteBuffer> record :
                    consumer.poll(POLL).records(topic)) {
                if (record.offset() < end) {
                    bytes += Math.max(0, record.serializedValueSize());
                    taker.accept(record);
                }
            }
        }
        return bytes;
    }

    private static DeadLetterText letter(ConsumerRecord<ByteBuffer, ByteBuffer> record) {
        ByteBuffer value = record.value();
        return new DeadLetterText(
                (int) number(record, "stream"),
                record.offset(),
                (int) number(record, "partition"),
                number(record, "offset"),
                (int) number(record, "index"),
                header(record, "reason"),
                number(record, "length"),
                value == null || !value.hasRemaining() ? null : text(value));
    }

    /** The beginning; null when that is not UTF-8. A character that a cut divides is left out. */
    static @Nullable String text(ByteBuffer value) {
        CharBuffer text = CharBuffer.allocate(CHARACTERS);
        // Not the end of the input: a last character that is divided is no error then.
        CoderResult result = UTF_8.newDecoder().decode(value.duplicate(), text, false);
        return result.isError() ? null : text.flip().toString();
    }

    private static String header(ConsumerRecord<ByteBuffer, ByteBuffer> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null || header.value() == null ? "" : new String(header.value(), UTF_8);
    }

    /** -1 where somebody else's record says nothing. */
    private static long number(ConsumerRecord<ByteBuffer, ByteBuffer> record, String name) {
        try {
            return Long.parseLong(header(record, name));
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
