package io.waterwheel.decode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * One JSON object, its members the schema's fields in any order, or members and elements below that the schema names by
 * path. Absent and null members are null; repeated ones are refused, and so are unknown ones unless the schema says
 * that they are passed over. Numbers are JSON numbers, or strings of one where the schema says so, timestamps numbers
 * or strings, bytes base64.
 */
final class JsonDecoder implements RecordDecoder {
    private static final int MOST_DEEP = 64;

    private final JsonFactory factory = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MOST_DEEP)
                    .maxNumberLength(Numbers.MAX_LENGTH)
                    .maxStringLength(2 * TupleBlock.MAX_VALUE_BYTES)
                    .maxNameLength(256)
                    .build())
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();
    private final RowAppender row;
    private final MemberTree root;
    private final boolean skips;
    private final boolean[] seen;
    private final ValueParser values;
    private byte[] copy = {};

    JsonDecoder(Schema schema) {
        row = new RowAppender(schema);
        values = new ValueParser(row, schema.text());
        root = MemberTree.of(schema);
        skips = schema.text().json().unknown() == RecordText.Unknown.SKIP;
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
            throw new RejectedRecordException(
                    "expected a JSON object, got " + ValueParser.describe(parser.currentToken()));
        }
        members(root, parser);
        if (parser.nextToken() != null) {
            throw new RejectedRecordException("expected one JSON object a record, got more behind it");
        }
        for (int f = 0; f < seen.length; f++) {
            if (!seen[f]) {
                nothing(f);
            }
        }
    }

    private void members(MemberTree tree, JsonParser parser) throws IOException, RejectedRecordException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            MemberTree member = tree.member(parser.currentName());
            if (member == null) {
                if (!skips) {
                    throw new RejectedRecordException(
                            "unknown member '" + Snippet.of(parser.currentName()) + "': the schema has no such field");
                }
                parser.nextToken();
                parser.skipChildren();
                continue;
            }
            parser.nextToken();
            value(member, parser);
        }
    }

    private void elements(MemberTree tree, JsonParser parser) throws IOException, RejectedRecordException {
        int number = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            MemberTree element = tree.element(number++);
            if (element != null) {
                value(element, parser);
            } else {
                // Paths name some elements; the others are not unknown members.
                parser.skipChildren();
            }
        }
    }

    /** The value that the parser is at. */
    private void value(MemberTree place, JsonParser parser) throws IOException, RejectedRecordException {
        JsonToken token = parser.currentToken();
        if (place.field >= 0) {
            field(place.field, token, parser);
        } else if (token == JsonToken.START_OBJECT && !place.elements) {
            members(place, parser);
        } else if (token == JsonToken.START_ARRAY && place.elements) {
            elements(place, parser);
        } else if (token != JsonToken.VALUE_NULL) {
            throw new RejectedRecordException("'" + Snippet.of(String.valueOf(parser.currentName())) + "': expected "
                    + (place.elements ? "an array" : "an object") + ", got " + ValueParser.describe(token));
        }
    }

    private void field(int field, JsonToken token, JsonParser parser) throws IOException, RejectedRecordException {
        if (seen[field]) {
            throw new RejectedRecordException(row.names[field] + ": the member is there twice");
        }
        seen[field] = true;
        if (token == JsonToken.VALUE_NULL) {
            nothing(field);
        } else {
            values.json(field, token, parser);
        }
    }

    private void nothing(int field) throws RejectedRecordException {
        if (!row.setNull(field)) {
            throw new RejectedRecordException("object lacks " + row.names[field]);
        }
    }
}
