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
import java.util.Collections;
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
    /** Of the sample, so that it takes a bounded part of the heap: with what is made of it a few times as much. */
    private static final long MOST_BYTES = 16L << 20;

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
        TupleBlock rows = sample(draft, source, in, format, named, encoding);
        try {
            DimensionLearner learner = new DimensionLearner(draft);
            learner.add(rows);
            return learner.learned();
        } catch (IllegalArgumentException e) {
            throw bad(source + ": " + e.getMessage());
        }
    }

    /**
     * Some rows of a file, of all fields.
     *
     * @param schema of the rows; its key may lack cells of dimensions
     * @throws WaterwheelException when no row is a tuple of the schema; see {@link #complete}
     */
    static TupleBlock sample(
            Schema schema,
            String source,
            InputStream in,
            RecordFormat format,
            List<String> named,
            @Nullable FileEncoding encoding)
            throws IOException {
        boolean csv = format == RecordFormat.CSV;
        try (InputLines lines =
                new InputLines(in, csv, encoding).divideBy(schema.text().csv())) {
            LinesLeftOut.of(null, null, 0, schema.text(), !named.isEmpty()).of(lines);
            CsvColumns columns = !csv
                    ? null
                    : named.isEmpty()
                            ? CsvColumns.of(source, lines.next(), schema)
                            : CsvColumns.named("--columns", named, schema);
            return decoded(sample(lines, columns, MOST_BYTES), schema, format, source);
        } catch (IllegalArgumentException e) {
            throw bad(source + ": " + e.getMessage());
        }
    }

    /**
     * Any line is in it as likely as any other; the same file gives the same sample.
     *
     * @param mostBytes of all lines that are kept: where they are long, fewer are
     */
    static List<byte[]> sample(InputLines lines, @Nullable CsvColumns columns, long mostBytes) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        List<byte[]> sample = new ArrayList<>();
        int most = DimensionLearner.ROWS;
        long bytes = 0;
        long seen = 0;
        for (byte[] line = lines.next(); line != null && seen < MOST_LINES; line = lines.next()) {
            seen++;
            long at = sample.size() < most ? sample.size() : random.nextLong(seen);
            byte[] ordered = at >= most ? null : columns == null ? line : columns.inOrder(line);
            if (ordered == null) {
                continue;
            }
            byte[] kept = ordered.clone();
            bytes += kept.length;
            if (at == sample.size()) {
                sample.add(kept);
            } else {
                bytes -= sample.set((int) at, kept).length;
            }
            while (bytes > mostBytes && sample.size() > 1) {
                byte[] last = sample.remove(sample.size() - 1);
                int dropped = random.nextInt(sample.size() + 1);
                bytes -= (dropped == sample.size() ? last : sample.set(dropped, last)).length;
                most = sample.size();
            }
        }
        return sample;
    }

    private static TupleBlock decoded(List<byte[]> lines, Schema draft, RecordFormat format, String source) {
        RecordDecoder decoder = RecordDecoder.ofUtf8(format, draft);
        TupleBlock block = new TupleBlock(RowLayout.of(draft), 0);
        String refusal = "it has no rows";
        Collections.reverse(lines);
        while (!lines.isEmpty()) {
            try {
                // Lines may be long: those that are decoded take no heap.
                decoder.decode(ByteBuffer.wrap(lines.remove(lines.size() - 1)), block);
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
