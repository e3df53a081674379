package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void aFolderIsWritableWhereAFileCanBeWritten(@TempDir Path folder) throws Exception {
        assertThat(LastWord.writable(folder)).isTrue();
        assertThat(folder).isEmptyDirectory();
        Files.createDirectories(folder.resolve("writable.tmp").resolve("in its way"));
        assertThat(LastWord.writable(folder)).isFalse();
    }

    @Test
    void pointsToTheLogWhereThereIsRoom() {
        assertThat(LastWord.words(FOLDER, Long.MAX_VALUE, 1, "all dirs have failed"))
                .contains(
                        "the server ends: Kafka cannot use " + FOLDER,
                        "(status 1, all dirs have failed)",
                        "The lines of the log before");
    }
}
