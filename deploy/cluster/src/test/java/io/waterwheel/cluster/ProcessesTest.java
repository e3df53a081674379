package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
                List.of("sleep", "60"),
                List.of(),
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

    private Daemon daemon(String script, List<Integer> ports, Daemon.Ready ready) throws IOException {
        return new Daemon(
                "starter",
                List.of("sh", "-c", "cd " + folder + "; " + script),
                ports,
                folder.resolve("starter.log"),
                ready,
                new PidFiles(folder),
                new Daemon.Manner(false, environment -> {}));
    }

    /** Starts one daemon and returns what was said meanwhile. */
    private static List<String> start(Daemon daemon, boolean mayEnd, Duration patience, List<String> said)
            throws Exception {
        new Startup(needed -> Optional.empty(), each -> mayEnd, patience, Duration.ofNanos(1), new Daemons.Progress() {
                    @Override
                    public void done(String name, String what, long millis) {
                        said.add(name + " " + what);
                    }

                    @Override
                    public void notice(String text) {
                        said.add(text);
                    }
                })
                .run(List.of(daemon));
        return said;
    }

    @Test
    void aDaemonOfStormThatEndsWhileItStartsIsStartedAgain() throws Exception {
        Daemon daemon = daemon(
                "if [ -e first ]; then touch up; exec sleep 60; fi; touch first; exit 20",
                List.of(),
                () -> Files.exists(folder.resolve("up")));
        List<String> said = start(daemon, true, PATIENCE, new ArrayList<>());
        try {
            assertThat(daemon.isAlive()).isTrue();
            assertThat(said).endsWith("starter up").anySatisfy(line -> assertThat(line)
                    .contains("starter ended before it was ready", "started again (1 of 3 times)", "starter.log"));
        } finally {
            daemon.kill();
        }
    }

    @Test
    void aDaemonThatAlwaysEndsIsGivenUpWithItsLog() throws Exception {
        Daemon daemon = daemon("echo start >> starts; echo no such host; exit 20", List.of(), () -> false);
        assertThatThrownBy(() -> start(daemon, true, PATIENCE, new ArrayList<>()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("starter ended before it was ready; its log ends:")
                .hasMessageContaining("no such host");
        assertThat(folder.resolve("starts")).hasContent("start\nstart\nstart\nstart\n");
    }

    @Test
    void whoHasThePortOfADaemonThatEndedIsSaid() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            Daemon daemon = daemon("echo start >> starts; exit 1", List.of(taken.getLocalPort()), () -> true);
            assertThatThrownBy(() -> start(daemon, false, PATIENCE, new ArrayList<>()))
                    .hasMessageContaining("its port " + taken.getLocalPort() + " is taken by pid "
                            + ProcessHandle.current().pid());
            assertThat(folder.resolve("starts")).hasContent("start\n");
        }
    }

    @Test
    void whatIsWaitedForIsSaidAndWhatComesTooLate() throws Exception {
        List<String> said = new ArrayList<>();
        Daemon daemon = daemon("exec sleep 60", List.of(), () -> !said.isEmpty());
        try {
            assertThat(start(daemon, false, PATIENCE, said).get(0)).contains("these are not up yet: starter");
            daemon.kill();
            Daemon late = daemon("exec sleep 60", List.of(), () -> false);
            assertThatThrownBy(() -> start(late, false, Duration.ofMillis(1), said))
                    .hasMessageContaining("starter listens, but was not ready within 0 s");
        } finally {
            daemon.kill();
        }
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
