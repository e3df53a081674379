package io.waterwheel.embedded;

import io.waterwheel.client.cli.Cli;
import io.waterwheel.client.cli.Terminal;
import java.util.List;

/** Entry point of the {@code waterwheel} launcher: the client's commands, and those of this module. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        // Explicit: Storm in this process leaves threads behind.
        System.exit(run(args, Terminal.ofProcess()));
    }

    static int run(String[] args, Terminal terminal) {
        return Cli.run(args, terminal, List.of(new ServerCommand(terminal), new DemoCommand(terminal)));
    }
}
