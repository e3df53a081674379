package io.waterwheel.topology.kafka;

import io.waterwheel.decode.RecordFacts;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/** Reads stretches of a topic from one end to the other, what is committed. One thread. */
public final class TopicScan implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final int FETCH_BYTES = 4 << 20;

    /** Takes the records in the order of their offsets. */
    public interface Records {
        void accept(long offset, ByteBuffer value, RecordFacts facts);
    }

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final String topic;
    private final KafkaConsumer<ByteBuffer, ByteBuffer> consumer;

    public TopicScan(String bootstrap, String clientId, String topic) {
        this.topic = topic;
        this.consumer = ConsumerSettings.consumer(bootstrap, clientId, FETCH_BYTES);
    }

    /** First offset of a partition that the log still has. */
    public long begin(int partition) {
        TopicPartition whole = new TopicPartition(topic, partition);
        Long begin = consumer.beginningOffsets(List.of(whole)).get(whole);
        if (begin == null) {
            throw new IllegalStateException("Kafka named no beginning of " + whole);
        }
        return begin;
    }

    /**
     * Hands over every record of [from, to).
     *
     * @param deadlineNanos by {@link System#nanoTime}
     * @param requireWanted called now and then; what it throws ends the reading
     * @throws WaterwheelException TEMPORARY when it takes longer, or the log cannot be read
     */
    public void read(int partition, long from, long to, long deadlineNanos, Runnable requireWanted, Records records)
            throws InterruptedException {
        TopicPartition whole = new TopicPartition(topic, partition);
        try {
            consumer.assign(List.of(whole));
            consumer.seek(whole, from);
            while (consumer.position(whole) < to) {
                requireWanted.run();
                for (ConsumerRecord<ByteBuffer, ByteBuffer> record :
                        consumer.poll(POLL).records(whole)) {
                    if (record.offset() < to) {
                        records.accept(
                                record.offset(),
                                record.value() == null ? NOTHING : record.value(),
                                new ConsumedFacts(record));
                    }
                }
                if (System.nanoTime() - deadlineNanos > 0) {
                    throw new WaterwheelException(
                            ErrorCode.TOO_SLOW,
                            whole + ": the time was over at offset " + consumer.position(whole) + " of " + to
                                    + "; allow more");
                }
            }
        } catch (InterruptException e) {
            Thread.interrupted();
            InterruptedException interrupted = new InterruptedException();
            interrupted.initCause(e);
            throw interrupted;
        } catch (KafkaException e) {
            throw new WaterwheelException(
                    ErrorCode.LOG_UNAVAILABLE,
                    whole + " cannot be read from " + from + " to " + to + ": " + e.getMessage(),
                    e);
        }
    }

    @Override
    public void close() {
        // Without a wait for the broker, which holds a fetch without news for half a second.
        consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ZERO));
    }
}
