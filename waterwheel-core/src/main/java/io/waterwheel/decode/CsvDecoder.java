package io.waterwheel.decode;

import io.waterwheel.decode.typed.DayAndClock;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.CsvEscapes;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One line of values divided by commas, RFC 4180, or by another delimiter that the schema names: fields in the schema's
 * order, quotes around values that hold delimiters, quotes (doubled) or line ends. An empty value is null, and so is a
 * word that the schema takes for it; a quoted empty value is an empty string. A number or a time in quotes is null if
 * it is empty, or such a word that cannot be a number or a time; a text in quotes is what it says. One line end at the
 * end of the record is ignored. The schema may name another quote, or none, and an escape. Works on the record's bytes;
 * only values with escapes, quoted ones with quotes inside, and numbers with marks, are copied.
 */
final class CsvDecoder implements RecordDecoder {
    private final RowAppender row;
    private final ValueParser values;
    /** Fields that no line holds. */
    private final FactFields of;
    /** The fields of a line, in its order: one whose day and time of day are two values is there twice. */
    private final int[] inLine;

    /** By field what gathers these; null for others. */
    private final @Nullable DayAndClock[] pairs;

    private final byte[] header;
    private final byte delimiter;
    /** -1, which no character of these signs is: there is none. */
    private final int quote;

    private final int escape;
    /** Whether spaces around values that are no texts are passed over. */
    private final boolean trims;
    /** Whether a CR alone is a character like another: who has no quotes to put it in, or an escape, writes it so. */
    private final boolean loneReturns;

    /** No byte above it divides, quotes or ends anything. */
    private final byte highest;

    private final RecordText.Csv signs;
    private final byte[][] nulls;
    /** Those of them that no number and no time is written as. */
    private final byte[][] nullsInQuotes;

    private final RecordBytes record = new RecordBytes();
    private byte[] unquoted = {};

    /** Whether the present value is the second of a field's two. */
    private boolean isClock;

    /** Where the last value read ends in the line: at a delimiter or at the line's end. */
    private int valueEnd;

    CsvDecoder(Schema schema, RecordDecoder.@Nullable Watch watch) {
        row = new RowAppender(schema);
        of = new FactFields(row, schema);
        inLine = IntStream.range(0, row.types.length)
                .filter(f -> !of.has(f))
                .flatMap(f -> schema.text().clock(row.names[f]) == null ? IntStream.of(f) : IntStream.of(f, f))
                .toArray();
        RecordText.Csv csv = schema.text().csv();
        signs = csv;
        values = new ValueParser(row, schema.text(), watch);
        pairs = values.pairs(schema);
        delimiter = (byte) csv.delimiter();
        quote = csv.quote() == '\0' ? -1 : csv.quote();
        escape = csv.escape() == '\0' ? -1 : csv.escape();
        loneReturns = quote < 0 || escape >= 0;
        trims = schema.text().export().trims();
        highest = (byte) Math.max(csv.delimiter(), Math.max(quote, Math.max(escape, '\r')));
        nulls = csv.nulls().stream()
                .map(word -> word.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        nullsInQuotes = csv.nulls().stream()
                .filter(word -> !RecordText.Csv.mayBeValue(word))
                .map(word -> word.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        header = schema.columns().stream()
                .collect(Collectors.joining(String.valueOf(csv.delimiter())))
                .getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void decode(ByteBuffer value, RecordFacts facts, TupleBlock into) throws RejectedRecordException {
        record.of(value);
        decode(record.array, record.from, record.length, facts, into);
    }

    private void decode(byte[] bytes, int from, int length, RecordFacts facts, TupleBlock into)
            throws RejectedRecordException {
        int to = signs.endOfValues(bytes, from, from + length);
        if (from == to) {
            throw new RejectedRecordException(RefusalKind.FORM, "the record is empty");
        }
        row.begin(into);
        try {
            of.set(facts);
            line(bytes, from, to);
        } catch (RejectedRecordException e) {
            row.rollback();
            if (Arrays.equals(bytes, from, to, header, 0, header.length)) {
                throw new RejectedRecordException(
                        RefusalKind.FORM, "the line is the header, not a tuple: it holds the names of the fields");
            }
            throw e;
        }
        row.commit();
    }

    private void line(byte[] bytes, int from, int to) throws RejectedRecordException {
        int fields = inLine.length;
        int at = from;
        for (int column = 0; column < fields; column++) {
            int field = inLine[column];
            boolean first = column == 0 || inLine[column - 1] != field;
            isClock = !first;
            DayAndClock pair = pairs[field];
            if (pair != null && first) {
                pair.clear();
            }
            if (at > to) {
                throw new RejectedRecordException(
                        RefusalKind.FIELDS,
                        "line ends after " + column + " of " + fields + " fields: " + row.names[field]
                                + " is the first that it lacks");
            }
            if (at < to && bytes[at] == quote && quote >= 0) {
                quoted(field, bytes, at, to);
            } else {
                plain(field, bytes, at, to);
            }
            at = valueEnd + 1;
            if (pair != null && !first && !values.paired(field, pair) && !row.setNull(field)) {
                throw new RejectedRecordException(RefusalKind.FIELDS, "line lacks " + row.names[field]);
            }
        }
        if (at <= to) {
            throw new RejectedRecordException(
                    RefusalKind.FIELDS,
                    "line has more than the schema's " + fields + " fields: '" + Snippet.of(bytes, at, to)
                            + "' is left over");
        }
    }

    private void plain(int field, byte[] bytes, int begin, int to) throws RejectedRecordException {
        int from = begin;
        int end = from;
        int escapes = 0;
        while (end < to) {
            int c = bytes[end];
            if (c <= highest) { // with commas hardly anything else is below
                if (c == delimiter) {
                    break;
                }
                if (c == escape && c >= 0) {
                    end = escaped(field, end, to);
                    escapes++;
                    continue;
                }
                if (c == quote && c >= 0) {
                    throw new RejectedRecordException(
                            RefusalKind.FORM,
                            row.names[field]
                                    + ": a quote inside a value without quotes; put the value in quotes and double the quote");
                }
                if (c == '\n' || (c == '\r' && !loneReturns)) {
                    throw new RejectedRecordException(
                            RefusalKind.FORM,
                            row.names[field] + ": a line end inside the record; expected one line a record");
                }
            }
            end++;
        }
        valueEnd = end;
        int whole = end;
        if (trims && !isText(field)) {
            from = behindSpaces(bytes, from, end);
            end = beforeSpaces(bytes, from, end);
        }
        if (isNothing(field, nulls, bytes, from, end)) {
            return;
        }
        if (escapes == 0) {
            value(field, bytes, from, end);
        } else {
            copied(field, bytes, begin, whole, whole - begin - escapes);
        }
    }

    /** Whether a value is empty or one of these words: then the field is null. */
    private boolean isNothing(int field, byte[][] words, byte[] bytes, int from, int end)
            throws RejectedRecordException {
        if (end == from) {
            if (pairs[field] == null && !row.setNull(field)) {
                throw new RejectedRecordException(RefusalKind.FIELDS, "line lacks " + row.names[field]);
            }
            return true;
        }
        for (byte[] word : words) {
            if (Arrays.equals(bytes, from, end, word, 0, word.length)) {
                if (pairs[field] == null && !row.setNull(field)) {
                    throw new RejectedRecordException(
                            RefusalKind.FIELDS,
                            "line lacks " + row.names[field] + ": '" + Snippet.of(bytes, from, end)
                                    + "' stands for null");
                }
                return true;
            }
        }
        return false;
    }

    private boolean isNumberOrTime(int field) {
        FieldType type = row.types[field];
        return type.isNumber() || type.isDecimal() || type.isTimestamp();
    }

    private boolean isText(int field) {
        return row.types[field].kind() == FieldType.Kind.STRING;
    }

    private static int behindSpaces(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && (bytes[at] == ' ' || bytes[at] == '\t')) {
            at++;
        }
        return at;
    }

    private static int beforeSpaces(byte[] bytes, int from, int to) {
        int at = to;
        while (at > from && (bytes[at - 1] == ' ' || bytes[at - 1] == '\t')) {
            at--;
        }
        return at;
    }

    /** Sets a value that stands in quotes, or has escapes. */
    private void trimmed(int field, byte[] bytes, int from, int to) throws RejectedRecordException {
        boolean trimmed = trims && !isText(field);
        int start = trimmed ? behindSpaces(bytes, from, to) : from;
        int end = trimmed ? beforeSpaces(bytes, start, to) : to;
        if (!isNumberOrTime(field) || !isNothing(field, nullsInQuotes, bytes, start, end)) {
            value(field, bytes, start, end);
        }
    }

    private void value(int field, byte[] bytes, int from, int to) throws RejectedRecordException {
        DayAndClock pair = pairs[field];
        if (pair == null) {
            values.text(field, bytes, from, to);
        } else {
            pair.take(isClock, bytes, from, to);
        }
    }

    /** The place behind an escape and what it stands before. */
    private int escaped(int field, int at, int to) throws RejectedRecordException {
        if (at + 1 >= to) {
            throw new RejectedRecordException(
                    RefusalKind.FORM,
                    row.names[field] + ": the line ends behind the escape '" + (char) escape
                            + "'; write it twice where it stands for itself");
        }
        return at + 2;
    }

    private void quoted(int field, byte[] bytes, int from, int to) throws RejectedRecordException {
        int start = from + 1;
        int at = start;
        int dropped = 0;
        while (true) {
            if (at >= to) {
                throw new RejectedRecordException(
                        RefusalKind.FORM, row.names[field] + ": the closing quote is missing");
            }
            byte c = bytes[at];
            if (c == escape && c >= 0) {
                at = escaped(field, at, to);
                dropped++;
                continue;
            }
            if (c == quote) {
                if (at + 1 >= to || bytes[at + 1] != quote) {
                    break;
                }
                dropped++;
                at++;
            }
            at++;
        }
        valueEnd = at + 1;
        if (valueEnd < to && bytes[valueEnd] != delimiter) {
            throw new RejectedRecordException(
                    RefusalKind.FORM,
                    row.names[field] + ": expected "
                            + (delimiter == ',' ? "a comma" : "the delimiter '" + (char) delimiter + "'")
                            + " after the closing quote, got '"
                            + Snippet.of(bytes, valueEnd, to) + "'");
        }
        if (dropped > 0) {
            copied(field, bytes, start, at, at - start - dropped);
        } else {
            trimmed(field, bytes, start, at);
        }
    }

    /**
     * Sets a value without its escapes and the first of two quotes. Spaces are passed over behind that only: one that
     * an escape stands before is no end of the value yet.
     */
    private void copied(int field, byte[] bytes, int from, int to, int length) throws RejectedRecordException {
        if (unquoted.length < length) {
            unquoted = new byte[length];
        }
        int out = 0;
        for (int i = from; i < to; i++) {
            byte c = bytes[i];
            if (c == escape && c >= 0) {
                i++;
                c = escape == '\\' ? CsvEscapes.meant(bytes[i]) : bytes[i];
            } else if (c == quote && c >= 0) {
                i++;
            }
            unquoted[out++] = c;
        }
        trimmed(field, unquoted, 0, length);
    }
}
