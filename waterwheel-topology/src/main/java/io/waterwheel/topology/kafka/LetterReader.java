package io.waterwheel.topology.kafka;

import io.waterwheel.ingest.OffsetRanges;
import io.waterwheel.model.WaterwheelException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads back which dead letters of a partition are stored: committed ones, to the end of the topic. Takes about a
 * second for a million letters; keeps ranges, not letters.
 */
final class LetterReader {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final int FETCH_BYTES = 1 << 20;

    /** What was found so far; not thread-safe. */
    static final class Found {
        final OffsetRanges ranges = new OffsetRanges();
        /** Offset in the dead-letter topic to read on from. */
        long next;

        long letters;
    }

    private LetterReader() {}

    static void read(String bootstrap, String clientId, String topic, int partition, Found found) {
        TopicPartition from = new TopicPartition(topic, 0);
        try (KafkaConsumer<ByteBuffer, ByteBuffer> consumer =
                ConsumerSettings.consumer(bootstrap, clientId, FETCH_BYTES)) {
            consumer.assign(List.of(from));
            long start = consumer.beginningOffsets(List.of(from)).getOrDefault(from, 0L);
            long end = consumer.endOffsets(List.of(from)).getOrDefault(from, 0L);
            // Letters that retention took are of records long passed.
            found.next = Math.max(found.next, start);
            consumer.seek(from, found.next);
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (found.next < end) {
                for (ConsumerRecord<ByteBuffer, ByteBuffer> letter : consumer.poll(POLL)) {
                    take(letter, partition, found);
                }
                long position = consumer.position(from);
                if (position > found.next) {
                    found.next = position;
                    deadline = System.nanoTime() + PATIENCE_NANOS;
                } else if (System.nanoTime() - deadline > 0) {
                    throw new WaterwheelException(
                            WaterwheelException.Kind.TEMPORARY,
                            "LOG_UNAVAILABLE",
                            topic + ": nothing was read from offset " + found.next + " within 30 s, the end is " + end);
                }
            }
        }
    }

    private static void take(ConsumerRecord<ByteBuffer, ByteBuffer> letter, int partition, Found found) {
        Long of = LetterFormat.number(letter.headers(), "partition");
        Long since = LetterFormat.number(letter.headers(), "since");
        Long until = LetterFormat.number(letter.headers(), "until");
        if (of != null && of == partition && since != null && until != null) {
            found.letters++;
            found.ranges.add(since, until);
        }
    }
}
