package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The command as it is typed: up, up again, after kills, down; no process is left. */
@Tag("cluster")
@Timeout(900)
class ClusterCommandIT {
    private final Path folder =
            Path.of("target/cluster-tests/command").toAbsolutePath().normalize();
    private final String mark = "-Dwaterwheel.cluster=" + folder;

    /** What a command said. */
    private record Outcome(int code, String out) {}

    private Outcome cluster(String... words) throws Exception {
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
        cluster("down");
        assertThat(Processes.withArgument(mark)).isEmpty();
    }

    @Test
    void upRepairsAndDownLeavesNothing() throws Exception {
        Folders.delete(folder);
        assertThat(cluster("status").code()).isEqualTo(3);
        assertThat(cluster("down")).isEqualTo(new Outcome(0, "there is no cluster in " + folder + "\n"));

        Outcome up = cluster("up", "--ports", "free");
        assertThat(up.code()).isZero();
        assertThat(up.out()).contains("datanode-3", "supervisor-3", "all is up after", "storm/bin/storm jar");
        Outcome status = cluster("status");
        assertThat(status.code()).isZero();
        assertThat(status.out().lines().filter(line -> line.contains(" up "))).hasSize(10);
        assertThat(cluster("up").out()).contains("is up already");
        assertThat(cluster("up", "--pairs", "2").code()).isEqualTo(2);

        ClusterLayout layout = ClusterLayout.read(folder);
        PidFiles pids = new PidFiles(folder);
        for (String victim : List.of("datanode-2", "supervisor-1")) {
            PidFiles.Entry entry = pids.read(victim).orElseThrow();
            Processes.signal(entry.pid(), "KILL");
        }
        assertThat(cluster("status").code()).isEqualTo(3);
        Outcome repaired = cluster("up");
        assertThat(repaired.code()).isZero();
        assertThat(repaired.out()).contains("datanode-2", "supervisor-1").doesNotContain("kafka  ");
        assertThat(ClusterLayout.read(folder)).hasToString(layout.toString());
        assertThat(cluster("logs", "datanode-2", "-n", "5").out().lines().count())
                .isBetween(1L, 6L);

        // Killed while the command was not looking: found by its mark.
        Files.delete(folder.resolve("run/nimbus"));
        assertThat(cluster("down").code()).isZero();
        assertThat(Processes.withArgument(mark)).isEmpty();
        assertThat(cluster("down").out()).contains("nothing was running");

        try (ServerSocket taken = new ServerSocket(layout.port("kafka"))) {
            Outcome refused = cluster("up");
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.out())
                    .contains("port " + taken.getLocalPort() + " (kafka) is taken by pid "
                            + ProcessHandle.current().pid());
        }
        assertThat(cluster("down", "--delete").code()).isZero();
        assertThat(folder).doesNotExist();
    }
}
