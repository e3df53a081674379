package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.embedded.server.WaterwheelServer;
import io.waterwheel.topology.Tasks;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The whole server as a child process, on a folder; it can be killed outright and started again. */
final class ServedProcess implements AutoCloseable {
    final String url0;
    final String url1;
    final String bootstrap;
    private final Process process;

    private ServedProcess(Process process, String[] ready) {
        this.process = process;
        this.url0 = ready[1];
        this.url1 = ready[2];
        this.bootstrap = ready[3];
    }

    static ServedProcess start(Path folder, String... overrides) throws Exception {
        List<String> args = new ArrayList<>(List.of(folder.resolve("data").toString()));
        args.addAll(List.of(overrides));
        // It starts several times, and lives for seconds: the better compiler would not be done with it.
        List<String> options = new ArrayList<>(List.of("-Xmx1g", "--add-opens=java.base/java.nio=ALL-UNNAMED"));
        options.addAll(ChildJvm.QUICK);
        List<String> command = ChildJvm.command(options, ServedProcess.class.getName(), args);
        // Kept after the test, for whoever has to find out why it failed.
        Path logs = Files.createDirectories(Path.of("target", "server-logs"));
        File log = logs.resolve("server-" + System.nanoTime() + ".log").toFile();
        Process process = new ProcessBuilder(command).redirectError(log).start();
        BufferedReader out = process.inputReader(UTF_8);
        String line = CompletableFuture.supplyAsync(() -> out.lines()
                        .filter(text -> text.startsWith("READY"))
                        .findFirst()
                        .orElse("ended"))
                .get(5, TimeUnit.MINUTES);
        if (!line.startsWith("READY")) {
            process.destroyForcibly().waitFor();
            List<String> lines = Files.readAllLines(log.toPath());
            throw new IOException("the server did not start:\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size())));
        }
        return new ServedProcess(process, line.split(" "));
    }

    /** kill -9. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }

    /** What runs in the child: the folder, then key=value overrides. */
    @SuppressWarnings("SystemOut") // the parent reads it
    public static void main(String[] args) throws Exception {
        List<String> overrides = new ArrayList<>(List.of(args).subList(1, args.length));
        overrides.add("query-server.cache-size=64 MiB");
        overrides.add("query.warm-up=0 s");
        WaterwheelConfig config = WaterwheelConfig.parse("test", "", overrides);
        WaterwheelServer server = WaterwheelServer.start(Path.of(args[0]), config, Set.of(), inForce -> new Tasks());
        System.out.println("READY " + url(server, 0) + " " + url(server, 1) + " "
                + server.config().get(Keys.KAFKA_BOOTSTRAP));
        Thread.currentThread().join();
    }

    /** The coordinator's address once it answers: an earlier process may have left another. */
    static String url(WaterwheelServer server, int index) throws Exception {
        try (CatalogStore catalog = ZooKeeperCatalogStore.connect(server.config())) {
            return url(catalog, index);
        }
    }

    private static String url(CatalogStore catalog, int index) throws Exception {
        String[] found = {""};
        Waiting.until("coordinator " + index, Duration.ofMinutes(5), () -> {
            Optional<CatalogStore.Node> node = catalog.read("/coordinators/" + index);
            if (node.isEmpty()) {
                return false;
            }
            String url = new String(node.get().data(), UTF_8);
            try (FlightQueries queries = new FlightQueries(url)) {
                queries.statusJson();
                found[0] = url;
                return true;
            } catch (org.apache.arrow.flight.FlightRuntimeException e) {
                return false;
            }
        });
        return found[0];
    }
}
