package io.waterwheel.embedded.demo;

import io.waterwheel.cli.Cli;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.embedded.server.ServerFolder;
import io.waterwheel.topology.config.DataSize;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code waterwheel demo}. */
@Command(
        name = "demo",
        description = {
            "Start a server on free ports and a temporary folder, send it an hour of real aircraft positions through"
                    + " Kafka, ask five questions while they arrive and again when they are in chunks, and compare each"
                    + " answer with the file.",
            "Exits with 0 when all agree. Leaves nothing behind."
        },
        footer = {"", "Example:", "  waterwheel demo"})
public final class DemoCommand implements Callable<Integer> {
    private static final int FORGET_ATTEMPTS = 50;
    private static final long FORGET_PAUSE_NANOS = 20_000_000;
    private static final long SEAL_BYTES = 512 << 10;

    private final Terminal terminal;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Of the random questions. Default: 1.")
    private long seed = 1;

    public DemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintStream out = terminal.out();
        Path folder = Files.createTempDirectory("waterwheel-demo-");
        Path log = ServerFolder.settleLog(folder);
        ServerFolder.settleTemporary(folder);
        boolean right = false;
        // A demo that is stopped in the middle leaves nothing either.
        Thread stopped = new Thread(() -> forget(folder), "demo-stopped");
        Runtime.getRuntime().addShutdownHook(stopped);
        try {
            right = run(folder, out);
            return right ? 0 : Cli.FAILURE;
        } finally {
            if (!unhook(stopped)) {
                terminal.err().println("stopped; the server's folder " + folder + " is being removed");
            } else if (right) {
                ServerFolder.delete(folder);
            } else {
                terminal.err().println("the server's folder is kept: " + folder + ", its log is " + log);
            }
        }
    }

    /** Whether that was in time: false when the hook runs, because this process is being stopped. */
    private static boolean unhook(Thread stopped) {
        try {
            return Runtime.getRuntime().removeShutdownHook(stopped);
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /** Removes the folder under a server that still runs, and may make files while it is removed. */
    private static void forget(Path folder) {
        for (int attempt = 0; attempt < FORGET_ATTEMPTS && Files.exists(folder); attempt++) {
            try {
                ServerFolder.delete(folder);
            } catch (IOException e) {
                LockSupport.parkNanos(FORGET_PAUSE_NANOS);
            }
        }
    }

    /** Small chunks, that there are some to choose from; an indexer for each quarter of the map. */
    private static WaterwheelConfig config() {
        return ServerCommand.fitted(WaterwheelConfig.defaults(), 0)
                .with(Keys.INDEXER_TASKS, Demo.INDEXERS)
                .with(Keys.INDEXER_SEAL_SIZE, new DataSize(SEAL_BYTES));
    }

    private boolean run(Path folder, PrintStream out) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        out.println("Starting ZooKeeper, Kafka and Waterwheel in this process ...");
        out.flush();
        try (RunningServer server = RunningServer.start(folder, config(), Set.of())) {
            out.println(
                    "Ready after " + Demo.millis(begin) + ": " + server.url() + ", Kafka at " + server.kafka() + ".");
            try (WaterwheelClient client = WaterwheelClient.connect(server.url())) {
                return new Demo(client, out, terminal.interactive(), seed).run(server.kafka(), server::chunks);
            }
        }
    }
}
