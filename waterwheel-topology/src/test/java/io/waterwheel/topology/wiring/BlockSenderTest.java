package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.topology.rpc.MessageSink;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
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
                new ScanStatistics.Parts(9, 10, 11, 12, 13, 14, 15, 16));
        sender.scanned(scanned);
        sender.scanned(scanned);
        sender.end(1);
        assertThat(receiver.messages).hasSize(2);
        assertThat(PeerMessages.readScanned(receiver.messages.get(1))).isEqualTo(scanned.plus(scanned));
        assertThat(PeerMessages.isEnd(receiver.messages.get(1))).isTrue();
        assertThat(PeerMessages.readEnd(receiver.messages.get(1), 1)).isEqualTo(1);
    }

    /** A limit may end the reading after any block. */
    @Test
    void eachBlockSaysUpToWhereItsRowsMayLie() throws Exception {
        long[] shown = {7, 9, 5};
        BlockSender sender = new BlockSender(receiver, soon(), Reservation.unlimited());
        sender.of(new Growing(shown));
        sender.accept(oneRow());
        shown[2] = 6;
        sender.accept(oneRow());
        long[] read = {7, 8, 5};
        assertThat(PeerMessages.readBlock(receiver.messages.get(0), 0, LAYOUT).size())
                .isEqualTo(1);
        PeerMessages.readShown(receiver.messages.get(0), read);
        assertThat(read).containsExactly(7, 9, 5);
        PeerMessages.readShown(receiver.messages.get(1), read);
        assertThat(read).containsExactly(7, 9, 6);
        assertThatThrownBy(() -> PeerMessages.readShown(receiver.messages.get(1), new long[2]))
                .hasMessage("a block of the answer names partition 2 of 2");
        byte[] wrong = receiver.messages.get(1).clone();
        wrong[6] = 1;
        assertThatThrownBy(() -> PeerMessages.readBlock(wrong, 1, LAYOUT))
                .hasMessageContaining("names 258 partitions in " + wrong.length + " bytes");
    }

    /** An indexer's reply whose trees grow while it is read. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Growing(long[] shown) implements IndexerReply {
        @Override
        public IndexerHeader header() {
            return new IndexerHeader(IndexerHeader.Outcome.ANSWER, "", 1, new long[] {7, 8, 5}, false, List.of());
        }

        @Override
        public long rows(RowSink sink) {
            return 0;
        }

        @Override
        public void close() {}
    }

    private static ScanStatistics scanned(long leaves, Pruning pruned) {
        return new ScanStatistics(leaves, pruned, 0, 0, 0, 0, ScanStatistics.Parts.NOTHING);
    }

    /** What another worker says is added up, so it is looked at first. */
    @Test
    void anEndThatCannotBeIsRefused() {
        List<Pruning.Count> many = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            many.add(new Pruning.Count("reason", "field " + i, 1));
        }
        for (ScanStatistics wrong : List.of(
                scanned(-1, Pruning.NOTHING),
                scanned(Long.MAX_VALUE, Pruning.NOTHING),
                scanned(5, new Pruning(List.of(new Pruning.Count("key", "", 0)))),
                scanned(5, new Pruning(many)))) {
            assertThatThrownBy(() -> PeerMessages.readScanned(PeerMessages.end(1, 1, wrong, PeerMessages.NO_LEAF)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the answer does not end as it should: a scan that");
        }
        byte[] end = PeerMessages.end(
                1, 1, scanned(5, Pruning.of(PruneReason.ZONE, "f".repeat(1 << 20), 1)), PeerMessages.NO_LEAF);
        assertThatThrownBy(() -> PeerMessages.readScanned(end)).hasMessageContaining("expected at most 1048576");
    }

    @Test
    void aNextPieceBeginsInTheChunk() throws Exception {
        Subquery.Piece first = new Subquery.Piece(0, 1);
        Subquery.Piece later = new Subquery.Piece(3, 1);
        assertThat(nextLeaf(4, first)).isEqualTo(4);
        assertThat(nextLeaf(4, later)).isEqualTo(4);
        assertThat(nextLeaf(PeerMessages.NO_LEAF, Subquery.Piece.WHOLE)).isEqualTo(PeerMessages.NO_LEAF);
        for (int wrong : new int[] {0, -2, 5, 6}) {
            assertThatThrownBy(() -> nextLeaf(wrong, first)).hasMessageEndingWith("or none, got " + wrong);
        }
        assertThatThrownBy(() -> nextLeaf(3, later)).hasMessageContaining("after 3 where the next piece begins");
        assertThatThrownBy(() -> nextLeaf(4, Subquery.Piece.WHOLE)).isInstanceOf(IOException.class);
    }

    /** Of a chunk of five leaves. */
    private static int nextLeaf(int said, Subquery.Piece piece) throws IOException {
        return PeerMessages.readNextLeaf(PeerMessages.end(0, 0, ScanStatistics.NOTHING, said), piece, 5);
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
