package io.waterwheel.cli;

import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.InputFiles;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.Pace;
import io.waterwheel.cli.input.Rejections;
import io.waterwheel.cli.output.DropPage;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.output.TopicReaders;
import io.waterwheel.cli.proposal.FileFacts;
import io.waterwheel.cli.text.PositionText;
import io.waterwheel.cli.text.Seconds;
import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.NamedAppender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.SourceOffsets;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.admin.TopicSample;
import io.waterwheel.decode.BlockCodec;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code waterwheel append}. */
@Command(
        name = "append",
        description = {
            "Append the lines of a file to a stream, and wait until queries see them. With --create, make the stream first,"
                    + " as the file suggests.",
            "The first line of a CSV file names the fields, in any order, or --columns does. A JSON file has one object a"
                    + " line. Files compressed by gzip or Zstandard are read as they are.",
            "Lines that are no tuples of the stream are rejected, and not sent: the first of them are shown with number"
                    + " and reason. Ends with 1 when there were any, or more than --max-reject."
        },
        footer = {
            "",
            "Examples:",
            "  waterwheel append --create flights.csv.gz",
            "  waterwheel append --create taxis.txt --columns id,time,longitude,latitude --zone Asia/Shanghai",
            "  waterwheel append flights flights.csv.gz",
            "  waterwheel append flights flights.csv.gz --name flights-2021-10",
            "  waterwheel append weather 2016.csv.zst --columns station,date,-,value --max-reject 100",
            "  tail -F new.json | waterwheel append orders --format json --no-wait -"
        })
final class AppendCommand implements Callable<Integer> {
    /** What the file's lines are. */
    enum Format {
        CSV(RecordFormat.CSV),
        JSON(RecordFormat.JSON);

        final RecordFormat records;

        Format(RecordFormat records) {
            this.records = records;
        }
    }

    /** Reads {@code --encoding}. */
    static final class EncodingName implements ITypeConverter<FileEncoding> {
        @Override
        public FileEncoding convert(String value) {
            try {
                return FileEncoding.parse(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }

    /** No tuple is there, and so it costs nothing to ask whether all those below a position are. */
    private static final TimeInterval NOWHERE = new TimeInterval(Long.MIN_VALUE, Long.MIN_VALUE);

    /** How long a file's records may wait for others: they come so fast that batches are full before. */
    private static final Duration FILE_LINGER = Duration.ofMillis(100);

    /** Before a server that was away is asked again. */
    private static final long PAUSE_MILLIS = 500;

    /** Records that tell what a topic has. */
    private static final int SAMPLE = 100;

    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOption server = new ServerOption();

    @Parameters(
            paramLabel = "STREAM FILE",
            arity = "1..2",
            hideParamSyntax = true,
            description =
                    "The stream's name, which --create does without, and the file: - is standard input, of a folder"
                            + " all data files are read in the order of their names.")
    private List<String> words = List.of();

    @Option(
            names = "--create",
            description =
                    "Create the stream first, as its first rows suggest: what is proposed is shown, and on a terminal"
                            + " it is asked whether to go on.")
    private boolean create;

    @Option(
            names = "--yes",
            description =
                    "With --create: do not ask, and refuse what a person should look at: rows that do not fit, and what two readings fit equally, such as 3/4/2021.")
    private boolean yes;

    @Option(
            names = "--keep-records",
            description = "With --create: where the stream's topic is there already, let its records be rows of the"
                    + " stream too. Without it --yes refuses such a topic.")
    private boolean keepRecords;

    @Option(
            names = "--stream",
            paramLabel = "NAME",
            description =
                    "The stream's name, in place of the first word. Default with --create: as the file is called.")
    private @Nullable String named;

    @Option(
            names = "--encoding",
            paramLabel = "NAME",
            converter = EncodingName.class,
            description = "How the file's text is encoded: utf-8, utf-16le, utf-16be, windows-1252, latin-1,"
                    + " windows-1250, windows-1251, windows-1253, windows-1254, gb18030, big5, shift-jis or euc-kr."
                    + " Default: utf-8, or what its first bytes say.")
    private @Nullable FileEncoding encoding;

    private String stream = "";
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
            names = "--skip-unknown",
            description = "Pass over columns that a CSV file's first line names and that are no field of the stream."
                    + " Default: the file is refused.")
    private boolean skipUnknown;

    @Mixin
    private FileFacts facts = new FileFacts();

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
        List<InputSource> files = InputSource.named(file, terminal.in());
        if (files.size() > 1 && name != null) {
            throw wrong("--name goes with one file, and " + file + " is a folder of " + files.size());
        }
        Rejections rejections =
                new Rejections(terminal.err(), maxReject == null ? OptionalLong.empty() : OptionalLong.of(maxReject));
        try (WaterwheelClient client = server.connect()) {
            if (!create) {
                return append(client, files, rejections) ? 0 : Cli.FAILURE;
            }
            if (!created(client, files)) {
                return Cli.FAILURE;
            }
            try {
                return append(client, files, rejections) ? 0 : Cli.FAILURE;
            } catch (WaterwheelException e) {
                throw e.withMessage(e.getMessage() + "; the stream is there now: go on with 'append " + stream + " "
                        + file + "', without --create");
            }
        }
    }

    /** Creates the stream; false when the person at the terminal does not want it. */
    private boolean created(WaterwheelClient client, List<InputSource> files) throws IOException {
        boolean asks = !yes;
        if (asks && (file.equals(InputSource.STANDARD_INPUT) || !terminal.asks())) {
            throw wrong("--create asks on a terminal whether to go on, "
                    + (file.equals(InputSource.STANDARD_INPUT)
                            ? "where rows do not come from standard input"
                            : "and here is none")
                    + ": look at what 'waterwheel stream create --like' proposes, then say --yes");
        }
        // Before all of the file is looked at, which may take minutes.
        if (exists(client, stream)) {
            throw new WaterwheelException(
                    ErrorCode.STREAM_EXISTS,
                    "stream " + stream + " exists already: append to it by 'append " + stream + " " + file
                            + "', without --create, or name another with --stream");
        }
        // It is not read where nothing depends on it: who writes to a topic may be kept from reading it.
        TopicSample there = keepRecords && facts.appendsAsText() ? null : recordsOf(client, stream);
        TopicReaders readers = there == null ? new TopicReaders(List.of(), true) : TopicReaders.of(client, stream, "");
        if (!readers.streams().isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.TOPIC_TAKEN,
                    "topic " + stream + " is that of " + String.join(", ", readers.streams())
                            + ", and a stream that is called like it would read it too: name another with --stream");
        }
        String had = there == null || keepRecords ? "" : hasRecords(there);
        if (!had.isEmpty() && !asks) {
            throw new WaterwheelException(
                    ErrorCode.TOPIC_HAS_RECORDS,
                    had + ". Say --keep-records to have them in it; or name another stream with --stream"
                            + (readers.areKnown()
                                    ? "; or, where no program, and no stream of another namespace, needs the topic,"
                                            + " delete it first: " + DropPage.deletion(client.kafka(), stream)
                                    : ""));
        }
        if (!facts.appendsAsText() && there != null && isText(there)) {
            facts.appendAsText();
            terminal.err()
                    .println("topic " + stream + " is there already, with records that are no tuple blocks: rows are"
                            + " appended as text, as programs that read it expect");
        }
        StreamCreation creation = StreamCreation.propose(
                terminal, files, stream, format == null ? null : format.records, columns, encoding, facts);
        if (!asks && !creation.rejects().isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_FILE,
                    creation.rejects() + ". Nothing was created: 'waterwheel stream create --like' writes the proposal"
                            + " for a file of your own to edit");
        }
        List<String> undecided = creation.undecided();
        if (!asks && !undecided.isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_FILE,
                    file + ": " + String.join(". ", undecided) + ". Nothing was created: --yes takes no such guess");
        }
        List<String> doubts = Stream.concat(Stream.of(had, creation.rejects()), undecided.stream())
                .filter(doubt -> !doubt.isEmpty())
                .toList();
        if (asks && !creation.confirmed(terminal.in(), doubts)) {
            return false;
        }
        creation.create(client);
        format = creation.format() == RecordFormat.JSON ? Format.JSON : Format.CSV;
        columns = creation.columns();
        encoding = creation.encoding();
        return true;
    }

    private static boolean exists(WaterwheelClient client, String stream) {
        try {
            client.describe(stream);
            return true;
        } catch (WaterwheelException e) {
            if (e.is(ErrorCode.NO_SUCH_STREAM)) {
                return false;
            }
            throw e;
        }
    }

    /** Some records of a topic; null when it has none, or there is no such topic. */
    private static @Nullable TopicSample recordsOf(WaterwheelClient client, String topic) {
        try {
            TopicSample sample = client.sample(topic, SAMPLE);
            return sample.records() == 0 ? null : sample;
        } catch (WaterwheelException e) {
            if (e.is(ErrorCode.BAD_TOPIC)) {
                return null; // there is none
            }
            throw e.is(ErrorCode.NOT_ALLOWED)
                    ? e.withMessage(e.getMessage() + "; with --keep-records and --text-records it is not read")
                    : e;
        }
    }

    /** Whether none of them is a tuple block: programs may read the topic. */
    private static boolean isText(TopicSample sample) {
        return sample.values().stream().map(ByteBuffer::wrap).noneMatch(BlockCodec::begins);
    }

    /** What a new stream of a topic has from its first moment on. */
    private static String hasRecords(TopicSample there) {
        return "topic " + there.topic() + " has " + there.size() + " already" + StreamCreation.since(there)
                + ", and they would be rows of the new stream too, or dead letters where they do not fit";
    }

    /** Whether the rows count as appended. */
    private boolean append(WaterwheelClient client, List<InputSource> files, Rejections rejections) throws IOException {
        long begin = System.nanoTime();
        for (InputSource source : files) {
            source.open().close(); // says what cannot be read before anything is sent
        }
        StreamDetails details = client.describe(stream);
        for (InputSource source : files) {
            FileAppend.requireLines(
                    source.name(), format(source, details.definition().format()), facts);
        }
        long letters = noWait ? 0 : deadLetters(client); // before any record of this append can be one
        Map<Integer, Long> positions;
        try (StallNotice notice =
                new StallNotice(terminal.err(), () -> client.status().text(), System::nanoTime).start()) {
            positions = append(details, files, rejections, notice, begin);
        }
        if (!noWait && !positions.isEmpty()) {
            await(client, positions);
            terminal.err().println("queries see all of it " + seconds(begin) + " s after the start");
            long now = deadLetters(client);
            // They are counted from a dispatcher's start: less than before when it started anew.
            long more = now >= letters ? now - letters : now;
            if (more > 0) {
                terminal.err()
                        .println("meanwhile " + more + (more == 1 ? " record of " : " records of ") + stream
                                + " became dead letters, of this append or of others: see 'waterwheel dead-letters "
                                + stream + "'");
            }
        }
        if (noWait && !positions.isEmpty()) {
            terminal.err().println("positions: " + PositionText.of(positions));
        }
        return rejections.accepted();
    }

    /** Says at once what cannot work, before anything is asked or sent. */
    private void check() {
        file = words.get(words.size() - 1);
        if (words.size() > 2) {
            throw wrong("expected a stream and a file, got more: '" + words.get(2) + "'");
        }
        if (words.size() == 2 && named != null) {
            throw wrong("the stream is named twice: as '" + words.get(0) + "' and by --stream");
        }
        if (words.size() == 1 && named == null && !create) {
            throw wrong("Missing required parameter: 'FILE'");
        }
        if (yes && !create) {
            throw wrong("--yes goes with --create");
        }
        if (keepRecords && !create) {
            throw wrong("--keep-records goes with --create");
        }
        if (facts.givenOfSchema() != null && !create) {
            throw wrong(facts.givenOfSchema() + " goes with --create: of a stream that is there, its schema says it");
        }
        stream = words.size() == 2 ? words.get(0) : named != null ? named : "";
        if (stream.isEmpty()) {
            if (file.equals(InputSource.STANDARD_INPUT)) {
                throw wrong("standard input has no name that the stream could take: give one with --stream");
            }
            if (!StreamCreation.canName(file)) {
                throw wrong("the name of " + file + " has no letter of English and no digit that the stream could be"
                        + " called by: give it one with --stream");
            }
            stream = StreamCreation.nameFrom(file);
        }
        facts.check();
        if (facts.givenOfLines() != null && format == Format.JSON) {
            throw wrong(facts.givenOfLines() + " is for CSV; each object of JSON is a row");
        }
        if (name != null && file.equals("-")) {
            throw wrong("--name goes with a file, which can be read again from its beginning, not with standard input");
        }
        if (rate != null && !(rate > 0 && Double.isFinite(rate))) {
            throw wrong("--rate: expected lines a second, above 0, got " + rate);
        }
        if (maxReject != null && maxReject < 0) {
            throw wrong("--max-reject: expected 0 or more, got " + maxReject);
        }
        if (skipUnknown && (!columns.isEmpty() || create || format == Format.JSON)) {
            throw wrong(
                    "--skip-unknown is for a CSV file whose first line names its columns, of a stream that is there");
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
            StreamDetails details, List<InputSource> files, Rejections rejections, StallNotice notice, long begin)
            throws IOException {
        RecordFormat records = details.definition().format();
        InputFiles inputs = new InputFiles(files, terminal, FileAppend.unit(details.definition()));
        Pace pace = rate == null ? Pace.FREE : new Pace(rate);
        Map<Integer, Long> positions;
        FileAppend append;
        if (name == null) {
            try (Appender appender = Appender.open(details, settings(files, rate != null))) {
                FileAppend.Target target = FileAppend.Target.of(appender).watched(notice);
                append = new FileAppend(target, null, notice, terminal, rejections, inputs.progress(), pace);
                run(append, inputs, records);
                Map<Integer, Long> flushed = new HashMap<>();
                notice.during(() -> flushed.putAll(appender.flush()));
                positions = flushed;
            }
        } else {
            try (NamedAppender appender = NamedAppender.open(details, settings(files, rate != null), name)) {
                FileAppend.Target target = FileAppend.Target.of(appender).watched(notice);
                FileAppend.Named named =
                        new FileAppend.Named(appender.progress(), appender.positions(), appender::commit);
                append = new FileAppend(target, named, notice, terminal, rejections, inputs.progress(), pace);
                run(append, inputs, records);
                positions = append.committed();
            }
        }
        terminal.err()
                .println(FileAppend.counted(append.sent(), details.definition()) + " accepted, " + rejections.count()
                        + " rejected, in " + seconds(begin) + " s"
                        + (append.before() == 0 ? "" : "; " + append.before() + " of them by earlier runs")
                        + (rejections.tooMany() ? "; ended early: more than --max-reject " + maxReject : ""));
        return positions;
    }

    /**
     * A file's rows go by the hundred: packing them halves the log (docs/decisions/0059). Full batches spare time; rows
     * that come one by one go at once (docs/decisions/0065).
     */
    static AppenderSettings settings(List<InputSource> files, boolean paced) {
        AppenderSettings settings = AppenderSettings.DEFAULT.compressedBy(
                InputFiles.hasZstd() ? AppenderSettings.Compression.ZSTD : AppenderSettings.Compression.LZ4);
        boolean flows = paced || !files.stream().allMatch(InputSource::isFile);
        return flows ? settings : settings.lingering(FILE_LINGER);
    }

    private void run(FileAppend append, InputFiles inputs, RecordFormat records) throws IOException {
        inputs.each((source, in) -> {
            try {
                append.run(
                        source.name(),
                        !source.isFile(),
                        in,
                        format(source, records),
                        columns,
                        skipUnknown,
                        encoding,
                        facts);
            } catch (IOException e) {
                throw new IOException(source.name() + ": " + e.getMessage() + "; " + append.left(), e);
            }
        });
    }

    private long deadLetters(WaterwheelClient client) {
        return client.offsets(stream).stream()
                .mapToLong(SourceOffsets::deadLetters)
                .sum();
    }

    private void await(WaterwheelClient client, Map<Integer, Long> positions) {
        try {
            long none = untilReached(
                    timeout,
                    left -> client.count(Query.of(stream)
                            .withTimes(NOWHERE)
                            .withSeen(new SessionPositions(SessionPositions.ANY, positions))
                            .withTimeout(left)),
                    AppendCommand::pause);
            if (none < 0) {
                throw new IllegalStateException("a count of " + none);
            }
        } catch (WaterwheelException e) {
            throw e.withMessage("everything was sent, but whether queries see it is not known: " + e.getMessage());
        }
    }

    /**
     * What a server answers that may be away for a while, as it is when it is started anew.
     *
     * @param ask is given the time that is left
     * @param pause waits a little, within the time that is left; false when it was interrupted
     */
    static <T> T untilReached(Duration patience, Function<Duration, T> ask, Predicate<Duration> pause) {
        long deadline = System.nanoTime() + patience.toNanos();
        Duration left = patience;
        while (true) {
            try {
                return ask.apply(left);
            } catch (WaterwheelException e) {
                left = Duration.ofNanos(deadline - System.nanoTime());
                if (!e.is(ErrorCode.SERVER_UNREACHABLE) || left.compareTo(Duration.ZERO) <= 0 || !pause.test(left)) {
                    throw e;
                }
                left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
            }
        }
    }

    private static boolean pause(Duration left) {
        try {
            Thread.sleep(Math.min(PAUSE_MILLIS, left.toMillis()));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Format format(InputSource source, RecordFormat records) {
        if (format != null) {
            return format;
        }
        if (!columns.isEmpty()) {
            return Format.CSV;
        }
        return source.isJson() || (records == RecordFormat.JSON && !source.isCsv()) ? Format.JSON : Format.CSV;
    }

    private static String seconds(long begin) {
        return String.format(Locale.ROOT, "%.2f", (System.nanoTime() - begin) / 1e9);
    }
}
