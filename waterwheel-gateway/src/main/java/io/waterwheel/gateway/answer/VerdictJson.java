package io.waterwheel.gateway.answer;

import com.fasterxml.jackson.core.JsonGenerator;
import io.waterwheel.cli.output.ExplanationJson;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Retention;
import io.waterwheel.tuple.LostRange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How an answer ended, as JSON: {@code complete}, {@code tuples}, {@code positions} by partition, and what there is of
 * {@code shown}, {@code missing}, {@code stale}, {@code lost}, {@code horizon}, {@code next} and {@code explanation}.
 */
public final class VerdictJson {
    private static final int MOST_TRAILER_BYTES = 6 << 10;

    private VerdictJson() {}

    /** One line. */
    static byte[] of(Verdict verdict) {
        return Json.bytes(json -> write(json, verdict));
    }

    /**
     * The same for a trailer, in ASCII. One that is longer than clients take in a head, for it lists much, has
     * {@code shownTooLong} in place of what is {@code shown}, which may double the positions. Where that is too long
     * still, it has only what says whether the answer is whole, and {@code shortened}; {@code nextTooLong} in place of
     * a token that is too long alone.
     */
    public static String trailer(Verdict verdict) {
        String whole = ascii(of(verdict));
        if (whole.length() <= MOST_TRAILER_BYTES) {
            return whole;
        }
        String withoutShown = ascii(Json.bytes(json -> write(json, verdict, false)));
        if (withoutShown.length() <= MOST_TRAILER_BYTES) {
            return withoutShown;
        }
        return ascii(Json.object(json -> {
            json.writeBooleanField("complete", verdict.complete());
            json.writeNumberField("tuples", verdict.tuples());
            json.writeNumberField("streamId", verdict.streamId());
            json.writeNumberField("edit", verdict.edit());
            if (verdict.next() != null) {
                String next = verdict.next().text();
                if (ascii(next.getBytes(StandardCharsets.UTF_8)).length() <= MOST_TRAILER_BYTES) {
                    json.writeStringField("next", next);
                } else {
                    json.writeBooleanField("nextTooLong", true);
                }
            }
            json.writeBooleanField("shortened", true);
        }));
    }

    /** A header's value is one line of ASCII; JSON can say everything else by its escapes. */
    private static String ascii(byte[] json) {
        String text = new String(json, StandardCharsets.UTF_8);
        StringBuilder ascii = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x7f) {
                ascii.append(c);
            } else {
                ascii.append("\\u").append(HexFormat.of().toHexDigits(c));
            }
        }
        return ascii.toString();
    }

    static void write(JsonGenerator json, Verdict verdict) throws IOException {
        write(json, verdict, true);
    }

    private static void write(JsonGenerator json, Verdict verdict, boolean withShown) throws IOException {
        json.writeStartObject();
        json.writeBooleanField("complete", verdict.complete());
        json.writeNumberField("tuples", verdict.tuples());
        positions(json, verdict.seen(), withShown);
        json.writeNumberField("streamId", verdict.streamId());
        json.writeNumberField("edit", verdict.edit());
        streams(json, verdict.streams(), withShown);
        gaps(json, verdict);
        if (verdict.horizon() != Retention.NO_HORIZON) {
            json.writeNumberField("horizon", verdict.horizon());
        }
        if (verdict.next() != null) {
            json.writeStringField("next", verdict.next().text());
        }
        if (verdict.explanation() != null) {
            json.writeFieldName("explanation");
            json.writeRawValue(ExplanationJson.of(verdict.explanation()));
        }
        json.writeEndObject();
    }

    /** The member {@code verdict} of an explanation, where the answer that it explains has a gap. */
    public static void ofExplained(JsonGenerator json, Verdict verdict) throws IOException {
        if (verdict.complete() && verdict.stale().isEmpty() && verdict.lost().isEmpty()) {
            return;
        }
        json.writeObjectFieldStart("verdict");
        json.writeBooleanField("complete", verdict.complete());
        gaps(json, verdict);
        json.writeEndObject();
    }

    private static void gaps(JsonGenerator json, Verdict verdict) throws IOException {
        sentences(json, "missing", verdict.missing());
        sentences(json, "stale", verdict.stale());
        if (!verdict.lost().isEmpty()) {
            json.writeArrayFieldStart("lost");
            for (LostRange range : verdict.lost()) {
                json.writeStartObject();
                json.writeNumberField("partition", range.partition());
                json.writeNumberField("from", range.from());
                json.writeNumberField("to", range.to());
                json.writeStringField("reason", range.reason());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
    }

    /** What an answer has seen, and where it shows more than that, up to where. */
    private static void positions(JsonGenerator json, SessionPositions seen, boolean withShown) throws IOException {
        positions(json, seen.positions());
        if (seen.ahead().isEmpty()) {
            return;
        }
        if (withShown) {
            positions(json, "shown", seen.shown());
        } else {
            json.writeBooleanField("shownTooLong", true);
        }
    }

    /** By partition, the offset below which everything is meant, as {@code at-least} takes them. */
    public static void positions(JsonGenerator json, Map<Integer, Long> positions) throws IOException {
        positions(json, "positions", positions);
    }

    private static void positions(JsonGenerator json, String name, Map<Integer, Long> positions) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<Integer, Long> position : new TreeMap<>(positions).entrySet()) {
            json.writeNumberField(Integer.toString(position.getKey()), position.getValue());
        }
        json.writeEndObject();
    }

    private static void streams(JsonGenerator json, Map<String, SessionPositions> streams, boolean withShown)
            throws IOException {
        if (streams.isEmpty()) {
            return;
        }
        json.writeObjectFieldStart("streams");
        for (Map.Entry<String, SessionPositions> stream : new TreeMap<>(streams).entrySet()) {
            json.writeObjectFieldStart(stream.getKey());
            json.writeNumberField("streamId", stream.getValue().streamId());
            positions(json, stream.getValue(), withShown);
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static void sentences(JsonGenerator json, String name, List<String> sentences) throws IOException {
        if (!sentences.isEmpty()) {
            json.writeArrayFieldStart(name);
            for (String sentence : sentences) {
                json.writeString(sentence);
            }
            json.writeEndArray();
        }
    }
}
