package io.waterwheel.topology.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BlockMessageTest {
    private static final RowLayout LAYOUT = RowLayout.of(new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t"));

    @Test
    void aBlockComesBackFromKryoAsItWas() {
        TupleBlock tuples = new TupleBlock(LAYOUT, 3);
        for (int row = 0; row < 3; row++) {
            tuples.keys()[row] = row * 10L;
            tuples.times()[row] = row;
        }
        tuples.setSize(3);
        BlockBody body = BlockBody.of(tuples, 100, new int[] {0, 1, 1}, new int[] {2});
        ChannelBlock block = new ChannelBlock(7, 1, 2, new ChannelEpoch(3, 4), 100, 105, 6, body, 1_700_000_000_000L);
        ChannelBlock back = roundTrip(BlockMessage.of(block)).block(LAYOUT);
        BlockBody backBody = java.util.Objects.requireNonNull(back.body());
        assertThat(back).usingRecursiveComparison().ignoringFields("body").isEqualTo(block);
        assertThat(Arrays.copyOf(backBody.tuples().keys(), 3)).containsExactly(0, 10, 20);
        assertThat(backBody.offsetOf(2)).isEqualTo(101);
        assertThat(backBody.firstRowAt(101)).isEqualTo(1);
        assertThat(backBody.rejectedFrom(102)).isEqualTo(1);
        assertThat(backBody.rejectedFrom(103)).isZero();
    }

    @Test
    void aHeartbeatComesBackAndEveryCutIsRefused() {
        BlockMessage message = BlockMessage.of(new ChannelBlock(7, 1, 2, new ChannelEpoch(3, 4), 9, 9, 0, null));
        assertThat(roundTrip(message).block(LAYOUT).body()).isNull();
        byte[] whole = message.encode();
        for (int length = 0; length < whole.length; length++) {
            BlockMessage cut = BlockMessage.ofEncoded(Arrays.copyOf(whole, length));
            assertThatThrownBy(cut::streamId).as("length %s", length).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static BlockMessage roundTrip(BlockMessage message) {
        BlockMessageSerializer serializer = new BlockMessageSerializer();
        Output output = new Output(64, -1);
        serializer.write(new Kryo(), output, message);
        return serializer.read(new Kryo(), new Input(output.toBytes()), BlockMessage.class);
    }
}
