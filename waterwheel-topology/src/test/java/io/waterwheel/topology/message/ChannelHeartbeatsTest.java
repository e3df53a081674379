package io.waterwheel.topology.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.protocol.ChannelEpoch;
import org.junit.jupiter.api.Test;

final class ChannelHeartbeatsTest {
    private static final ChannelHeartbeatsSerializer SERIALIZER = new ChannelHeartbeatsSerializer();

    @Test
    void theyComeBackFromKryoAsTheyWere() {
        ChannelHeartbeats heartbeats = new ChannelHeartbeats(0);
        for (int i = 0; i < 100; i++) {
            heartbeats.add(i, i + 1, i + 2, new ChannelEpoch(i + 3, i + (1L << 33)), i + (1L << 40), i + 7, i + 8);
        }
        Output output = new Output(64, -1);
        SERIALIZER.write(new Kryo(), output, heartbeats);
        ChannelHeartbeats back = SERIALIZER.read(new Kryo(), new Input(output.toBytes()), ChannelHeartbeats.class);
        assertThat(back)
                .usingRecursiveComparison()
                .ignoringAllOverriddenEquals()
                .isEqualTo(trimmed(heartbeats));
    }

    /** The same without room. */
    private static ChannelHeartbeats trimmed(ChannelHeartbeats from) {
        ChannelHeartbeats to = new ChannelHeartbeats(from.size());
        for (int i = 0; i < from.size(); i++) {
            to.add(
                    from.streamId(i),
                    from.partition(i),
                    from.indexer(i),
                    new ChannelEpoch(from.indexerEpoch(i), from.attempt(i)),
                    from.position(i),
                    from.sent(i),
                    from.granted(i));
        }
        return to;
    }

    @Test
    void aNumberThatIsNoneIsRefusedBeforeMemoryIsTaken() {
        for (int count : new int[] {-1, ChannelHeartbeats.MAX_SIZE + 1, Integer.MAX_VALUE}) {
            Output output = new Output(64, -1);
            output.writeInt(count);
            Input input = new Input(output.toBytes());
            assertThatThrownBy(() -> SERIALIZER.read(new Kryo(), input, ChannelHeartbeats.class))
                    .hasMessage("heartbeats of " + count + " channels, expected at most 16384");
        }
    }
}
