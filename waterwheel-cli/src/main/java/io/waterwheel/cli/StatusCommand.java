package io.waterwheel.cli;

import io.waterwheel.cli.output.StatusPage;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.Seconds;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.status.StatusJson;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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

    @Mixin
    private ServerOption server = new ServerOption();

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
        try (WaterwheelClient client = server.connect()) {
            PrintStream out = terminal.out();
            StatusPage.Look before = null;
            do {
                String text = client.status().json();
                StatusPage.Look now = new StatusPage.Look(StatusJson.read(text), System.nanoTime());
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
                    StatusPage.of(now, before == null ? now : before).forEach(out::println);
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
