package io.waterwheel.cli;

import io.waterwheel.cli.input.AppendProgress;
import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.FileProgress;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.Line;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.cli.input.Pace;
import io.waterwheel.cli.input.Rejections;
import io.waterwheel.cli.input.Totals;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.proposal.FileFacts;
import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.NamedAppender;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Appends the lines of one file, in the form that the stream's records have, and counts them. One thread. */
final class FileAppend {
    /** Often enough to be far from Kafka's patience with a transaction, and for queries to see it come. */
    private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long COMMIT_BYTES = 16 << 20;

    /**
     * Bytes of a stream's tuple blocks that are handed on together: what an appender takes for a record as it is, and a
     * bit less, so that the last row has room.
     */
    private static final int BLOCK_BYTES = AppenderSettings.DEFAULT.blockBytes() / 16 * 15;

    private final Target appender;
    private String source = "";
    /** What names the columns of a CSV file. */
    private String columnNamer = "";

    private final PrintStream err;
    private final Rejections rejections;
    private final AppendProgress progress;
    private final Pace pace;
    private final Schema schema;
    private final RecordFormat records;
    private final boolean blocks;
    private final @Nullable Named named;
    private final StallNotice notice;
    private final FileProgress passed = new FileProgress();
    private long committedAt = System.nanoTime();
    private long uncommittedBytes;
    private Map<Integer, Long> committed = Map.of();
    private long sent;
    /** Of those, that the last commit has appended; of an append under a name. */
    private long sentAtCommit;

    private long sentBefore;
    /** Totals behind the last row, which were rejected. */
    private long refusedAtEnd;

    /**
     * @param appender whose calls are under the notice
     * @param named where it appends under a name: it goes on after the last line that was committed under that, and
     *     commits as it goes
     */
    FileAppend(
            Target appender,
            @Nullable Named named,
            StallNotice notice,
            Terminal terminal,
            Rejections rejections,
            AppendProgress progress,
            Pace pace) {
        this.appender = appender;
        this.named = named;
        this.notice = notice;
        this.err = terminal.err();
        this.rejections = rejections;
        this.progress = progress;
        this.pace = pace;
        this.schema = appender.stream().schema();
        this.records = appender.stream().format();
        this.blocks = appender.stream().takesBlocks();
    }

    /** Lines that were sent, by earlier runs under the name too. */
    long sent() {
        return sent;
    }

    /** Those that earlier runs under the name sent. */
    long before() {
        return sentBefore;
    }

    /** What became of them when it fails. */
    String left() {
        if (named == null) {
            return sent + " " + unit(appender.stream()) + " were sent before that";
        }
        return sentAtCommit + " " + unit(appender.stream())
                + " are appended under the name so far, and none behind them; the same command" + " goes on there";
    }

    /** What {@link #sent} counts, in a stream of such records. */
    static String unit(StreamDefinition stream) {
        return stream.takesBlocks() ? "tuples" : "records";
    }

    /** A number of these. */
    static String counted(long count, StreamDefinition stream) {
        String unit = unit(stream);
        return count + " " + (count == 1 ? unit.substring(0, unit.length() - 1) : unit);
    }

    /** By partition the offset below which all of it lies; of an append under a name. */
    Map<Integer, Long> committed() {
        return committed;
    }

    /**
     * Appends the lines of a file; under a name, of one only.
     *
     * @param file what messages call it
     * @param waits whether reading it may wait for somebody who writes it
     * @param named the columns of a CSV file; empty: its first line names them
     * @param skipsUnknown whether columns that its first line names, and that are no field, are passed over
     * @param encoding of the file; null: UTF-8, or what its first bytes say
     * @param facts which of its lines are no rows
     */
    void run(
            String file,
            boolean waits,
            InputStream in,
            AppendCommand.Format format,
            List<String> named,
            boolean skipsUnknown,
            @Nullable FileEncoding encoding,
            FileFacts facts)
            throws IOException {
        source = file;
        refusedAtEnd = 0;
        rejections.of(file);
        requireLines(file, format, facts);
        boolean csv = format == AppendCommand.Format.CSV;
        RecordFormat input = format.records;
        if (!blocks && !records.isText()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_FILE,
                    file + ": the records of stream " + appender.stream().name() + " are "
                            + SchemaFile.formatName(records) + ", which programs write to its topic themselves");
        }
        if (input != records && schema.text().kafka().any()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_FILE,
                    file + ": stream " + appender.stream().name() + " has fields that are of Kafka (from: kafka...),"
                            + " so its records are appended as they are: the file must be "
                            + SchemaFile.formatName(records));
        }
        LineCheck check = new LineCheck(input, schema);
        try (InputLines lines =
                new InputLines(in, csv, encoding).divideBy(schema.text().csv())) {
            lines.arraysAreLines(check.takesArrays());
            facts.leftOut(schema.text(), !named.isEmpty()).of(lines);
            if (waits) {
                // No tuple waits for a line that is not written yet.
                lines.beforeRead(() -> send(check));
            }
            CsvColumns columns = csv ? columns(lines, named, skipsUnknown) : null;
            if (this.named != null) {
                goOn(lines, this.named);
            }
            columnNamer = named.isEmpty() ? "the first line" : "--columns";
            try {
                rows(lines, columns, check, input);
            } catch (IOException e) {
                // The lines before the damage are appended; where that fails too, both are said.
                try {
                    send(check);
                } catch (RuntimeException failure) {
                    failure.addSuppressed(e);
                    throw failure;
                }
                throw e;
            }
            send(check);
            if (this.named != null) {
                commit(this.named);
            }
            if (lines.comments() > 0) {
                err.println(source + ": " + lines.comments()
                        + (lines.comments() == 1 ? " comment was" : " comments were") + " left out, the first in line "
                        + lines.firstComment());
            }
            if (refusedAtEnd > 0 && !rejections.tooMany()) {
                err.println((refusedAtEnd == 1 ? "the last row of " : "the last " + refusedAtEnd + " rows of ") + source
                        + (refusedAtEnd == 1 ? " was" : " were") + " rejected: --skip-last " + refusedAtEnd
                        + " leaves out totals");
            }
        } finally {
            progress.clear();
        }
    }

    /** Refuses a file of JSON where something is said of lines that are no rows. */
    static void requireLines(String file, AppendCommand.Format format, FileFacts facts) {
        if (format == AppendCommand.Format.JSON && facts.givenOfLines() != null) {
            throw new WaterwheelException(
                    ErrorCode.BAD_FILE,
                    file + ": " + facts.givenOfLines() + " is for CSV; each object of JSON is a row. Append the file"
                            + " without it");
        }
    }

    private void rows(InputLines lines, @Nullable CsvColumns columns, LineCheck check, RecordFormat input)
            throws IOException {
        // An earlier run may have ended for too many.
        Line line = rejections.tooMany() ? null : next(lines);
        while (line != null) {
            if (pace.nanosLeft() > 0) {
                send(check);
            }
            pace.next();
            uncommittedBytes += line.length();
            long refused = rejections.count();
            Line ordered = columns == null ? line : columns.inOrder(line);
            if (ordered != null) {
                append(ordered, check, input, lines);
            } else if (columns != null) {
                rejections.add(
                        lines.lineNumber(),
                        lines.lastLineNumber(),
                        "expected " + columns.columns() + " columns, as " + columnNamer + " names, got another number",
                        progress);
            }
            boolean total = rejections.count() > refused
                    && columns != null
                    && Totals.isTotal(line, schema.text().csv());
            refusedAtEnd = total ? refusedAtEnd + 1 : 0;
            progress.at(sent, rejections.count());
            if (named != null && commitIsDue()) {
                send(check);
                commit(named);
            }
            line = rejections.tooMany() ? null : next(lines);
        }
    }

    private CsvColumns columns(InputLines lines, List<String> named, boolean skipsUnknown) throws IOException {
        if (!named.isEmpty()) {
            return CsvColumns.named("--columns", named, schema);
        }
        Line header = next(lines);
        return CsvColumns.of(source, header == null ? null : header.copy(), schema, skipsUnknown);
    }

    private @Nullable Line next(InputLines lines) throws IOException {
        Line line = lines.read();
        // Only a note under a name says what was read.
        if (line != null && named != null) {
            passed.passed(line);
        }
        return line;
    }

    /** Passes over what was appended under the name before. */
    private void goOn(InputLines lines, Named under) throws IOException {
        FileProgress.Note note = under.progress().map(FileProgress.Note::parse).orElse(FileProgress.Note.NOTHING);
        if (note.lines() == 0) {
            return;
        }
        boolean more = true;
        while (more && passed.lines() < note.lines()) {
            more = next(lines) != null;
        }
        if (!passed.agrees(note)) {
            throw new WaterwheelException(
                    ErrorCode.OTHER_FILE,
                    source + ": its first " + note.lines() + " lines are not those that were appended under this name"
                            + (passed.lines() < note.lines() ? ": it has only " + passed.lines() : "")
                            + "; nothing was appended. Take another name for another file");
        }
        committed = under.positions();
        sent = note.sent();
        sentAtCommit = sent;
        sentBefore = sent;
        rejections.before(note.refused());
        progress.before(sent);
        err.println("going on after line " + lines.lineNumber() + ": " + sent + " " + unit(appender.stream())
                + " were appended under this name before");
    }

    /** Before a wait that would go beyond its time, too: no transaction stays open through one. */
    private boolean commitIsDue() {
        return uncommittedBytes >= COMMIT_BYTES || pace.nanosLeft() >= COMMIT_NANOS - (System.nanoTime() - committedAt);
    }

    private void commit(Named under) {
        byte[] note = passed.note(sent, rejections.count()).text();
        Map<Integer, Long> all = new HashMap<>(committed);
        // Records wait in memory until here: on a full disk it is the commit that stands still.
        notice.during(() ->
                under.commit().apply(note).forEach((partition, offset) -> all.merge(partition, offset, Math::max)));
        committed = Map.copyOf(all);
        uncommittedBytes = 0;
        sentAtCommit = sent;
        committedAt = System.nanoTime();
    }

    private void append(Line line, LineCheck check, RecordFormat input, InputLines lines) {
        String refusal = blocks ? check.added(line) : check.refusal(line);
        if (refusal != null) {
            String advice =
                    refusal.endsWith("is not valid UTF-8") && lines.encoding() == FileEncoding.UTF_8 && !lines.isAvro()
                            ? "; is the file in another encoding, such as --encoding windows-1252?"
                            : "";
            rejections.add(lines.lineNumber(), lines.lastLineNumber(), refusal + advice, progress);
            return;
        }
        if (blocks) {
            if (check.encodedBytes() >= BLOCK_BYTES) {
                send(check);
            }
            return;
        }
        if (input == records) {
            byte[] record = schema.text().encoding().ofUtf8(line.copy());
            if (record == null) {
                rejections.add(
                        lines.lineNumber(),
                        lines.lastLineNumber(),
                        "has a character that " + schema.text().encoding().label()
                                + ", the encoding of the stream's records, lacks",
                        progress);
            } else {
                appender.records().accept(record);
                sent++;
            }
            return;
        }
        int tuple = unencodable(check);
        if (tuple >= 0) {
            rejections.add(
                    lines.lineNumber(),
                    lines.lastLineNumber(),
                    "tuple " + (tuple + 1) + " has a character that "
                            + schema.text().encoding().label() + ", the encoding of the stream's records, lacks",
                    progress);
            return;
        }
        try {
            for (int row = 0; row < check.tuples().size(); row++) {
                appender.tuples().accept(check.values(row));
                sent++;
            }
        } catch (IllegalArgumentException e) {
            rejections.add(lines.lineNumber(), lines.lastLineNumber(), String.valueOf(e.getMessage()), progress);
        }
    }

    /** Hands on what has gathered for a stream of tuple blocks. */
    private void send(LineCheck check) {
        TupleBlock gathered = check.tuples();
        if (blocks && gathered.size() > 0) {
            int tuples = gathered.size();
            appender.blocks().accept(gathered);
            gathered.clear();
            sent += tuples;
        }
    }

    /** Of a line of several tuples, the first that its stream's records cannot hold: none may go before it. */
    private int unencodable(LineCheck check) {
        int tuples = check.tuples().size();
        for (int row = 0; row < tuples && tuples > 1; row++) {
            for (Object value : check.values(row)) {
                if (value instanceof String text
                        && schema.text().encoding().ofUtf8(text.getBytes(StandardCharsets.UTF_8)) == null) {
                    return row;
                }
            }
        }
        return -1;
    }

    /**
     * What an appender under a name has beside its records.
     *
     * @param progress the note of its last commit, when it was opened
     * @param positions by partition the offset below which lies what was appended before that
     * @param commit takes a note, and gives the positions
     */
    record Named(
            Optional<byte[]> progress, Map<Integer, Long> positions, Function<byte[], Map<Integer, Long>> commit) {}

    /** Where a file's lines go: an appender of either kind. */
    record Target(
            StreamDefinition stream,
            Consumer<byte[]> records,
            Consumer<TupleBlock> blocks,
            Consumer<@Nullable Object[]> tuples) {
        static Target of(Appender appender) {
            return new Target(appender.stream(), appender::appendRecord, appender::append, appender::append);
        }

        static Target of(NamedAppender appender) {
            return new Target(appender.stream(), appender::appendRecord, appender::append, appender::append);
        }

        /** The same. The notice reports when a call stands still. */
        Target watched(StallNotice notice) {
            return new Target(
                    stream,
                    record -> notice.during(() -> records.accept(record)),
                    block -> notice.during(() -> blocks.accept(block)),
                    values -> notice.during(() -> tuples.accept(values)));
        }
    }
}
