package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.Seconds;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.Verification;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code waterwheel verify}. */
@Command(
        name = "verify",
        description = {
            "Count the tuples of a stream's topic again, and compare them with the answers.",
            "Flushes the stream first, then compares what is in chunks with what of the topic must be there: their number"
                    + " and a fingerprint of all their values. Tuples that arrive meanwhile do not disturb it. Reads all"
                    + " that the topic still has, and the chunks that came of it. Ends with 1 when they differ, or nothing"
                    + " can be compared."
        },
        footer = {"", "Example:", "  waterwheel verify flights"})
final class VerifyCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ServerOption server = new ServerOption();

    @Parameters(paramLabel = "STREAM", description = "The stream's name.")
    private String stream = "";

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            converter = Seconds.class,
            defaultValue = "600",
            description = "How long it may take. Default: 600.")
    private Duration timeout = Duration.ofMinutes(10);

    VerifyCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (WaterwheelClient client = server.connect()) {
            Verification found = client.verify(stream, timeout);
            PrintStream out = terminal.out();
            out.println("partition\tfrom\tto\ttuples\trefused");
            found.partitions()
                    .forEach((partition, part) -> out.println(partition + "\t" + part.from() + "\t" + part.to() + "\t"
                            + part.tuples() + "\t" + part.refused()));
            out.println("topic: " + found.topicTuples() + " tuples, fingerprint " + found.topicFingerprint());
            out.println("answers: " + found.answerTuples() + " tuples, fingerprint " + found.answerFingerprint());
            found.notes().forEach(out::println);
            if (found.agrees()) {
                out.println(found.notes().isEmpty() ? "the answers are right" : "what was compared is right");
                return 0;
            }
            terminal.err().println("the answers differ from the topic:");
            found.differences().forEach(terminal.err()::println);
            return Cli.FAILURE;
        }
    }
}
