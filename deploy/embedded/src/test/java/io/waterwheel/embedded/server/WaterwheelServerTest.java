package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.embedded.CountingTasks;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("embedded")
final class WaterwheelServerTest {
    @TempDir
    Path folder;

    @Test
    void runsTasksOnItsOwnServices() throws Exception {
        WaterwheelConfig given = WaterwheelConfig.defaults();
        CountingTasks.SEEN.set(0);
        try (WaterwheelServer server = WaterwheelServer.start(folder, given, Set.of(), config -> new CountingTasks())) {
            assertThat(server.config().get(Keys.ZOOKEEPER_CONNECT))
                    .startsWith("127.0.0.1:")
                    .doesNotEndWith(":2181");
            assertThat(server.config().get(Keys.KAFKA_BOOTSTRAP))
                    .startsWith("127.0.0.1:")
                    .doesNotEndWith(":9092");
            assertThat(Path.of(URI.create(server.config().get(Keys.CHUNK_STORE_URI))))
                    .isEqualTo(folder.resolve("chunks"))
                    .isDirectory();
            assertThatThrownBy(() -> WaterwheelServer.start(folder, given, Set.of(), config -> new CountingTasks()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is in use by process");
            Waiting.until("messages flow", () -> CountingTasks.SEEN.get() > 100);
        }
        DataFolder.take(folder).close(); // given free
    }

    @Test
    void whatFailsToStartLeavesNothingBehind() throws Exception {
        assertThatThrownBy(() -> WaterwheelServer.start(
                        folder,
                        WaterwheelConfig.defaults(),
                        Set.of(WaterwheelServer.External.KAFKA, WaterwheelServer.External.CHUNK_STORE),
                        config -> {
                            // As a server that is killed leaves it, for the seconds of its session.
                            try (CatalogStore catalog = ZooKeeperCatalogStore.connect(config)) {
                                catalog.ensure("/coordinators/0");
                            }
                            throw new IllegalStateException("no topology");
                        }))
                .hasMessage("no topology");
        DataFolder.take(folder).close();
        // Another catalog's chunks: said before any worker is started on them.
        Path chunks = Files.createDirectories(folder.resolve("chunks").resolve("default"));
        Files.writeString(chunks.resolve("CATALOG"), "somebody else's");
        assertThatThrownBy(() -> WaterwheelServer.start(
                        folder,
                        WaterwheelConfig.defaults(),
                        Set.of(WaterwheelServer.External.KAFKA),
                        config -> new CountingTasks()))
                .hasMessageContainingAll("somebody else's", "nothing is written to it");
        DataFolder.take(folder).close();
        // By then it knew that no coordinator answers.
        assertThatThrownBy(() -> WaterwheelServer.start(
                        folder, WaterwheelConfig.defaults(), Set.of(WaterwheelServer.External.KAFKA), config -> {
                            try (CatalogStore catalog = ZooKeeperCatalogStore.connect(config)) {
                                throw new IllegalStateException("coordinators: " + catalog.children("/coordinators"));
                            }
                        }))
                .hasMessage("coordinators: []");
    }
}
