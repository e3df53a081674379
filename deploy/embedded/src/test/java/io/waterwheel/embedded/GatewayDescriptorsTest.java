package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * The gateway as its image and its descriptors have it: the files that the Dockerfile copies, alone in a folder, run
 * the words of the Kubernetes manifest and of the Compose file, and answer the probes.
 */
@Tag("embedded")
@Timeout(900)
final class GatewayDescriptorsTest {
    private static final Path ROOT = Path.of("..", "..");
    private static final String LAUNCHER = "/opt/waterwheel/waterwheel";

    @TempDir
    Path folder;

    @BeforeEach
    void makeImage() throws IOException {
        List<String> lines = Files.readAllLines(ROOT.resolve("deploy/kubernetes/gateway.Dockerfile"));
        for (String line : lines) {
            if (line.startsWith("COPY ")) {
                String[] words = line.split(" ", -1);
                copy(words[1], folder.resolve(words[2].substring(1)), words[2].endsWith("/"));
            }
        }
        assertThat(lines).contains("ENTRYPOINT [\"" + LAUNCHER + "\"]", "ENV WATERWHEEL_NO_BUILD=yes");
        List<String> sent = Files.readAllLines(ROOT.resolve("deploy/kubernetes/gateway.Dockerfile.dockerignore"));
        assertThat(lines.stream().filter(line -> line.startsWith("COPY ")))
                .allSatisfy(line -> assertThat(sent).contains("!" + line.split(" ", -1)[1]));
    }

    /** JUnit warns of links out of its folder. */
    @AfterEach
    void unlink() throws IOException {
        Files.delete(folder.resolve("opt/waterwheel/deploy/embedded/target/lib"));
    }

    /** As Docker copies; the libraries, a quarter of a gigabyte, are linked to. */
    private static void copy(String from, Path to, boolean into) throws IOException {
        Path source = ROOT.resolve(from);
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(
                source.getParent(), source.getFileName().toString())) {
            files.forEach(found::add);
        }
        assertThat(found).as("COPY %s", from).hasSize(1);
        Path target = into ? to.resolve(found.get(0).getFileName()) : to;
        Files.createDirectories(target.getParent());
        if (Files.isDirectory(found.get(0))) {
            Files.createSymbolicLink(target, found.get(0).toRealPath());
        } else {
            Files.copy(found.get(0), target, StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    @Test
    void theManifestRunsAndIsProbed() throws Exception {
        Map<String, Object> deployment = Map.of();
        for (Object document : new Yaml().loadAll(Files.readString(ROOT.resolve("deploy/kubernetes/gateway.yaml")))) {
            deployment = at(document, "kind").equals("Deployment") ? map(document) : deployment;
        }
        Object container = ((List<?>) at(deployment, "spec", "template", "spec", "containers")).get(0);
        assertThat(at(((List<?>) at(container, "ports")).get(0), "containerPort"))
                .isEqualTo(7071);
        List<String> probes = new ArrayList<>();
        for (String probe : List.of("livenessProbe", "readinessProbe")) {
            probes.add((String) at(container, probe, "httpGet", "path"));
        }
        run(texts(at(container, "args")), probes);
    }

    @Test
    void theComposeServiceRuns() throws Exception {
        Object service = at(
                new Yaml().load(Files.readString(ROOT.resolve("deploy/compose/compose.yaml"))), "services", "gateway");
        List<String> words = texts(at(service, "command"));
        assertThat(words.get(0)).isEqualTo(LAUNCHER);
        assertThat(at(service, "environment", "WATERWHEEL_NO_BUILD")).isEqualTo("yes");
        assertThat(texts(at(service, "ports"))).containsExactly("127.0.0.1:7074:7071");
        assertThat(texts(at(service, "volumes")))
                .containsExactly(
                        "../../waterwheel:" + LAUNCHER + ":ro",
                        "../embedded/target:/opt/waterwheel/deploy/embedded/target:ro");
        run(words.subList(1, words.size()), List.of("/healthz"));
    }

    /**
     * Runs these words, but for the address, the port and ZooKeeper, which does not answer here: the process is healthy
     * and not ready then.
     */
    private void run(List<String> words, List<String> probes) throws Exception {
        assertThat(words).startsWith("gateway", "--zookeeper");
        List<String> command = new ArrayList<>(List.of(folder + LAUNCHER));
        for (String word : words) {
            command.add(
                    word.contains(":2181")
                            ? "127.0.0.1:1"
                            : word.startsWith("gateway.host=") ? "gateway.host=127.0.0.1" : word);
        }
        command.add("gateway.port=0");
        Path out = folder.resolve("out");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectErrorStream(true);
        builder.environment().put("WATERWHEEL_NO_BUILD", "yes");
        // As test JVMs: it lives for seconds.
        builder.environment().put("WATERWHEEL_JAVA_OPTS", String.join(" ", ChildJvm.QUICK));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process gateway = builder.start();
        try {
            Waiting.until("it is ready", () -> Files.readString(out).contains("ready: ") || !gateway.isAlive());
            String printed = Files.readString(out);
            assertThat(printed).startsWith("ready: http://127.0.0.1:");
            String url = printed.strip().substring("ready: ".length());
            for (String probe : probes) {
                HttpURLConnection asked =
                        (HttpURLConnection) URI.create(url + probe).toURL().openConnection();
                assertThat(asked.getResponseCode()).as(probe).isEqualTo(probe.equals("/healthz") ? 200 : 503);
            }
        } finally {
            // It is the launcher's process: bash has made way for Java.
            gateway.destroy();
            assertThat(gateway.waitFor(2, TimeUnit.MINUTES)).isTrue();
        }
    }

    private static Object at(Object document, String... path) {
        Object found = document;
        for (String name : path) {
            found = map(found).get(name);
            assertThat(found).as("%s of %s", name, List.of(path)).isNotNull();
        }
        return found;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    private static List<String> texts(Object list) {
        return ((List<?>) list).stream().map(String::valueOf).toList();
    }
}
