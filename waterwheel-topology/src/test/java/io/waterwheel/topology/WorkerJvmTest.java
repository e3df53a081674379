package io.waterwheel.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.wiring.WorkerMemory;
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
                        "indexer.credit-window=1 MiB",
                        "spout.read-ahead=5 MiB",
                        "query.memory=20 MiB",
                        "query-server.cache-size=50 MiB",
                        "maintenance.merge-size=5 MiB"));
        // 512 of its own, what queries take, one cache, two of three pools and their windows, one of two rings, what
        // waits before it and what is read again, twice a quarter of it, what is read ahead and what it keeps alive, a
        // merge
        // four times.
        assertThat(options(config))
                .contains("-Xmx844m", "-XX:ThreadPriorityPolicy=1", "--add-opens=java.base/java.nio=ALL-UNNAMED");
        assertThatCode(() -> WorkerMemory.check(config, 332L << 20)).doesNotThrowAnyException();
        assertThatThrownBy(() -> WorkerMemory.check(config, (332L << 20) - 1))
                .hasMessageContaining("200.0 MiB (indexer.memory-pool)")
                .hasMessageContaining("= 332.0 MiB, and its heap is 332.0 MiB")
                .hasMessageContaining("-Xmx at least 844m");
    }

    @Test
    void whatTheConfigurationSaysComesLastAndWins() {
        WaterwheelConfig text = WaterwheelConfig.parse("test", "storm: {topology.worker.childopts: -Xmx9g}", List.of());
        WaterwheelConfig list =
                WaterwheelConfig.parse("test", "storm: {topology.worker.childopts: [-Xmx9g, -XX:+UseZGC]}", List.of());
        assertThat(options(text)).endsWith("-Xmx9g").hasSizeGreaterThan(3);
        assertThat(options(list)).endsWith("-Xmx9g", "-XX:+UseZGC").hasSizeGreaterThan(4);
    }

    @Test
    void workersHaveLargePagesWhereJavaKnowsThem() {
        List<String> options = options(WaterwheelConfig.parse("test", "", List.of()));
        assertThat(options.contains("-XX:+UseTransparentHugePages"))
                .isEqualTo(System.getProperty("os.name").equals("Linux"));
    }

    @SuppressWarnings("unchecked")
    private static List<String> options(WaterwheelConfig config) {
        return (List<String>) WaterwheelTopology.stormConf(config).get(Config.TOPOLOGY_WORKER_CHILDOPTS);
    }

    @Test
    void aProcessWhoseHeapNobodyChoseTakesASmallerCache() {
        WaterwheelConfig defaults = WaterwheelConfig.parse("test", "", List.of("topology.workers=1"));
        WaterwheelConfig chosen =
                WaterwheelConfig.parse("test", "", List.of("topology.workers=1", "query-server.cache-size=900 MiB"));
        assertThat(WorkerMemory.fitting(defaults, 4L << 30)).isSameAs(defaults);
        WaterwheelConfig small = WorkerMemory.fitting(chosen, 1L << 30);
        assertThat(small.get(Keys.QUERY_SERVER_CACHE_SIZE).bytes()).isEqualTo(900L << 20);
        assertThat(small.get(Keys.QUERY_MEMORY).bytes()).isEqualTo(256L << 20);
        WaterwheelConfig queries = WaterwheelConfig.parse("test", "", List.of("query.memory=400 MiB"));
        assertThat(WorkerMemory.fitting(queries, 1L << 30)
                        .get(Keys.QUERY_MEMORY)
                        .bytes())
                .isEqualTo(400L << 20);
        WaterwheelConfig fitting = WorkerMemory.fitting(defaults, 1L << 30);
        assertThat(fitting.get(Keys.QUERY_SERVER_CACHE_SIZE).bytes()).isEqualTo(256L << 20);
        assertThatCode(() -> WorkerMemory.check(fitting, 1L << 30)).doesNotThrowAnyException();
        for (long heap : new long[] {300L << 20, 512L << 20, 700L << 20}) {
            assertThatCode(() -> WorkerMemory.check(WorkerMemory.fitting(defaults, heap), heap))
                    .as("heap %s", heap)
                    .doesNotThrowAnyException();
        }
    }
}
