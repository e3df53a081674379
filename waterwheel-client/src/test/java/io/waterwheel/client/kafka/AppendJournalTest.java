package io.waterwheel.client.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AppendJournalTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");

    private static AppendJournal journal(int id, boolean shares) {
        StreamDetails stream = new StreamDetails(
                id,
                new StreamDefinition("s" + id, "t", RecordFormat.CSV, 1, SCHEMA),
                new StreamDetails.Topic("nowhere", shares));
        return new AppendJournal(stream, Duration.ofSeconds(1), 16);
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
}
