package io.waterwheel.cli;

import io.waterwheel.cli.output.StatusPage;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.Seconds;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.status.ServerReport;
import io.waterwheel.status.StatusJson;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel status}. */
@Command(
        name = "status",
        description = {
            "Show how the server and its streams are: tuples in memory and in chunks, how far each partition lags behind"
                    + " its topic, how fast tuples come, and what is unhealthy and why.",
            "rejected counts records and rows that could not become tuples, since their reader started."
        },
        footer = {
            "",
            "Examples:",
            "  waterwheel status",
            "  waterwheel status flights",
            "  waterwheel status --watch",
            "  waterwheel status --format json"
        })
final class StatusCommand implements Callable<Integer> {
    enum Format {
        TABLE,
        JSON
    }

    private static final String HOME_AND_CLEAR = "\u001b[H\u001b[2J";
    /** Between the two looks that a rate is made of. */
    private static final Duration GLANCE = Duration.ofMillis(300);

    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOption server = new ServerOption();

    @Parameters(
            paramLabel = "STREAM",
            arity = "0..1",
            description = "Only this stream, and what is unhealthy of it. Default: all, and the server.")
    private @Nullable String stream;

    @Option(
            names = "--format",
            paramLabel = "table|json",
            defaultValue = "table",
            description = "table for people, or one JSON object a look. Default: table.")
    private Format format = Format.TABLE;

    @Option(names = "--json", hidden = true, description = "As --format json.")
    private boolean json;

    @Option(names = "--watch", description = "Look again and again until it is interrupted.")
    private boolean watch;

    @Option(
            names = "--every",
            paramLabel = "SECONDS",
            converter = Seconds.class,
            defaultValue = "2",
            description = "With --watch: how often. Default: 2.")
    private Duration period = Duration.ofSeconds(2);

    StatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        boolean asJson = json || format == Format.JSON;
        if (asJson && stream != null) {
            throw new ParameterException(spec.commandLine(), "STREAM goes with a table: JSON is the whole status");
        }
        try (WaterwheelClient client = server.connect()) {
            if (stream != null) {
                StreamDetails unused = client.describe(stream); // says where there is none
            }
            PrintStream out = terminal.out();
            StatusPage.Look before = null;
            do {
                String text = client.status().json();
                ServerReport report = StatusJson.read(text);
                StatusPage.Look now =
                        new StatusPage.Look(stream == null ? report : report.only(stream), System.nanoTime());
                if (asJson) {
                    out.println(text.stripTrailing());
                } else if (before == null && !now.report().streams().isEmpty()) {
                    // A rate takes two looks.
                    before = now;
                    LockSupport.parkNanos(GLANCE.toNanos());
                    continue;
                } else {
                    if (watch && terminal.outWatched()) {
                        out.print(HOME_AND_CLEAR);
                    }
                    if (stream != null && now.report().streams().isEmpty()) {
                        out.println("nothing is heard yet of stream " + stream);
                    } else {
                        StatusPage.of(now, before == null ? now : before).forEach(out::println);
                    }
                    before = now;
                }
                if (!watch || out.checkError()) {
                    return 0; // when the reader went away, Cli says so
                }
                LockSupport.parkNanos(period.toNanos());
            } while (!Thread.currentThread().isInterrupted());
            return Cli.FAILURE;
        }
    }
}
