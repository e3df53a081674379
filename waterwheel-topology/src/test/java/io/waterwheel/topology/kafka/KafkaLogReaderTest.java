package io.waterwheel.topology.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.text.KafkaFields;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reading again while there is no broker; with one see {@code KafkaSourceTest}. */
@Timeout(300)
final class KafkaLogReaderTest {
    @Test
    void aReadThatIsCancelledIsAnsweredLongBeforeItsTimeIsUp() throws Exception {
        // Takes connections, and never says a word.
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                KafkaLogReader reader =
                        new KafkaLogReader("127.0.0.1:" + silent.getLocalPort(), "reader", id -> "topic")) {
            CompletableFuture<Exception> first = new CompletableFuture<>();
            CompletableFuture<Exception> second = new CompletableFuture<>();
            reader.cancel(1, 0);
            reader.read(1, 0, 10, 0, KafkaFields.NONE, 1000, (batch, failure) -> first.complete(failure));
            reader.read(1, 1, 10, 0, KafkaFields.NONE, 1000, (batch, failure) -> second.complete(failure));
            reader.cancel(1, 0);
            // Well below the 30 seconds after which it fails anyway.
            assertThat(first.get(25, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> {
                        assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.TEMPORARY);
                        assertThat(e.code()).isEqualTo("LOG_UNAVAILABLE");
                    })
                    .hasMessageContaining("topic-0: nothing was read from offset 10 yet");
            assertThat(second).as("another partition's").isNotDone();
        }
    }

    /** Its end is no reason for the next read to wait for ever; nor is what a receiver throws, for any. */
    @Test
    void aThreadThatDiesIsFollowedByAnother() throws Exception {
        MockConsumer<ByteBuffer, ByteBuffer> consumer = new MockConsumer<>("earliest");
        // Or it would take them for read to their ends, which answers a read.
        consumer.updateEndOffsets(Map.of(new TopicPartition("topic", 0), 20L, new TopicPartition("topic", 1), 20L));
        consumer.schedulePollTask(() -> {
            throw new OutOfMemoryError("made up");
        });
        try (KafkaLogReader reader = new KafkaLogReader(consumer, "reader", id -> "topic", Duration.ofMinutes(5))) {
            assertThat(answer(reader, 0).get(25, TimeUnit.SECONDS))
                    .hasMessage("the log reader failed")
                    .hasRootCauseMessage("made up");
            Waiting.until("the end of its thread", () -> !reader.hasThread());
            List<CompletableFuture<Exception>> after = List.of(answer(reader, 0), answer(reader, 1));
            reader.cancel(1, 0);
            reader.cancel(1, 1);
            for (CompletableFuture<Exception> each : after) {
                assertThat(each.get(25, TimeUnit.SECONDS)).hasMessageContaining("nothing was read from offset 10 yet");
            }
            assertThat(reader.hasThread()).as("it goes on").isTrue();
        }
    }

    /** A receiver that throws an error is one whose event loop has no memory. */
    private static CompletableFuture<Exception> answer(KafkaLogReader reader, int partition) {
        CompletableFuture<Exception> answer = new CompletableFuture<>();
        reader.read(1, partition, 10, 0, KafkaFields.NONE, 1000, (batch, failure) -> {
            answer.complete(failure);
            throw new OutOfMemoryError("a receiver's");
        });
        return answer;
    }

    /** One that cannot be made of what was read fails, and is not forgotten. */
    @Test
    void aReadWhoseBatchCannotBeMadeFails() throws Exception {
        MockConsumer<ByteBuffer, ByteBuffer> consumer = new MockConsumer<>("earliest");
        TopicPartition partition = new TopicPartition("topic", 0);
        consumer.schedulePollTask(() -> {
            consumer.updateEndOffsets(Map.of(partition, 20L));
            consumer.addRecord(new ConsumerRecord<>("topic", 0, 10, null, null) {
                @Override
                public ByteBuffer value() {
                    throw new OutOfMemoryError("made up");
                }
            });
        });
        try (KafkaLogReader reader = new KafkaLogReader(consumer, "reader", id -> "topic", Duration.ofMinutes(5))) {
            assertThat(answer(reader, 0).get(25, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void itsThreadIsThereWhileThereIsSomethingToRead() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                KafkaLogReader reader = new KafkaLogReader(
                        "127.0.0.1:" + silent.getLocalPort(), "reader", id -> "topic", Duration.ofMillis(1))) {
            assertThat(reader.hasThread()).isFalse();
            for (int times = 0; times < 3; times++) {
                CompletableFuture<Exception> ended = new CompletableFuture<>();
                reader.read(1, 0, 10, 0, KafkaFields.NONE, 1000, (batch, failure) -> ended.complete(failure));
                assertThat(reader.hasThread()).isTrue();
                reader.cancel(1, 0);
                assertThat(ended.get(25, TimeUnit.SECONDS)).hasMessageContaining("nothing was read from offset 10 yet");
                Waiting.until("the end of its thread", () -> !reader.hasThread());
            }
        }
        KafkaLogReader closed = new KafkaLogReader("127.0.0.1:9", "reader", id -> "topic");
        closed.close();
        CompletableFuture<Exception> refused = new CompletableFuture<>();
        closed.read(1, 0, 10, 0, KafkaFields.NONE, 1000, (batch, failure) -> refused.complete(failure));
        assertThat(refused.get(25, TimeUnit.SECONDS)).hasMessage("the log reader is closed");
    }
}
