package io.waterwheel.cli.losses;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.MemberPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Finds in rows that fields take what these would not keep: zeros before a number, digits beyond a double, fractions of
 * seconds beyond the timestamp, and members of JSON objects that no row had before. Says each once, and again where
 * more is lost: a file may have millions of such rows. Allocates nothing for a row without one. One thread.
 */
public final class Losses implements RecordDecoder.Watch {
    /** Places in JSON that are followed. */
    private static final int MOST_PLACES = 2_000;

    private static final int MOST_ELEMENTS = 8;
    private static final String[] ELEMENTS = {"0", "1", "2", "3", "4", "5", "6", "7"};

    private static final byte NOTHING = 0;
    private static final byte NUMBER = 1;
    private static final byte TIME = 2;

    /** Where the fraction of a second begins, of a time as ISO 8601 writes it. */
    private static final int POINT = "2021-10-07T12:00:00".length();

    private static final int YEAR = 4;
    /** Fewer digits are no time since 1970. */
    private static final int FEWEST_DIGITS = 9;

    private final Schema schema;
    private final byte[] kinds;
    /** By field: places behind the point that it keeps, of seconds and of the unit that numbers count. */
    private final int[] ofSeconds;

    private final int[] ofCounts;
    /** By field: whether zeros before a number were found, and the most digits that were lost. */
    private final boolean[] zeros;

    private final int[] before;
    private final int[] behind;
    private final KeptDigits digits = new KeptDigits();
    private final @Nullable KnownMember root;
    private int places;
    private boolean looks;
    private boolean found;
    private String first = "";

    /** @param root members of the JSON objects that were looked at; null: they are none */
    public Losses(Schema schema, @Nullable KnownMember root) {
        this.schema = schema;
        this.root = root;
        int fields = schema.fields().size();
        kinds = new byte[fields];
        ofSeconds = new int[fields];
        ofCounts = new int[fields];
        zeros = new boolean[fields];
        before = new int[fields];
        behind = new int[fields];
        boolean counts = schema.text().times().isEmpty();
        for (int f = 0; f < fields; f++) {
            Field field = schema.fields().get(f);
            FieldType type = field.type();
            if (type.isTimestamp()) {
                kinds[f] = TIME;
                ofSeconds[f] = places(type.resolution());
                TimestampUnit unit = field.unit();
                ofCounts[f] = !counts || unit == null ? Integer.MAX_VALUE : ofSeconds[f] - places(unit);
            } else {
                kinds[f] = type.isNumber() || type.isDecimal() ? NUMBER : NOTHING;
            }
            behind[f] = kinds[f] == TIME ? 0 : -1;
            before[f] = -1;
        }
        for (String degrees : schema.key().position()) {
            // Doubles, whatever their digits.
            before[schema.indexOf(degrees)] = Integer.MAX_VALUE;
            behind[schema.indexOf(degrees)] = Integer.MAX_VALUE;
        }
    }

    private static int places(TimestampUnit unit) {
        return switch (unit) {
            case SECONDS -> 0;
            case MILLISECONDS -> 3;
            case MICROSECONDS -> 6;
            case NANOSECONDS -> 9;
        };
    }

    /**
     * A row begins.
     *
     * @param looks whether it can teach something: it was not looked at
     */
    public void begin(boolean looks) {
        this.looks = looks;
        found = false;
        first = "";
    }

    /** Whether something of the row would be lost that was not found before. */
    public boolean found() {
        return found;
    }

    /** What of the row would be lost first; empty: nothing. */
    public String first() {
        return first;
    }

    @Override
    public void text(int field, byte[] bytes, int from, int to) {
        if (kinds[field] == NUMBER) {
            zeros(field, bytes, from, to);
        } else if (kinds[field] == TIME && looks) {
            time(field, bytes, from, to);
        }
    }

    @Override
    public void number(int field, double read, byte[] bytes, int from, int to) {
        zeros(field, bytes, from, to);
        if (to - from > KeptDigits.ALWAYS
                && looks
                && Double.isFinite(read)
                && !digits.keeps(read, bytes, from, to)
                && (digits.before > before[field] || digits.behind > behind[field])) {
            before[field] = Math.max(before[field], digits.before);
            behind[field] = Math.max(behind[field], digits.behind);
            lost(field, bytes, from, to, "has more digits than a double keeps");
        }
    }

    /** 007 is a name, not a number. */
    private void zeros(int field, byte[] bytes, int from, int to) {
        int at = from < to && (bytes[from] == '-' || bytes[from] == '+') ? from + 1 : from;
        if (to - at > 1 && bytes[at] == '0' && bytes[at + 1] >= '0' && bytes[at + 1] <= '9' && looks && !zeros[field]) {
            zeros[field] = true;
            String left = new String(bytes, at, to - at, StandardCharsets.UTF_8).replaceFirst("^0+(?=\\d)", "");
            lost(field, bytes, from, to, "would be " + (bytes[from] == '-' ? "-" : "") + left + " as a number");
        }
    }

    private void time(int field, byte[] bytes, int from, int to) {
        int point = from + POINT;
        int kept = ofSeconds[field];
        if (to - from <= POINT || bytes[from + YEAR] != '-') {
            point = point(bytes, from, to);
            kept = ofCounts[field];
        }
        if (to - point <= kept || point >= to || bytes[point] != '.') {
            return; // most times end here
        }
        int last = point;
        for (int at = point + 1; at < to && bytes[at] >= '0' && bytes[at] <= '9'; at++) {
            last = bytes[at] == '0' ? last : at;
        }
        if (last - point > Math.max(kept, behind[field])) {
            behind[field] = last - point;
            lost(
                    field,
                    bytes,
                    from,
                    to,
                    "has a fraction that a " + schema.fields().get(field).type().schemaName() + " does not keep");
        }
    }

    /** Where the point of a number is; the end where it has none, or is no plain number. */
    private static int point(byte[] bytes, int from, int to) {
        int point = to;
        for (int at = from; at < to && to - from > FEWEST_DIGITS; at++) {
            if (bytes[at] == '.' && point == to) {
                point = at;
            } else if ((bytes[at] < '0' || bytes[at] > '9') && (bytes[at] != '-' || at > from)) {
                return to;
            }
        }
        return point;
    }

    private void lost(int field, byte[] bytes, int from, int to, String how) {
        found = true;
        if (first.isEmpty()) {
            first = schema.fields().get(field).name() + ": "
                    + new String(bytes, from, to - from, StandardCharsets.UTF_8) + " " + how;
        }
    }

    @Override
    public void passedOver(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        JsonStreamContext holder = parser.getParsingContext();
        if (token.isStructStart()) {
            holder = holder.getParent();
        }
        KnownMember above = looks ? holding(holder) : null;
        if (above == null) {
            parser.skipChildren();
        } else if (holder.inArray()) {
            element(above, holder.getCurrentIndex(), parser);
        } else {
            member(above, holder.getCurrentName(), parser);
        }
    }

    /** The place of the object or array that a value stands in; null: it is not known. */
    private @Nullable KnownMember holding(JsonStreamContext context) {
        JsonStreamContext outer = context.getParent();
        if (outer == null || root == null) {
            return null;
        } else if (outer.inRoot()) {
            return root;
        }
        KnownMember above = holding(outer);
        if (above != null && above.each != null) {
            return outer.inArray() ? above.each : null;
        }
        if (above == null || (outer.inArray() && outer.getCurrentIndex() >= MOST_ELEMENTS)) {
            return null;
        }
        return above.known(outer.inArray() ? ELEMENTS[outer.getCurrentIndex()] : outer.getCurrentName());
    }

    private void element(KnownMember array, int number, JsonParser parser) throws IOException {
        if (number >= array.elements && !array.leftOut && parser.currentToken() != JsonToken.VALUE_NULL) {
            // Of how many elements there are it is told once, and what they hold is left out then.
            array.elements = Integer.MAX_VALUE;
            passed(parser, "an element more than arrays had there before");
        }
        if (array.elements == Integer.MAX_VALUE || number >= MOST_ELEMENTS) {
            parser.skipChildren();
        } else {
            member(array, ELEMENTS[number], parser);
        }
    }

    private void member(KnownMember above, String name, JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_NULL) {
            return;
        }
        KnownMember place = above.known(name);
        if (place == null && places < MOST_PLACES) {
            places++;
            place = above.below(name);
        }
        int kind = token == JsonToken.START_OBJECT
                ? KnownMember.OBJECT
                : token == JsonToken.START_ARRAY ? KnownMember.ARRAY : KnownMember.SCALAR;
        boolean mixed = place == null || Integer.bitCount(place.kinds) > 1;
        if (place == null || mixed || place.leftOut) {
            parser.skipChildren();
            return;
        }
        if ((place.kinds & kind) == 0) {
            place.elements = place.kinds == 0 && kind == KnownMember.ARRAY ? MOST_ELEMENTS : place.elements;
            passed(parser, place.kinds == 0 ? "a member that no row had before" : "another kind of value than before");
            place.kinds |= kind;
        }
        if (Integer.bitCount(place.kinds) > 1) {
            parser.skipChildren();
        } else if (kind == KnownMember.OBJECT) {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String below = parser.currentName();
                parser.nextToken();
                member(place, below, parser);
            }
        } else if (kind == KnownMember.ARRAY) {
            int number = 0;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                element(place, number++, parser);
            }
        }
    }

    /** The parser is at the value's first token. */
    private void passed(JsonParser parser, String what) {
        found = true;
        if (first.isEmpty()) {
            JsonStreamContext context = parser.getParsingContext();
            first = path(parser.currentToken().isStructStart() ? context.getParent() : context) + " is " + what;
        }
    }

    private static String path(JsonStreamContext context) {
        if (context.inRoot()) {
            return MemberPath.ROOT;
        }
        return path(context.getParent())
                + (context.inArray() ? "[" + context.getCurrentIndex() + "]" : "." + context.getCurrentName());
    }
}
