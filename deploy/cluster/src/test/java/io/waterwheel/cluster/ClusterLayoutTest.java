package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterLayoutTest {
    @TempDir
    Path folder;

    private ClusterSettings settings(int pairs, int slots, int base) {
        return new ClusterSettings(Path.of("dist"), folder, pairs, slots, 1, base, Map.of(), Map.of(), List.of());
    }

    @Test
    void pairsAreHostsOfTheirOwnAndPortsFollowOneAnother() throws IOException {
        ClusterLayout layout = ClusterLayout.of(settings(3, 2, 24_000));
        assertThat(layout.address("zookeeper")).hasToString("127.0.0.1:24000");
        assertThat(layout.address("datanode-1").host()).isEqualTo("127.0.0.2");
        assertThat(layout.address("supervisor-1").host()).isEqualTo("127.0.0.2");
        assertThat(layout.address("datanode-3.ipc").host()).isEqualTo("127.0.0.4");
        assertThat(layout.uses().keySet()).hasSize(6 + 3 * 4 + 3 * 2).allSatisfy(port -> assertThat(port)
                .isBetween(24_000, 24_023));
        assertThat(layout.pairOfSlot(layout.slots(2).get(1))).isEqualTo(2);
        assertThat(layout.pairOfSlot(24_000)).isZero();
        assertThat(layout.of("datanode-2")).containsOnlyKeys("datanode-2", "datanode-2.http", "datanode-2.ipc");
    }

    @Test
    void oneAloneIsOnLoopback() throws IOException {
        assertThat(ClusterLayout.of(settings(1, 3, 0)).address("datanode-1").host())
                .isEqualTo("127.0.0.1");
    }

    @Test
    void freePortsDiffer() throws IOException {
        ClusterLayout layout = ClusterLayout.of(settings(9, 4, 0));
        assertThat(new HashSet<>(layout.uses().keySet())).hasSize(6 + 9 * 4 + 9 * 4);
    }

    @Test
    void isReadAsItWasWritten() throws IOException {
        ClusterLayout layout = ClusterLayout.of(settings(2, 3, 0));
        layout.write(folder);
        assertThat(ClusterLayout.read(folder)).hasToString(layout.toString());
        assertThat(ClusterLayout.read(folder).slotsOfEach()).isEqualTo(3);
    }

    @Test
    void saysWhatIsWrongWithAFileThatWasEdited() throws IOException {
        ClusterLayout.of(settings(2, 1, 24_000)).write(folder);
        Path file = folder.resolve(ClusterLayout.FILE);
        String good = Files.readString(file);
        Files.writeString(file, good.replace("pairs=2", "pairs=two"));
        assertThatThrownBy(() -> ClusterLayout.read(folder))
                .hasMessageContaining("pairs: expected a number, got 'two'")
                .hasMessageContaining(file.toString());
        Files.writeString(file, good.replace("kafka=127.0.0.1:24001", "kafka=here"));
        assertThatThrownBy(() -> ClusterLayout.read(folder))
                .hasMessageContaining("kafka: expected HOST:PORT, got 'here'");
    }

    @Test
    void theTopologyJarIsTheOneOfTheLastBuildWhateverIsThere() throws IOException {
        ClusterFiles files = new ClusterFiles(folder, ClusterLayout.of(settings(1, 1, 24_000)));
        Path dist = Files.createDirectories(folder.resolve("dist"));
        files.renewTopologyJar(dist);
        assertThat(files.topologyJar()).doesNotExist();
        Path built = dist.resolve("waterwheel-topology-topology.jar");
        Files.writeString(dist.resolve("duckdb_jdbc.jar"), "executor");
        for (String build : List.of("first", "second")) {
            Files.deleteIfExists(built);
            Files.writeString(built, build);
            files.renewTopologyJar(dist);
            files.renewTopologyJar(dist);
            assertThat(files.topologyJar()).hasContent(build);
            assertThat(files.executorJar()).hasContent("executor");
        }
    }

    @Test
    void settingsThatCannotBeAreRefused() {
        assertThatThrownBy(() -> settings(10, 1, 0)).hasMessage("pairs: expected 1 to 9, got 10");
        assertThatThrownBy(() -> settings(1, 1, 80)).hasMessageContaining("base port: expected 1024");
        assertThatThrownBy(() -> settings(1, 1, 0).withReplication(2))
                .hasMessage("replication: expected 1 to 1, got 2");
        assertThatThrownBy(() -> ClusterSettings.of(Path.of("dist"), Path.of("my folder")))
                .hasMessageContaining("has a blank");
    }
}
