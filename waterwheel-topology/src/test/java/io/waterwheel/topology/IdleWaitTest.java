package io.waterwheel.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.List;
import org.apache.storm.Config;
import org.junit.jupiter.api.Test;

/** How long threads of Storm sleep when nothing comes. */
final class IdleWaitTest {
    @Test
    void aTopologyWaitsSoUnlessItIsToldOtherwise() {
        assertThat(conf(""))
                .containsEntry(Config.TOPOLOGY_BOLT_WAIT_STRATEGY, IdleWait.class.getName())
                .containsEntry(Config.TOPOLOGY_SPOUT_WAIT_STRATEGY, IdleWait.class.getName());
        assertThat(conf("storm: {topology.bolt.wait.progressive.level3.sleep.millis: 5}"))
                .doesNotContainKey(Config.TOPOLOGY_BOLT_WAIT_STRATEGY)
                .containsEntry(Config.TOPOLOGY_SPOUT_WAIT_STRATEGY, IdleWait.class.getName());
    }

    private static Config conf(String yaml) {
        return WaterwheelTopology.stormConf(WaterwheelConfig.parse("a test", yaml, List.of()));
    }
}
