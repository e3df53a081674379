package io.waterwheel.gateway.arrow;

import io.waterwheel.decode.RefusalKind;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.decode.RowAppender;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.gateway.rows.PushedRows;
import io.waterwheel.gateway.rows.RowSpace;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the rows of an Arrow IPC stream for a stream of tuple blocks, CSV or JSON. Columns are found by their names;
 * each must be a field of the schema. A nullable field without a column is null. Dictionaries are understood,
 * compressed buffers and nested columns are not. One thread, one body.
 */
public final class ArrowDecoder {
    private static final ColumnType INDEX = new ColumnType(ColumnType.Kind.INTEGER, 4, true, 0);

    /** Of an array and its place in a list. */
    private static final int RECORD_BYTES = 32;

    /**
     * Bytes of values that one body's rows may have. A dictionary names a long text by one byte, so that the work of a
     * body has no bound in its length.
     */
    static final long MOST_VALUE_BYTES = 256 << 20;

    /** What a row counts for beside its text: buffers of a hostile body may lie one upon another. */
    private static final int ROW_BYTES = 16;

    /** Longest name of a column that is looked at: fields have shorter ones. */
    private static final int MOST_NAME_BYTES = 64;

    private final Schema schema;
    private final boolean keepBad;
    private final PushBudget.Lease lease;
    private final RowAppender appender;
    private final ArrowValues values;
    private final KeyMaker keys;
    private final TupleBlock tuples;
    /** Makes records of rows; null where the stream takes them in blocks. */
    private final @Nullable RowRecords asText;

    /** Of a stream that reads text, beside blocks or alone; null where there are no letters to look at. */
    private final @Nullable LetterCheck letters;

    /** Of a stream of text its rows, and what is to become dead letters. */
    private final List<byte[]> records = new ArrayList<>();

    private final List<PushedRows.Reason> reasons = new ArrayList<>();
    private final Map<Long, ColumnType> dictionaryTypes = new HashMap<>();
    private final Map<Long, ArrowColumn> dictionaries = new HashMap<>();
    private @Nullable List<Column> columns;
    private @Nullable Batch batch;
    private @Nullable String unkeyed;
    private int seen;
    private int rows;
    private int rejected;
    private final Map<RefusalKind, Integer> kinds = new EnumMap<>(RefusalKind.class);
    private long valueBytes;

    /** The columns of a batch of rows: by field of the schema, and as they were sent. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Batch(ArrowColumn[] byField, ArrowColumn[] sent, int rows) {}

    /**
     * A column of the stream.
     *
     * @param type as it lies in batches: of its indexes, where it has a dictionary
     * @param field of the schema
     * @param dictionary its id; null where there is none
     */
    private record Column(
            String name,
            ColumnType type,
            int field,
            @Nullable Long dictionary) {}

    /**
     * A decoder for one body.
     *
     * @param stream that takes tuple blocks, or has records of text
     * @param keepBad whether bad rows are to become dead letters, as JSON
     * @param lease takes the bytes of tuples before their memory is taken, and those of a record of text once it is
     *     made: one at a time, of one row
     * @throws HttpFailure when no row can become a record of the stream
     */
    public ArrowDecoder(StreamDefinition stream, boolean keepBad, PushBudget.Lease lease) {
        this.schema = stream.schema();
        this.keepBad = keepBad;
        this.lease = lease;
        this.appender = new RowAppender(schema);
        this.values = new ArrowValues(appender);
        RowLayout layout = RowLayout.of(schema);
        this.keys = KeyMaker.of(layout, schema);
        this.tuples = new TupleBlock(layout, 16);
        this.asText = stream.takesBlocks() ? null : new RowRecords(stream);
        this.letters = keepBad && stream.format().isText() ? new LetterCheck(stream) : null;
    }

    /**
     * Decodes all rows.
     *
     * @throws HttpFailure when the body is no such stream, or its columns are not those of the schema
     */
    public PushedRows decode(byte[] bytes) {
        IpcMessages messages = new IpcMessages(bytes);
        while (next(messages, bytes)) {
            Batch read = batch;
            batch = null;
            for (int row = 0; read != null && row < read.rows; row++) {
                row(read.byField, read.sent, row);
            }
        }
        if (columns == null) {
            throw IpcMessages.bad("it has no schema");
        }
        return new PushedRows(tuples, records, rows, rejected, kinds, reasons);
    }

    /** Reads the description of the next message; its rows, if it has some, are in {@link #batch} then. */
    private boolean next(IpcMessages messages, byte[] bytes) {
        try {
            if (!messages.next()) {
                return false;
            }
            message(messages, bytes);
            return true;
        } catch (IndexOutOfBoundsException e) {
            // Accessors of Flatbuffers follow offsets of the message, wherever they point.
            throw IpcMessages.bad("a message's description is damaged", e);
        }
    }

    private void message(IpcMessages messages, byte[] bytes) {
        Message message = messages.message();
        switch (message.headerType()) {
            case MessageHeader.Schema -> columns = columns(header(message, new org.apache.arrow.flatbuf.Schema()));
            case MessageHeader.DictionaryBatch -> dictionary(messages, header(message, new DictionaryBatch()), bytes);
            case MessageHeader.RecordBatch -> batch = batch(messages, header(message, new RecordBatch()), bytes);
            default -> throw IpcMessages.bad("a message is neither schema, dictionary nor batch of rows");
        }
    }

    private static <T extends com.google.flatbuffers.Table> T header(Message message, T into) {
        if (message.header(into) == null) {
            throw IpcMessages.bad("a message has no description");
        }
        return into;
    }

    private List<Column> columns(org.apache.arrow.flatbuf.Schema arrow) {
        if (columns != null) {
            throw IpcMessages.bad("it has two schemas");
        }
        if (arrow.endianness() != Endianness.Little) {
            throw IpcMessages.bad("its numbers are big-endian; write them little-endian");
        }
        List<Column> found = new ArrayList<>();
        boolean[] has = new boolean[schema.fields().size()];
        for (int c = 0; c < arrow.fieldsLength(); c++) {
            org.apache.arrow.flatbuf.Field column = arrow.fields(c);
            String name = name(column);
            int index = schema.indexOf(name);
            if (index < 0) {
                throw refused("column " + name, "is no field of the stream, which has " + names() + "; leave it out");
            }
            if (found.stream().anyMatch(other -> other.field() == index)) {
                throw refused("column " + name, "is there twice");
            }
            Column described = column(column, schema.fields().get(index), index);
            // A column of nulls alone is none, for a field that must have a value.
            has[index] = described.type().kind() != ColumnType.Kind.NULL;
            found.add(described);
        }
        for (int f = 0; f < has.length; f++) {
            Field field = schema.fields().get(f);
            if (!has[f] && !field.nullable()) {
                throw refused("column " + field.name(), "has no values, and the field is not nullable");
            }
        }
        return found;
    }

    /** @throws HttpFailure when it is no name that a field can have */
    private static String name(org.apache.arrow.flatbuf.Field column) {
        ByteBuffer name;
        try {
            name = column.nameAsByteBuffer();
        } catch (IllegalArgumentException e) {
            throw IpcMessages.bad("the name of a column lies outside its message", e);
        }
        if (name == null || name.remaining() > MOST_NAME_BYTES) {
            throw IpcMessages.bad("a column has "
                    + (name == null ? "no name" : "a name of " + name.remaining() + " bytes, expected at most 64"));
        }
        return StandardCharsets.UTF_8.decode(name).toString();
    }

    private String names() {
        return String.join(", ", schema.fields().stream().map(Field::name).toList());
    }

    private Column column(org.apache.arrow.flatbuf.Field column, Field field, int index) {
        ColumnType type = column.childrenLength() > 0 ? null : ColumnType.of(column);
        String unfit = type == null ? "a plain type" : ArrowValues.unfit(field, type);
        if (type == null || unfit != null) {
            throw refused(
                    "column " + field.name(),
                    "the field is a " + field.type().schemaName() + ": expected " + unfit + ", got "
                            + (type == null ? org.apache.arrow.flatbuf.Type.name(column.typeType()) : type.words()));
        }
        DictionaryEncoding encoding = column.dictionary();
        if (encoding == null) {
            return new Column(field.name(), type, index, null);
        }
        Int given = encoding.indexType();
        ColumnType of = given == null ? INDEX : ColumnType.integer(given);
        if (of == null) {
            throw IpcMessages.bad(
                    "column " + field.name() + ": its dictionary has indexes of " + given.bitWidth() + " bits");
        }
        ColumnType other = dictionaryTypes.put(encoding.id(), type);
        if (other != null && !other.equals(type)) {
            throw IpcMessages.bad("columns of two types have the dictionary " + encoding.id());
        }
        return new Column(field.name(), of, index, encoding.id());
    }

    private void dictionary(IpcMessages messages, DictionaryBatch batch, byte[] bytes) {
        ColumnType type = dictionaryTypes.get(batch.id());
        RecordBatch data = batch.data();
        if (type == null || data == null) {
            throw IpcMessages.bad("no column has the dictionary " + batch.id());
        }
        if (batch.isDelta()) {
            throw IpcMessages.bad("dictionaries that grow (deltas) are not understood; send whole ones");
        }
        BatchBuffers buffers = new BatchBuffers(messages, data, bytes.length);
        dictionaries.put(
                batch.id(),
                new ArrowColumn("of dictionary " + batch.id(), type, bytes, buffers.rows(), buffers.next(type), null));
    }

    private Batch batch(IpcMessages messages, RecordBatch header, byte[] bytes) {
        List<Column> described = columns;
        if (described == null) {
            throw IpcMessages.bad("rows come before the schema");
        }
        BatchBuffers buffers = new BatchBuffers(messages, header, bytes.length);
        ArrowColumn[] sent = new ArrowColumn[described.size()];
        ArrowColumn[] byField = new ArrowColumn[schema.fields().size()];
        for (int c = 0; c < sent.length; c++) {
            Column column = described.get(c);
            ArrowColumn dictionary = null;
            if (column.dictionary() != null) {
                dictionary = dictionaries.get(column.dictionary());
                if (dictionary == null) {
                    throw IpcMessages.bad("column " + column.name() + ": its dictionary does not come before its rows");
                }
            }
            sent[c] = new ArrowColumn(
                    column.name(), column.type(), bytes, buffers.rows(), buffers.next(column.type()), dictionary);
            byField[column.field()] = sent[c];
        }
        for (int f = 0; f < byField.length; f++) {
            if (byField[f] == null) {
                byField[f] = ArrowColumn.nothing(schema.fields().get(f).name(), buffers.rows());
            }
        }
        return new Batch(byField, sent, buffers.rows());
    }

    private void row(ArrowColumn[] byField, ArrowColumn[] sent, int row) {
        seen++;
        int before = tuples.size();
        int arena = tuples.arenaSize();
        unkeyed = null;
        int text = textBytes(byField, row);
        RowSpace.make(tuples, text, lease);
        appender.begin(tuples);
        try {
            for (int f = 0; f < byField.length; f++) {
                int place = byField[f].place(row);
                if (place >= 0) {
                    values.set(f, schema.fields().get(f), byField[f].holder(), place);
                } else if (!appender.setNull(f)) {
                    throw new RejectedRecordException(schema.fields().get(f).name() + ": is null, and may not be");
                }
            }
            appender.commit();
            keys.fill(tuples, before, (index, reason) -> unkeyed = reason);
            String why = unkeyed;
            if (why != null) {
                throw new RejectedRecordException(RefusalKind.KEY, why);
            }
            if (asText != null) {
                record(asText.of(tuples, before));
                tuples.clear();
            }
            rows++;
        } catch (RejectedRecordException e) {
            tuples.setSize(before);
            tuples.setArenaSize(arena);
            reject(sent, row, e.kind(), String.valueOf(e.getMessage()));
        }
    }

    private void record(byte[] record) {
        if (record.length > PushedRows.MOST_ROW_BYTES) {
            throw tooLong("has " + record.length + " bytes as a record", PushedRows.MOST_ROW_BYTES);
        }
        lease.grow(RECORD_BYTES + (long) record.length);
        records.add(record);
    }

    private HttpFailure tooLong(String what, int most) {
        String row = "row " + seen;
        return HttpFailure.bad(ErrorCode.RECORD_TOO_LARGE, row + " " + what + ", expected at most " + most, row, null);
    }

    /** Bytes of a row's text and bytes: what the tuple takes in its block's arena, at most. */
    private int textBytes(ArrowColumn[] byField, int row) {
        long sum = 0;
        for (int f = 0; f < byField.length; f++) {
            if (schema.fields().get(f).type().variable()) {
                int place = byField[f].place(row);
                if (place >= 0) {
                    ArrowColumn holder = byField[f].holder();
                    holder.from(place);
                    sum += Math.min(holder.length(place), TupleBlock.MAX_VALUE_BYTES);
                }
            }
        }
        if (sum > PushedRows.MOST_ROW_BYTES) {
            throw tooLong("has values of " + sum + " bytes", PushedRows.MOST_ROW_BYTES);
        }
        valueBytes += ROW_BYTES + sum;
        if (valueBytes > MOST_VALUE_BYTES) {
            throw HttpFailure.of(
                    HttpCode.BODY_TOO_LARGE,
                    "the rows have more than " + MOST_VALUE_BYTES + " bytes of values; send less at a time");
        }
        return (int) sum;
    }

    private void reject(ArrowColumn[] sent, int row, RefusalKind kind, String reason) {
        rejected++;
        kinds.merge(kind, 1, Integer::sum);
        if (reasons.size() < PushedRows.MOST_REASONS) {
            reasons.add(new PushedRows.Reason(seen, 0, PushedRows.fieldOf(reason, schema), reason));
        }
        if (keepBad) {
            byte[] letter = RowText.of(sent, row, PushedRows.MOST_ROW_BYTES);
            if (letter == null) {
                throw HttpFailure.bad(
                        ErrorCode.RECORD_TOO_LARGE,
                        "row " + seen + " (" + reason + ") is to become a dead letter, and has more than "
                                + PushedRows.MOST_ROW_BYTES + " bytes as JSON",
                        "row " + seen,
                        null);
            }
            if (letters != null && letters.isRecord(letter)) {
                throw refused(
                        "row " + seen,
                        reason + "; as a dead letter it would be a record of the stream: correct it, or leave it out");
            }
            lease.grow(RECORD_BYTES + (long) letter.length);
            records.add(letter);
        }
    }

    private static HttpFailure refused(String at, String why) {
        return HttpFailure.bad(ErrorCode.BAD_REQUEST, at + ": " + why, at, null);
    }
}
