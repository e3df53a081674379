package io.waterwheel.embedded.server;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.embedded.gateway.ServerGateway;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.config.ConfigException;
import io.waterwheel.topology.config.Key;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel server}. */
@Command(
        name = "server",
        description = {
            "Run all of Waterwheel in one process: ZooKeeper, Kafka and the topology, on one data folder.",
            "Prints one line when it takes queries, 'ready: grpc://HOST:PORT kafka://HOST:PORT http://HOST:PORT', then runs"
                    + " until it is told to end (Ctrl-C, SIGTERM): it writes what is in memory into chunks and ends with 0; told so before"
                    + " that line it ends at once, with 130 or 143. Killed and started again on its folder it goes on"
                    + " where it stood."
        },
        footer = {
            "",
            "Examples:",
            "  waterwheel server",
            "  waterwheel server --data /tmp/try --port 0",
            "  waterwheel server --data /var/lib/waterwheel --port 7070 indexer.seal-size=32MiB",
            "  waterwheel server --kafka broker1:9092,broker2:9092 --chunks hdfs://namenode:8020/chunks"
        })
public final class ServerCommand implements Callable<Integer> {
    static final int DEFAULT_PORT = 7070;

    private static final int MAX_PORT = 65_535;
    private static final int CONNECT_MILLIS = 3_000;

    /** How long one stream's tuples may take to be written when the server is told to end. */
    private static final Duration FLUSH_PATIENCE = Duration.ofSeconds(10);

    private final Terminal terminal;
    /** The start has failed, and the command says why, before it ends the process. */
    private volatile boolean failed;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "waterwheel-data",
            description = "The folder that holds everything; made when absent. Default: waterwheel-data.")
    private Path data = Path.of("waterwheel-data");

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Port for queries; 0 is any free one. Default: what the configuration says, else 7070.")
    private @Nullable Integer port;

    @Option(names = "--conf", paramLabel = "FILE", description = "A configuration file in YAML.")
    private @Nullable Path file;

    @Option(
            names = "--kafka",
            paramLabel = "HOST:PORT,...",
            description = "Start no Kafka, use this one (kafka.bootstrap).")
    private @Nullable String kafka;

    @Option(
            names = "--zookeeper",
            paramLabel = "HOST:PORT,...",
            description = "Keep the catalog in this ZooKeeper (zookeeper.connect), not in one of this process.")
    private @Nullable String zooKeeper;

    @Option(
            names = "--chunks",
            paramLabel = "URI",
            description = "Write chunks here, not into the data folder (chunk-store.uri): hdfs://HOST:PORT/FOLDER or"
                    + " file:///FOLDER.")
    private @Nullable String chunks;

    @Parameters(paramLabel = "KEY=VALUE", description = "Keys of the configuration, over those of the file.")
    private List<String> overrides = List.of();

    public ServerCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (port != null && (port < 0 || port > MAX_PORT)) {
            throw new ParameterException(
                    spec.commandLine(), "--port: expected 0 (any free one) to " + MAX_PORT + ", got " + port);
        }
        WaterwheelConfig config = config();
        checkPort(config);
        checkOthers(config);
        Path log;
        int http;
        // Taken for a moment, so that no other server's temporary files are removed.
        try (DataFolder folder = DataFolder.take(data)) {
            log = ServerFolder.settleLog(data);
            ServerFolder.settleTemporary(folder.resolve(""));
            http = ServerGateway.choosesPort(config) ? WaterwheelServer.keptPort(folder, config, "gateway") : 0;
            if (!folder.warning().isEmpty()) {
                terminal.err().println("warning: " + folder.warning());
            }
        }
        terminal.err().println("starting on " + data.toAbsolutePath().normalize() + "; its log is " + log);
        ServerGateway gateway =
                ServerGateway.begin(config, http, line -> terminal.err().println(line));
        RunningServer server = RunningServer.start(
                data, config, external(), line -> terminal.err().println(line));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, gateway), "waterwheel-stop"));
        String served;
        try {
            served = gateway.serve(server.url(), server::metrics);
        } catch (IOException | RuntimeException e) {
            failed = true;
            throw e;
        }
        terminal.out()
                .println("ready: " + server.url() + " kafka://" + server.kafka()
                        + (served.isEmpty() ? "" : " " + served));
        terminal.out().flush();
        new CountDownLatch(1).await();
        return 0;
    }

    private void stop(RunningServer server, ServerGateway gateway) {
        // Where a library ends the process, somebody must be able to see why.
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (!failed && Arrays.stream(stack).anyMatch(ServerCommand::isExit)) {
                terminal.err().println("ending, because thread " + thread.getName() + " ended the process:");
                Arrays.stream(stack).forEach(frame -> terminal.err().println("  at " + frame));
            }
        });
        // The JVM would report the signal as a failure (128 + its number); to be told to end is none. An exit that the
        // process decided on itself keeps its code.
        boolean signalled = Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .anyMatch(name -> name.startsWith("SIG") && name.endsWith(" handler"));
        try {
            gateway.close();
            if (signalled) {
                flush(server.url());
            }
            server.close();
        } finally {
            if (signalled) {
                Runtime.getRuntime().halt(0);
            }
        }
    }

    private void notWritten(String unreadable) {
        terminal.err().println(unreadable + " was not written: its entry in the catalog cannot be read");
    }

    /**
     * Writes what is in memory into chunks, so that the next start has little to read again. Nothing is lost without.
     */
    private void flush(String url) {
        terminal.err().println("ending: writing what is in memory into chunks");
        try (WaterwheelClient client = WaterwheelClient.connect(url)) {
            for (StreamDetails stream : client.listStreams(this::notWritten)) {
                String name = stream.definition().name();
                try {
                    client.flush(name, FLUSH_PATIENCE);
                } catch (WaterwheelException e) {
                    terminal.err()
                            .println(name + " was not written whole, the next start reads the rest again: "
                                    + e.getMessage());
                }
            }
        } catch (WaterwheelException e) {
            terminal.err().println("not written, the next start reads it again: " + e.getMessage());
        } catch (RuntimeException e) {
            // Whatever it is, the services are still to be closed in order.
            terminal.err().println("not written, the next start reads it again: a defect of this command: " + e);
        }
    }

    private static boolean isExit(StackTraceElement frame) {
        return frame.getClassName().equals("java.lang.Runtime")
                && frame.getMethodName().equals("exit");
    }

    private WaterwheelConfig config() {
        List<String> all = new ArrayList<>(overrides);
        elsewhere().forEach((part, where) -> {
            if (where.named() != null) {
                all.add(where.key().name() + "=" + where.named());
            }
        });
        WaterwheelConfig config;
        try {
            config = file == null ? WaterwheelConfig.parse("command line", "", all) : WaterwheelConfig.load(file, all);
        } catch (ConfigException | UncheckedIOException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        for (Elsewhere where : elsewhere().values()) {
            String value = config.get(where.key());
            if (where.named() == null
                    && !value.equals(WaterwheelConfig.defaults().get(where.key()))) {
                // Not to be passed over: data would go where no reader looks for it.
                throw new ParameterException(
                        spec.commandLine(),
                        where.key().name() + " is " + value + ", but this server starts its own: say " + where.option()
                                + " " + value + " to use that one, or take the key away");
            }
        }
        return fitted(config, port);
    }

    /**
     * A part that may be elsewhere.
     *
     * @param named what the option says; null: it is not given
     */
    private record Elsewhere(
            String option, Key<String> key, @Nullable String named) {}

    private Map<WaterwheelServer.External, Elsewhere> elsewhere() {
        Map<WaterwheelServer.External, Elsewhere> all = new EnumMap<>(WaterwheelServer.External.class);
        all.put(WaterwheelServer.External.KAFKA, new Elsewhere("--kafka", Keys.KAFKA_BOOTSTRAP, kafka));
        all.put(WaterwheelServer.External.ZOOKEEPER, new Elsewhere("--zookeeper", Keys.ZOOKEEPER_CONNECT, zooKeeper));
        all.put(WaterwheelServer.External.CHUNK_STORE, new Elsewhere("--chunks", Keys.CHUNK_STORE_URI, chunks));
        return all;
    }

    private Set<WaterwheelServer.External> external() {
        Map<WaterwheelServer.External, Elsewhere> all = elsewhere();
        all.values().removeIf(where -> where.named() == null);
        return Set.copyOf(all.keySet());
    }

    /** The configuration with what suits one process where nothing else was said. */
    public static WaterwheelConfig fitted(WaterwheelConfig given, @Nullable Integer port) {
        WaterwheelConfig defaults = WaterwheelConfig.defaults();
        WaterwheelConfig config = given;
        if (port != null) {
            config = config.with(Keys.COORDINATOR_PORTS, List.of(port));
        } else if (config.get(Keys.COORDINATOR_PORTS).equals(defaults.get(Keys.COORDINATOR_PORTS))) {
            config = config.with(Keys.COORDINATOR_PORTS, List.of(DEFAULT_PORT));
        }
        if (config.get(Keys.COORDINATOR_TASKS).equals(defaults.get(Keys.COORDINATOR_TASKS))) {
            // They would die together.
            config = config.with(Keys.COORDINATOR_TASKS, 1);
        }
        return config;
    }

    /** Without the catalog no task starts; without Kafka streams wait. */
    private void checkOthers(WaterwheelConfig config) throws IOException {
        if (zooKeeper != null && !anyAnswers(config.get(Keys.ZOOKEEPER_CONNECT))) {
            throw new IOException("--zookeeper " + zooKeeper
                    + ": no server accepts connections there; start it, or name" + " another");
        }
        if (kafka != null && !anyAnswers(config.get(Keys.KAFKA_BOOTSTRAP))) {
            terminal.err()
                    .println("--kafka " + kafka
                            + ": no broker accepts connections there yet; streams wait until it does");
        }
    }

    private static boolean anyAnswers(String hostPorts) {
        for (String hostPort : hostPorts.split(",", -1)) {
            int colon = hostPort.lastIndexOf(':');
            try (Socket socket = new Socket()) {
                int port = Integer.parseInt(hostPort.substring(colon + 1));
                socket.connect(
                        new InetSocketAddress(InetAddress.getByName(hostPort.substring(0, colon)), port),
                        CONNECT_MILLIS);
                return true;
            } catch (IOException | IllegalArgumentException e) {
                // Perhaps the next one does.
            }
        }
        return false;
    }

    /** The coordinator would be started again and again: better said here. */
    private static void checkPort(WaterwheelConfig config) throws IOException {
        List<Integer> ports = config.get(Keys.COORDINATOR_PORTS);
        IOException last = null;
        for (int port : ports) {
            try (ServerSocket socket = new ServerSocket()) {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(InetAddress.getByName(config.get(Keys.COORDINATOR_HOST)), port));
                return;
            } catch (IOException e) {
                last = new IOException(
                        "cannot listen on " + config.get(Keys.COORDINATOR_HOST) + ", "
                                + (ports.size() == 1 ? "port " + ports.get(0) : "any of the ports " + ports) + ": "
                                + e.getMessage() + ". Is another server running? --port N takes another, --port 0 any"
                                + " free one",
                        e);
            }
        }
        if (last != null) {
            throw last;
        }
    }
}
