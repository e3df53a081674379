package io.waterwheel.gateway.rows;

import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.CsvQuotes;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RefusalKind;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the rows of one body at the door: what is taken is a tuple for the server too. Lines end with LF or CR LF;
 * empty ones are left out, and in CSV comments; a body of JSON may be one array of rows; in CSV a line end between
 * quotes belongs to the row. One thread, one body.
 */
public final class RowDecoder {
    /** Longest line that names the fields. */
    static final int MOST_HEADER_BYTES = 64 << 10;

    /** Of an array and its place in a list. */
    private static final int RECORD_BYTES = 32;

    /** What a block of bytes takes as columns, by its length: keys and times beside it, and room to grow. */
    private static final int BLOCK_FACTOR = 3;

    /** Most tuples of one JSON record, and bytes of their texts (docs/schema.md). */
    private static final int MOST_TUPLES = 10_000;

    private static final long MOST_TEXT_BYTES = 16 << 20;

    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final Schema schema;
    private final RecordFormat body;
    private final boolean blocks;
    /** Whether a record has any number of tuples. */
    private final boolean several;

    private final boolean keepBad;
    private final PushBudget.Lease lease;
    private final RecordDecoder decoder;
    private final RowTools tools;
    private final KeyMaker keys;
    private final TupleBlock tuples;
    private final TupleBlock scratch;
    private final List<byte[]> records = new ArrayList<>();
    private final List<PushedRows.Reason> reasons = new ArrayList<>();
    private @Nullable CsvColumns columns;
    private @Nullable String unkeyed;
    private boolean linesOnly;
    /** The number of the present element of an array, from 1; 0 outside of one. */
    private int element;

    private int rows;
    private int rejected;
    private final Map<RefusalKind, Integer> kinds = new EnumMap<>(RefusalKind.class);

    /**
     * A decoder for a body of this format.
     *
     * @param keepBad whether the text of bad rows is to become dead letters
     * @param lease takes the bytes of tuples and records, before the memory is taken
     */
    public RowDecoder(StreamDefinition stream, RecordFormat body, boolean keepBad, PushBudget.Lease lease) {
        this(new RowTools(stream, body), keepBad, lease);
    }

    /**
     * A decoder with these tools, which are its own until it has decoded.
     *
     * @param keepBad whether the text of bad rows is to become dead letters
     * @param lease takes the bytes of tuples and records, before the memory is taken
     */
    public RowDecoder(RowTools tools, boolean keepBad, PushBudget.Lease lease) {
        this.tools = tools;
        this.lease = lease;
        this.schema = tools.stream.schema();
        this.body = tools.body;
        this.blocks = tools.stream.takesBlocks();
        this.several = tools.several;
        this.keepBad = keepBad;
        this.decoder = tools.decoder;
        this.keys = tools.keys;
        this.tuples = new TupleBlock(tools.layout, 16);
        this.scratch = new TupleBlock(tools.layout, 1);
    }

    /**
     * Of JSON: whether the body is lines, also where it begins as an array does. A first line that is damaged spoils
     * itself alone then.
     */
    public RowDecoder linesOnly(boolean are) {
        linesOnly = are;
        return this;
    }

    /** Whether the first line of CSV names the fields. */
    public enum Header {
        PRESENT,
        ABSENT,
        /** When all of its values are names ({@link CsvColumns#areNames}). */
        SEEN
    }

    /**
     * Decodes all. Of a body that is one array of JSON, line ends within elements become spaces where they lie.
     *
     * @param bytes the body, which may be changed
     * @throws HttpFailure when the body is no rows at all
     */
    public PushedRows decode(byte[] bytes, Header header) {
        if (body == RecordFormat.BLOCK) {
            row(bytes, 0, bytes.length, 1);
        } else {
            lines(bytes, header);
        }
        return new PushedRows(tuples, records, rows, rejected, kinds, reasons);
    }

    private void lines(byte[] bytes, Header header) {
        boolean csv = body == RecordFormat.CSV;
        int at = bytes.length >= MARK.length && Arrays.equals(bytes, 0, MARK.length, MARK, 0, MARK.length)
                ? MARK.length
                : 0;
        if (body == RecordFormat.JSON && !linesOnly && !takesArrays()) {
            ArrayElements elements = ArrayElements.of(bytes, at);
            if (elements != null) {
                while (elements.next()) {
                    element++;
                    requireShort(elements.to() - elements.from(), elements.line());
                    row(bytes, elements.from(), elements.to(), elements.line());
                }
                return;
            }
        }
        int line = 1;
        boolean first = true;
        char comment = csv ? schema.text().export().comment() : '\0';
        RecordText.Csv signs = schema.text().csv();
        CsvQuotes quotes = new CsvQuotes(signs);
        while (at < bytes.length) {
            int end = at;
            int ends = 0;
            if (comment != '\0' && bytes[at] == comment) {
                while (at < bytes.length && bytes[at] != '\n') {
                    at++;
                }
                at++;
                line++;
                continue;
            }
            quotes.begin();
            while (end < bytes.length && ((csv && quotes.inside(bytes[end])) || bytes[end] != '\n')) {
                ends += bytes[end] == '\n' ? 1 : 0;
                end++;
            }
            int to = csv ? signs.endOfValues(bytes, at, end) : end > at && bytes[end - 1] == '\r' ? end - 1 : end;
            if (to > at) {
                requireShort(to - at, line);
                if (!(first && csv && isHeader(bytes, at, to, header))) {
                    row(bytes, at, to, line);
                }
                first = false;
            }
            line += ends + 1;
            at = end + 1;
        }
    }

    /** Whether a row is an array: then each line is one. */
    private boolean takesArrays() {
        return schema.fields().stream()
                .anyMatch(field -> schema.text().source(field.name()).startsWith("$[*]"));
    }

    private boolean isHeader(byte[] bytes, int from, int to, Header header) {
        if (header == Header.ABSENT) {
            return false;
        }
        if (to - from > MOST_HEADER_BYTES) {
            if (header == Header.SEEN) {
                return false;
            }
            throw tooLarge("the first line, of names,", to - from, MOST_HEADER_BYTES, "line 1");
        }
        byte[] line = Arrays.copyOfRange(bytes, from, to);
        if (header == Header.SEEN && !CsvColumns.areNames(line, schema)) {
            return false;
        }
        columns = CsvColumns.ofBody(line, schema);
        return true;
    }

    private void row(byte[] bytes, int from, int to, int line) {
        CsvColumns order = columns;
        if (order == null) {
            take(bytes, from, to, line);
            return;
        }
        byte[] ordered = order.inOrder(Arrays.copyOfRange(bytes, from, to));
        if (ordered == null) {
            reject(
                    bytes,
                    from,
                    to,
                    line,
                    RefusalKind.FIELDS,
                    "expected " + order.columns() + " columns, as the first line names, got another number");
        } else {
            take(ordered, 0, ordered.length, line);
        }
    }

    private void take(byte[] bytes, int from, int to, int line) {
        boolean one = body != RecordFormat.BLOCK && !several;
        if (body != RecordFormat.BLOCK) {
            requireShort(to - from, line);
        }
        TupleBlock into = blocks ? tuples : scratch;
        if (!blocks) {
            scratch.clear();
        }
        int before = into.size();
        int arena = into.arenaSize();
        unkeyed = null;
        long spare = 0;
        if (one) {
            // Its values take no more than its text.
            RowSpace.make(into, to - from, lease);
        } else {
            spare = several ? severalBytes(into, to - from) : BLOCK_FACTOR * (long) (to - from);
            lease.grow(spare);
        }
        long allocated = into.allocatedBytes();
        byte[] record = null;
        try {
            decoder.decode(ByteBuffer.wrap(bytes, from, to - from), into);
            if (body != RecordFormat.BLOCK) {
                tools.counted.check(into, before);
            }
            keys.fill(into, before, (row, reason) -> unkeyed = reason);
            String why = unkeyed;
            if (why != null) {
                throw new RejectedRecordException(RefusalKind.KEY, why);
            }
            if (!blocks) {
                record = schema.text().encoding().ofUtf8(Arrays.copyOfRange(bytes, from, to));
                if (record == null) {
                    throw new RejectedRecordException(
                            RefusalKind.TEXT,
                            "the row has a character that "
                                    + schema.text().encoding().label()
                                    + ", the encoding of the stream's records, lacks");
                }
            }
        } catch (RejectedRecordException e) {
            into.setSize(before);
            into.setArenaSize(arena);
            reject(bytes, from, to, line, e.kind(), String.valueOf(e.getMessage()));
            return;
        } finally {
            // A line of JSON may have an array of tuples: their number is bounded by the decoder.
            long grown = into.allocatedBytes() - allocated;
            if (one) {
                lease.grow(grown);
            } else {
                lease.shrink(Math.max(0, spare - grown));
            }
        }
        if (!one) {
            requireShort(into, before);
        }
        rows += into.size() - before;
        if (record != null) {
            lease.grow(RECORD_BYTES + (long) record.length);
            records.add(record);
        }
    }

    /** What the tuples of one record of this length may take while the arrays grow: each may have all of its texts. */
    private static long severalBytes(TupleBlock into, int length) {
        long tuples = Math.min(MOST_TUPLES, length / 2 + 1);
        long texts = Math.min(MOST_TEXT_BYTES, tuples * length);
        return 2 * (tuples * (into.layout().rowWidth() + 16L) + texts);
    }

    private static void requireShort(int length, int line) {
        if (length > PushedRows.MOST_ROW_BYTES) {
            throw tooLarge("line " + line, length, PushedRows.MOST_ROW_BYTES, "line " + line);
        }
    }

    private static HttpFailure tooLarge(String what, long length, int most, String at) {
        return HttpFailure.bad(
                ErrorCode.RECORD_TOO_LARGE, what + " has " + length + " bytes, expected at most " + most, at, null);
    }

    /** A row of a block is written into a record again, perhaps alone. */
    private static void requireShort(TupleBlock block, int first) {
        RowLayout layout = block.layout();
        for (int row = first; row < block.size(); row++) {
            long bytes = 0;
            for (int c = 0; c < layout.columns(); c++) {
                if (layout.variable(c)) {
                    bytes += TupleBlock.referenceLength(LittleEndian.getLong(block.column(c), row * 8));
                }
            }
            if (bytes > PushedRows.MOST_ROW_BYTES) {
                throw HttpFailure.bad(
                        ErrorCode.RECORD_TOO_LARGE,
                        "row " + row + " has values of " + bytes + " bytes, expected at most "
                                + PushedRows.MOST_ROW_BYTES,
                        "row " + row,
                        null);
            }
        }
    }

    private void reject(byte[] bytes, int from, int to, int line, RefusalKind kind, String reason) {
        rejected++;
        kinds.merge(kind, 1, Integer::sum);
        if (reasons.size() < PushedRows.MOST_REASONS) {
            reasons.add(new PushedRows.Reason(line, element, PushedRows.fieldOf(reason, schema), reason));
        }
        if (keepBad) {
            if (to - from > PushedRows.MOST_ROW_BYTES) {
                throw tooLarge(
                        "a " + (body == RecordFormat.BLOCK ? "block" : "line") + " that is to become a dead letter ("
                                + reason + ")",
                        (long) to - from,
                        PushedRows.MOST_ROW_BYTES,
                        "line " + line);
            }
            lease.grow(RECORD_BYTES + (long) to - from);
            byte[] record = Arrays.copyOfRange(bytes, from, to);
            requireRefused(record, line, reason);
            records.add(record);
        }
    }

    /**
     * What the stream would take for a tuple of its own must not come to it as a dead letter.
     *
     * @param here why it is no row of this body
     */
    private void requireRefused(byte[] record, int line, String here) {
        scratch.clear();
        try {
            tools.streams().decode(ByteBuffer.wrap(record), scratch);
            keys.fill(scratch, 0, (row, reason) -> {});
        } catch (RejectedRecordException e) {
            return;
        }
        // Of several rows some may have no key.
        if (scratch.size() > 0) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST,
                    "line " + line + " is no row of this body (" + here
                            + "), and the stream would take rows of it: leave it out",
                    "line " + line,
                    null);
        }
    }
}
