package io.waterwheel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.output.Terminal;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The commands about one stream take it as their first word, before what else they take. */
final class StreamOptionTest {
    @Test
    void theStreamComesFirst() {
        Terminal terminal = new Terminal(System.in, System.out, System.err, false);
        for (Object command : List.of(new KeyRangesCommand(terminal), new OffsetsCommand(terminal))) {
            CommandLine line = new CommandLine(command);
            line.getSubcommands().forEach((name, sub) -> {
                PositionalParamSpec first =
                        sub.getCommandSpec().positionalParameters().get(0);
                assertThat(first.paramLabel()).as(name).isEqualTo("STREAM");
                assertThat(first.index().toString()).isEqualTo("0");
                assertThat(sub.getCommandSpec().findOption("--server")).as(name).isNotNull();
            });
        }
        CommandLine.ParseResult parsed = new CommandLine(new OffsetsCommand(terminal))
                .parseArgs("set", "flights", "0=1201", "--server", "grpc://h:1")
                .subcommand();
        assertThat(parsed.matchedPositionals()).hasSize(2);
    }
}
