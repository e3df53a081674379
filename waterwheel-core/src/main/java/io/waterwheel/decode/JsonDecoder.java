package io.waterwheel.decode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.waterwheel.decode.typed.MemberTree;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One JSON object, its members the schema's fields in any order, or members and elements below that the schema names by
 * path. Absent and null members are null; repeated ones are refused, and so are unknown ones unless the schema says
 * that they are passed over or kept. Numbers are JSON numbers, or strings of one where the schema says so, timestamps
 * numbers or strings, bytes base64.
 *
 * <p>Where paths lead to each element of an array, each makes a tuple, in their order, with the fields that are outside
 * of the array. The array is read twice: fields behind it belong to its tuples too. A record is taken whole or not at
 * all.
 */
final class JsonDecoder implements RecordDecoder {
    private static final int MOST_DEEP = 64;

    /** Tuples of a record: what is outside of the array is copied into each. */
    static final int MOST_ROWS = 10_000;

    /** Bytes of texts of the tuples of a record. */
    static final int MOST_ROW_BYTES = 16 << 20;

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
    private final JsonWalk walk;
    private final FactFields of;
    /** Of the array whose elements are tuples; null where a record is one tuple. */
    private final @Nullable MemberTree rows;

    /** By field whether it is in the elements. */
    private final boolean[] inRows;
    /** The fields outside of the array, in one row. */
    private final TupleBlock outer;

    private final @Nullable UnknownMembers unknown;
    private final int rest;
    private TupleBlock block;
    private boolean arraySeen;
    private final RecordBytes record = new RecordBytes();

    JsonDecoder(Schema schema, RecordDecoder.@Nullable Watch watch) {
        row = new RowAppender(schema);
        of = new FactFields(row, schema);
        root = MemberTree.of(schema);
        rows = root.rows();
        inRows = new boolean[row.names.length];
        if (rows != null) {
            rows.mark(inRows);
        }
        unknown = schema.text().json().unknown() == RecordText.Unknown.KEEP ? new UnknownMembers() : null;
        rest = schema.indexOf(schema.text().json().rest());
        walk = new JsonWalk(row, schema, this::array, unknown, watch);
        outer = new TupleBlock(row.layout(), 1);
        block = outer;
    }

    @Override
    public void decode(ByteBuffer value, RecordFacts facts, TupleBlock into) throws RejectedRecordException {
        if (!value.hasRemaining()) {
            throw new RejectedRecordException(RefusalKind.FORM, "the record is empty");
        }
        record.of(value);
        decode(record.array, record.from, record.length, facts, into);
    }

    private void decode(byte[] bytes, int from, int length, RecordFacts facts, TupleBlock into)
            throws RejectedRecordException {
        // Jackson takes overlong forms, which are other bytes of the same text.
        if (!Utf8.valid(bytes, from, length)) {
            throw new RejectedRecordException(RefusalKind.TEXT, "not a JSON object: the record is not valid UTF-8");
        }
        // By zeros among the first four bytes Jackson would take the record for UTF-16 or UTF-32.
        for (int i = from; i < from + Math.min(length, 4); i++) {
            if (bytes[i] == 0) {
                throw new RejectedRecordException(
                        RefusalKind.FORM, "not a JSON object: a zero byte, as text in UTF-16 has; JSON is UTF-8");
            }
        }
        int size = into.size();
        int arena = into.arenaSize();
        boolean taken = false;
        try {
            if (rows == null) {
                object(bytes, from, length, facts, into);
            } else {
                array(bytes, from, length, facts, into);
            }
            taken = true;
        } catch (JsonProcessingException e) {
            throw new RejectedRecordException(
                    RefusalKind.FORM,
                    "not a JSON object: " + RejectedRecordException.notJson(e) + " (at byte "
                            + (e.getLocation() == null
                                    ? "?"
                                    : Long.toString(e.getLocation().getByteOffset())) + ")");
        } catch (IOException e) {
            throw new RejectedRecordException(RefusalKind.FORM, "not a JSON object: " + e.getMessage());
        } finally {
            if (!taken) {
                into.setSize(size);
                into.setArenaSize(arena);
            }
        }
    }

    private void object(byte[] bytes, int from, int length, RecordFacts facts, TupleBlock into)
            throws IOException, RejectedRecordException {
        row.begin(into);
        walk.begin();
        if (unknown != null) {
            unknown.begin(bytes, from);
        }
        of.set(facts);
        members(bytes, from, length);
        for (int f = 0; f < inRows.length; f++) {
            if (of.has(f)) {
                continue;
            }
            if (f == rest && unknown != null) {
                kept(unknown);
            } else if (!walk.hasSeen(f)) {
                walk.nothing(f);
            }
        }
        row.commit();
    }

    private void kept(UnknownMembers members) throws RejectedRecordException {
        if (members.isEmpty()) {
            walk.nothing(rest);
            return;
        }
        members.end();
        if (members.length() > TupleBlock.MAX_VALUE_BYTES) {
            throw new RejectedRecordException(
                    RefusalKind.SIZE,
                    row.names[rest] + ": members that are no fields take " + members.length()
                            + " bytes, expected at most " + TupleBlock.MAX_VALUE_BYTES);
        }
        row.setBytes(rest, members.text(), 0, members.length());
    }

    private void members(byte[] bytes, int from, int length) throws IOException, RejectedRecordException {
        try (JsonParser parser = factory.createParser(bytes, from, length)) {
            JsonToken first = parser.nextToken();
            if (first == JsonToken.START_ARRAY && root.each() != null) {
                walk.value(root, parser);
            } else if (first == JsonToken.START_OBJECT && root.each() == null) {
                walk.members(root, parser);
            } else {
                throw new RejectedRecordException(
                        RefusalKind.FORM,
                        "expected a JSON " + (root.each() == null ? "object" : "array") + ", got "
                                + ValueParser.describe(first)
                                + (first == JsonToken.START_ARRAY
                                        ? ": give each of its objects a line, or a record, of its own"
                                        : ""));
            }
            if (parser.nextToken() != null) {
                throw new RejectedRecordException(
                        RefusalKind.FORM, "expected one JSON object a record, got more behind it");
            }
        }
    }

    /** A record of any number of tuples. */
    private void array(byte[] bytes, int from, int length, RecordFacts facts, TupleBlock into)
            throws IOException, RejectedRecordException {
        outer.clear();
        block = outer;
        arraySeen = false;
        row.begin(outer);
        walk.begin();
        of.set(facts);
        walk.passFields(false);
        members(bytes, from, length);
        if (!arraySeen) {
            throw new RejectedRecordException(RefusalKind.FIELDS, "object lacks the array whose elements are tuples");
        }
        for (int f = 0; f < inRows.length; f++) {
            if (!inRows[f] && !of.has(f) && !walk.hasSeen(f)) {
                walk.nothing(f);
            }
        }
        row.commit();
        block = into;
        walk.passFields(true);
        members(bytes, from, length);
    }

    private void array(MemberTree element, JsonParser parser) throws IOException, RejectedRecordException {
        if (block == outer) {
            if (arraySeen) {
                throw new RejectedRecordException(
                        RefusalKind.FIELDS, "the array whose elements are tuples is there twice");
            }
            arraySeen = true;
            parser.skipChildren();
            return;
        }
        int first = block.size();
        int arena = block.arenaSize();
        walk.passFields(false);
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            int number = block.size() - first;
            if (number == MOST_ROWS || block.arenaSize() - arena > MOST_ROW_BYTES) {
                throw new RejectedRecordException(
                        RefusalKind.SIZE,
                        "the array has more than " + MOST_ROWS + " elements, or their tuples" + " more than "
                                + MOST_ROW_BYTES + " bytes of texts");
            }
            try {
                tuple(element, parser);
            } catch (RejectedRecordException e) {
                throw new RejectedRecordException(e.kind(), "element " + number + ": " + e.getMessage());
            }
        }
        walk.passFields(true);
    }

    private void tuple(MemberTree element, JsonParser parser) throws IOException, RejectedRecordException {
        row.begin(block);
        walk.begin();
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            throw new RejectedRecordException(RefusalKind.FORM, "expected a value, got null");
        }
        walk.value(element, parser);
        for (int f = 0; f < inRows.length; f++) {
            if (!inRows[f]) {
                row.copy(f, outer, 0);
            } else if (!walk.hasSeen(f)) {
                walk.nothing(f);
            }
        }
        row.commit();
    }
}
