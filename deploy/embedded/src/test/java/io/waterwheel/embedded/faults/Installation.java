package io.waterwheel.embedded.faults;

import io.waterwheel.Rounds;
import io.waterwheel.embedded.ChildJvm;
import io.waterwheel.embedded.server.PortRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A server on a folder, as child processes: all in one, as users run it, or with broker and ZooKeeper in processes of
 * their own. Each part can be killed and started again where it was.
 */
final class Installation implements AutoCloseable {
    /** What can die by itself. */
    enum Part {
        SERVER,
        KAFKA,
        ZOOKEEPER
    }

    /** Starts take half the time so, and the short form is mostly starts; the long one runs as users do. */
    private static final List<String> QUICK_START = Rounds.of("kills", 0, 50) == 0 ? ChildJvm.QUICK : List.of();

    private static final List<String> JVM = withQuickStart(
            "-Xmx768m",
            "-XX:+ExitOnOutOfMemoryError",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "-Dwaterwheel.child=1");
    private static final String MAIN = "io.waterwheel.embedded.Main";

    private final Path folder;
    private final boolean split;
    private final Path chunks;
    private final List<String> settings;
    private final int port;
    private final Map<Part, ChildProcess> parts = new EnumMap<>(Part.class);

    /**
     * Nothing runs yet.
     *
     * @param chunks the folder of the chunk files; made when absent
     * @param split whether broker and ZooKeeper are processes of their own
     * @param settings key=value of the server's configuration
     */
    Installation(Path folder, Path chunks, boolean split, String... settings) throws IOException {
        this.folder = folder;
        this.chunks = Files.createDirectories(chunks);
        this.split = split;
        this.settings = List.of(settings);
        // Free again after each kill: no outgoing connection is given one of these.
        this.port = new PortRegistry(Files.createDirectories(folder)).port("server", 0);
    }

    List<Part> parts() {
        return split ? List.of(Part.values()) : List.of(Part.SERVER);
    }

    String url() {
        return "grpc://127.0.0.1:" + port;
    }

    Path chunks() {
        return chunks;
    }

    ChildProcess part(Part part) {
        return java.util.Objects.requireNonNull(parts.get(part), () -> part + " was not started");
    }

    void startAll() throws IOException, InterruptedException {
        if (split) {
            launch(Part.ZOOKEEPER);
            launch(Part.KAFKA);
            part(Part.ZOOKEEPER).awaitReady();
            part(Part.KAFKA).awaitReady();
        }
        start(Part.SERVER);
    }

    /** Starts a part that does not run; returns when it is ready. */
    void start(Part part) throws IOException, InterruptedException {
        launch(part);
        part(part).awaitReady();
    }

    private void launch(Part part) throws IOException {
        parts.put(
                part,
                switch (part) {
                    case KAFKA, ZOOKEEPER -> service(part);
                    case SERVER -> server();
                });
    }

    private ChildProcess service(Part part) throws IOException {
        String name = part.name().toLowerCase(java.util.Locale.ROOT);
        return ChildProcess.launch(
                name,
                logs(),
                withQuickStart("-Xmx512m"),
                ServiceProcess.class.getName(),
                List.of(name, folder.resolve(name).toString()),
                ServiceProcess.READY);
    }

    private ChildProcess server() throws IOException {
        List<String> args = new ArrayList<>(
                List.of("server", "--data", folder.resolve("data").toString(), "--port", Integer.toString(port)));
        args.addAll(List.of("--chunks", "file://" + chunks.toUri().getRawPath()));
        if (split) {
            args.addAll(List.of("--zookeeper", address(Part.ZOOKEEPER), "--kafka", address(Part.KAFKA)));
        }
        // What is measured is how soon it answers at all.
        args.add("query.warm-up=0 s");
        args.addAll(settings);
        return ChildProcess.launch("server", logs(), JVM, MAIN, args, "ready: ");
    }

    static List<String> withQuickStart(String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(QUICK_START);
        return all;
    }

    private String address(Part part) {
        return part(part).ready().substring(ServiceProcess.READY.length());
    }

    /** Keeps what the server wrote, of all its lives. */
    void keepLog() throws IOException {
        Path log = folder.resolve("data").resolve("logs").resolve("waterwheel.log");
        if (Files.exists(log)) {
            Files.copy(log, logs().resolve("waterwheel-" + System.nanoTime() + ".log"));
        }
    }

    /** Kept after the test, for whoever has to find out why it failed. */
    private static Path logs() {
        return Path.of("target", "fault-logs");
    }

    @Override
    public void close() throws IOException, InterruptedException {
        for (Part part : Part.values()) {
            ChildProcess child = parts.get(part);
            if (child != null) {
                child.close();
            }
        }
    }
}
