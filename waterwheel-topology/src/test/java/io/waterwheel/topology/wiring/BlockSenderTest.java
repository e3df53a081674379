package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.topology.rpc.MessageSink;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BlockSenderTest {
    private static final RowLayout LAYOUT = RowLayout.ofFields(List.of(new Field("v", FieldType.LONG, false)));

    private static final class Receiver implements MessageSink {
        private final List<byte[]> messages = new ArrayList<>();
        private boolean gone;

        @Override
        public void send(byte[] message) {
            messages.add(message);
        }

        @Override
        public boolean cancelled() {
            return gone;
        }
    }

    private final Receiver receiver = new Receiver();

    private static long soon() {
        return System.nanoTime() + 3_600_000_000_000L;
    }

    private static TupleBlock oneRow() {
        TupleBlock block = new TupleBlock(LAYOUT, 1);
        block.setSize(1);
        return block;
    }

    @Test
    void marksTheEndOfWhatIsWhole() throws Exception {
        BlockSender sender = new BlockSender(receiver, soon(), Reservation.unlimited());
        assertThat(sender.wanted()).isTrue();
        assertThat(sender.accept(oneRow())).isTrue();
        ScanStatistics scanned = new ScanStatistics(
                1,
                Pruning.of(PruneReason.ZONE, "speed", 2)
                        .plus(Pruning.of(PruneReason.KEY, 3))
                        .plus(Pruning.of(PruneReason.BLOOM, "name", 4)),
                5,
                6,
                7,
                8,
                new ScanStatistics.Parts(9, 10, 11, 12, 13, 14, 15));
        sender.scanned(scanned);
        sender.scanned(scanned);
        sender.end(1);
        assertThat(receiver.messages).hasSize(2);
        assertThat(PeerMessages.readScanned(receiver.messages.get(1))).isEqualTo(scanned.plus(scanned));
        assertThat(PeerMessages.isEnd(receiver.messages.get(1))).isTrue();
        assertThat(PeerMessages.readEnd(receiver.messages.get(1), 1)).isEqualTo(1);
    }

    @Test
    void endsAScanThatFindsNothingWhenNobodyWaits() {
        BlockSender sender = new BlockSender(receiver, soon(), Reservation.unlimited());
        assertThat(sender.wanted()).isTrue();
        receiver.gone = true;
        assertThat(sender.wanted()).isFalse();
        assertThatThrownBy(() -> sender.end(0))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("the caller is gone");
        assertThat(receiver.messages).isEmpty();
    }

    @Test
    void saysNotThatAllIsThereWhenTheTimeWasUp() {
        BlockSender sender = new BlockSender(receiver, System.nanoTime() - 1, Reservation.unlimited());
        assertThat(sender.wanted()).isFalse();
        assertThat(sender.accept(oneRow())).isFalse();
        assertThatThrownBy(() -> sender.end(1))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("after 1 blocks")
                .hasMessageContaining("out of time");
        assertThat(receiver.messages).hasSize(1);
    }
}
