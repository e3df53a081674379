package io.waterwheel.topology.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.wire.proto.ChunkRegion;
import io.waterwheel.wire.proto.ListRegionsReply;
import io.waterwheel.wire.proto.ListRegionsRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pages of regions add up to the chunks of a snapshot. */
final class ChunkRegionsTest {
    private final StreamSnapshot snapshot = ChunkChecksTest.snapshot(7);

    @Test
    void aRegionHasWhatTheCatalogKnows() {
        ListRegionsReply reply = ChunkRegions.list(snapshot, ListRegionsRequest.getDefaultInstance());
        assertThat(reply.getEdit()).isEqualTo(3);
        assertThat(reply.hasNext()).isFalse();
        ChunkRegion region = reply.getRegions(2);
        assertThat(region.getFile()).isEqualTo("c2");
        assertThat(region.getLow()).isEqualTo("0");
        assertThat(region.getHigh()).isEqualTo("9");
        assertThat(region.getFrom()).isEqualTo(200);
        assertThat(region.getTo()).isEqualTo(299);
        assertThat(region.getTuples()).isEqualTo(3);
    }

    @Test
    void pagesHaveEachChunkOnce() {
        for (int most = 1; most <= 8; most++) {
            List<String> files = new ArrayList<>();
            ListRegionsRequest.Builder request = ListRegionsRequest.newBuilder().setMost(most);
            ListRegionsReply reply;
            do {
                reply = ChunkRegions.list(snapshot, request.build());
                assertThat(reply.getRegionsCount()).isBetween(1, most);
                reply.getRegionsList().forEach(region -> files.add(region.getFile()));
                request.setAfter(reply.getNext());
            } while (reply.hasNext());
            assertThat(files).containsExactly("c0", "c1", "c2", "c3", "c4", "c5", "c6");
        }
    }

    @Test
    void onlyChunksThatReachIntoTheTimes() {
        ListRegionsReply reply = ChunkRegions.list(
                snapshot,
                ListRegionsRequest.newBuilder().setFrom(199).setTo(300).build());
        assertThat(reply.getRegionsList()).extracting(ChunkRegion::getFile).containsExactly("c1", "c2", "c3");
    }

    @Test
    void wrongRequestsAreRefused() {
        for (ListRegionsRequest wrong : List.of(
                ListRegionsRequest.newBuilder().setMost(-1).build(),
                ListRegionsRequest.newBuilder().setMost(10_001).build(),
                ListRegionsRequest.newBuilder().setFrom(2).setTo(1).build())) {
            assertThatThrownBy(() -> ChunkRegions.list(snapshot, wrong))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("regions: expected");
        }
    }
}
