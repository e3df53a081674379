package io.waterwheel.topology.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.ingest.source.SpoutHeartbeats;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which messages become events of a dispatcher task. */
final class DispatcherEventTest {
    @Test
    void dataBecomesAnEvent() {
        assertThat(DispatcherEvent.ofData(new SpoutHeartbeats(List.of())))
                .isInstanceOf(DispatcherEvent.Heartbeats.class);
    }

    @Test
    void otherMessagesAreAnError() {
        assertThatThrownBy(() -> DispatcherEvent.ofData("text"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a dispatcher got a java.lang.String from a spout");
    }
}
