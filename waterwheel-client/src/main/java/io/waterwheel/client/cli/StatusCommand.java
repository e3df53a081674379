package io.waterwheel.client.cli;

import io.waterwheel.client.ServerStatus;
import io.waterwheel.client.WaterwheelClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code waterwheel status}. */
@Command(
        name = "status",
        description = "Show how the server and its streams are.",
        footer = {"", "Example:", "  waterwheel status --json"})
final class StatusCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ServerOption server = new ServerOption();

    @Option(names = "--json", description = "As one JSON object.")
    private boolean json;

    StatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (WaterwheelClient client = server.connect()) {
            ServerStatus status = client.status();
            terminal.out().println((json ? status.json() : status.text()).stripTrailing());
            return 0;
        }
    }
}
