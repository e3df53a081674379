package io.waterwheel.client.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class AppendJournalTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");

    private static AppendJournal journal(int id, boolean shares) {
        return journal(id, shares, Duration.ofSeconds(1));
    }

    private static AppendJournal journal(int id, boolean shares, Duration timeout) {
        StreamDetails stream = new StreamDetails(
                id,
                new StreamDefinition("s" + id, "t", RecordFormat.CSV, 1, SCHEMA),
                new StreamDetails.Topic("nowhere", shares));
        return new AppendJournal(stream, timeout, 16);
    }

    /** Those of the first are what older releases have; a key of 16 bytes is a commit's. */
    @Test
    void streamsOfATopicHaveLanesOfTheirOwn() {
        AppendJournal first = journal(1, false);
        AppendJournal second = journal(2, true);
        AppendJournal third = journal(1_000_000_000, true);
        assertThat(List.of(first.topic(), second.topic(), third.topic())).containsOnly("t.append-keys");
        assertThat(List.of(first.transactionalId(3), second.transactionalId(3), third.transactionalId(3)))
                .containsExactly(
                        "waterwheel.append-keys/t/3",
                        "waterwheel.append-keys/t/stream-0000000002/3",
                        "waterwheel.append-keys/t/stream-1000000000/3");
        assertThat(first.claimKey()).isEqualTo("claim".getBytes(US_ASCII));
        assertThat(second.claimKey()).isEqualTo("stream-0000000002/claim".getBytes(US_ASCII));
        assertThat(third.claimKey()).isNotEqualTo(second.claimKey()).hasSameSizeAs(second.claimKey());
        assertThat(second.claimKey().length).isNotEqualTo(16);
    }

    @Test
    void readingGoesOnWhereItsTimeWasOver() {
        AppendJournal journal = journal(1, false, Duration.ZERO);
        TopicPartition first = new TopicPartition(journal.topic(), 0);
        List<Byte> values = new ArrayList<>();
        for (int late = 0; late < 2; late++) {
            assertThatThrownBy(() -> journal.readFirst(notes(first), (lane, key, value) -> values.add(value[0])))
                    .hasMessageContaining("its end was not reached");
        }
        journal.readFirst(notes(first), (lane, key, value) -> values.add(value[0]));
        assertThat(values).containsExactly((byte) 0, (byte) 1, (byte) 2);
        journal.readFirst(notes(first), (lane, key, value) -> values.add(value[0]));
        assertThat(values).hasSize(3);
    }

    /** Three of them, of which each poll gets one. */
    private static MockConsumer<byte[], byte[]> notes(TopicPartition first) {
        MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
        consumer.setMaxPollRecords(1);
        consumer.updateBeginningOffsets(Map.of(first, 0L));
        consumer.updateEndOffsets(Map.of(first, 3L));
        consumer.schedulePollTask(() -> {
            for (int i = 0; i < 3; i++) {
                consumer.addRecord(new ConsumerRecord<>(first.topic(), 0, i, new byte[] {1}, new byte[] {(byte) i}));
            }
        });
        return consumer;
    }
}
