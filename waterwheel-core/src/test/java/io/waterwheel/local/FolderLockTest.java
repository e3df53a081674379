package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FolderLockTest {
    @TempDir
    Path folder;

    /** Another process that wants the folder. */
    @SuppressWarnings("SystemOut") // the test reads it
    public static void main(String[] folder) throws Exception {
        System.out.println(FolderLock.tryTake(Path.of(folder[0])).isPresent() ? "taken" : "held");
    }

    @Test
    void whoAsksInVainDoesNotEndTheHold() throws Exception {
        try (FolderLock lock = FolderLock.tryTake(folder).orElseThrow()) {
            assertThat(lock.channel().isOpen()).isTrue();
            assertThat(FolderLock.tryTake(folder.resolve("..").resolve(folder.getFileName())))
                    .isEmpty();
            assertThat(FolderLock.isHeldHere(folder)).isTrue();
            assertThat(another()).isEqualTo("held");
        }
        assertThat(FolderLock.isHeldHere(folder)).isFalse();
        assertThat(another()).isEqualTo("taken");
        FolderLock.tryTake(folder).orElseThrow().close();
    }

    private String another() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        FolderLockTest.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).isZero();
        return said;
    }
}
