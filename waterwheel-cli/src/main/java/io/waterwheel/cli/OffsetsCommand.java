package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.PositionText;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.SourceOffsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel offsets ...}: where reading of a stream's topic stands, and moving it by hand. */
@Command(
        name = "offsets",
        description = "Show and set where reading of a stream's topic stands.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example:", "  waterwheel offsets show flights"})
final class OffsetsCommand {
    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    OffsetsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Command(
            name = "show",
            description = {
                "Show by partition: read up to, limit, log start, log end, lag, and by indexer what is in chunks and what is"
                        + " indexed; then what is lost, and why it stands still.",
                "Everything is in positions: offsets of the log, plus the base that is shown when it is not 0."
            },
            footer = {"", "Example:", "  waterwheel offsets show flights"})
    int show(@Mixin StreamOption of) {
        try (WaterwheelClient client = of.connect()) {
            print(client.offsets(of.stream()));
            return 0;
        }
    }

    @Command(
            name = "set",
            description = {
                "Go on reading from further on. What is passed over and not indexed yet is recorded as lost, and every answer"
                        + " says so. Not backwards: tuples would be counted twice.",
                "Offsets are the topic's own, as Kafka's tools show them."
            },
            footer = {"", "Example:", "  waterwheel offsets set flights 0:1201"})
    int set(
            @Mixin StreamOption of,
            @Parameters(
                            index = "1..*",
                            arity = "1..*",
                            paramLabel = "PARTITION:OFFSET",
                            converter = PositionText.class,
                            description = "A partition and the offset of the next record to read.")
                    List<Map.Entry<Integer, Long>> positions) {
        Map<Integer, Long> offsets = new TreeMap<>();
        for (Map.Entry<Integer, Long> one : positions) {
            if (offsets.put(one.getKey(), one.getValue()) != null) {
                throw new ParameterException(
                        spec.subcommands().get("set"), "partition " + one.getKey() + " is named twice");
            }
        }
        try (WaterwheelClient client = of.connect()) {
            print(client.setOffsets(of.stream(), offsets));
            return 0;
        }
    }

    private void print(List<SourceOffsets> partitions) {
        for (SourceOffsets part : partitions) {
            terminal.out()
                    .println("partition " + part.partition() + ": position " + text(part.position()) + ", limit "
                            + part.limit() + ", log " + text(part.logStart()) + " to " + text(part.logEnd()) + ", lag "
                            + text(part.lag()) + ", dead letters " + part.deadLetters()
                            + (part.base() == 0 ? "" : ", base " + part.base()));
            new TreeMap<>(part.checkpoints()).forEach((indexer, position) -> terminal.out()
                    .println("  indexer " + indexer + ": in chunks below " + position + ", indexed below "
                            + part.watermarks().getOrDefault(indexer, position)));
            part.lost().forEach(range -> terminal.out()
                    .println("  lost: " + range.from() + " to " + (range.to() - 1) + " (" + range.reason() + ")"));
            if (!part.trouble().isEmpty()) {
                terminal.out().println("  stands still: " + part.trouble());
            }
        }
    }

    private static String text(OptionalLong number) {
        return number.isPresent() ? Long.toString(number.getAsLong()) : "?";
    }
}
