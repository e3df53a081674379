package io.waterwheel.cluster;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** {@code ./waterwheel gateway} in front of a cluster, as an operator starts it. Owner: one thread. */
final class GatewayProcess implements AutoCloseable {
    private static final Path LAUNCHER = Path.of("../../waterwheel");
    private static final String READY = "ready: ";
    private static final Duration PATIENCE = Duration.ofMinutes(6);

    /** An answer's status and text. */
    record Reply(int status, String body) {}

    private final Process process;
    private final Path log;
    private final String url;
    private final HttpClient http = HttpClient.newHttpClient();

    private GatewayProcess(Process process, Path log, String url) {
        this.process = process;
        this.log = log;
        this.url = url;
    }

    /**
     * Runs what the build has made, and waits until it listens.
     *
     * @param options such as {@code --zookeeper}
     */
    static GatewayProcess start(RealCluster cluster, String... options) throws IOException {
        Path out = cluster.folder().resolve("gateway.out");
        Path log = cluster.folder().resolve("gateway.log");
        ProcessBuilder builder = new ProcessBuilder("bash", LAUNCHER.toString(), "gateway", "--port", "0");
        builder.command().addAll(List.of(options));
        builder.environment().put("WATERWHEEL_NO_BUILD", "yes");
        builder.environment().put("WATERWHEEL_JAVA_OPTS", "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process =
                builder.redirectOutput(out.toFile()).redirectError(log.toFile()).start();
        try {
            Waiting.until(
                    "the gateway listens",
                    PATIENCE,
                    () -> !process.isAlive() || address(out).isPresent());
            return new GatewayProcess(
                    process,
                    log,
                    address(out).orElseThrow(() -> new IOException("no gateway: " + Daemon.tail(log, 4_000))));
        } catch (IOException | RuntimeException | AssertionError e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private static Optional<String> address(Path out) {
        try {
            return Files.readString(out)
                    .lines()
                    .filter(line -> line.startsWith(READY))
                    .map(line -> line.substring(READY.length()))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code HOST:PORT}. */
    String place() {
        return URI.create(url).getAuthority();
    }

    Reply get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(url + path)));
    }

    /** @param headers names and values in turn; the body's type among them */
    Reply post(String path, String body, String... headers) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(url + path))
                .headers(headers)
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    /** What another process says at its own address. */
    Reply getFrom(String place, String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create("http://" + place + path)));
    }

    private Reply send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response =
                http.send(request.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
        return new Reply(response.statusCode(), response.body());
    }

    /** The end of what it wrote to standard error. */
    String tail() {
        return Daemon.tail(log, 8_000);
    }

    /** Tells it to end, and waits. */
    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
