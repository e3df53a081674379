package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.Seconds;
import io.waterwheel.client.WaterwheelClient;
import java.time.Duration;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code waterwheel flush}. */
@Command(
        name = "flush",
        description = {
            "Write a stream's fresh tuples into chunks, and wait until they are there. Queries do not need it.",
            "Prints by partition the offset below which everything is in chunks."
        },
        footer = {"", "Example:", "  waterwheel flush flights"})
final class FlushCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ServerOption server = new ServerOption();

    @Parameters(paramLabel = "STREAM", description = "The stream's name.")
    private String stream = "";

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            converter = Seconds.class,
            defaultValue = "30",
            description = "How long to wait. Default: 30.")
    private Duration timeout = Duration.ofSeconds(30);

    FlushCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (WaterwheelClient client = server.connect()) {
            new TreeMap<>(client.flush(stream, timeout))
                    .forEach((partition, offset) -> terminal.out().println(partition + "\t" + offset));
            return 0;
        }
    }
}
