package io.waterwheel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.geo.Box;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.protocol.PartitionTrouble;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Query;
import io.waterwheel.query.Subquery;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.proto.BundleControl;
import io.waterwheel.wire.proto.ControlMessage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PeerCodecsTest {
    @Test
    void controlMessagesComeBackAsTheyWere() {
        ChannelEpoch epoch = new ChannelEpoch(3, 17);
        for (Control control : List.of(
                new Control.Subscribe(1, 2, 3, epoch, 4, 5, 6),
                new Control.Credit(1, 2, 3, epoch, Long.MAX_VALUE),
                new Control.ReadFrom(1, 2, -1, -7, 1L << 40, 1L << 41),
                new Control.Seal(9),
                new Control.Bundle(List.of(new Control.Seal(9), new Control.Credit(1, 2, 3, epoch, 4))))) {
            assertThat(ControlCodec.read(ControlCodec.write(control))).isEqualTo(control);
        }
        Control.Report report = new Control.Report(
                7,
                1,
                new Control.Progress(2, 3, new long[] {4, 5}, 6, true),
                new Control.Unflushed(Region.of(Long.MIN_VALUE, Long.MAX_VALUE, -1, 1), 8),
                9,
                new Control.Memory(10, 11, 12, "full"),
                new Control.Templates(13, 14.5, 0.25, 15, 16));
        assertThat(ControlCodec.read(ControlCodec.write(report)))
                .usingRecursiveComparison()
                .isEqualTo(report);
        Control.Report empty = new Control.Report(
                7,
                1,
                new Control.Progress(2, 3, new long[0], 6, false),
                new Control.Unflushed(null, 0),
                0,
                new Control.Memory(0, 0, 0),
                Control.Templates.NONE);
        assertThat(ControlCodec.read(ControlCodec.write(empty)))
                .usingRecursiveComparison()
                .isEqualTo(empty);
        for (PartitionTrouble.Kind kind : PartitionTrouble.Kind.values()) {
            Control partition = new Control.PartitionReport(
                    7, 1, new Control.Positions(2, 3, 4, 5, 6), 8, new PartitionTrouble(kind, "detail"), 9, "warning");
            assertThat(ControlCodec.read(ControlCodec.write(partition))).isEqualTo(partition);
        }
        byte[] nested = ControlMessage.newBuilder()
                .setBundle(BundleControl.newBuilder()
                        .addMessages(ControlMessage.newBuilder().setBundle(BundleControl.getDefaultInstance())))
                .build()
                .toByteArray();
        assertThatThrownBy(() -> ControlCodec.read(nested)).hasMessage("a bundle of control messages in another");
        assertThatThrownBy(() -> ControlCodec.read(new byte[] {-1, 3, 9})).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ControlCodec.read(new byte[0])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void subqueriesAndHeadersComeBackAsTheyWere() {
        Query query = Query.of("flights")
                .withKeys(List.of(new KeyInterval(-5, 9)))
                .withShape(new Box(1, 2, 3, 4))
                .withTimes(new TimeInterval(-7, 7))
                .withSelect(List.of("a", "b"))
                .withLimit(3)
                .withAtLeast(Map.of(0, 12L));
        for (Subquery subquery : List.of(
                new Subquery.OfIndexer(query, 1, 2, 3, 4, new long[] {Long.MIN_VALUE, 5}),
                new Subquery.OfIndexer(query, 1, 7, 2, 3, 4, new long[] {Long.MIN_VALUE, 5}),
                new Subquery.OfChunk(query, 1, 16, "s-1/0-1-2-0.chunk", Subquery.Piece.WHOLE),
                new Subquery.OfChunk(query.withCount(), 1, "s-1/0-1-2-0.chunk"),
                new Subquery.OfChunk(query, 1, "s-1/0-1-2-0.chunk", new Subquery.Piece(7, 1 << 20)))) {
            assertThat(SubqueryCodec.read(SubqueryCodec.write(subquery)))
                    .usingRecursiveComparison()
                    .isEqualTo(subquery);
        }
        IndexerHeader header =
                new IndexerHeader(IndexerHeader.Outcome.LATE, "behind", 4, new long[] {1, 2}, true, List.of(1));
        assertThat(SubqueryCodec.readHeader(SubqueryCodec.write(header)))
                .usingRecursiveComparison()
                .isEqualTo(header);
        assertThatThrownBy(() -> SubqueryCodec.read(new byte[] {-1})).isInstanceOf(IllegalArgumentException.class);
    }
}
