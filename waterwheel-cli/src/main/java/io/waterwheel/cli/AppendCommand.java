package io.waterwheel.cli;

import io.waterwheel.cli.input.AppendProgress;
import io.waterwheel.cli.input.CountedInput;
import io.waterwheel.cli.input.Pace;
import io.waterwheel.cli.input.Rejections;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.PositionText;
import io.waterwheel.cli.text.Seconds;
import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.NamedAppender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.SourceOffsets;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
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
            "The first line of a CSV file names the fields, in any order, or --columns does. A JSON file has one object a"
                    + " line. Files compressed by gzip or Zstandard are read as they are.",
            "Lines that are no tuples of the stream are rejected, and not sent: the first of them are shown with number"
                    + " and reason. Ends with 1 when there were any, or more than --max-reject."
        },
        footer = {
            "",
            "Examples:",
            "  waterwheel append flights flights.csv.gz",
            "  waterwheel append flights flights.csv.gz --name flights-2021-10",
            "  waterwheel append weather 2016.csv.zst --columns station,date,-,value --max-reject 100",
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
            description =
                    "Append under a name, which makes each line count once. A run that was killed resumes when it is run"
                            + " again with the same name and file, and then appends lines that the file has got since (whole"
                            + " lines: let no last line be without its end)."
                            + " Queries see lines a second or so after they are sent.")
    private @Nullable String name;

    @Option(
            names = "--columns",
            paramLabel = "FIELD",
            split = ",",
            description = "The fields of a CSV file's columns, when no first line names them; - for a column to pass"
                    + " over.")
    private List<String> columns = List.of();

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Lines a second at most, to replay a file slowly. Default: as fast as it goes.")
    private @Nullable Double rate;

    @Option(
            names = "--max-reject",
            paramLabel = "N",
            description =
                    "End at once, with 1, when more lines than this are rejected; up to that number is no failure."
                            + " Default: go through all lines, and end with 1 when any was rejected.")
    private @Nullable Long maxReject;

    @Option(
            names = "--no-wait",
            description = "End when Kafka has the records, before queries see them, and say their positions last:"
                    + " a query with these as --at-least waits for them.")
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
        check();
        long begin = System.nanoTime();
        Rejections rejections = new Rejections(
                source(), terminal.err(), maxReject == null ? OptionalLong.empty() : OptionalLong.of(maxReject));
        try (WaterwheelClient client = server.connect();
                CountedInput in = new CountedInput(open())) {
            StreamDetails details = client.describe(stream);
            long letters = noWait ? 0 : deadLetters(client); // before any record of this append can be one
            Map<Integer, Long> positions;
            try (StallNotice notice =
                    new StallNotice(terminal.err(), () -> client.status().text(), System::nanoTime).start()) {
                positions = append(details, in, rejections, notice, begin);
            }
            if (!noWait && !positions.isEmpty()) {
                await(client, positions);
                terminal.err().println("queries see all of it " + seconds(begin) + " s after the start");
                long now = deadLetters(client);
                // They are counted from a dispatcher's start: less than before when it started anew.
                long more = now >= letters ? now - letters : now;
                if (more > 0) {
                    terminal.err()
                            .println("meanwhile " + more + " records of " + stream
                                    + " became dead letters, of this append or of others: see 'waterwheel dead-letters "
                                    + stream + "'");
                }
            }
            if (noWait && !positions.isEmpty()) {
                terminal.err().println("positions: " + PositionText.of(positions));
            }
            return rejections.accepted() ? 0 : Cli.FAILURE;
        }
    }

    /** Says at once what cannot work, before anything is asked or sent. */
    private void check() {
        if (name != null && file.equals("-")) {
            throw wrong("--name goes with a file, which can be read again from its beginning, not with standard input");
        }
        if (rate != null && !(rate > 0 && Double.isFinite(rate))) {
            throw wrong("--rate: expected lines a second, above 0, got " + rate);
        }
        if (maxReject != null && maxReject < 0) {
            throw wrong("--max-reject: expected 0 or more, got " + maxReject);
        }
        if (!columns.isEmpty() && format == Format.JSON) {
            throw wrong("--columns is for CSV; a JSON object names its fields itself");
        }
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }

    /** Appends, and says how much; by partition the offset below which all of it lies. */
    private Map<Integer, Long> append(
            StreamDetails details, CountedInput in, Rejections rejections, StallNotice notice, long begin)
            throws IOException {
        RecordFormat records = details.definition().format();
        long size = file.equals("-") ? -1 : Files.size(Path.of(file));
        AppendProgress progress = new AppendProgress(terminal, FileAppend.unit(records), in::bytes, size);
        Pace pace = rate == null ? Pace.FREE : new Pace(rate);
        Map<Integer, Long> positions;
        FileAppend append;
        if (name == null) {
            try (Appender appender = Appender.open(details, AppenderSettings.DEFAULT)) {
                AppendTarget target = AppendTarget.watched(AppendTarget.of(appender), notice);
                append = new FileAppend(target, null, notice, source(), terminal, rejections, progress, pace);
                run(append, in, records);
                Map<Integer, Long> flushed = new HashMap<>();
                notice.during(() -> flushed.putAll(appender.flush()));
                positions = flushed;
            }
        } else {
            try (NamedAppender appender = NamedAppender.open(details, AppenderSettings.DEFAULT, name)) {
                AppendTarget target = AppendTarget.watched(AppendTarget.of(appender), notice);
                append = new FileAppend(target, appender, notice, source(), terminal, rejections, progress, pace);
                run(append, in, records);
                positions = append.committed();
            }
        }
        terminal.err()
                .println(append.sent() + " " + FileAppend.unit(records) + " accepted, " + rejections.count()
                        + " rejected, in " + seconds(begin) + " s"
                        + (rejections.tooMany() ? "; ended early: more than --max-reject " + maxReject : ""));
        return positions;
    }

    private void run(FileAppend append, InputStream in, RecordFormat records) throws IOException {
        try {
            append.run(in, format(records), columns);
        } catch (IOException e) {
            throw new IOException(source() + ": " + e.getMessage() + "; " + append.left(), e);
        }
    }

    private long deadLetters(WaterwheelClient client) {
        return client.offsets(stream).stream()
                .mapToLong(SourceOffsets::deadLetters)
                .sum();
    }

    private void await(WaterwheelClient client, Map<Integer, Long> positions) {
        try {
            long none = client.count(Query.of(stream)
                    .withTimes(NOWHERE)
                    .withSeen(new SessionPositions(SessionPositions.ANY, positions))
                    .withTimeout(timeout));
            if (none < 0) {
                throw new IllegalStateException("a count of " + none);
            }
        } catch (WaterwheelException e) {
            throw e.withMessage("everything was sent, but whether queries see it is not known: " + e.getMessage());
        }
    }

    private String source() {
        return file.equals("-") ? "standard input" : file;
    }

    private InputStream open() throws IOException {
        if (file.equals("-")) {
            return terminal.in();
        }
        if (Files.isDirectory(Path.of(file))) {
            throw new IOException(file + " is a folder; name a file");
        }
        try {
            return Files.newInputStream(Path.of(file));
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file, e);
        } catch (AccessDeniedException e) {
            throw new IOException("cannot read " + file + ": permission denied", e);
        }
    }

    private Format format(RecordFormat records) {
        if (format != null) {
            return format;
        }
        if (!columns.isEmpty()) {
            return Format.CSV;
        }
        String name = file.toLowerCase(Locale.ROOT).replaceFirst("\\.(gz|zst)$", "");
        if (name.endsWith(".json") || name.endsWith(".jsonl") || name.endsWith(".ndjson")) {
            return Format.JSON;
        }
        return records == RecordFormat.JSON && !name.endsWith(".csv") ? Format.JSON : Format.CSV;
    }

    private static String seconds(long begin) {
        return String.format(Locale.ROOT, "%.2f", (System.nanoTime() - begin) / 1e9);
    }
}
