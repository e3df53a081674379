package io.waterwheel.topology.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WaterwheelConfigTest {
    private static Map<String, Object> everyDefault() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("namespace", "default");
        values.put("zookeeper.connect", "127.0.0.1:2181");
        values.put("zookeeper.root", "/waterwheel");
        values.put("zookeeper.session-timeout", Duration.ofSeconds(10));
        values.put("kafka.bootstrap", "127.0.0.1:9092");
        values.put("kafka.client-bootstrap", "kafka.bootstrap");
        values.put("kafka.delete-indexed", "auto");
        values.put("chunk-store.uri", "file:///var/lib/waterwheel/chunks");
        values.put("topology.name", "waterwheel");
        values.put("topology.workers", 2);
        values.put("spout.tasks", 1);
        values.put("spout.read-ahead", DataSize.parse("32 MiB"));
        values.put("dispatcher.tasks", 2);
        values.put("indexer.tasks", 2);
        values.put("query-server.tasks", 2);
        values.put("query-server.readers", 0);
        values.put("coordinator.tasks", 2);
        values.put("coordinator.host", "127.0.0.1");
        values.put("coordinator.ports", List.of(0));
        values.put("worker.rpc-host", "127.0.0.1");
        values.put("metrics.host", "127.0.0.1");
        values.put("metrics.ports", List.of(0));
        values.put("metrics.streams", 100);
        values.put("indexer.seal-size", new DataSize(16 << 20));
        values.put("indexer.seal-age", Duration.ofMinutes(10));
        values.put("indexer.memory-pool", new DataSize(128 << 20));
        values.put("indexer.credit-window", new DataSize(512 << 10));
        values.put("dispatcher.ring-size", new DataSize(32 << 20));
        values.put("dispatcher.block-size", new DataSize(128 << 10));
        values.put("late.threshold", Duration.ofMinutes(5));
        values.put("late.future-tolerance", Duration.ofMinutes(1));
        values.put("query.light-at-once", 0);
        values.put("query.heavy-at-once", 0);
        values.put("query.heavy-tuples", 1_000_000);
        values.put("query.open", 256);
        values.put("query.timeout", Duration.ofSeconds(30));
        values.put("query.max-timeout", Duration.ofMinutes(10));
        values.put("query.client-patience", Duration.ofSeconds(30));
        values.put("query.warm-up", Duration.ofSeconds(1));
        values.put("query.slow", Duration.ofSeconds(5));
        values.put("query.slow-values", "shown");
        values.put("query.memory", new DataSize(512L << 20));
        values.put("query.memory-share", 50);
        values.put("query.spill", new DataSize(8L << 30));
        values.put("sql.memory", new DataSize(512 << 20));
        values.put("sql.spill", new DataSize(8L << 30));
        values.put("sql.at-once", 4);
        values.put("sql.changes", "allow");
        values.put("sql.tables", "none");
        values.put("sql.table-size", new DataSize(64 << 20));
        values.put("query-server.cache-size", new DataSize(1L << 30));
        values.put("source.check-interval", Duration.ofSeconds(1));
        values.put("heartbeat.interval", Duration.ofMillis(100));
        values.put("report.interval", Duration.ofMillis(200));
        values.put("maintenance.grace", Duration.ofHours(2));
        values.put("maintenance.interval", Duration.ofMinutes(10));
        values.put("maintenance.merge-size", new DataSize(16 << 20));
        values.put("maintenance.merge-span", Duration.ofDays(1));
        values.put("zookeeper.auth", "none");
        values.put("registry.auth", "none");
        values.put("zookeeper.acl", "open");
        values.put("chunk-store.sync", "hsync");
        values.put("disk.reserve", new DataSize(256 << 20));
        values.put("scrub.rate", new DataSize(4 << 20));
        values.put("catalog.manifest-interval-edits", 1_000);
        values.put("catalog.total-edits", 100_000);
        values.put("catalog.edit-age", Duration.ofDays(1));
        values.put("balancer.deviation", 20);
        values.put("balancer.patience", Duration.ofSeconds(5));
        values.put("balancer.min-interval", Duration.ofSeconds(20));
        values.put("gateway.host", "127.0.0.1");
        values.put("gateway.port", 7071);
        values.put("gateway.in-server", "started");
        values.put("gateway.connections", 1_000);
        values.put("gateway.queries", 64);
        values.put("gateway.push-memory", new DataSize(56 << 20));
        values.put("gateway.key-memory", new DataSize(128 << 20));
        values.put("gateway.allowed-hosts", "own");
        values.put("gateway.influx", "measurement");
        values.put("gateway.idle-timeout", Duration.ofSeconds(30));
        return values;
    }

    private static Map<String, Object> everyOther() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("namespace", "city");
        values.put("zookeeper.connect", "zk1:2181,zk2:2182");
        values.put("zookeeper.root", "/a/b");
        values.put("zookeeper.session-timeout", Duration.ofSeconds(4));
        values.put("kafka.bootstrap", "k1:9092,k2:9093");
        values.put("kafka.client-bootstrap", "k1:9192,k2:9193");
        values.put("kafka.delete-indexed", "90 min");
        values.put("chunk-store.uri", "hdfs://namenode:9000/chunks");
        values.put("topology.name", "rain");
        values.put("topology.workers", 3);
        values.put("spout.tasks", 4);
        values.put("spout.read-ahead", DataSize.parse("7 MiB"));
        values.put("dispatcher.tasks", 5);
        values.put("indexer.tasks", 6);
        values.put("query-server.tasks", 7);
        values.put("query-server.readers", 3);
        values.put("coordinator.tasks", 8);
        values.put("coordinator.host", "0.0.0.0");
        values.put("coordinator.ports", List.of(8815, 8816));
        values.put("worker.rpc-host", "10.0.0.1");
        values.put("metrics.host", "none");
        values.put("metrics.ports", List.of(9100, 9101));
        values.put("metrics.streams", 7);
        values.put("indexer.seal-size", new DataSize(1 << 20));
        values.put("indexer.seal-age", Duration.ofSeconds(90));
        values.put("indexer.memory-pool", new DataSize(5L << 30));
        values.put("indexer.credit-window", new DataSize(100_000));
        values.put("dispatcher.ring-size", new DataSize(1 << 20));
        values.put("dispatcher.block-size", new DataSize(32 << 10));
        values.put("late.threshold", Duration.ofHours(1));
        values.put("late.future-tolerance", Duration.ofSeconds(3));
        values.put("query.light-at-once", 9);
        values.put("query.heavy-at-once", 3);
        values.put("query.heavy-tuples", 5_000);
        values.put("query.open", 70);
        values.put("query.timeout", Duration.ofMillis(1500));
        values.put("query.max-timeout", Duration.ofMinutes(3));
        values.put("query.client-patience", Duration.ofSeconds(4));
        values.put("query.warm-up", Duration.ofMillis(200));
        values.put("query.slow", Duration.ofMillis(700));
        values.put("query.slow-values", "hidden");
        values.put("query.memory", new DataSize(3L << 30));
        values.put("query.memory-share", 20);
        values.put("query.spill", new DataSize(3 << 20));
        values.put("sql.memory", new DataSize(64 << 20));
        values.put("sql.spill", new DataSize(0));
        values.put("sql.at-once", 2);
        values.put("sql.changes", "deny");
        values.put("sql.tables", "/srv/tables");
        values.put("sql.table-size", new DataSize(1 << 20));
        values.put("query-server.cache-size", new DataSize(2L << 30));
        values.put("source.check-interval", Duration.ofSeconds(3));
        values.put("heartbeat.interval", Duration.ofMillis(50));
        values.put("report.interval", Duration.ofSeconds(1));
        values.put("maintenance.grace", Duration.ofHours(5));
        values.put("maintenance.interval", Duration.ofSeconds(7));
        values.put("maintenance.merge-size", new DataSize(32 << 20));
        values.put("maintenance.merge-span", Duration.ofHours(6));
        values.put("zookeeper.auth", "env:CATALOG_SECRET");
        values.put("registry.auth", "file:/etc/waterwheel/registries");
        values.put("zookeeper.acl", "creator");
        values.put("chunk-store.sync", "hflush");
        values.put("disk.reserve", new DataSize(3L << 30));
        values.put("scrub.rate", new DataSize(0));
        values.put("catalog.manifest-interval-edits", 500);
        values.put("catalog.total-edits", 5_000);
        values.put("catalog.edit-age", Duration.ofHours(2));
        values.put("balancer.deviation", 30);
        values.put("balancer.patience", Duration.ofSeconds(1));
        values.put("balancer.min-interval", Duration.ofSeconds(2));
        values.put("gateway.host", "0.0.0.0");
        values.put("gateway.port", 8080);
        values.put("gateway.in-server", "none");
        values.put("gateway.connections", 50);
        values.put("gateway.queries", 5);
        values.put("gateway.push-memory", new DataSize(2 << 20));
        values.put("gateway.key-memory", new DataSize(4 << 20));
        values.put("gateway.allowed-hosts", "example.org");
        values.put("gateway.influx", "telegraf=points,telegraf/cpu=processors");
        values.put("gateway.idle-timeout", Duration.ofSeconds(2));
        return values;
    }

    private static Map<String, Object> valuesOf(WaterwheelConfig config) {
        Map<String, Object> values = new LinkedHashMap<>();
        Keys.ALL.forEach(key -> values.put(key.name(), config.get(key)));
        return values;
    }

    private static String asYaml(Map<String, Object> values) {
        StringBuilder yaml = new StringBuilder();
        values.forEach((name, value) -> yaml.append(name)
                .append(": ")
                .append(value instanceof Duration duration ? DurationText.format(duration) : value)
                .append('\n'));
        return yaml.toString();
    }

    @Test
    void everyKeyHasItsDefault() {
        assertThat(valuesOf(WaterwheelConfig.defaults())).isEqualTo(everyDefault());
    }

    @Test
    void everyKeyTakesAnotherValue() {
        Map<String, Object> other = everyOther();
        everyDefault()
                .forEach((name, value) ->
                        assertThat(other.get(name)).as(name).isNotNull().isNotEqualTo(value));
        assertThat(valuesOf(WaterwheelConfig.parse("test", asYaml(other), List.of())))
                .isEqualTo(other);
    }

    @Test
    void nestedKeysAreDottedKeys() {
        WaterwheelConfig config = WaterwheelConfig.parse(
                "test", "indexer:\n  seal-size: 1 MiB\n  tasks: 3\ncoordinator.ports:\n  - 1\n  - 2\n", List.of());
        assertThat(config.get(Keys.INDEXER_SEAL_SIZE)).isEqualTo(DataSize.parse("1 MiB"));
        assertThat(config.get(Keys.INDEXER_TASKS)).isEqualTo(3);
        assertThat(config.get(Keys.COORDINATOR_PORTS)).containsExactly(1, 2);
    }

    @Test
    void pointsOfOnePlaceGoToOneStream() {
        assertThatThrownBy(() -> WaterwheelConfig.parse("test", "gateway.influx: db/m=t,x=u,db/m=u", List.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("gateway.influx: expected one stream for each place, got two for 'db/m'");
    }

    @Test
    void noQueryOutlivesTheFilesThatItReads() {
        assertThatThrownBy(() -> WaterwheelConfig.parse("test", "maintenance.grace: 20 s", List.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("query.timeout: expected less than maintenance.grace, 20 s, got 30 s");
        assertThatThrownBy(() -> WaterwheelConfig.parse("test", "query.max-timeout: 20 s", List.of()))
                .hasMessageContaining("query.timeout: expected at most query.max-timeout, 20 s, got 30 s");
    }

    @Test
    void oneQueryOfRowsFitsIntoItsShare() {
        WaterwheelConfig least =
                WaterwheelConfig.parse("test", "query.memory: 8 MiB\nquery.memory-share: 51", List.of());
        assertThat(least.get(Keys.QUERY_MEMORY)).isEqualTo(DataSize.parse("8 MiB"));
        WaterwheelConfig.parse("test", "query.memory: 8 MiB", List.of());
        assertThatThrownBy(
                        () -> WaterwheelConfig.parse("test", "query.memory: 16 MiB\nquery.memory-share: 20", List.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("query.memory-share: expected at least 4 MiB for one query, got 20 per cent of"
                        + " query.memory, 16 MiB: a query that asks for rows would be refused");
        assertThatThrownBy(() -> WaterwheelConfig.parse("test", "query.memory: 1 MiB", List.of()))
                .hasMessageContaining("query.memory: expected 8 MiB to 1 TiB");
    }

    @Test
    void chunksLieBelowTheNamespacesName() {
        WaterwheelConfig config =
                WaterwheelConfig.parse("test", "chunk-store.uri: file:///a/b/\nnamespace: city", List.of());
        assertThat(config.chunkStoreUri()).isEqualTo("file:///a/b/city");
    }

    @Test
    void overridesWinAndTheLastWins() {
        WaterwheelConfig config = WaterwheelConfig.parse(
                "test",
                "indexer.tasks: 3",
                List.of("indexer.tasks=4", "indexer.tasks = 5", "coordinator.ports=7,8", "zookeeper.root=/x"));
        assertThat(config.get(Keys.INDEXER_TASKS)).isEqualTo(5);
        assertThat(config.get(Keys.COORDINATOR_PORTS)).containsExactly(7, 8);
        assertThat(config.catalogRoot()).isEqualTo("/x/default");
    }

    @Test
    void everyProblemIsNamedAtOnce() {
        String yaml = """
                indexr.tasks: 3
                indexer.seal-size: 16
                query.timeout: 0 s
                coordinator.ports: [1, 70000]
                kafka.bootstrap:
                spout.tasks: many
                zookeeper.root: waterwheel
                """;
        assertThatThrownBy(() -> WaterwheelConfig.parse("w.yaml", yaml, List.of("topology.workers")))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("configuration from w.yaml: 8 problems")
                .asInstanceOf(type(ConfigException.class))
                .extracting(ConfigException::problems)
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.list(String.class))
                .containsExactlyInAnyOrder(
                        "kafka.bootstrap: no value; leave the key out to have its default",
                        "topology.workers: expected key=value",
                        "indexr.tasks: there is no such key; did you mean indexer.tasks?",
                        "indexer.seal-size: expected a whole number and a unit of B, KiB, MiB, GiB or TiB, such as"
                                + " '16 MiB', got '16'",
                        "query.timeout: expected 1 ms to 1 h, got '0 s'",
                        "coordinator.ports: expected 0 to 65535, got '1, 70000'",
                        "spout.tasks: expected a whole number, got 'many'",
                        "zookeeper.root: expected an absolute path such as /waterwheel, got 'waterwheel'");
    }

    @Test
    void aKeyOfAnOlderReleaseIsAnErrorThatNamesTheNewOne() {
        assertThat(Keys.RENAMED).hasSize(6);
        Keys.RENAMED.forEach((old, name) -> {
            assertThat(Keys.ALL).extracting(Key::name).contains(name).doesNotContain(old);
            assertThatThrownBy(() -> WaterwheelConfig.parse("w.yaml", "", List.of(old + "=1 s")))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(old + ": this key is now called " + name);
        });
        Keys.GONE.forEach((old, what) -> {
            assertThat(Keys.ALL).extracting(Key::name).doesNotContain(old);
            assertThatThrownBy(() -> WaterwheelConfig.parse("w.yaml", "", List.of(old + "=lada")))
                    .hasMessageContaining("query.dispatch: this key is gone");
        });
    }

    @Test
    void whatIsNotYamlIsRefused() {
        for (String text : List.of("a: [1", "- 1\n- 2", "indexer.tasks: 1\nindexer.tasks: 2", "just words")) {
            assertThatThrownBy(() -> WaterwheelConfig.parse("w.yaml", text, List.of()))
                    .as(text)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("w.yaml");
        }
    }

    @Test
    void missingFileIsNamed() {
        assertThatThrownBy(() -> WaterwheelConfig.load(Path.of("no", "such.yaml"), List.of()))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining(Path.of("no", "such.yaml").toString());
    }

    @Test
    void ridesInStormsConfiguration() {
        WaterwheelConfig config = WaterwheelConfig.parse(
                "test",
                asYaml(everyOther()) + "storm:\n  topology.worker.childopts: -Xmx2g\n  topology.debug: true\n",
                List.of());
        Map<String, Object> conf = config.toStormConf();
        assertThat(conf).containsEntry("topology.worker.childopts", "-Xmx2g").containsEntry("topology.debug", true);
        assertThat(valuesOf(WaterwheelConfig.fromStormConf(conf))).isEqualTo(everyOther());
        assertThatThrownBy(() -> WaterwheelConfig.fromStormConf(Map.of())).hasMessageContaining("waterwheel");
    }

    @Test
    void oneValueCanBeReplaced() {
        WaterwheelConfig config = WaterwheelConfig.defaults().with(Keys.COORDINATOR_PORTS, List.of(5, 6));
        assertThat(config.get(Keys.COORDINATOR_PORTS)).containsExactly(5, 6);
        assertThat(config.get(Keys.INDEXER_TASKS)).isEqualTo(2);
    }

    @Test
    void sizesAndDurationsKeepTheirText() {
        for (String text : List.of("0 B", "1 B", "1000 B", "1 KiB", "1536 KiB", "3 TiB")) {
            assertThat(DataSize.parse(text).toString()).isEqualTo(text);
        }
        for (String text : List.of("0 ms", "1500 ms", "90 s", "1 min", "36 h", "2 d")) {
            assertThat(DurationText.format(DurationText.parse(text))).isEqualTo(text);
        }
        assertThat(DataSize.parse("16MiB")).isEqualTo(new DataSize(16 << 20));
        for (String text : List.of("", "MiB", "-1 B", "1.5 MiB", "1 MB", "9999999999999 TiB")) {
            assertThatThrownBy(() -> DataSize.parse(text)).as(text).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void refusesInTheStormSectionWhatStormDoesNotKnowOrTake() {
        assertThatThrownBy(() -> WaterwheelConfig.parse("file.yaml", """
                        storm:
                          topology.wroker.childopts: -Xmx2g
                          topology.max.spout.pending: many
                          topology.workers: 3
                          topology: {debug: true}
                          com.example.plugin.level: 7
                        """, List.of()))
                .asInstanceOf(type(ConfigException.class))
                .extracting(ConfigException::problems)
                .satisfies(problems -> {
                    assertThat(problems).hasSize(4);
                    assertThat(problems.get(0))
                            .isEqualTo("storm: topology.wroker.childopts: Storm has no such key; did you mean"
                                    + " topology.worker.childopts?");
                    assertThat(problems.get(1)).startsWith("storm: topology.max.spout.pending: ");
                    assertThat(problems.get(2))
                            .isEqualTo("storm: topology.workers: set topology.workers outside of the section storm");
                    assertThat(problems.get(3)).startsWith("storm: topology: Storm has no such key");
                });
    }

    @Test
    void stormKeysOfTheCommandLineGoOverThoseOfTheFile() {
        WaterwheelConfig config = WaterwheelConfig.parse(
                        "file.yaml", "storm: {topology.debug: true, nimbus.seeds: [a, b]}", List.of())
                .withStorm(Map.of("topology.debug", "false", "topology.message.timeout.secs", "60"));
        assertThat(config.toStormConf())
                .containsEntry("topology.debug", false)
                .containsEntry("topology.message.timeout.secs", 60)
                .containsEntry("nimbus.seeds", List.of("a", "b"));
        assertThatThrownBy(() -> config.withStorm(Map.of("topology.debgu", "true")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("did you mean topology.debug?");
    }

    @Test
    void recordsStayUnlessATimeIsNamed() {
        assertThat(WaterwheelConfig.defaults().indexedRecordsStay()).isEmpty();
        for (Map.Entry<String, Duration> stay : Map.of(
                        "0 ms", Duration.ZERO, "2 h", Duration.ofHours(2), "9999d", Duration.ofDays(9_999))
                .entrySet()) {
            assertThat(WaterwheelConfig.parse("test", "", List.of("kafka.delete-indexed=" + stay.getKey()))
                            .indexedRecordsStay())
                    .hasValue(stay.getValue());
        }
        assertThat(WaterwheelConfig.parse("test", "", List.of("kafka.delete-indexed=off"))
                        .indexedRecordsStay())
                .isEmpty();
        assertThatThrownBy(() -> WaterwheelConfig.parse("test", "", List.of("kafka.delete-indexed=soon")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("auto, off, or a duration such as 2 h");
    }
}
