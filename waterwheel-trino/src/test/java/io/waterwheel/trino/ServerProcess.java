package io.waterwheel.trino;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.client.WaterwheelClient;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The one-process server as people start it, for all tests of this JVM: a process of its own, whose libraries are not
 * Trino's.
 */
final class ServerProcess {
    private static final ServerProcess ONLY = start();

    private final String address;
    private final WaterwheelClient client;

    private ServerProcess(String address) {
        this.address = address;
        this.client = WaterwheelClient.connect("grpc://" + address);
    }

    /** {@code HOST:PORT} of its coordinator. */
    static String address() {
        return ONLY.address;
    }

    /** A client of it, for all tests. */
    static WaterwheelClient client() {
        return ONLY.client;
    }

    private static ServerProcess start() {
        try {
            Path target = Files.createDirectories(Path.of("target").toAbsolutePath());
            Path data = Files.createTempDirectory(target, "server-");
            File log = target.resolve("server.log").toFile();
            // The launcher builds what is out of date, and becomes the server's JVM.
            Process process = new ProcessBuilder(List.of(
                            "../waterwheel",
                            "server",
                            "--data",
                            data.toString(),
                            "--port",
                            "0",
                            "gateway.port=0",
                            "query.warm-up=0 s",
                            "indexer.tasks=3"))
                    .redirectError(log)
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "server-end"));
            // Here, and not on another thread: that would wait for this class, which waits for it.
            BufferedReader out = process.inputReader(UTF_8);
            Optional<String> ready =
                    out.lines().filter(line -> line.startsWith("ready: ")).findFirst();
            if (ready.isEmpty()) {
                throw new IllegalStateException("the server did not start: " + Files.readString(log.toPath()));
            }
            return new ServerProcess(ready.get().split(" ", -1)[1].substring("grpc://".length()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
