package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.KeyRanges;
import io.waterwheel.schema.Balancing;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code waterwheel key-ranges ...}: how a stream's keys are divided between its indexers. */
@Command(
        name = "key-ranges",
        description = "Show and set how a stream's keys are divided between its indexers.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example:", "  waterwheel key-ranges show flights"})
final class KeyRangesCommand {
    private final Terminal terminal;

    KeyRangesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Command(
            name = "show",
            description = {
                "Show the first key of each indexer and the tuples a second that its keys brought in the last seconds."
            },
            footer = {"", "Example:", "  waterwheel key-ranges show flights"})
    int show(@Mixin StreamOption of) {
        try (WaterwheelClient client = of.connect()) {
            print(of.stream(), client.keyRanges(of.stream()));
            return 0;
        }
    }

    @Command(
            name = "set",
            description = {
                "Divide the keys by hand, from about a second on, and leave them so: the balancer no longer changes them.",
                "Answers stay exact before, during and after."
            },
            footer = {"", "Example:", "  waterwheel key-ranges set sensors 1000 2000 3000"})
    int set(
            @Mixin StreamOption of,
            @Parameters(
                            index = "1..*",
                            arity = "1..*",
                            paramLabel = "KEY",
                            description = "First value of the key field of each indexer but the first, ascending;"
                                    + " of a stream of positions, first z-order code.")
                    List<String> boundaries) {
        try (WaterwheelClient client = of.connect()) {
            print(of.stream(), client.setKeyRanges(of.stream(), boundaries));
            return 0;
        }
    }

    @Command(
            name = "auto",
            description = {
                "Let the balancer divide the keys whenever an indexer's load is far from the mean for some seconds."
            },
            footer = {
                "",
                "Example:",
                "  waterwheel key-ranges auto flights",
                "  waterwheel key-ranges auto --off flights"
            })
    int auto(
            @Mixin StreamOption of,
            @Option(names = "--off", description = "Leave the keys divided as they are.") boolean off) {
        try (WaterwheelClient client = of.connect()) {
            client.alter(of.stream(), null, null, off ? Balancing.OFF : Balancing.AUTO);
            print(of.stream(), client.keyRanges(of.stream()));
            return 0;
        }
    }

    /** A bound between texts need not be one, nor one that a terminal shows: then the bytes that it begins with. */
    private static String shown(KeyRanges.Part part) {
        String low = part.low();
        if (low == null) {
            return "the least key";
        }
        byte[] key = ByteBuffer.allocate(Long.BYTES)
                .putLong(part.lowKey() ^ Long.MIN_VALUE)
                .array();
        return low.isEmpty() || low.codePoints().anyMatch(Character::isISOControl) || isCut(low, key)
                ? "the bytes " + HexFormat.ofDelimiter(" ").formatHex(key)
                : low;
    }

    /** Whether the key begins with this text, and goes on with what is none. */
    private static boolean isCut(String low, byte[] key) {
        byte[] text = low.getBytes(StandardCharsets.UTF_8);
        if (text.length >= key.length || !Arrays.equals(text, Arrays.copyOf(key, text.length))) {
            return false;
        }
        for (int i = text.length; i < key.length; i++) {
            if (key[i] != 0) {
                return true;
            }
        }
        return false;
    }

    private void print(String stream, KeyRanges keys) {
        terminal.out()
                .println("stream " + stream + ": routing version " + keys.version() + ", balancing "
                        + keys.balancing() + ", busiest indexer "
                        + String.format(Locale.ROOT, "%.2f", keys.fullest()) + " times the mean");
        for (KeyRanges.Part part : keys.partitions()) {
            terminal.out()
                    .println("indexer " + part.indexer() + ": "
                            + "from " + shown(part) + ", "
                            + Math.round(part.rate()) + " tuples/s");
        }
    }
}
