package io.waterwheel.client.cli;

import io.waterwheel.client.Appender;
import io.waterwheel.client.NamedAppender;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.model.RecordFormat;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.Schema;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.model.WaterwheelException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Appends the lines of one file, in the form that the stream's records have, and counts them. One thread. */
final class FileAppend {
    private static final int REFUSALS_SHOWN = 10;
    private static final long PROGRESS_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Often enough to be far from Kafka's patience with a transaction, and for queries to see it come. */
    private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long COMMIT_BYTES = 16 << 20;

    private final AppendTarget appender;
    private final String source;
    private final PrintStream err;
    private final boolean progress;
    private final Schema schema;
    private final RecordFormat records;
    private final TupleBlock block;
    private final @Nullable NamedAppender named;
    private final FileProgress passed = new FileProgress();
    private long committedAt = System.nanoTime();
    private long uncommittedBytes;
    private Map<Integer, Long> committed = Map.of();
    private long sent;
    private long refused;
    private long shownAt = System.nanoTime();
    private boolean shown;

    /** Appends without a name: what is sent is appended. */
    FileAppend(Appender appender, String source, Terminal terminal) {
        this(AppendTarget.of(appender), null, source, terminal);
    }

    /** Appends under a name: goes on after the last line that was committed under it, and commits as it goes. */
    FileAppend(NamedAppender appender, String source, Terminal terminal) {
        this(AppendTarget.of(appender), appender, source, terminal);
    }

    private FileAppend(AppendTarget appender, @Nullable NamedAppender named, String source, Terminal terminal) {
        this.appender = appender;
        this.named = named;
        this.source = source;
        this.err = terminal.err();
        this.progress = terminal.interactive();
        this.schema = appender.stream().schema();
        this.records = appender.stream().format();
        this.block = new TupleBlock(RowLayout.of(schema), 1);
    }

    /** Lines that were sent. */
    long sent() {
        return sent;
    }

    /** Lines that could not be brought into the form of the stream's records. */
    long refused() {
        return refused;
    }

    /** What {@link #sent} counts. */
    String unit() {
        return records == RecordFormat.BLOCK ? "tuples" : "records";
    }

    /** By partition the offset below which all of it lies; of an append under a name. */
    Map<Integer, Long> committed() {
        return committed;
    }

    void run(InputStream in, AppendCommand.Format format) throws IOException {
        boolean csv = format == AppendCommand.Format.CSV;
        RecordFormat input = csv ? RecordFormat.CSV : RecordFormat.JSON;
        RecordDecoder decoder = RecordDecoder.of(input, schema);
        try (InputLines lines = new InputLines(in, csv)) {
            byte[] header = csv ? next(lines) : null;
            CsvColumns columns = csv ? CsvColumns.of(source, header, schema) : null;
            if (named != null) {
                goOn(lines, named);
            }
            byte[] line = next(lines);
            while (line != null) {
                uncommittedBytes += line.length;
                byte[] record = columns == null ? line : columns.inOrder(line);
                if (record == null && columns != null) {
                    refuse(
                            lines.lineNumber(),
                            "has another number of columns than the first line, which has " + columns.columns());
                } else if (record != null) {
                    append(record, input, decoder, lines.lineNumber());
                }
                showProgress(false);
                if (named != null && commitIsDue()) {
                    commit(named);
                }
                line = next(lines);
            }
            if (named != null) {
                commit(named);
            }
        } finally {
            showProgress(true);
        }
    }

    private byte @Nullable [] next(InputLines lines) throws IOException {
        byte[] line = lines.next();
        if (line != null) {
            passed.passed(line);
        }
        return line;
    }

    /** Passes over what was appended under the name before. */
    private void goOn(InputLines lines, NamedAppender appender) throws IOException {
        FileProgress.Note note =
                appender.progress().map(FileProgress.Note::parse).orElse(FileProgress.Note.NOTHING);
        if (note.lines() == 0) {
            return;
        }
        boolean more = true;
        while (more && passed.lines() < note.lines()) {
            more = next(lines) != null;
        }
        if (!passed.agrees(note)) {
            throw new WaterwheelException(
                    WaterwheelException.Kind.USER,
                    "OTHER_FILE",
                    source + ": its first " + note.lines() + " lines are not those that were appended under this name"
                            + (passed.lines() < note.lines() ? ": it has only " + passed.lines() : "")
                            + "; nothing was appended. Take another name for another file");
        }
        committed = appender.positions();
        sent = note.sent();
        refused = note.refused();
        err.println("going on after line " + lines.lineNumber() + ": " + sent + " " + unit()
                + " were appended under this name before");
    }

    private boolean commitIsDue() {
        return uncommittedBytes >= COMMIT_BYTES || System.nanoTime() - committedAt >= COMMIT_NANOS;
    }

    private void commit(NamedAppender appender) {
        Map<Integer, Long> positions =
                appender.commit(passed.note(sent, refused).text());
        Map<Integer, Long> all = new HashMap<>(committed);
        positions.forEach((partition, offset) -> all.merge(partition, offset, Math::max));
        committed = Map.copyOf(all);
        uncommittedBytes = 0;
        committedAt = System.nanoTime();
    }

    private void append(byte[] record, RecordFormat input, RecordDecoder decoder, long lineNumber) {
        if (input == records) {
            appender.appendRecord(record);
            sent++;
            return;
        }
        try {
            decoder.decode(ByteBuffer.wrap(record), block);
        } catch (RejectedRecordException e) {
            refuse(lineNumber, String.valueOf(e.getMessage()));
            return;
        }
        try {
            // At once: an appender of tuple blocks gathers them itself, for a few milliseconds at most.
            if (records == RecordFormat.BLOCK) {
                appender.append(block);
            } else {
                appender.append(values());
            }
            sent++;
        } catch (IllegalArgumentException e) {
            refuse(lineNumber, String.valueOf(e.getMessage()));
        } finally {
            block.clear();
        }
    }

    private @Nullable Object[] values() {
        @Nullable Object[] values = new @Nullable Object[schema.fields().size()];
        for (int f = 0; f < values.length; f++) {
            values[f] = block.value(f, 0);
        }
        return values;
    }

    private void refuse(long lineNumber, String why) {
        refused++;
        if (refused <= REFUSALS_SHOWN) {
            clearProgress();
            err.println(source + ", line " + lineNumber + ": " + why);
        } else if (refused == REFUSALS_SHOWN + 1) {
            clearProgress();
            err.println("further lines that are not appended are only counted");
        }
    }

    private void showProgress(boolean last) {
        if (!progress) {
            return;
        }
        if (last) {
            clearProgress();
            return;
        }
        long now = System.nanoTime();
        if (now - shownAt >= PROGRESS_NANOS) {
            shownAt = now;
            shown = true;
            err.print("\r" + sent + " " + unit());
            err.flush();
        }
    }

    private void clearProgress() {
        if (shown) {
            shown = false;
            err.print("\r" + " ".repeat(40) + "\r");
            err.flush();
        }
    }
}
