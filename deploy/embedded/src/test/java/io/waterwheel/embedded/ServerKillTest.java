package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server process is killed outright and started again on its folder. */
@Tag("kills")
final class ServerKillTest {
    @TempDir
    Path folder;

    @Test
    void nothingIsLostAndTheAddressStays() throws Exception {
        String address = "";
        for (int round = 1; round <= 3; round++) {
            Process process = start(round);
            try (BufferedReader out = process.inputReader(UTF_8)) {
                String line = CompletableFuture.supplyAsync(() -> out.lines()
                                .filter(text -> text.startsWith("READY"))
                                .findFirst()
                                .orElse("ended"))
                        .get(120, TimeUnit.SECONDS);
                assertThat(line)
                        .as("round %s; log: %s", round, log(round))
                        .startsWith("READY records=" + round + " nodes=" + round + " ");
                String at = line.replaceAll(".* at=(\\S+) .*", "$1");
                assertThat(round == 1 || at.equals(address)).isTrue();
                address = at;
                Files.writeString(
                        Path.of("target", "server-start.txt"),
                        line + "\n",
                        UTF_8,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private String log(int round) throws Exception {
        List<String> lines = Files.readAllLines(folder.resolve("log" + round));
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
    }

    private Process start(int round) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx1g");
        command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(ServerProcess.class.getName());
        command.add(folder.resolve("data").toString());
        return new ProcessBuilder(command)
                .redirectError(new File(folder.toFile(), "log" + round))
                .start();
    }
}
