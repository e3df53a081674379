package io.waterwheel.cli.dimensions;

import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.LinesLeftOut;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.sample.DimensionLearner;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Completes the dimensions of a key by the rows of a file: by a sample of its first five million, for files are often
 * sorted by one of the fields. One thread.
 */
public final class DimensionRows {
    /** Rows of a longer file that are looked at. */
    private static final long MOST_LINES = 5_000_000;
    /** Longer lines are left out of the sample, so that it takes a bounded part of the heap. */
    private static final int MOST_LINE_BYTES = 1024;

    private DimensionRows() {}

    /**
     * The schema, completed.
     *
     * @param draft a schema whose key may lack cells of dimensions
     * @param source what messages call the file
     * @param format of its lines: CSV or JSON
     * @param named what its columns are called; empty: its first line says
     * @param encoding of the file; null: UTF-8, or what its first bytes say
     * @throws WaterwheelException when the rows do not tell them
     */
    public static Schema complete(
            Schema draft,
            String source,
            InputStream in,
            RecordFormat format,
            List<String> named,
            @Nullable FileEncoding encoding)
            throws IOException {
        boolean csv = format == RecordFormat.CSV;
        try (InputLines lines =
                new InputLines(in, csv, encoding).divideBy(draft.text().csv())) {
            LinesLeftOut.of(null, null, 0, draft.text(), !named.isEmpty()).of(lines);
            CsvColumns columns = !csv
                    ? null
                    : named.isEmpty()
                            ? CsvColumns.of(source, lines.next(), draft)
                            : CsvColumns.named("--columns", named, draft);
            DimensionLearner learner = new DimensionLearner(draft);
            learner.add(decoded(sample(lines, columns), draft, format, source));
            return learner.learned();
        } catch (IllegalArgumentException e) {
            throw bad(source + ": " + e.getMessage());
        }
    }

    /** Any line is in it as likely as any other; the same file gives the same sample. */
    private static List<byte[]> sample(InputLines lines, @Nullable CsvColumns columns) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        List<byte[]> sample = new ArrayList<>();
        long seen = 0;
        for (byte[] line = lines.next(); line != null && seen < MOST_LINES; line = lines.next()) {
            if (line.length > MOST_LINE_BYTES) {
                continue;
            }
            seen++;
            long at = sample.size() < DimensionLearner.ROWS ? sample.size() : random.nextLong(seen);
            if (at >= DimensionLearner.ROWS) {
                continue;
            }
            byte[] ordered = columns == null ? line : columns.inOrder(line);
            if (ordered == null) {
                continue;
            }
            byte[] kept = ordered.clone();
            if (at == sample.size()) {
                sample.add(kept);
            } else {
                sample.set((int) at, kept);
            }
        }
        return sample;
    }

    private static TupleBlock decoded(List<byte[]> lines, Schema draft, RecordFormat format, String source) {
        RecordDecoder decoder = RecordDecoder.ofUtf8(format, draft);
        TupleBlock block = new TupleBlock(RowLayout.of(draft), 0);
        String refusal = "it has no rows";
        for (byte[] line : lines) {
            try {
                decoder.decode(ByteBuffer.wrap(line), block);
            } catch (RejectedRecordException e) {
                refusal = String.valueOf(e.getMessage());
            }
        }
        if (block.size() == 0) {
            throw bad(source + ": no row is a tuple of the stream: " + refusal);
        }
        return block;
    }

    private static WaterwheelException bad(String message) {
        return new WaterwheelException(ErrorCode.BAD_FILE, message);
    }
}
