package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher script, in a tree of sources of its own, with a Maven and a Java that only say that they were called.
 */
@Timeout(300)
final class LauncherTest {
    /** What the script calls, but for flock: some systems have none. */
    private static final List<String> TOOLS = List.of(
            "bash",
            "cat",
            "dirname",
            "find",
            "grep",
            "ln",
            "ls",
            "mkdir",
            "mktemp",
            "mv",
            "ps",
            "readlink",
            "rm",
            "rmdir",
            "sed",
            "sleep",
            "tail",
            "touch");

    @TempDir
    Path folder;

    private Path root;
    private Path target;
    private Path source;
    private Path calls;

    private record CliResult(int code, String out) {}

    @BeforeEach
    void makeTree() throws IOException {
        root = folder.resolve("water wheel");
        target = root.resolve("deploy/embedded/target");
        calls = folder.resolve("mvn-calls");
        for (String module : List.of(
                "waterwheel-core",
                "waterwheel-metrics",
                "waterwheel-sql",
                "waterwheel-topology",
                "waterwheel-client",
                "waterwheel-cli",
                "waterwheel-gateway",
                "deploy/embedded")) {
            Files.createDirectories(root.resolve(module).resolve("src/main"));
            Files.writeString(root.resolve(module).resolve("pom.xml"), "");
        }
        Files.createDirectories(root.resolve(".mvn"));
        Files.createDirectories(root.resolve("conf/schemas"));
        Files.writeString(root.resolve("pom.xml"), "");
        source = Files.writeString(root.resolve("waterwheel-core/src/main/A.java"), "");
        Files.copy(Path.of("../../waterwheel"), root.resolve("waterwheel"));
        script(root.resolve("waterwheel"), Files.readString(root.resolve("waterwheel")));
        script(folder.resolve("jdk/bin/javac"), "#!/usr/bin/env bash\n");
        script(folder.resolve("jdk/bin/java"), """
                #!/usr/bin/env bash
                for word; do
                  case $word in
                    -version) echo 'openjdk version "17.0.1" 2021-10-19' >&2; exit ;;
                    -XX:DumpLoadedClassList=*) echo x >"${word#*=}"; exit ;;
                    -XX:ArchiveClassesAtExit=*) echo x >"${word#*=}"; exit ;;
                    -Xshare:dump) dump=yes ;;
                    io.waterwheel.embedded.MergedJar) merge=yes ;;
                    */client.jar.*) [[ -z ${merge:-} ]] || { echo x >"$word"; exit; } ;;
                    -XX:SharedArchiveFile=*) [[ -z ${dump:-} ]] || { echo x >"${word#*=}"; exit; } ;;
                  esac
                done
                printf '%s\\n' "$@"
                """);
        // As long as the file "hold" is there, it goes on.
        script(folder.resolve("bin/mvn"), """
                #!/usr/bin/env bash
                echo $$ >>"$CALLS"
                while [[ -e $HOLD ]]; do sleep 0.05; done
                mkdir -p deploy/embedded/target/lib
                for jar in server library log4j-api waterwheel-cli-1; do echo x >deploy/embedded/target/lib/$jar.jar; done
                mkdir -p waterwheel-cli/target
                printf 'lib/library.jar' >waterwheel-cli/target/classpath.txt
                echo x >deploy/embedded/target/waterwheel-embedded-$(<VERSION).jar
                """);
        Files.writeString(root.resolve("VERSION"), "2");
        // What was made just now must not look newer than the first build's start.
        age(root);
    }

    private static void age(Path tree) throws IOException {
        try (var all = Files.walk(tree)) {
            for (Path path : all.toList()) {
                Files.setLastModifiedTime(path, FileTime.from(Instant.now().minusSeconds(60)));
            }
        }
    }

    private static void script(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private Process start(String path, Path command) throws IOException {
        return start(path, command, "status");
    }

    private Process start(String path, Path command, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(command.toString()));
        words.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectError(Files.createTempFile(folder, "err", "").toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("WATERWHEEL_"));
        environment.put("JAVA_HOME", folder.resolve("jdk").toString());
        environment.put("PATH", path);
        environment.put("CDPATH", ".:" + folder + ":" + root);
        environment.put("CALLS", calls.toString());
        environment.put("HOLD", folder.resolve("hold").toString());
        return builder.start();
    }

    private String path() {
        return folder.resolve("bin") + ":" + System.getenv("PATH");
    }

    private CliResult run() throws Exception {
        return run("status");
    }

    private CliResult run(String... arguments) throws Exception {
        Process process = start(path(), root.resolve("waterwheel"), arguments);
        return new CliResult(
                process.waitFor(), new String(process.getInputStream().readAllBytes(), UTF_8));
    }

    private int builds() throws IOException {
        return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
    }

    @Test
    void buildsOnceAndRunsThroughALink() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("a link"), Path.of("water wheel/waterwheel"));
        for (int i = 0; i < 2; i++) {
            Process process = start(path(), link);
            String out = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor()).isZero();
            assertThat(out.lines())
                    .contains(
                            "-Dwaterwheel.home=" + root.toRealPath(),
                            "-Dwaterwheel.stdout.terminal=false",
                            "-Dwaterwheel.stderr.terminal=false",
                            "status");
        }
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void theClientsCommandsStartWithTheClientsJars() throws Exception {
        String lib = root.toRealPath() + "/deploy/embedded/target/lib/";
        String embedded = ":" + root.toRealPath() + "/deploy/embedded/target/waterwheel-embedded-2.jar";
        String archive = "-XX:SharedArchiveFile=" + root.toRealPath()
                + "/deploy/embedded/target/client-classes-of-java-17.0.1.jsa";
        String client = root.toRealPath() + "/deploy/embedded/target/client.jar";
        assertThat(run().out().lines())
                .containsSequence(
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        "-cp",
                        client,
                        "io.waterwheel.embedded.Main",
                        "status")
                .contains(archive, "-Dio.netty.transport.noNative=true");
        FileTime made = Files.getLastModifiedTime(target.resolve("client.jar"));
        Path java = folder.resolve("jdk/bin/java");
        script(java, Files.readString(java).replace("17.0.1", "21.0.2"));
        assertThat(run().out().lines()).containsSequence("-jar", client, "status");
        assertThat(target.resolve("client-classes-of-java-21.0.2.jsa")).exists();
        assertThat(Files.getLastModifiedTime(target.resolve("client.jar")))
                .as("the other archive is of this jar, too")
                .isEqualTo(made);
        script(java, Files.readString(java).replace("21.0.2", "17.0.1"));
        // One of the jars that it was made of is another now.
        Files.setLastModifiedTime(
                target.resolve("lib/library.jar"), FileTime.from(Instant.now().plusSeconds(1)));
        assertThat(run().out().lines())
                .contains(
                        lib + "library.jar:" + lib + "log4j-api.jar:" + lib + "waterwheel-cli-1.jar" + embedded,
                        archive);
        Process server = start(path(), root.resolve("waterwheel"), "server");
        String out = new String(server.getInputStream().readAllBytes(), UTF_8);
        assertThat(server.waitFor()).isZero();
        assertThat(out.lines())
                .contains(
                        Stream.of("library", "log4j-api", "server", "waterwheel-cli-1")
                                        .map(name -> lib + name + ".jar")
                                        .collect(Collectors.joining(":"))
                                + embedded,
                        "-Dwaterwheel.duckdb.folder=" + root.toRealPath() + "/deploy/embedded/target/duckdb",
                        "-XX:SharedArchiveFile=" + root.toRealPath()
                                + "/deploy/embedded/target/server-classes-of-java-17.0.1.jsa");
    }

    /** It is the server's alone, and only where the system lets processes have large pages. */
    @Test
    void theServerHasLargePagesWhereThereAreSome() throws Exception {
        String flag = "-XX:+UseTransparentHugePages";
        Path enabled = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
        boolean expected =
                Files.isReadable(enabled) && !Files.readString(enabled).contains("[never]");
        assertThat(run("server").out().lines().anyMatch(flag::equals)).isEqualTo(expected);
        assertThat(run("demo").out().lines().anyMatch(flag::equals)).isEqualTo(expected);
        assertThat(run("status").out().lines()).doesNotContain(flag);
        assertThat(run("gateway").out().lines()).doesNotContain(flag);
    }

    @Test
    void nothingOfAnOlderVersionStays() throws Exception {
        assertThat(run().code()).isZero();
        assertThat(target.resolve("waterwheel-embedded-2.jar")).exists();
        Files.writeString(target.resolve("client-classes-of-java-16.jsa.123"), "left by one that was interrupted");
        Files.writeString(target.resolve("classes-of-java-16.jsa"), "of a release that had one archive");
        Files.writeString(root.resolve("VERSION"), "3");
        Files.writeString(root.resolve("pom.xml"), "of version 3");
        assertThat(run().code()).isZero();
        try (var files = Files.list(target)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            ".launcher-built",
                            "lib",
                            "waterwheel-embedded-3.jar",
                            "client.jar",
                            "client-classes-of-java-17.0.1.jsa");
        }
    }

    @Test
    void aSourceOfTheFutureIsBuiltOnceAndAgainWhenItChanges() throws Exception {
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plus(Duration.ofDays(1))));
        run();
        run();
        assertThat(builds()).isEqualTo(1);
        Files.writeString(source, "changed");
        run();
        run();
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void twoAtOnceBuildOnce() throws Exception {
        buildOnceInTwoShells(path());
    }

    @Test
    void twoAtOnceBuildOnceWithoutFlock() throws Exception {
        Path tools = Files.createDirectories(folder.resolve("tools"));
        for (String tool : TOOLS) {
            Process which = new ProcessBuilder("bash", "-c", "command -v " + tool).start();
            String found = new String(which.getInputStream().readAllBytes(), UTF_8).strip();
            // No link: JUnit warns of links out of its folder.
            script(tools.resolve(tool), "#!/bin/sh\nexec " + found + " \"$@\"\n");
        }
        // Of a launcher that was killed: no process has this number.
        Files.createDirectories(root.resolve("target"));
        Files.createSymbolicLink(root.resolve("target/.launcher-lock.link"), Path.of("999999999"));
        buildOnceInTwoShells(folder.resolve("bin") + ":" + tools);
        assertThat(Files.isSymbolicLink(root.resolve("target/.launcher-lock.link")))
                .isFalse();
    }

    private void buildOnceInTwoShells(String path) throws Exception {
        Path hold = Files.writeString(folder.resolve("hold"), "");
        List<Process> shells = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            shells.add(start(path, root.resolve("waterwheel")));
        }
        Waiting.until("one of them builds", () -> Files.exists(calls));
        Files.delete(hold);
        for (Process shell : shells) {
            assertThat(shell.waitFor()).isZero();
        }
        assertThat(builds()).isEqualTo(1);
    }

    /** Goals of two modules at once; each module's time is its own. */
    @Test
    void stagesOfModulesThatAreBuiltAtOnceAreCountedApart() throws Exception {
        Files.writeString(root.resolve("CONTRIBUTING.md"), "| `cluster` | | | | 7 |\n| `total` | | | | 5 |\n");
        script(folder.resolve("bin/mvn"), """
                #!/usr/bin/env bash
                echo "arguments: $*"
                [[ " $* " != *" -T 1 "* ]] || exit 0
                echo '[INFO] --- maven-compiler-plugin:3:compile (default-compile) @ one ---'
                echo '[INFO] --- maven-failsafe-plugin:3:integration-test (cluster) @ two ---'
                sleep 1.1
                echo '[INFO] --- maven-failsafe-plugin:3:verify (verify-stages) @ two ---'
                echo '[INFO] --- maven-surefire-plugin:3:test (default-test) @ one ---'
                sleep 1.1
                """);
        CliResult tested = run("test", "-o");
        assertThat(tested.code()).isZero();
        assertThat(tested.out())
                .contains("arguments: -B -T 2 ", " -Pchecks verify ", " -o ")
                .containsPattern("\nbuild and checks( +-){3} +[1-9]\\d* +0\n")
                // The last goal of its module, as where tests fail: until the end.
                .containsPattern("\nunit( +0){3} +[1-9]\\d* +0\n")
                .containsPattern("\ncluster( +0){3} +[1-9]\\d* +7\n")
                .containsPattern("\ntotal( +0){3} +[1-9]\\d* +5\n");
        assertThat(run("test", "--all").out()).contains("arguments: -B -T 1 ", " -Pchecks verify ");
    }

    @Test
    void endsItsBuildWithItself() throws Exception {
        Path hold = Files.writeString(folder.resolve("hold"), "");
        Process shell = start(path(), root.resolve("waterwheel"));
        Waiting.until("it builds", () -> Files.exists(calls) && builds() == 1);
        shell.destroy(); // SIGTERM
        assertThat(shell.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(shell.exitValue()).isEqualTo(143);
        long maven = Long.parseLong(Files.readAllLines(calls).get(0));
        assertThat(ProcessHandle.of(maven)).isEmpty();
        Files.delete(hold);
        assertThat(run().code()).isZero();
        assertThat(builds()).isEqualTo(2);
    }
}
