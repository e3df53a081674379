package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.Counted;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamRetention;
import io.waterwheel.schema.Retention;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel retention ...}: how long a stream's tuples are kept. */
@Command(
        name = "retention",
        description = "Show and set how long a stream's tuples are kept.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example:", "  waterwheel retention show flights"})
final class RetentionCommand {
    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    RetentionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Command(
            name = "show",
            description = {"Show how long tuples are kept, what has expired, and what will at the next look."},
            footer = {"", "Example:", "  waterwheel retention show flights"})
    int show(
            @Mixin ServerOption server,
            @Parameters(paramLabel = "STREAM", description = "The stream's name.") String stream) {
        try (WaterwheelClient client = server.connect()) {
            StreamRetention now = client.retention(stream);
            print(stream, now, now.retention());
            return 0;
        }
    }

    @Command(
            name = "set",
            description = {
                "Keep the tuples of a stream so long, by their time: what lies further back than that before the newest"
                        + " tuple, or before now when that is earlier, is no longer in any answer, and its"
                        + " chunks are removed.",
                "It goes at the next look, within maintenance.interval (10 min), and does not come back: a longer retention"
                        + " later on keeps what there still is. --dry-run says what would go, and changes nothing."
            },
            footer = {
                "",
                "Examples:",
                "  waterwheel retention set --dry-run flights 30d",
                "  waterwheel retention set flights 30d",
                "  waterwheel retention set flights off"
            })
    int set(
            @Mixin ServerOption server,
            @Option(names = "--dry-run", description = "Say what would go, and change nothing.") boolean dryRun,
            @Parameters(index = "0", paramLabel = "STREAM", description = "The stream's name.") String stream,
            @Parameters(
                            index = "1",
                            paramLabel = "HOW-LONG",
                            description = "off, or a whole number and a unit of s, min, h or d.")
                    String howLong) {
        Retention retention;
        try {
            retention = Retention.parse(howLong);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.subcommands().get("set"), String.valueOf(e.getMessage()), e);
        }
        try (WaterwheelClient client = server.connect()) {
            StreamRetention then =
                    dryRun ? client.retention(stream, retention) : client.setRetention(stream, retention);
            print(stream, then, retention);
            if (!dryRun && then.next() != null) {
                terminal.err()
                        .println(
                                "what is to expire goes at the server's next look, within maintenance.interval (10 min where that is"
                                        + " not set); until then answers have it");
            }
            if (dryRun) {
                terminal.err().println("nothing was changed: leave out --dry-run to set it");
            }
            return 0;
        }
    }

    private void print(String stream, StreamRetention now, Retention asked) {
        terminal.out().println("stream " + stream + ": retention " + now.retention());
        terminal.out().println(now.horizon() == null ? "expired: nothing" : "expired: all before " + now.horizon());
        if (!asked.equals(now.retention())) {
            terminal.out().println("with retention " + asked + ":");
        }
        if (now.next() == null) {
            terminal.out().println("to expire: nothing");
            return;
        }
        terminal.out()
                .println("to expire: all before " + now.next() + ": " + Counted.of(now.chunks(), "chunk") + " of "
                        + Counted.of(now.tuples(), "tuple") + " in " + Counted.of(now.bytes(), "byte")
                        + ", and part of " + Counted.of(now.cut(), "more chunk"));
    }
}
