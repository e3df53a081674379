package io.waterwheel.decode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.waterwheel.decode.typed.DayAndClock;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Makes the value of a field from text or JSON, by the field's type, and sets it in a row: the one place that says how
 * values of a type are written in records. One thread.
 */
final class ValueParser {
    private final RowAppender row;
    private final Numbers numbers = new Numbers();
    private final Timestamps timestamps;
    /** Null where numbers are written plainly. */
    private final @Nullable NumberMarks marks;

    /** By field the sign that may stand beside its numbers; null: none. */
    private final byte[] @Nullable [] units;

    private final RecordText text;
    private final boolean textNumbers;
    private final Decimals decimals = new Decimals();
    private final byte[] sixteen = new byte[FieldType.SIXTEEN];
    private byte[] scratch = {};
    /** Null, but where somebody looks at files. */
    private final RecordDecoder.@Nullable Watch watch;

    ValueParser(RowAppender row, RecordText text) {
        this(row, text, null);
    }

    ValueParser(RowAppender row, RecordText text, RecordDecoder.@Nullable Watch watch) {
        this.watch = watch;
        this.row = row;
        this.timestamps = new Timestamps(numbers, text);
        this.text = text;
        this.marks = NumberMarks.needed(text) ? new NumberMarks(text) : null;
        this.units = new byte[row.names.length][];
        for (int f = 0; f < units.length; f++) {
            String unit = text.export().units().get(row.names[f]);
            units[f] = unit == null ? null : unit.getBytes(StandardCharsets.UTF_8);
        }
        this.textNumbers = text.json().textNumbers();
    }

    /** Sets the field to a value written as text, as in CSV. */
    void text(int field, byte[] bytes, int from, int to) throws RejectedRecordException {
        if (marks != null && (row.types[field].isNumber() || row.types[field].isDecimal())) {
            byte[] unit = units[field];
            int length = marks.plain(bytes, from, to, unit);
            // A sign that is another than the field's is part of no number.
            if (length < 0 || (unit != null && !NumberMarks.isNumber(marks.bytes, length))) {
                throw unfit(
                        field,
                        "a number whose marks stand where the schema says"
                                + (unit == null
                                        ? ""
                                        : ", alone or with " + new String(unit, StandardCharsets.UTF_8) + " beside it"),
                        bytes,
                        from,
                        to);
            }
            plainText(field, marks.bytes, 0, length);
        } else {
            plainText(field, bytes, from, to);
        }
    }

    /** By field what gathers its day and its time of day, where these are in two places; null for others. */
    @Nullable
    DayAndClock[] pairs(Schema schema) {
        @Nullable DayAndClock[] pairs = new @Nullable DayAndClock[row.names.length];
        for (String field : text.export().clocks().keySet()) {
            pairs[schema.indexOf(field)] = new DayAndClock();
        }
        return pairs;
    }

    /** Takes a day or a time of day of JSON. */
    void part(int field, DayAndClock pair, boolean clock, JsonToken token, JsonParser parser)
            throws IOException, RejectedRecordException {
        expect(
                field,
                token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NUMBER_INT,
                clock ? "a time of day" : "a day",
                token);
        int length = utf8(field, parser);
        pair.take(clock, scratch, 0, length);
    }

    /** Sets the field to a day and a time of day; false when there is neither. */
    boolean paired(int field, DayAndClock pair) throws RejectedRecordException {
        boolean day = pair.has(false);
        boolean clock = pair.has(true);
        if (!day && !clock) {
            return false;
        }
        if (!day || !clock) {
            String name = row.names[field];
            throw new RejectedRecordException(
                    RefusalKind.FIELDS,
                    name + ": expected a day (" + text.source(name) + ") and a time of day (" + text.clock(name)
                            + "), got only the " + (day ? "day" : "time of day"));
        }
        byte[] joined = pair.joined();
        plainText(field, joined, 0, joined.length);
        return true;
    }

    private void plainText(int field, byte[] bytes, int from, int to) throws RejectedRecordException {
        switch (row.types[field].kind()) {
            case INT -> {
                long value = numbers.parseLong(bytes, from, to);
                if (numbers.failed || value != (int) value) {
                    throw unfit(field, "a whole number of 32 bits", bytes, from, to);
                }
                watched(field, bytes, from, to);
                row.setInteger(field, value);
            }
            case LONG -> {
                long value = numbers.parseLong(bytes, from, to);
                if (numbers.failed) {
                    throw unfit(field, "a whole number of 64 bits", bytes, from, to);
                }
                watched(field, bytes, from, to);
                row.setInteger(field, value);
            }
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> {
                long value = timestamps.parse(bytes, from, to, row.fields[field].unit(), row.types[field].resolution());
                if (timestamps.failed) {
                    throw unfit(field, timestamps.expected(row.fields[field]), bytes, from, to);
                }
                watched(field, bytes, from, to);
                row.setInteger(field, value);
            }
            case IPV4 -> {
                long value = Ipv4.parse(bytes, from, to);
                if (value < 0) {
                    throw unfit(field, "an IPv4 address such as 192.0.2.1", bytes, from, to);
                }
                row.setInteger(field, value);
            }
            case FLOAT -> {
                float value = numbers.parseFloat(bytes, from, to);
                if (numbers.failed) {
                    throw unfit(field, "a number", bytes, from, to);
                }
                row.setFloat(field, value);
            }
            case DOUBLE -> {
                double value = numbers.parseDouble(bytes, from, to);
                if (numbers.failed) {
                    throw unfit(field, "a number", bytes, from, to);
                }
                if (watch != null) {
                    watch.number(field, value, bytes, from, to);
                }
                row.setDouble(field, value);
            }
            case BOOLEAN -> row.setBoolean(field, parseBoolean(field, bytes, from, to));
            case STRING -> {
                checkLength(field, to - from);
                if (!Utf8.valid(bytes, from, to - from)) {
                    throw new RejectedRecordException(RefusalKind.TEXT, row.names[field] + ": is not valid UTF-8");
                }
                row.setBytes(field, bytes, from, to - from);
            }
            case BYTES -> {
                checkLength(field, (to - from) / 4 * 3);
                byte[] value;
                try {
                    value = Base64.getDecoder().decode(Arrays.copyOfRange(bytes, from, to));
                } catch (IllegalArgumentException e) {
                    throw unfit(field, "base64", bytes, from, to);
                }
                row.setBytes(field, value, 0, value.length);
            }
            case UUID, IPV6 -> sixteen(field, bytes, from, to);
            case DECIMAL -> decimal(field, bytes, from, to);
        }
    }

    /** Sets the field to the JSON value that the parser is at. */
    void json(int field, JsonToken token, JsonParser parser) throws IOException, RejectedRecordException {
        if (textNumbers
                && token == JsonToken.VALUE_STRING
                && (row.types[field].isNumber() || row.types[field] == FieldType.BOOLEAN)) {
            int length = utf8(field, parser);
            plainText(field, scratch, 0, length);
            return;
        }
        switch (row.types[field].kind()) {
            case INT -> {
                expect(field, token == JsonToken.VALUE_NUMBER_INT, "a whole number of 32 bits", token);
                row.setInteger(field, parser.getIntValue());
            }
            case LONG -> {
                expect(field, token == JsonToken.VALUE_NUMBER_INT, "a whole number of 64 bits", token);
                row.setInteger(field, parser.getLongValue());
            }
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> row.setInteger(field, timestamp(field, token, parser));
            case IPV4 -> {
                expect(field, token == JsonToken.VALUE_STRING, "a string with an IPv4 address", token);
                int length = utf8(field, parser);
                long value = Ipv4.parse(scratch, 0, length);
                if (value < 0) {
                    throw new RejectedRecordException(row.names[field]
                            + ": expected an IPv4 address such as 192.0.2.1, got '" + Snippet.of(scratch, 0, length)
                            + "'");
                }
                row.setInteger(field, value);
            }
            case FLOAT -> {
                expect(field, token.isNumeric(), "a number", token);
                float value = parser.getFloatValue();
                if (!Float.isFinite(value)) {
                    throw beyond(field, "float", parser);
                }
                row.setFloat(field, value);
            }
            case DOUBLE -> {
                expect(field, token.isNumeric(), "a number", token);
                double value = parser.getDoubleValue();
                if (!Double.isFinite(value)) {
                    throw beyond(field, "double", parser);
                }
                if (watch != null) {
                    int length = utf8(field, parser);
                    watch.number(field, value, scratch, 0, length);
                }
                row.setDouble(field, value);
            }
            case BOOLEAN -> {
                expect(field, token.isBoolean(), "true or false", token);
                row.setBoolean(field, token == JsonToken.VALUE_TRUE);
            }
            case STRING -> {
                boolean fits = token == JsonToken.VALUE_STRING || (textNumbers && token.isScalarValue());
                expect(field, fits, "a string", token);
                int length = utf8(field, parser);
                row.setBytes(field, scratch, 0, length);
            }
            case BYTES -> {
                expect(field, token == JsonToken.VALUE_STRING, "a string of base64", token);
                byte[] value = parser.getBinaryValue();
                checkLength(field, value.length);
                row.setBytes(field, value, 0, value.length);
            }
            case DECIMAL -> {
                expect(field, token.isNumeric() || token == JsonToken.VALUE_STRING, "a number or a string", token);
                int length = utf8(field, parser);
                decimal(field, scratch, 0, length);
            }
            case UUID, IPV6 -> {
                expect(field, token == JsonToken.VALUE_STRING, "a string", token);
                int length = utf8(field, parser);
                sixteen(field, scratch, 0, length);
            }
        }
    }

    private void decimal(int field, byte[] bytes, int from, int to) throws RejectedRecordException {
        FieldType type = row.types[field];
        String expected = decimals.parse(bytes, from, to, type.precision(), type.scale());
        if (expected != null) {
            throw unfit(field, expected, bytes, from, to);
        }
        watched(field, bytes, from, to);
        if (type.variable()) {
            decimals.write(sixteen);
            row.setBytes(field, sixteen, 0, Decimals.LONG_BYTES);
        } else {
            row.setInteger(field, decimals.low);
        }
    }

    private void sixteen(int field, byte[] bytes, int from, int to) throws RejectedRecordException {
        FieldType type = row.types[field];
        if (!type.parseSixteen(bytes, from, to, sixteen)) {
            throw unfit(field, type.sixteenExpected(), bytes, from, to);
        }
        row.setBytes(field, sixteen, 0, FieldType.SIXTEEN);
    }

    private long timestamp(int field, JsonToken token, JsonParser parser) throws IOException, RejectedRecordException {
        Field of = row.fields[field];
        if (token == JsonToken.VALUE_NUMBER_INT && of.unit() == of.type().resolution() && timestamps.takesCounts()) {
            return parser.getLongValue();
        }
        if (token != JsonToken.VALUE_STRING && !token.isNumeric()) {
            timestamps.forget();
            expect(field, false, timestamps.expected(of), token);
        }
        int length = utf8(field, parser);
        long value = timestamps.parse(scratch, 0, length, of.unit(), of.type().resolution());
        if (timestamps.failed) {
            throw new RejectedRecordException(row.names[field] + ": expected " + timestamps.expected(of) + ", got '"
                    + Snippet.of(scratch, 0, length) + "'");
        }
        watched(field, scratch, 0, length);
        return value;
    }

    private void watched(int field, byte[] bytes, int from, int to) {
        if (watch != null) {
            watch.text(field, bytes, from, to);
        }
    }

    private void expect(int field, boolean fulfilled, String expected, JsonToken got) throws RejectedRecordException {
        if (!fulfilled) {
            throw new RejectedRecordException(row.names[field] + ": expected " + expected + ", got " + describe(got));
        }
    }

    private RejectedRecordException beyond(int field, String type, JsonParser parser) throws IOException {
        return new RejectedRecordException(row.names[field] + ": expected a number in the range of a " + type + ", got "
                + Snippet.of(parser.getText()));
    }

    private void checkLength(int field, int length) throws RejectedRecordException {
        if (length > TupleBlock.MAX_VALUE_BYTES) {
            throw new RejectedRecordException(
                    RefusalKind.SIZE,
                    row.names[field] + ": expected at most " + TupleBlock.MAX_VALUE_BYTES + " bytes, got " + length);
        }
    }

    private boolean parseBoolean(int field, byte[] bytes, int from, int to) throws RejectedRecordException {
        int length = to - from;
        if (length == 1 && (bytes[from] == '1' || bytes[from] == '0')) {
            return bytes[from] == '1';
        }
        if (is("true", "TRUE", bytes, from, to)) {
            return true;
        }
        if (is("false", "FALSE", bytes, from, to)) {
            return false;
        }
        throw unfit(field, "true, false, 1 or 0", bytes, from, to);
    }

    private static boolean is(String lower, String upper, byte[] bytes, int from, int to) {
        if (to - from != lower.length()) {
            return false;
        }
        for (int i = 0; i < lower.length(); i++) {
            if (bytes[from + i] != lower.charAt(i) && bytes[from + i] != upper.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private RejectedRecordException unfit(int field, String expected, byte[] bytes, int from, int to) {
        return new RejectedRecordException(
                row.names[field] + ": expected " + expected + ", got '" + Snippet.of(bytes, from, to) + "'");
    }

    /** The token for messages. */
    static String describe(@Nullable JsonToken token) {
        if (token == null) {
            return "nothing";
        }
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_NUMBER_INT -> "a whole number";
            case VALUE_NUMBER_FLOAT -> "a number";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            default -> token.name();
        };
    }

    /** Writes the parser's text as UTF-8 into {@link #scratch}; returns its length. */
    private int utf8(int field, JsonParser parser) throws IOException, RejectedRecordException {
        char[] chars = parser.getTextCharacters();
        int from = parser.getTextOffset();
        int to = from + parser.getTextLength();
        if (scratch.length < (to - from) * 3) {
            scratch = new byte[(to - from) * 3];
        }
        int out = 0;
        for (int i = from; i < to; i++) {
            char c = chars[i];
            if (c < 0x80) {
                scratch[out++] = (byte) c;
            } else if (c < 0x800) {
                scratch[out++] = (byte) (0xC0 | (c >> 6));
                scratch[out++] = (byte) (0x80 | (c & 0x3F));
            } else if (!Character.isSurrogate(c)) {
                scratch[out++] = (byte) (0xE0 | (c >> 12));
                scratch[out++] = (byte) (0x80 | ((c >> 6) & 0x3F));
                scratch[out++] = (byte) (0x80 | (c & 0x3F));
            } else {
                if (!Character.isHighSurrogate(c) || i + 1 == to || !Character.isLowSurrogate(chars[i + 1])) {
                    throw new RejectedRecordException(
                            RefusalKind.TEXT, row.names[field] + ": half of a surrogate pair is no character");
                }
                int code = Character.toCodePoint(c, chars[++i]);
                scratch[out++] = (byte) (0xF0 | (code >> 18));
                scratch[out++] = (byte) (0x80 | ((code >> 12) & 0x3F));
                scratch[out++] = (byte) (0x80 | ((code >> 6) & 0x3F));
                scratch[out++] = (byte) (0x80 | (code & 0x3F));
            }
        }
        checkLength(field, out);
        return out;
    }
}
