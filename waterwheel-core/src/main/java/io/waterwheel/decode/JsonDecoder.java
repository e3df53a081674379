package io.waterwheel.decode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
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
    private final ValueParser values;
    private byte[] copy = {};

    JsonDecoder(Schema schema) {
        row = new RowAppender(schema);
        values = new ValueParser(row);
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
            throw new RejectedRecordException(
                    "expected a JSON object, got " + ValueParser.describe(parser.currentToken()));
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
                values.json(field, token, parser);
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
}
