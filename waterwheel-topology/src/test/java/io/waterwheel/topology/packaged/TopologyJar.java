package io.waterwheel.topology.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where the build has put the jar that {@code storm jar} takes. */
final class TopologyJar {
    private TopologyJar() {}

    static Path find() throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> jars =
                Files.newDirectoryStream(Path.of("target"), "waterwheel-topology-*-topology.jar")) {
            jars.forEach(found::add);
        }
        assertThat(found).as("the topology jar").hasSize(1);
        return found.get(0).toAbsolutePath();
    }
}
