package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The command as it is typed: up, up again, after kills, down; no process is left. */
@Tag("cluster")
@Timeout(1800)
@ExtendWith(SharedCluster.class)
class ClusterCommandIT {
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final Path folder =
            Path.of("target/cluster-tests/command").toAbsolutePath().normalize();
    private final String mark = "-Dwaterwheel.cluster=" + folder;

    /** What a command said: a test that fails shows it. */
    private record Outcome(int code, String out) {
        /** Fails with all that was said unless the command ended with this code. */
        Outcome withCode(int expected) {
            assertThat(code).as("exit code of a command that said:%n%s", out).isEqualTo(expected);
            return this;
        }
    }

    private static Outcome cluster(Path folder, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("./cluster", "--folder", folder.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("WATERWHEEL_NO_BUILD", "1");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        long begun = System.nanoTime();
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        System.out.printf(
                Locale.ROOT,
                "cluster %s: exit code %d after %.1f s%n%s%n",
                List.of(words),
                code,
                (System.nanoTime() - begun) / 1e9,
                out);
        return new Outcome(code, out);
    }

    @AfterEach
    void endAll() throws Exception {
        cluster(folder, "down").withCode(0);
        assertThat(Processes.withArgument(mark)).isEmpty();
    }

    /** On the cluster of all tests, which has three pairs and workers. */
    @Test
    void upRepairsWhatWasKilled(SharedCluster.Running running) throws Exception {
        Path shared = running.cluster().folder();
        ClusterLayout layout = ClusterLayout.read(shared);
        // A test before may have left a Supervisor that had ended by itself.
        cluster(shared, "up", "--ignore-memory").withCode(0);
        assertThat(cluster(shared, "up").withCode(0).out()).contains("is up already", "storm/bin/storm jar");
        assertThat(cluster(shared, "up", "--pairs", "2").withCode(2).out())
                .contains("--pairs: the cluster runs with 3, asked for 2");
        int workers = running.cluster().workers().size();
        Outcome repaired;
        try {
            for (String victim : List.of("datanode-2", "supervisor-1")) {
                kill(new PidFiles(shared).read(victim).orElseThrow().pid());
            }
            killWorkers(running.cluster(), 1);
            cluster(shared, "status").withCode(3);
        } finally {
            repaired = cluster(shared, "up", "--ignore-memory");
        }
        assertThat(repaired.withCode(0).out())
                .contains("datanode-2", "supervisor-1", "all is up after")
                .doesNotContain("kafka  ");
        assertThat(ClusterLayout.read(shared)).hasToString(layout.toString());
        // On any host: on a slow machine Nimbus may have given the work of the killed one to another.
        Waiting.until(
                "there are as many workers as before",
                PATIENCE,
                () -> running.cluster().workers().size() >= workers);
        // One question that a busy machine answers late is none that is wrong.
        Waiting.until("all are up", PATIENCE, () -> cluster(shared, "status").code() == 0);
        Outcome status = cluster(shared, "status");
        assertThat(status.out().lines().filter(line -> line.contains(" up "))).hasSize(10);
        assertThat(status.out()).contains("worker ");
        assertThat(cluster(shared, "logs", "datanode-2", "-n", "5").out().lines())
                .hasSizeBetween(1, 6);
    }

    private static void kill(long pid) throws InterruptedException {
        long started = Processes.started(pid);
        Processes.signal(pid, "KILL");
        assertThat(Processes.awaitGone(pid, started, Duration.ofMinutes(1))).isTrue();
    }

    private static Stream<RealCluster.Worker> workers(RealCluster cluster, int pair) throws IOException {
        return cluster.workers().stream().filter(worker -> worker.pair() == pair);
    }

    /**
     * With their Supervisor. Else its successor would have them, and would learn of a later test's kill by the silence
     * of a minute alone; so would it now, had they left a heartbeat.
     */
    private static void killWorkers(RealCluster cluster, int pair) throws Exception {
        List<RealCluster.Worker> workers = workers(cluster, pair).toList();
        for (RealCluster.Worker worker : workers) {
            kill(worker.pid());
        }
        Path homes = cluster.folder().resolve("data/" + RealCluster.supervisor(pair) + "/workers");
        try (DirectoryStream<Path> each = Files.newDirectoryStream(homes)) {
            for (Path home : each) {
                Folders.delete(home.resolve("heartbeats"));
            }
        }
    }

    /** On the smallest cluster, as each daemon takes seconds to start. */
    @Test
    void downLeavesNothing() throws Exception {
        Folders.delete(folder);
        cluster(folder, "status").withCode(3);
        assertThat(cluster(folder, "down")).isEqualTo(new Outcome(0, "there is no cluster in " + folder + "\n"));

        // Whether memory suffices is not the question here: other tests take theirs meanwhile.
        Outcome up = cluster(folder, "up", "--ports", "free", "--pairs", "1", "--ignore-memory")
                .withCode(0);
        assertThat(up.out()).contains("datanode-1", "supervisor-1", "all is up after", "storm/bin/storm jar");
        ClusterLayout layout = ClusterLayout.read(folder);
        assertThat(layout.replication()).isEqualTo(1);

        // Started while the command was not looking: found by its mark.
        Files.delete(folder.resolve("run/nimbus"));
        cluster(folder, "down").withCode(0);
        assertThat(Processes.withArgument(mark)).isEmpty();
        assertThat(cluster(folder, "down").withCode(0).out()).contains("nothing was running");

        try (ServerSocket taken = new ServerSocket(layout.port("kafka"))) {
            assertThat(cluster(folder, "up").withCode(1).out())
                    .contains("port " + taken.getLocalPort() + " (kafka) is taken by pid "
                            + ProcessHandle.current().pid());
        }
        cluster(folder, "down", "--delete").withCode(0);
        assertThat(folder).doesNotExist();
    }
}
