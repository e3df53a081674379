package io.waterwheel.topology.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The topology jar in a JVM whose class path has Guava 11, Jackson 2.9 and Protobuf 2.5 before it. */
@Tag("packaged")
@Timeout(600)
final class OldLibrariesTest {
    /** What is on a worker's class path of Storm, among the libraries of this test. */
    private static final List<String> OF_STORM = List.of(
            "/org/apache/storm/",
            "/org/slf4j/",
            "/org/apache/logging/",
            "/com/esotericsoftware/",
            "/org/objenesis/",
            "/io/dropwizard/metrics/");

    @TempDir
    Path folder;

    @Test
    void worksBesideThem() throws Exception {
        List<Path> old;
        try (Stream<Path> jars = Files.list(Path.of("target/old-libraries"))) {
            old = jars.map(Path::toAbsolutePath).sorted().toList();
        }
        assertThat(old).as("copied there by the build").hasSize(5);
        List<String> classPath = new ArrayList<>();
        old.forEach(jar -> classPath.add(jar.toString()));
        String libraries = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Arrays.stream(libraries.split(System.getProperty("path.separator"), -1))
                .filter(jar -> OF_STORM.stream().anyMatch(jar.replace('\\', '/')::contains))
                .forEach(classPath::add);
        classPath.add(TopologyJar.find().toString());
        classPath.add(probe().toString());
        Path log = folder.resolve("log");
        try (TestingServer zooKeeper = new TestingServer()) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx512m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "--add-opens=java.base/java.nio=ALL-UNNAMED",
                            "-Dio.waterwheel.shaded.io.netty.tryReflectionSetAccessible=true",
                            "-cp",
                            String.join(System.getProperty("path.separator"), classPath),
                            BesideOldLibraries.class.getName(),
                            zooKeeper.getConnectString(),
                            Files.createDirectory(folder.resolve("work")).toString())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            try {
                assertThat(process.waitFor(8, TimeUnit.MINUTES))
                        .as("it ends: %s", text(log))
                        .isTrue();
                assertThat(text(log)).endsWith("all well\n");
                assertThat(process.exitValue()).isZero();
            } finally {
                process.destroyForcibly();
            }
        }
    }

    /** A folder with the one class, and not the tests beside it. */
    private Path probe() throws IOException {
        Path classes = folder.resolve("classes");
        String path = BesideOldLibraries.class.getPackageName().replace('.', '/');
        Files.createDirectories(classes.resolve(path));
        try (Stream<Path> all = Files.list(Path.of("target/test-classes", path))) {
            for (Path file : all.toList()) {
                if (String.valueOf(file.getFileName()).startsWith("BesideOldLibraries")) {
                    Files.copy(file, classes.resolve(path).resolve(file.getFileName()));
                }
            }
        }
        return classes;
    }

    private static String text(Path log) throws IOException {
        return Files.readString(log, StandardCharsets.UTF_8);
    }
}
