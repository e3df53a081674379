package io.waterwheel.gateway.answer;

import io.waterwheel.client.Cursor;
import io.waterwheel.encode.TextRows;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.jspecify.annotations.Nullable;

/**
 * Writes an answer, batch by batch, into a buffer that somebody empties: columns are read as they lie, no object is
 * made of a row. One thread, one answer.
 */
public abstract class RowEncoder {
    /** The buffer is handed over when it holds more. */
    private static final int PIECE_BYTES = 1 << 16;

    final Utf8Buffer out = new Utf8Buffer();
    private final Consumer<Utf8Buffer> piece;

    private RowEncoder(Consumer<Utf8Buffer> piece) {
        this.piece = piece;
    }

    /**
     * The encoder of a form.
     *
     * @param piece takes what the buffer holds and clears it
     */
    public static RowEncoder of(AnswerFormat format, Consumer<Utf8Buffer> piece) {
        return switch (format) {
            case JSON -> new JsonObject(piece);
            case NDJSON -> new JsonLines(piece);
            case CSV -> new Csv(piece);
            case ARROW -> new ArrowStream(piece);
            case PARQUET -> new Parquet(piece);
        };
    }

    /** Before the first batch; the cursor has its fields then. */
    public abstract void begin(Cursor cursor);

    /** The present batch of the cursor. */
    public abstract void batch(Cursor cursor);

    /** Behind the last batch. */
    public abstract void end(Verdict verdict);

    /** In place of the end: what came is not all. */
    public void fail(HttpFailure failure) {
        // The end of the connection says it.
    }

    /** Hands over what is left. */
    public final void flush() {
        if (out.length() > 0) {
            piece.accept(out);
        }
    }

    final void handOverPieces() {
        if (out.length() >= PIECE_BYTES) {
            piece.accept(out);
        }
    }

    /** Appends bytes, and hands them over a piece at a time. */
    final void putInPieces(byte[] bytes, int offset, int count) {
        for (int at = offset, end = offset + count; at < end; at += PIECE_BYTES) {
            out.put(bytes, at, Math.min(end - at, PIECE_BYTES));
            handOverPieces();
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A row of text after another. */
    private abstract static class Rows extends RowEncoder {
        private final CellWriter.Form form;
        private @Nullable VectorSchemaRoot root;
        private FieldVector[] vectors = {};
        private CellWriter[] cells = {};

        Rows(CellWriter.Form form, Consumer<Utf8Buffer> piece) {
            super(piece);
            this.form = form;
        }

        @Override
        public void batch(Cursor cursor) {
            VectorSchemaRoot present = cursor.columns();
            if (present != root) {
                root = present;
                vectors = present.getFieldVectors().toArray(FieldVector[]::new);
                cells = new CellWriter[vectors.length];
                for (int f = 0; f < cells.length; f++) {
                    cells[f] = CellWriter.of(vectors[f], form);
                }
            }
            for (int row = 0; row < present.getRowCount(); row++) {
                row(row);
                handOverPieces();
            }
        }

        abstract void row(int row);

        final int width() {
            return vectors.length;
        }

        final boolean isNull(int field, int row) {
            return vectors[field].isNull(row);
        }

        final void cell(int field, int row) {
            cells[field].write(row, out);
        }
    }

    private static final class Csv extends Rows {
        Csv(Consumer<Utf8Buffer> piece) {
            super(CellWriter.Form.CSV, piece);
        }

        @Override
        public void begin(Cursor cursor) {
            List<Field> fields = cursor.fields();
            for (int f = 0; f < fields.size(); f++) {
                if (f > 0) {
                    out.put((byte) ',');
                }
                byte[] name = utf8(fields.get(f).name());
                out.csvString(name, 0, name.length);
            }
            out.put((byte) '\n');
        }

        @Override
        void row(int row) {
            for (int f = 0; f < width(); f++) {
                if (f > 0) {
                    out.put((byte) ',');
                }
                if (!isNull(f, row)) {
                    cell(f, row);
                }
            }
            out.put((byte) '\n');
        }

        @Override
        public void end(Verdict verdict) {}
    }

    private abstract static class JsonRows extends Rows {
        private byte[][] names = {};

        JsonRows(Consumer<Utf8Buffer> piece) {
            super(CellWriter.Form.JSON, piece);
        }

        @Override
        public void begin(Cursor cursor) {
            List<String> apart = names(cursor);
            names = new byte[apart.size()][];
            for (int f = 0; f < names.length; f++) {
                Utf8Buffer name = new Utf8Buffer();
                byte[] text = utf8(apart.get(f));
                name.put((byte) (f == 0 ? '{' : ','));
                name.jsonString(text, 0, text.length);
                name.put((byte) ':');
                names[f] = java.util.Arrays.copyOf(name.bytes(), name.length());
            }
        }

        /** A member of a name that is there twice would be lost to most parsers. */
        static List<String> names(Cursor cursor) {
            return TextRows.apart(cursor.fields().stream().map(Field::name).toList());
        }

        final void object(int row) {
            if (names.length == 0) {
                out.put((byte) '{');
            }
            for (int f = 0; f < names.length; f++) {
                out.put(names[f]);
                if (isNull(f, row)) {
                    out.ascii("null");
                } else {
                    cell(f, row);
                }
            }
            out.put((byte) '}');
        }
    }

    private static final class JsonLines extends JsonRows {
        JsonLines(Consumer<Utf8Buffer> piece) {
            super(piece);
        }

        @Override
        void row(int row) {
            object(row);
            out.put((byte) '\n');
        }

        @Override
        public void end(Verdict verdict) {}
    }

    private static final class JsonObject extends JsonRows {
        private boolean rows;

        JsonObject(Consumer<Utf8Buffer> piece) {
            super(piece);
        }

        @Override
        public void begin(Cursor cursor) {
            super.begin(cursor);
            out.ascii("{\"fields\":");
            out.put(Json.bytes(json -> {
                json.writeStartArray();
                List<String> apart = names(cursor);
                for (int f = 0; f < apart.size(); f++) {
                    json.writeStartObject();
                    json.writeStringField("name", apart.get(f));
                    json.writeStringField("type", cursor.fields().get(f).type().schemaName());
                    json.writeEndObject();
                }
                json.writeEndArray();
            }));
            out.ascii(",\"rows\":[");
        }

        @Override
        void row(int row) {
            if (rows) {
                out.put((byte) ',');
            }
            out.put((byte) '\n');
            rows = true;
            object(row);
        }

        @Override
        public void end(Verdict verdict) {
            out.ascii("\n],\"verdict\":");
            out.put(VerdictJson.of(verdict));
            out.ascii("}\n");
        }

        @Override
        public void fail(HttpFailure failure) {
            out.ascii("\n],\"error\":");
            out.put(Json.bytes(failure::write));
            out.ascii("}\n");
        }
    }

    /** A file that is none without its footer. */
    private static final class Parquet extends RowEncoder {
        private @Nullable ParquetFile file;

        Parquet(Consumer<Utf8Buffer> piece) {
            super(piece);
        }

        @Override
        public void begin(Cursor cursor) {
            file = new ParquetFile(cursor.columns().getSchema(), bytes -> putInPieces(bytes, 0, bytes.length));
        }

        @Override
        public void batch(Cursor cursor) {
            present().batch(cursor.columns());
        }

        @Override
        public void end(Verdict verdict) {
            present().end(VerdictJson.of(verdict));
        }

        private ParquetFile present() {
            return Objects.requireNonNull(file, "the answer has not begun");
        }
    }

    /** An IPC stream; its last batch has no rows and the verdict. Without its end-of-stream mark it is not whole. */
    private static final class ArrowStream extends RowEncoder {
        private @Nullable ArrowStreamWriter writer;
        private List<ArrowType> types = List.of();

        ArrowStream(Consumer<Utf8Buffer> piece) {
            super(piece);
        }

        @Override
        public void begin(Cursor cursor) {
            try {
                VectorSchemaRoot columns = cursor.columns();
                types = columns.getSchema().getFields().stream()
                        .map(org.apache.arrow.vector.types.pojo.Field::getType)
                        .toList();
                writer = new ArrowStreamWriter(columns, null, Channels.newChannel(new Sink()));
                writer.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void batch(Cursor cursor) {
            try {
                present().writeBatch();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void end(Verdict verdict) {
            out.put(VerdictBatch.of(types, VerdictJson.of(verdict)));
            try {
                present().end();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private ArrowStreamWriter present() {
            ArrowStreamWriter begun = writer;
            if (begun == null) {
                throw new IllegalStateException("the answer has not begun");
            }
            return begun;
        }

        /** Into the buffer, a piece at a time. */
        private final class Sink extends OutputStream {
            @Override
            public void write(int one) {
                out.put((byte) one);
                handOverPieces();
            }

            @Override
            public void write(byte[] bytes, int offset, int count) {
                putInPieces(bytes, offset, count);
            }
        }
    }
}
