package io.waterwheel.embedded.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which topology jar is submitted when none is named. */
class SubmissionTest {
    @TempDir
    Path home;

    private Path jar(String name, int second) throws IOException {
        Path jar = home.resolve(name);
        Files.createDirectories(jar.getParent());
        Files.writeString(jar, "");
        return Files.setLastModifiedTime(jar, FileTime.from(Instant.ofEpochSecond(1_000_000 + second)));
    }

    @Test
    void theOneThatWasBuiltWithTheProgramIsTaken() throws IOException {
        Path core = jar("embedded/lib/waterwheel-core-1.jar", 0);
        Path topology = jar("embedded/lib/waterwheel-topology-1.jar", 5);
        Path built = jar("waterwheel-topology/target/waterwheel-topology-1-topology.jar", 5);
        jar("waterwheel-topology/target/waterwheel-topology-1.jar", 5);
        assertThat(Submission.find(home, List.of(core, topology))).isEqualTo(built);
    }

    @Test
    void oneThatIsOlderThanTheProgramIsRefused() throws IOException {
        Path core = jar("embedded/lib/waterwheel-core-1.jar", 6);
        Path topology = jar("embedded/lib/waterwheel-topology-1.jar", 4);
        Path built = jar("waterwheel-topology/target/waterwheel-topology-1-topology.jar", 5);
        assertThatThrownBy(() -> Submission.find(home, List.of(topology, core)))
                .isInstanceOf(IOException.class)
                .hasMessage("the topology jar " + built + " is of 1970-01-12T13:46:45Z, older than this program's"
                        + " waterwheel-core-1.jar of 1970-01-12T13:46:46Z: workers would run other code; build it with"
                        + " 'mvn -DskipTests -pl waterwheel-topology -am package', or say --jar FILE");
    }

    @Test
    void noneOrSeveralAreRefused() throws IOException {
        assertThatThrownBy(() -> Submission.find(home, List.of())).hasMessageContaining("no topology jar");
        jar("lib/waterwheel-topology-1-topology.jar", 0);
        jar("lib/waterwheel-topology-2-topology.jar", 0);
        assertThatThrownBy(() -> Submission.find(home, List.of())).hasMessageContaining("several topology jars");
    }
}
