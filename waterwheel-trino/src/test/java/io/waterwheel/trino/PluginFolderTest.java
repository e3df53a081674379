package io.waterwheel.trino;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Key;
import io.trino.metadata.HandleResolver;
import io.trino.server.PluginClassLoader;
import io.trino.server.PluginManager;
import io.trino.spi.Plugin;
import io.trino.testing.DistributedQueryRunner;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The folder that is installed has all that the connector needs: it is loaded as Trino loads it, by itself. */
@Tag("packaged")
final class PluginFolderTest {
    @Test
    void theFolderIsEnough() throws Exception {
        Readings readings = new Readings("from_folder", "{field: id}", 5);
        readings.append(50);
        List<URL> urls = new ArrayList<>();
        try (Stream<Path> jars = Files.list(Path.of("target", "plugin", "waterwheel"))) {
            for (Path jar : jars.toList()) {
                urls.add(jar.toUri().toURL());
            }
        }
        List<Plugin> plugins = new ArrayList<>();
        PluginClassLoader loader = PluginManager.createClassLoader("waterwheel", urls);
        ServiceLoader.load(Plugin.class, loader).forEach(plugins::add);
        assertThat(plugins).hasSize(1);
        assertThat(plugins.get(0)).isNotInstanceOf(WaterwheelPlugin.class);
        try (DistributedQueryRunner trino = TrinoCluster.start(plugins.get(0), 0, TrinoCluster.streams())) {
            // What is done for a plugin that is found in a folder.
            trino.getCoordinator().getInstance(Key.get(HandleResolver.class)).registerClassLoader(loader);
            assertThat(trino.execute(
                                    "SELECT count(*), count(n) + count(big) * 0 < 51 FROM from_folder WHERE id IS NOT NULL")
                            .getMaterializedRows()
                            .toString())
                    .isEqualTo("[[50, true]]");
            assertThat(trino.execute("SELECT * FROM from_folder").getRowCount()).isEqualTo(50);
        }
    }
}
