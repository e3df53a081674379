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
import java.util.Map;
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
        return daemon("starter", script, ports, ready);
    }

    private Daemon daemon(String name, String script, List<Integer> ports, Daemon.Ready ready) throws IOException {
        return new Daemon(
                name,
                List.of("sh", "-c", "cd " + folder + "; " + script),
                ports,
                folder.resolve(name + ".log"),
                ready,
                new PidFiles(folder),
                new Daemon.Manner(false, environment -> {}));
    }

    /** Starts one daemon and returns what was said meanwhile. */
    private static List<String> start(Daemon daemon, boolean startsAgain, Duration patience, List<String> said)
            throws Exception {
        return start(List.of(daemon), Map.of(), startsAgain, patience, said);
    }

    private static List<String> start(
            List<Daemon> daemons, Map<Daemon, Daemon> needs, boolean startsAgain, Duration patience, List<String> said)
            throws Exception {
        Startup.Rules rules = new Startup.Rules() {
            @Override
            public Optional<Daemon> needs(Daemon daemon) {
                return Optional.ofNullable(needs.get(daemon));
            }

            @Override
            public boolean startsAgain(Daemon daemon) {
                return startsAgain;
            }

            @Override
            public void newRound() {}
        };
        Daemons.Progress progress = new Daemons.Progress() {
            @Override
            public void done(String name, String what, long millis) {
                said.add(name + " " + what);
            }

            @Override
            public void notice(String text) {
                said.add(text);
            }
        };
        new Startup(rules, patience, Duration.ofNanos(1), progress).run(daemons);
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
                    .contains(
                            "starter ended before it was ready, is started again (1 of 3); its log: ", "starter.log"));
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
            assertThatThrownBy(() -> start(daemon, true, PATIENCE, new ArrayList<>()))
                    .hasMessageContaining("its port " + taken.getLocalPort() + " is taken by pid "
                            + ProcessHandle.current().pid());
            assertThat(folder.resolve("starts")).hasContent("start\n");
        }
    }

    /** Is ready at once, and ends the first time when the other one has been started. */
    private Daemon needed() throws IOException {
        return daemon(
                "needed",
                "if [ -e first ]; then exec sleep 60; fi; touch first; until [ -e other ]; do sleep 0.02; done; echo bye",
                List.of(),
                () -> Files.exists(folder.resolve("first")));
    }

    @Test
    void aDaemonOfStormThatEndsWhileOthersStartIsStartedAgain() throws Exception {
        Daemon needed = needed();
        // Ready when that has ended, and not before: the last to become ready is not the last to be looked at.
        Daemon other = daemon("touch other; exec sleep 60", List.of(), () -> !needed.isAlive());
        try {
            assertThat(start(List.of(needed, other), Map.of(other, needed), true, PATIENCE, new ArrayList<>()))
                    .contains("needed up", "starter up")
                    .endsWith("needed up")
                    .anySatisfy(line -> assertThat(line)
                            .contains("needed ended after it was ready, is started again (1 of 3); its log: "));
            assertThat(needed.isAlive()).isTrue();
        } finally {
            needed.kill();
            other.kill();
        }
    }

    @Test
    void anotherDaemonThatEndsWhileOthersStartIsTheOneThatIsBlamed() throws Exception {
        Daemon needed = needed();
        Daemon other = daemon("touch other; exec sleep 60", List.of(), () -> false);
        try {
            // As one that runs before; the other may not become ready without it.
            needed.start();
            assertThatThrownBy(() -> start(List.of(other), Map.of(other, needed), false, PATIENCE, new ArrayList<>()))
                    .hasMessageContaining("needed ended after it was ready; its log ends:\nbye");
        } finally {
            needed.kill();
            other.kill();
        }
    }

    @Test
    void whatOthersWaitForIsSaidAndBlamedAlsoWhenItRanBefore() throws Exception {
        Daemon needed = daemon("needed", "echo hanging; exec sleep 60", List.of(), () -> false);
        Daemon other = daemon("touch started", List.of(), () -> true);
        List<String> said = new ArrayList<>();
        try {
            needed.start();
            Waiting.until("it has a log", () -> needed.tail().contains("hanging"));
            assertThatThrownBy(() -> start(List.of(other), Map.of(other, needed), false, Duration.ofMillis(100), said))
                    .hasMessageContaining("needed listens, but was not ready within 0 s; its log ends:\nhanging");
            assertThat(said).first().asString().endsWith("these are not up yet: needed; waiting for these: starter");
            assertThat(folder.resolve("started")).doesNotExist();
        } finally {
            needed.kill();
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
