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
    /** Kafka ends a transaction that nobody ends, looking for such every ten seconds; and some more. */
    private static final long HANGING_NANOS = (KafkaDeadLetters.TRANSACTION_MILLIS + 15_000) * 1_000_000L;

    private static final long PATIENCE_NANOS = HANGING_NANOS + 15_000_000_000L;

    private static final int FETCH_BYTES = 1 << 20;
    /** For what must be asked of the broker: one topic without a leader keeps the letters of all others waiting. */
    private static final Duration ANSWER = Duration.ofSeconds(5);

    /** What was found so far; not thread-safe. */
    static final class Found {
        final OffsetRanges ranges = new OffsetRanges();
        /** Offset in the dead-letter topic to read on from. */
        long next;

        long letters;
    }

    private LetterReader() {}

    /**
     * Reads on.
     *
     * @throws WaterwheelException TEMPORARY when the end was not reached, be it that a transaction stays open
     */
    static void read(String bootstrap, String clientId, String topic, LetterFormat.Sender sender, Found found) {
        TopicPartition from = new TopicPartition(topic, LetterFormat.PARTITION);
        try (KafkaConsumer<ByteBuffer, ByteBuffer> consumer =
                ConsumerSettings.consumer(bootstrap, clientId, FETCH_BYTES)) {
            consumer.assign(List.of(from));
            long start = consumer.beginningOffsets(List.of(from), ANSWER).getOrDefault(from, 0L);
            long end = end(bootstrap, clientId, from);
            // Letters that retention took are of records long passed.
            found.next = Math.max(found.next, start);
            consumer.seek(from, found.next);
            long moved = System.nanoTime();
            boolean looked = false;
            while (found.next < end) {
                for (ConsumerRecord<ByteBuffer, ByteBuffer> letter : consumer.poll(POLL)) {
                    take(letter, sender, found);
                }
                long position = consumer.position(from, ANSWER);
                if (position > found.next) {
                    found.next = position;
                    moved = System.nanoTime();
                    looked = false;
                } else if (!looked && System.nanoTime() - moved > HANGING_NANOS) {
                    looked = true;
                    HangingTransactions.end(bootstrap, from, System.currentTimeMillis() - HANGING_NANOS / 1_000_000);
                    moved = System.nanoTime() - HANGING_NANOS;
                } else if (System.nanoTime() - moved > PATIENCE_NANOS) {
                    throw new WaterwheelException(
                            WaterwheelException.Kind.TEMPORARY,
                            "LOG_UNAVAILABLE",
                            topic + ": nothing was read from offset " + found.next + " within "
                                    + PATIENCE_NANOS / 1_000_000_000 + " s, the end is " + end);
                }
            }
        }
    }

    /**
     * Above everything that is there now, committed or not: an open transaction of another partition hides all that
     * comes after it, also what is committed.
     */
    private static long end(String bootstrap, String clientId, TopicPartition of) {
        try (KafkaConsumer<ByteBuffer, ByteBuffer> consumer =
                ConsumerSettings.consumer(bootstrap, clientId + "-end", FETCH_BYTES, "read_uncommitted")) {
            return consumer.endOffsets(List.of(of), ANSWER).getOrDefault(of, 0L);
        }
    }

    private static void take(ConsumerRecord<ByteBuffer, ByteBuffer> letter, LetterFormat.Sender sender, Found found) {
        Long since = LetterFormat.number(letter.headers(), "since");
        Long until = LetterFormat.number(letter.headers(), "until");
        if (sender.sent(letter.headers()) && since != null && until != null) {
            found.letters++;
            found.ranges.add(since, until);
        }
    }
}
