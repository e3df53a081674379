package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A process that does not start says so in time; one that did leaves nothing either. */
@Timeout(300)
final class DuckDbChildTest {
    private static final Pattern FOLDER = Pattern.compile("cannot be started in (\\S+):");

    private static final Duration PATIENCE = Duration.ofSeconds(50);

    @TempDir
    Path folder;

    private void assertNotStarted(Path java, Duration patience, String why) {
        assertThatThrownBy(() -> DuckDbChild.start(new DuckDbSettings(64 << 20, 0, 1, 1), java, patience))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SQL_EXECUTOR_ENDED"))
                .hasMessageContaining(why)
                .satisfies(e -> {
                    Matcher named = FOLDER.matcher(String.valueOf(e.getMessage()));
                    assertThat(named.find()).isTrue();
                    assertThat(Path.of(named.group(1))).doesNotExist();
                });
    }

    private Path script(String name, String text) throws Exception {
        Path script = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return script;
    }

    @Test
    void saysWhyItDoesNotStart() throws Exception {
        assertNotStarted(folder.resolve("no-java"), PATIENCE, "No such file");
        assertNotStarted(script("ends", "exit 1"), PATIENCE, "it said null and no more");
        assertNotStarted(script("hangs", "exec sleep 100"), Duration.ofMillis(300), "it was not ready within 300 ms");
    }

    /** Options that are meant for the parent's JVM would have two debuggers on one port. */
    @Test
    void takesNoOptionsFromTheEnvironment() throws Exception {
        String options = "echo \"${JAVA_TOOL_OPTIONS-none} ${JDK_JAVA_OPTIONS-none} ${_JAVA_OPTIONS-none}\"";
        assertNotStarted(script("options", options), PATIENCE, "it said none none none");
    }

    @Test
    void isCompiledAsItsParentIs() {
        assertThat(DuckDbChild.compiler(List.of("-Xmx4g", "-XX:TieredStopAtLevel=1", "-agentlib:jdwp")))
                .containsExactly("-XX:TieredStopAtLevel=1");
        assertThat(DuckDbChild.compiler(List.of("-Xmx4g"))).isEmpty();
    }

    /** Those of Storm's workers are longer than a socket's path may be. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void isReachedInAFolderWithALongPath() throws Exception {
        Path deep = Files.createDirectories(folder.resolve("a-part-of-a-path/".repeat(12)));
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        try (DuckDbChild child = DuckDbChild.start(new DuckDbSettings(64 << 20, 0, 1, 1), java, PATIENCE, deep, "");
                SocketChannel connection = child.connect()) {
            assertThat(connection.isConnected()).isTrue();
            assertThat(child.listens()).isTrue();
        }
        assertThat(deep).isEmptyDirectory();
    }

    /** What Java says of it goes where the log is read from, not into the folder that goes too. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void tellsOfACrash() throws Exception {
        Path errors = folder.resolve("errors");
        Path java =
                script("java", "exec '" + System.getProperty("java.home") + "/bin/java' \"$@\" 2> '" + errors + "'");
        try (DuckDbChild child = DuckDbChild.start(new DuckDbSettings(64 << 20, 0, 1, 1), java, PATIENCE)) {
            String pid = Long.toString(child.handle().pid());
            assertThat(new ProcessBuilder("kill", "-SEGV", pid).start().waitFor())
                    .isZero();
            child.handle().onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(errors).content().contains("SIGSEGV", "END.");
            try (Stream<Path> files = Files.list(child.folder())) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .noneMatch(name -> name.startsWith("hs_err"));
            }
        }
    }

    /** DuckDB's library is unpacked, 70 MB, and must not stay, as the process is not ended in order. */
    @Test
    void leavesNothingWhenItIsClosed() throws Exception {
        assertLeavesNothing("");
    }

    /** The same process, whose library is kept for others. */
    @Test
    void startsFromAKeptLibrary() throws Exception {
        Path kept = folder.resolve("kept");
        for (int i = 0; i < 2; i++) {
            assertLeavesNothing(kept.toString());
        }
        try (Stream<Path> files = Files.list(kept)) {
            assertThat(files).hasSize(1);
        }
    }

    private void assertLeavesNothing(String keptIn) throws Exception {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Path temporary = Files.createDirectories(folder.resolve("temporary"));
        try (DuckDbChild child =
                DuckDbChild.start(new DuckDbSettings(64 << 20, 0, 1, 1), java, PATIENCE, temporary, keptIn)) {
            try (Stream<Path> files = Files.list(child.folder())) {
                assertThat(files.map(file -> file.getFileName().toString())).containsExactly(DuckDbProcess.SOCKET);
            }
        }
        assertThat(temporary).isEmptyDirectory();
    }
}
