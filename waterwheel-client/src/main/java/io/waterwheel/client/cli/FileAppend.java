package io.waterwheel.client.cli;

import io.waterwheel.client.Appender;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.model.RecordFormat;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.Schema;
import io.waterwheel.model.TupleBlock;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Appends the lines of one file, in the form that the stream's records have, and counts them. One thread. */
final class FileAppend {
    private static final int REFUSALS_SHOWN = 10;
    private static final long PROGRESS_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Appender appender;
    private final String source;
    private final PrintStream err;
    private final boolean progress;
    private final Schema schema;
    private final RecordFormat records;
    private final TupleBlock block;
    private long sent;
    private long refused;
    private long shownAt = System.nanoTime();
    private boolean shown;

    FileAppend(Appender appender, String source, Terminal terminal) {
        this.appender = appender;
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

    void run(InputStream in, AppendCommand.Format format) throws IOException {
        boolean csv = format == AppendCommand.Format.CSV;
        RecordFormat input = csv ? RecordFormat.CSV : RecordFormat.JSON;
        RecordDecoder decoder = RecordDecoder.of(input, schema);
        try (InputLines lines = new InputLines(in, csv)) {
            CsvColumns columns = csv ? CsvColumns.of(source, lines.next(), schema) : null;
            byte[] line = lines.next();
            while (line != null) {
                byte[] record = columns == null ? line : columns.inOrder(line);
                if (record == null && columns != null) {
                    refuse(
                            lines.lineNumber(),
                            "has another number of columns than the first line, which has " + columns.columns());
                } else if (record != null) {
                    append(record, input, decoder, lines.lineNumber());
                }
                showProgress(false);
                line = lines.next();
            }
        } finally {
            showProgress(true);
        }
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
