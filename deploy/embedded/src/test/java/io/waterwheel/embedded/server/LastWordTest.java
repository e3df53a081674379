package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.embedded.faults.SmallDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
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
        assertThat(LastWord.unwritable(folder)).startsWith("DISK_READ_ONLY: " + folder + " cannot be written (");
    }

    /** The system says that there is room, and takes nothing. */
    @Test
    void aDiskThatTakesNoMoreFilesIsFull(@TempDir Path folder) throws Exception {
        try (SmallDisk disk = SmallDisk.mountForFiles(folder.resolve("disk"), 2)) {
            Assumptions.assumeTrue(disk != null, "no small disk can be mounted here");
            assertThat(LastWord.unwritable(disk.folder())).isEmpty();
            Files.createFile(disk.folder().resolve("last"));
            assertThat(LastWord.unwritable(disk.folder()))
                    .startsWith("DISK_FULL: the disk of " + disk.folder() + " takes no more files (");
        }
    }

    @Test
    void aFolderThatIsReadOnlyCannotBeWritten(@TempDir Path folder) throws Exception {
        try (AutoCloseable mounted = SmallDisk.readOnly(folder)) {
            Assumptions.assumeTrue(mounted != null, "no folder can be mounted read-only here");
            assertThat(LastWord.unwritable(folder)).startsWith("DISK_READ_ONLY: " + folder + " cannot be written (");
        }
        assertThat(LastWord.unwritable(folder)).isEmpty();
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
