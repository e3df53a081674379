package io.waterwheel.topology.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.List;
import org.apache.storm.Config;
import org.junit.jupiter.api.Test;

class WorkerJvmTest {
    @Test
    void theHeapHoldsWhatTheConfigurationPromises() {
        WaterwheelConfig config = WaterwheelConfig.parse(
                "test",
                "",
                List.of(
                        "topology.workers=2",
                        "indexer.tasks=3",
                        "dispatcher.tasks=2",
                        "indexer.memory-pool=100 MiB",
                        "dispatcher.ring-size=10 MiB",
                        "query-server.cache-size=50 MiB"));
        // 512 of its own, one cache, two of three pools, one of two rings and what waits before it.
        assertThat(options(config)).contains("-Xmx782m", "--add-opens=java.base/java.nio=ALL-UNNAMED");
    }

    @Test
    void whatTheConfigurationSaysComesLastAndWins() {
        WaterwheelConfig text = WaterwheelConfig.parse("test", "storm: {topology.worker.childopts: -Xmx9g}", List.of());
        WaterwheelConfig list =
                WaterwheelConfig.parse("test", "storm: {topology.worker.childopts: [-Xmx9g, -XX:+UseZGC]}", List.of());
        assertThat(options(text)).endsWith("-Xmx9g").hasSizeGreaterThan(3);
        assertThat(options(list)).endsWith("-Xmx9g", "-XX:+UseZGC").hasSizeGreaterThan(4);
    }

    @SuppressWarnings("unchecked")
    private static List<String> options(WaterwheelConfig config) {
        return (List<String>) WaterwheelTopology.stormConf(config).get(Config.TOPOLOGY_WORKER_CHILDOPTS);
    }
}
