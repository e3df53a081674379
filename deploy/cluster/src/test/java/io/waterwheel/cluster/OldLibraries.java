package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Guava, Jackson and Protobuf of ten years ago, which stand before everything else on the class path of the workers:
 * who got them from there would not come far.
 */
final class OldLibraries {
    private OldLibraries() {}

    /** Where they are; copied there by the build. */
    static List<Path> jars() throws IOException {
        try (Stream<Path> jars = Files.list(Path.of("target/old-libraries"))) {
            return jars.map(Path::toAbsolutePath).sorted().toList();
        }
    }

    /** Fails unless a worker finds them first. */
    static void assertFirst(RealCluster.Worker worker) throws IOException {
        List<String> command = Processes.commandLine(worker.pid());
        List<String> classPath = List.of(command.get(command.indexOf("-cp") + 1).split(":", -1));
        List<String> jars = jars().stream().map(Path::toString).toList();
        assertThat(jars).hasSize(5);
        assertThat(classPath).as("%s", command).startsWith(jars.toArray(String[]::new));
    }
}
