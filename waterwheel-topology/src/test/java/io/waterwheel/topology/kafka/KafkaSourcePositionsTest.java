package io.waterwheel.topology.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.ingest.source.RecordBatch;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** A consumer whose poll fails in a way that a broker cannot be made to bring about at will. */
final class KafkaSourcePositionsTest {
    private static final TopicPartition GOOD = new TopicPartition("good", 0);
    private static final TopicPartition BAD = new TopicPartition("bad", 0);

    @Test
    void aTruncationThatWasFoundBeforeAPartitionWasAssignedAnewIsNotOfIt() {
        MockConsumer<ByteBuffer, ByteBuffer> consumer = new MockConsumer<>("none");
        LogTruncationException found =
                new LogTruncationException(Map.of(GOOD, 4L), Map.of(GOOD, new OffsetAndMetadata(2)));
        long base = 1_000_000_000_000L;
        try (KafkaSource source = new KafkaSource(consumer, 1 << 20)) {
            source.assign(1, "good", 0, 4, 0);
            source.remove(1, 0);
            source.assign(1, "good", 0, base + 2, base);
            consumer.updateBeginningOffsets(Map.of(GOOD, 0L));
            consumer.setPollException(found);
            assertThat(source.poll(Duration.ZERO)).isEmpty();
            consumer.addRecord(new ConsumerRecord<>("good", 0, 2, null, ByteBuffer.allocate(1)));
            assertThat(source.poll(Duration.ZERO)).singleElement().isInstanceOf(LogSource.PollEvent.Read.class);
            assertThat(source.position(1, 0)).isEqualTo(base + 3);
            consumer.setPollException(found);
            assertThat(source.poll(Duration.ZERO))
                    .singleElement()
                    .isInstanceOfSatisfying(LogSource.PollEvent.Gap.class, gap -> assertThat(gap.truncatedAt())
                            .isEqualTo(base + 2));
        }
    }

    @Test
    void recordsThatAFailedPollHadPassedAreReadAgain() {
        MockConsumer<ByteBuffer, ByteBuffer> consumer = new MockConsumer<>("earliest");
        try (KafkaSource source = new KafkaSource(consumer, 1 << 20)) {
            source.assign(1, "good", 0, 0, 0);
            source.assign(2, "bad", 0, 0, 0);
            consumer.updateBeginningOffsets(Map.of(GOOD, 0L, BAD, 0L));
            // As Kafka's own does when a partition comes with an error that it does not know: it has collected the
            // records of another already, and gives them to nobody.
            consumer.schedulePollTask(() -> {
                consumer.seek(GOOD, 5);
                throw new IllegalStateException(
                        "Unexpected error code 99 while fetching at offset 0 from topic-partition bad-0");
            });
            List<LogSource.PollEvent> news = source.poll(Duration.ZERO);
            assertThat(news).hasSize(1);
            assertThat(news.get(0)).isInstanceOf(LogSource.PollEvent.Unreadable.class);
            for (long offset = 0; offset < 10; offset++) {
                consumer.addRecord(new ConsumerRecord<>(
                        "good", 0, offset, ByteBuffer.allocate(0), ByteBuffer.wrap(new byte[] {(byte) offset})));
            }
            RecordBatch batch =
                    ((LogSource.PollEvent.Read) source.poll(Duration.ZERO).get(0)).batch();
            assertThat(batch.from()).isZero();
            assertThat(batch.count()).isEqualTo(10);
            assertThat(batch.to()).isEqualTo(10);
        }
    }
}
