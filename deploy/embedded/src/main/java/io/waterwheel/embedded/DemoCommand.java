package io.waterwheel.embedded;

import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.cli.Cli;
import io.waterwheel.client.cli.Terminal;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code waterwheel demo}. */
@Command(
        name = "demo",
        description = {
            "Start a server on free ports and a temporary folder, send it an hour of real aircraft positions through"
                    + " Kafka, and compare its answers with the file: while they arrive, from memory, and from chunks.",
            "Exits with 0 when all agree. Leaves nothing behind."
        },
        footer = {"", "Example:", "  waterwheel demo"})
final class DemoCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Of the random questions. Default: 1.")
    private long seed = 1;

    DemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintStream out = terminal.out();
        Path folder = Files.createTempDirectory("waterwheel-demo-");
        Path log = ServerFolder.settleLog(folder);
        ServerFolder.settleTemporary(folder);
        boolean right = false;
        try {
            right = run(folder, out);
            return right ? 0 : Cli.FAILURE;
        } finally {
            if (right) {
                ServerFolder.delete(folder);
            } else {
                terminal.err().println("the server's folder is kept: " + folder + ", its log is " + log);
            }
        }
    }

    private boolean run(Path folder, PrintStream out) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        out.println("Starting ZooKeeper, Kafka, Storm and Waterwheel in this process ...");
        out.flush();
        try (RunningServer server =
                RunningServer.start(folder, ServerCommand.fitted(WaterwheelConfig.defaults(), 0), Set.of())) {
            out.println(
                    "Ready after " + Demo.millis(begin) + ": " + server.url() + ", Kafka at " + server.kafka() + ".");
            try (WaterwheelClient client = WaterwheelClient.connect(server.url())) {
                return new Demo(client, out, seed).run(server.kafka());
            }
        }
    }
}
