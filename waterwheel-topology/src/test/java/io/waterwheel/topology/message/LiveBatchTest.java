package io.waterwheel.topology.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.waterwheel.decode.FactColumns;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.schema.text.KafkaFields;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Batches of records between workers. */
final class LiveBatchTest {
    private static final long[] POSITIONS = {100, 101, 105};

    private static LiveBatch roundTrip(KafkaFields wanted) {
        ByteBuffer[] values = {bytes("x"), bytes(""), bytes("yz")};
        FactColumns facts = null;
        if (wanted.any()) {
            facts = new FactColumns(wanted, 4, 90, POSITIONS);
            for (int i = 0; i < POSITIONS.length; i++) {
                facts.setTimestamp(i, 1_000 + i);
                for (int t = 0; t < FactColumns.texts(wanted); t++) {
                    facts.setText(t, i, i == t ? null : bytes("text " + i + " " + t));
                }
            }
        }
        LiveBatch live = new LiveBatch(new RecordBatch(7, 4, 100, 106, 3, POSITIONS, values, 5, facts), 1, 2, 3, 4);
        LiveBatchSerializer serializer = new LiveBatchSerializer();
        Output output = new Output(64, -1);
        serializer.write(new Kryo(), output, live);
        return serializer.read(new Kryo(), new Input(output.toBytes()), LiveBatch.class);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    @Test
    void aBatchComesBackFromKryoAsItWas() {
        LiveBatch back = roundTrip(KafkaFields.NONE);
        assertThat(back.records().facts()).isNull();
        assertThat(back.records().offsets()).containsExactly(POSITIONS);
        assertThat(back.records().values()).containsExactly(bytes("x"), bytes(""), bytes("yz"));
        assertThat(back.granted()).isEqualTo(4);
    }

    @Test
    void whatKafkaHasOfItsRecordsTooAndWithTheKeyBehindTheHeaders() {
        LiveBatch back = roundTrip(new KafkaFields(true, true, List.of("a", "b")));
        FactColumns facts = Objects.requireNonNull(back.records().facts());
        for (int i = 0; i < POSITIONS.length; i++) {
            RecordFacts of = facts.at(i);
            assertThat(of.partition()).isEqualTo(4);
            assertThat(of.offset()).isEqualTo(POSITIONS[i] - 90);
            assertThat(of.timestamp()).isEqualTo(1_000 + i);
            assertThat(of.header("a")).isEqualTo(i == 0 ? null : bytes("text " + i + " 0"));
            assertThat(of.header("b")).isEqualTo(i == 1 ? null : bytes("text " + i + " 1"));
            assertThat(of.header("c")).isNull();
            assertThat(of.key()).isEqualTo(i == 2 ? null : bytes("text " + i + " 2"));
        }
        assertThat(back.records().bytes()).isGreaterThan(3L * (RecordBatch.RECORD_BYTES + 3 * 64));
        assertThat(back.granted()).isEqualTo(4);
        FactColumns without = Objects.requireNonNull(
                roundTrip(new KafkaFields(true, false, List.of("a"))).records().facts());
        assertThat(without.at(1).key()).isNull();
        assertThat(without.at(1).header("a")).isEqualTo(bytes("text 1 0"));
    }
}
