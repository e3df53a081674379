package io.waterwheel.decode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.waterwheel.decode.typed.DayAndClock;
import io.waterwheel.decode.typed.MemberTree;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Walks through the members of a JSON object and sets those that are fields. One thread. */
final class JsonWalk {
    /** What is done at the array whose elements are tuples. */
    interface Rows {
        /** The parser is at the array's beginning, and comes back at its end. */
        void array(MemberTree element, JsonParser parser) throws IOException, RejectedRecordException;
    }

    private final RowAppender row;
    private final ValueParser values;
    private final boolean skips;
    private final boolean[] seen;
    private final Rows rows;
    /** By field, of times whose day and time of day are in two members; null for others. */
    private final @Nullable DayAndClock[] pairs;

    private final boolean hasPairs;
    /** Gathers members that are no fields; null where they are not kept. */
    private final @Nullable UnknownMembers unknown;

    private final RecordDecoder.@Nullable Watch watch;
    /** Whether fields are passed over: all but those of the elements. */
    private boolean passes;

    JsonWalk(
            RowAppender row,
            Schema schema,
            Rows rows,
            @Nullable UnknownMembers unknown,
            RecordDecoder.@Nullable Watch watch) {
        this.row = row;
        this.values = new ValueParser(row, schema.text(), watch);
        this.skips = schema.text().json().unknown() == RecordText.Unknown.SKIP;
        this.seen = new boolean[row.names.length];
        this.rows = rows;
        this.pairs = values.pairs(schema);
        this.hasPairs = !schema.text().export().clocks().isEmpty();
        this.unknown = unknown;
        this.watch = watch;
    }

    /** A tuple begins: no field has been seen. */
    void begin() {
        Arrays.fill(seen, false);
        for (int f = 0; hasPairs && f < pairs.length; f++) {
            DayAndClock pair = pairs[f];
            if (pair != null) {
                pair.clear();
            }
        }
    }

    /** Sets whether fields are passed over. */
    void passFields(boolean pass) {
        passes = pass;
    }

    boolean hasSeen(int field) {
        return seen[field];
    }

    /** Sets a field that has no value, or one whose day and time of day were seen. */
    void nothing(int field) throws RejectedRecordException {
        DayAndClock pair = pairs[field];
        if (pair != null && values.paired(field, pair)) {
            return;
        }
        if (!row.setNull(field)) {
            throw new RejectedRecordException(RefusalKind.FIELDS, "object lacks " + row.names[field]);
        }
    }

    /** The members of the object that the parser is in, to its end. */
    void members(MemberTree tree, JsonParser parser) throws IOException, RejectedRecordException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            MemberTree member = tree.member(parser.currentName());
            if (member == null) {
                unknown(parser);
                continue;
            }
            int begun = unknown == null ? 0 : unknown.enter(parser);
            parser.nextToken();
            value(member, parser);
            if (unknown != null) {
                unknown.leave(begun);
            }
        }
    }

    private void unknown(JsonParser parser) throws IOException, RejectedRecordException {
        if (unknown != null) {
            unknown.add(parser);
            return;
        }
        if (!skips) {
            throw new RejectedRecordException(
                    RefusalKind.FIELDS,
                    "unknown member '" + Snippet.of(parser.currentName()) + "': the schema has no such field");
        }
        parser.nextToken();
        passOver(parser);
    }

    private void passOver(JsonParser parser) throws IOException {
        if (watch == null) {
            parser.skipChildren();
        } else {
            watch.passedOver(parser);
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
                passOver(parser);
            }
        }
    }

    /** The value that the parser is at. */
    void value(MemberTree place, JsonParser parser) throws IOException, RejectedRecordException {
        JsonToken token = parser.currentToken();
        MemberTree each = place.each();
        if (place.field() >= 0) {
            DayAndClock pair = pairs[place.field()];
            if (pair == null) {
                field(place.field(), token, parser);
            } else if (passes) {
                parser.skipChildren();
            } else if (pair.seesAgain(place.isClock())) {
                throw new RejectedRecordException(
                        RefusalKind.FIELDS, row.names[place.field()] + ": the member is there twice");
            } else if (token != JsonToken.VALUE_NULL) {
                values.part(place.field(), pair, place.isClock(), token, parser);
            }
        } else if (each != null && token == JsonToken.START_ARRAY) {
            rows.array(each, parser);
        } else if (token == JsonToken.START_OBJECT && !place.hasElements()) {
            members(place, parser);
        } else if (token == JsonToken.START_ARRAY && place.hasElements()) {
            elements(place, parser);
        } else if (token != JsonToken.VALUE_NULL) {
            throw new RejectedRecordException(
                    RefusalKind.FORM,
                    "'" + Snippet.of(String.valueOf(parser.currentName())) + "': expected "
                            + (place.hasElements() ? "an array" : "an object") + ", got "
                            + ValueParser.describe(token));
        }
    }

    private void field(int field, JsonToken token, JsonParser parser) throws IOException, RejectedRecordException {
        if (passes) {
            parser.skipChildren();
            return;
        }
        if (seen[field]) {
            throw new RejectedRecordException(RefusalKind.FIELDS, row.names[field] + ": the member is there twice");
        }
        seen[field] = true;
        if (token == JsonToken.VALUE_NULL) {
            nothing(field);
        } else {
            values.json(field, token, parser);
        }
    }
}
