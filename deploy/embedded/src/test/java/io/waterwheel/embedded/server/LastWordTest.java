package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class LastWordTest {
    private static final Path FOLDER = Path.of("data", "kafka");

    @Test
    void namesTheDiskThatIsFullAndWhatToDo() {
        assertThat(LastWord.words(FOLDER, 8 << 10, 1, null))
                .startsWith(
                        "the server ends: others have filled the disk of " + FOLDER + " to its last bytes (8 KiB free)")
                .endsWith("Make room, then start the server again on its folder: it goes on where it stood");
    }

    @Test
    void pointsToTheLogWhereThereIsRoom() {
        assertThat(LastWord.words(FOLDER, Long.MAX_VALUE, 1, "all dirs have failed"))
                .contains(
                        "Kafka cannot use " + FOLDER,
                        "(status 1, all dirs have failed)",
                        "The lines of the log before");
    }
}
