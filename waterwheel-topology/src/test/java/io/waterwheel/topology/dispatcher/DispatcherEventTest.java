package io.waterwheel.topology.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.ingest.source.SpoutHeartbeats;
import java.util.List;
import java.util.Map;
import org.apache.storm.Constants;
import org.apache.storm.generated.StormTopology;
import org.apache.storm.task.GeneralTopologyContext;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.TupleImpl;
import org.junit.jupiter.api.Test;

/** Which tuples of Storm become events of a dispatcher task. */
final class DispatcherEventTest {
    @Test
    void dataBecomesAnEvent() {
        assertThat(DispatcherEvent.ofData(tuple("spout", "default", new SpoutHeartbeats(List.of()))))
                .isInstanceOf(DispatcherEvent.Heartbeats.class);
    }

    /** A cluster's storm.yaml may have them sent to the bolts of every topology (topology.tick.tuple.freq.secs). */
    @Test
    void ticksOfStormAreIgnored() {
        assertThat(DispatcherEvent.ofData(tuple(Constants.SYSTEM_COMPONENT_ID, Constants.SYSTEM_TICK_STREAM_ID, 1)))
                .isNull();
    }

    @Test
    void otherTuplesAreAnError() {
        assertThatThrownBy(() -> DispatcherEvent.ofData(tuple("spout", "default", "text")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a dispatcher got a java.lang.String from a spout");
    }

    private static Tuple tuple(String component, String stream, Object value) {
        Map<String, Map<String, Fields>> streams = Map.of(component, Map.of(stream, new Fields("value")));
        GeneralTopologyContext context = new GeneralTopologyContext(
                new StormTopology(), Map.of(), Map.of(1, component), Map.of(), streams, "test");
        return new TupleImpl(context, List.of(value), component, 1, stream);
    }
}
