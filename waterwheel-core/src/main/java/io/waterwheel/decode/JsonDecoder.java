package io.waterwheel.decode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.Ipv4;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * One JSON object, its members the schema's fields in any order. Absent and null members are null; unknown and repeated
 * members are refused. Numbers are JSON numbers, timestamps numbers or strings, bytes base64.
 */
final class JsonDecoder implements RecordDecoder {
    private final JsonFactory factory = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(4)
                    .maxNumberLength(Numbers.MAX_LENGTH)
                    .maxStringLength(2 * TupleBlock.MAX_VALUE_BYTES)
                    .maxNameLength(256)
                    .build())
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();
    private final RowAppender row;
    private final Map<String, Integer> fieldOf = new HashMap<>();
    private final boolean[] seen;
    private final Timestamps timestamps = new Timestamps(new Numbers());
    private byte[] copy = {};
    private byte[] text = {};

    JsonDecoder(Schema schema) {
        row = new RowAppender(schema);
        for (int f = 0; f < row.names.length; f++) {
            fieldOf.put(row.names[f], f);
        }
        seen = new boolean[row.names.length];
    }

    @Override
    public void decode(ByteBuffer value, TupleBlock into) throws RejectedRecordException {
        int length = value.remaining();
        if (length == 0) {
            throw new RejectedRecordException("the record is empty");
        }
        if (value.hasArray()) {
            decode(value.array(), value.arrayOffset() + value.position(), length, into);
            return;
        }
        if (copy.length < length) {
            copy = new byte[length];
        }
        value.get(value.position(), copy, 0, length);
        decode(copy, 0, length, into);
    }

    private void decode(byte[] bytes, int from, int length, TupleBlock into) throws RejectedRecordException {
        row.begin(into);
        Arrays.fill(seen, false);
        try (JsonParser parser = factory.createParser(bytes, from, length)) {
            object(parser);
        } catch (JsonProcessingException e) {
            row.rollback();
            throw new RejectedRecordException("not a JSON object: " + Snippet.of(e.getOriginalMessage()) + " (at byte "
                    + (e.getLocation() == null
                            ? "?"
                            : Long.toString(e.getLocation().getByteOffset())) + ")");
        } catch (IOException e) {
            row.rollback();
            throw new RejectedRecordException("not a JSON object: " + e.getMessage());
        } catch (RejectedRecordException e) {
            row.rollback();
            throw e;
        }
        row.commit();
    }

    private void object(JsonParser parser) throws IOException, RejectedRecordException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new RejectedRecordException("expected a JSON object, got " + describe(parser.currentToken()));
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            Integer field = fieldOf.get(parser.currentName());
            if (field == null) {
                throw new RejectedRecordException(
                        "unknown member '" + Snippet.of(parser.currentName()) + "': the schema has no such field");
            }
            if (seen[field]) {
                throw new RejectedRecordException(row.names[field] + ": the member is there twice");
            }
            seen[field] = true;
            JsonToken token = parser.nextToken();
            if (token == JsonToken.VALUE_NULL) {
                nothing(field);
            } else {
                set(field, token, parser);
            }
        }
        if (parser.nextToken() != null) {
            throw new RejectedRecordException("expected one JSON object a record, got more behind it");
        }
        for (int f = 0; f < seen.length; f++) {
            if (!seen[f]) {
                nothing(f);
            }
        }
    }

    private void nothing(int field) throws RejectedRecordException {
        if (!row.setNull(field)) {
            throw new RejectedRecordException("object lacks " + row.names[field]);
        }
    }

    private void set(int field, JsonToken token, JsonParser parser) throws IOException, RejectedRecordException {
        switch (row.types[field]) {
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
                long value = Ipv4.parse(text, 0, length);
                if (value < 0) {
                    throw new RejectedRecordException(row.names[field]
                            + ": expected an IPv4 address such as 192.0.2.1, got '" + Snippet.of(text, 0, length)
                            + "'");
                }
                row.setInteger(field, value);
            }
            case FLOAT -> {
                expect(field, token.isNumeric(), "a number", token);
                float value = parser.getFloatValue();
                expect(field, Float.isFinite(value), "a number in the range of a float", token);
                row.setFloat(field, value);
            }
            case DOUBLE -> {
                expect(field, token.isNumeric(), "a number", token);
                double value = parser.getDoubleValue();
                expect(field, Double.isFinite(value), "a number in the range of a double", token);
                row.setDouble(field, value);
            }
            case BOOLEAN -> {
                expect(field, token.isBoolean(), "true or false", token);
                row.setBoolean(field, token == JsonToken.VALUE_TRUE);
            }
            case STRING -> {
                expect(field, token == JsonToken.VALUE_STRING, "a string", token);
                int length = utf8(field, parser);
                row.setBytes(field, text, 0, length);
            }
            case BYTES -> {
                expect(field, token == JsonToken.VALUE_STRING, "a string of base64", token);
                byte[] value = parser.getBinaryValue();
                checkLength(field, value.length);
                row.setBytes(field, value, 0, value.length);
            }
        }
    }

    private long timestamp(int field, JsonToken token, JsonParser parser) throws IOException, RejectedRecordException {
        Field of = row.fields[field];
        if (token == JsonToken.VALUE_NUMBER_INT && of.unit() == of.type().resolution()) {
            return parser.getLongValue();
        }
        expect(field, token == JsonToken.VALUE_STRING || token.isNumeric(), Timestamps.expected(of), token);
        int length = utf8(field, parser);
        long value = timestamps.parse(text, 0, length, of.unit(), of.type().resolution());
        if (timestamps.failed) {
            throw new RejectedRecordException(row.names[field] + ": expected " + Timestamps.expected(of) + ", got '"
                    + Snippet.of(text, 0, length) + "'");
        }
        return value;
    }

    private void expect(int field, boolean fulfilled, String expected, JsonToken got) throws RejectedRecordException {
        if (!fulfilled) {
            throw new RejectedRecordException(row.names[field] + ": expected " + expected + ", got " + describe(got));
        }
    }

    private static String describe(JsonToken token) {
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

    private void checkLength(int field, int length) throws RejectedRecordException {
        if (length > TupleBlock.MAX_VALUE_BYTES) {
            throw new RejectedRecordException(
                    row.names[field] + ": expected at most " + TupleBlock.MAX_VALUE_BYTES + " bytes, got " + length);
        }
    }

    /** Writes the parser's text as UTF-8 into {@link #text}; returns its length. */
    private int utf8(int field, JsonParser parser) throws IOException, RejectedRecordException {
        char[] chars = parser.getTextCharacters();
        int from = parser.getTextOffset();
        int to = from + parser.getTextLength();
        if (text.length < (to - from) * 3) {
            text = new byte[(to - from) * 3];
        }
        int out = 0;
        for (int i = from; i < to; i++) {
            char c = chars[i];
            if (c < 0x80) {
                text[out++] = (byte) c;
            } else if (c < 0x800) {
                text[out++] = (byte) (0xC0 | (c >> 6));
                text[out++] = (byte) (0x80 | (c & 0x3F));
            } else if (!Character.isSurrogate(c)) {
                text[out++] = (byte) (0xE0 | (c >> 12));
                text[out++] = (byte) (0x80 | ((c >> 6) & 0x3F));
                text[out++] = (byte) (0x80 | (c & 0x3F));
            } else {
                if (!Character.isHighSurrogate(c) || i + 1 == to || !Character.isLowSurrogate(chars[i + 1])) {
                    throw new RejectedRecordException(row.names[field] + ": half of a surrogate pair is no character");
                }
                int code = Character.toCodePoint(c, chars[++i]);
                text[out++] = (byte) (0xF0 | (code >> 18));
                text[out++] = (byte) (0x80 | ((code >> 12) & 0x3F));
                text[out++] = (byte) (0x80 | ((code >> 6) & 0x3F));
                text[out++] = (byte) (0x80 | (code & 0x3F));
            }
        }
        checkLength(field, out);
        return out;
    }
}
