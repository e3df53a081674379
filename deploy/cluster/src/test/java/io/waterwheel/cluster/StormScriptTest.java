package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the script {@code storm} makes of its words, seen by a Java that prints its own. */
class StormScriptTest {
    @TempDir
    Path folder;

    private Path home;

    /** What came back. */
    private record Outcome(int code, List<String> out, String err) {
        List<String> mainArguments(String main) {
            return out.subList(out.indexOf(main) + 1, out.size());
        }
    }

    @BeforeEach
    void assemble() throws Exception {
        home = folder.resolve("storm home");
        for (String each : List.of("bin", "lib", "lib-worker", "conf", "log4j2")) {
            Files.createDirectories(home.resolve(each));
        }
        try (InputStream script = ClusterFiles.class.getResourceAsStream("storm.sh")) {
            Files.copy(Objects.requireNonNull(script), home.resolve("bin/storm"));
        }
        Path java = Files.createDirectories(folder.resolve("jdk/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\n' \"$word\"; done\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(folder.resolve("topology.jar"), "");
    }

    private Outcome storm(String... words) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("bash", home.resolve("bin/storm").toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("STORM_"));
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().put("HOME", folder.toString());
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), out.lines().toList(), err);
    }

    @Test
    void jarRunsTheMainClassWithTheWorkersLibraries() throws Exception {
        Outcome outcome = storm("jar", "topology.jar", "some.Main", "indexer.tasks=3", "a word");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .contains("-Dstorm.jar=topology.jar", "-Dstorm.conf.file=", "-Dstorm.options=", "-Dstorm.home=" + home);
        assertThat(outcome.out().get(outcome.out().indexOf("-cp") + 1))
                .isEqualTo("%1$s/lib-worker/*:%1$s/extlib/*:topology.jar:%1$s/conf:%1$s/bin".formatted(home));
        assertThat(outcome.mainArguments("some.Main")).containsExactly("indexer.tasks=3", "a word");
    }

    @Test
    void optionsAreStormsWhereverTheyStandUpToTheDashes() throws Exception {
        Outcome outcome = storm(
                "jar",
                "-c",
                "a.b=1",
                "topology.jar",
                "some.Main",
                "x",
                "-c",
                "name=two words,50% über",
                "--config",
                "other.yaml",
                "--",
                "--config",
                "ours.yaml",
                "-c",
                "z",
                "k=v");
        assertThat(outcome.out())
                .contains("-Dstorm.options=a.b%3D1,name%3Dtwo+words%2C50%25+%C3%BCber", "-Dstorm.conf.file=other.yaml");
        assertThat(outcome.mainArguments("some.Main")).containsExactly("x", "--config", "ours.yaml", "-c", "z", "k=v");
    }

    @Test
    void whatItDoesNotKnowBelongsToTheMainClass() throws Exception {
        assertThat(storm("jar", "topology.jar", "some.Main", "--verbose", "-x").mainArguments("some.Main"))
                .containsExactly("--verbose", "-x");
    }

    @Test
    void daemonsTakeTheirOptionsFromStormYaml() throws Exception {
        Files.writeString(
                home.resolve("conf/storm.yaml"),
                "supervisor.childopts: \"-Xmx99m -Done=1\"\nnimbus.childopts: -Xmx1m\n");
        Outcome outcome = storm("supervisor", "-c", "storm.local.hostname=host-1");
        assertThat(outcome.out())
                .containsSubsequence("-Xmx99m", "-Done=1", "org.apache.storm.daemon.supervisor.Supervisor")
                .contains("-Dstorm.options=storm.local.hostname%3Dhost-1", "-Ddaemon.name=supervisor")
                .endsWith("org.apache.storm.daemon.supervisor.Supervisor");
        assertThat(storm("nimbus", "-c", "nimbus.childopts=-Xmx7m").out()).contains("-Xmx7m");
    }

    @Test
    void commandsGoToStormsOwnPrograms() throws Exception {
        assertThat(storm("kill", "flights", "-w", "0").mainArguments("org.apache.storm.command.KillTopology"))
                .containsExactly("flights", "-w", "0");
        assertThat(storm("list").out()).endsWith("org.apache.storm.command.ListTopologies");
    }

    @Test
    void aUsersOwnStormYamlIsForClients() throws Exception {
        Files.createDirectories(folder.resolve(".storm"));
        Files.writeString(folder.resolve(".storm/storm.yaml"), "");
        Outcome client = storm("list");
        assertThat(client.out().get(client.out().indexOf("-cp") + 1)).contains(folder + "/.storm:");
        Outcome daemon = storm("nimbus");
        assertThat(daemon.out().get(daemon.out().indexOf("-cp") + 1))
                .doesNotContain(".storm:")
                .endsWith("/conf");
    }

    @Test
    void wrongWordsAreNamed() throws Exception {
        assertThat(storm("jra").err()).isEqualTo("storm: there is no command 'jra'; storm help has them.\n");
        assertThat(storm("jar", "topology.jar").err()).contains("jar needs a file and a main class");
        assertThat(storm("jar", "gone.jar", "Main").err()).contains("there is no file gone.jar");
        assertThat(storm("list", "-c", "what").err()).contains("-c what: expected KEY=VALUE");
        assertThat(storm("list", "--config").err()).contains("--config needs a value");
        assertThat(storm("kill").err()).contains("kill needs the name of a topology");
        assertThat(storm("jar", "topology.jar", "Main", "--artifacts", "a:b:1").code())
                .isEqualTo(1);
        assertThat(storm().code()).isEqualTo(1);
        assertThat(storm("help").out()).anyMatch(line -> line.contains("storm jar FILE MAIN"));
    }
}
