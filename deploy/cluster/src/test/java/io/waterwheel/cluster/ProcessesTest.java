package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes, their files and their ports, on real ones. */
class ProcessesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    /** Waits for a line that nobody writes. */
    private static Process sleeper(String mark) throws IOException {
        // By itself: a child of the shell has the shell's arguments until it becomes another program.
        return new ProcessBuilder("sh", "-c", "read x", mark).start();
    }

    private static void end(Process process) throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Test
    void aProcessIsFoundByItsArgumentAloneAndOnlyWhileItLives() throws Exception {
        String mark = "-Dtest.mark=" + folder;
        Process process = sleeper(mark);
        Process other = sleeper(mark + "/other");
        try {
            assertThat(Processes.withArgument(mark)).containsExactly(process.pid());
        } finally {
            end(process);
            end(other);
        }
        assertThat(Processes.withArgument(mark)).isEmpty();
        assertThat(Processes.started(process.pid())).isEqualTo(Processes.GONE);
    }

    @Test
    void aPausedProcessLivesAndIsSeenToBePaused() throws Exception {
        Process process = sleeper("paused");
        try {
            Processes.signal(process.pid(), "STOP");
            // The signal is on its way when the program that sends it has ended.
            assertThat(Waiting.holds(PATIENCE, () -> Processes.isPaused(process.pid())))
                    .isTrue();
            assertThat(Processes.started(process.pid())).isPositive();
            Processes.signal(process.pid(), "CONT");
            assertThat(Waiting.holds(PATIENCE, () -> !Processes.isPaused(process.pid())))
                    .isTrue();
        } finally {
            end(process);
        }
    }

    @Test
    void aPidFileIsGoodForItsOwnProcessOnly() throws Exception {
        PidFiles pids = new PidFiles(folder);
        assertThat(pids.read("kafka")).isEmpty();
        Process process = sleeper("kafka");
        try {
            PidFiles.Entry entry = pids.record("kafka", process.pid());
            assertThat(pids.read("kafka")).contains(entry);
            assertThat(entry.isAlive()).isTrue();
            // The number was given to another process since.
            Files.writeString(folder.resolve("run/kafka"), process.pid() + " " + (entry.started() - 1) + "\n");
            assertThat(pids.read("kafka").orElseThrow().isAlive()).isFalse();
            Files.writeString(folder.resolve("run/kafka"), "what");
            assertThat(pids.read("kafka")).isEmpty();
        } finally {
            end(process);
        }
    }

    @Test
    void aDaemonIsStoppedEvenWhenItIsPaused() throws Exception {
        Daemon daemon = new Daemon(
                "sleeper",
                java.util.List.of("sleep", "60"),
                java.util.List.of(),
                folder.resolve("sleeper.log"),
                () -> true,
                new PidFiles(folder),
                new Daemon.Manner(true, environment -> {}));
        daemon.start();
        long started = Processes.started(daemon.pid());
        long pid = daemon.pid();
        assertThat(daemon.isReady()).isTrue();
        daemon.pause();
        daemon.stop();
        assertThat(Processes.awaitGone(pid, started, PATIENCE)).isTrue();
        assertThat(daemon.isAlive()).isFalse();
        daemon.stop(); // again, for nothing
    }

    @Test
    void aProcessThatDiedBeforeItWasNotedIsDead() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        PidFiles pids = new PidFiles(folder);
        assertThat(pids.record("short", process.pid()).isAlive()).isFalse();
        assertThat(pids.read("short").orElseThrow().isAlive()).isFalse();
    }

    @Test
    void whoTakesAPortIsSaid() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.3"))) {
            assertThat(Ports.ownedBy(ProcessHandle.current().pid(), socket.getLocalPort()))
                    .isTrue();
            assertThat(Ports.taker(socket.getLocalPort()).orElseThrow())
                    .startsWith("pid " + ProcessHandle.current().pid() + " (java ");
        }
        assertThat(Ports.taker(Ports.free(1).get(0))).isEmpty();
    }

    @Test
    void memoryIsReadFromWhatTheKernelSays() {
        assertThat(Memory.available("MemTotal:  24683528 kB\nMemAvailable:   20942208 kB\nBuffers: 1 kB\n"))
                .hasValue(20942208L << 10);
        assertThat(Memory.available("MemTotal:  24683528 kB\n")).isEmpty();
    }
}
