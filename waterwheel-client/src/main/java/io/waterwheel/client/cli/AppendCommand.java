package io.waterwheel.client.cli;

import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.NamedAppender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.model.RecordFormat;
import io.waterwheel.model.TimeInterval;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.query.Query;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel append}. */
@Command(
        name = "append",
        description = {
            "Append the lines of a file to a stream, and wait until queries see them.",
            "The first line of a CSV file names the fields, in any order. A JSON file has one object a line. Files that"
                    + " are gzip'd are read as they are.",
            "Lines that the server cannot decode it puts aside into the stream's dead letters, with the reason; lines"
                    + " that cannot be sent are reported here."
        },
        footer = {
            "",
            "Examples:",
            "  waterwheel append flights flights.csv.gz",
            "  waterwheel append flights flights.csv.gz --name flights-2021-10",
            "  tail -F new.json | waterwheel append orders --format json --no-wait -"
        })
final class AppendCommand implements Callable<Integer> {
    /** What the file's lines are. */
    enum Format {
        CSV,
        JSON
    }

    /** No tuple is there, and so it costs nothing to ask whether all those below a position are. */
    private static final TimeInterval NOWHERE = new TimeInterval(Long.MIN_VALUE, Long.MIN_VALUE);

    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOption server = new ServerOption();

    @Parameters(paramLabel = "STREAM", index = "0", description = "The stream's name.")
    private String stream = "";

    @Parameters(paramLabel = "FILE", index = "1", description = "The file; - is standard input.")
    private String file = "";

    @Option(
            names = "--format",
            paramLabel = "csv|json",
            description = "What the lines are. Default: what the file's name ends with, else what the stream's records"
                    + " are, else csv.")
    private @Nullable Format format;

    @Option(
            names = "--name",
            paramLabel = "ID",
            description = "Append under a name, and each line once however often this is run: killed and run again with"
                    + " the same name and file it goes on where it stood, and adds what has come to the file since (whole"
                    + " lines: let no last line be without its end)."
                    + " Queries see lines a second or so after they are sent.")
    private @Nullable String name;

    @Option(names = "--no-wait", description = "End when Kafka has the records, before queries see them.")
    private boolean noWait;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            converter = Seconds.class,
            defaultValue = "300",
            description = "How long to wait until queries see everything. Default: 300.")
    private Duration timeout = Duration.ofMinutes(5);

    AppendCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        long begin = System.nanoTime();
        PrintStream err = terminal.err();
        try (WaterwheelClient client = server.connect();
                InputStream in = open()) {
            if (name != null && file.equals("-")) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--name goes with a file, which can be read again from its beginning, not with standard input");
            }
            FileAppend append;
            Map<Integer, Long> positions;
            if (name == null) {
                try (Appender appender = client.appender(stream)) {
                    append = new FileAppend(appender, source(), terminal);
                    append.run(in, format(appender.stream().format()));
                    positions = appender.flush();
                }
            } else {
                try (NamedAppender appender =
                        NamedAppender.open(client.describe(stream), AppenderSettings.DEFAULT, name)) {
                    append = new FileAppend(appender, source(), terminal);
                    append.run(in, format(appender.stream().format()));
                    positions = append.committed();
                }
            }
            err.println(
                    append.sent() + " " + append.unit() + " appended to " + stream + " in " + seconds(begin) + " s");
            if (!noWait && !positions.isEmpty()) {
                await(client, positions);
                err.println("queries see all of it " + seconds(begin) + " s after the start");
            }
            if (append.refused() > 0) {
                err.println(append.refused() + " lines were not appended");
                return Cli.FAILURE;
            }
            return 0;
        }
    }

    private void await(WaterwheelClient client, Map<Integer, Long> positions) {
        try {
            long none = client.count(
                    Query.of(stream).withTimes(NOWHERE).withSeen(positions).withTimeout(timeout));
            if (none < 0) {
                throw new IllegalStateException("a count of " + none);
            }
        } catch (WaterwheelException e) {
            throw new WaterwheelException(
                    e.kind(),
                    e.code(),
                    "everything was sent, but whether queries see it is not known: " + e.getMessage(),
                    e);
        }
    }

    private String source() {
        return file.equals("-") ? "standard input" : file;
    }

    private InputStream open() throws IOException {
        if (file.equals("-")) {
            return terminal.in();
        }
        try {
            return Files.newInputStream(Path.of(file));
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file, e);
        }
    }

    private Format format(RecordFormat records) {
        if (format != null) {
            return format;
        }
        String name = file.toLowerCase(Locale.ROOT).replaceFirst("\\.gz$", "");
        if (name.endsWith(".json") || name.endsWith(".jsonl") || name.endsWith(".ndjson")) {
            return Format.JSON;
        }
        return records == RecordFormat.JSON && !name.endsWith(".csv") ? Format.JSON : Format.CSV;
    }

    private static String seconds(long begin) {
        return String.format(Locale.ROOT, "%.2f", (System.nanoTime() - begin) / 1e9);
    }
}
