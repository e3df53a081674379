package io.waterwheel.topology.indexer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.ingest.block.ChannelHeartbeats;
import org.junit.jupiter.api.Test;

/** Which messages become events of an indexer task. */
final class IndexerEventTest {
    @Test
    void dataBecomesAnEvent() {
        assertThat(IndexerEvent.ofData(new ChannelHeartbeats(1))).isInstanceOf(IndexerEvent.Heartbeats.class);
    }

    @Test
    void otherMessagesAreAnError() {
        assertThatThrownBy(() -> IndexerEvent.ofData("text"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an indexer got a java.lang.String from a dispatcher");
    }
}
