package io.waterwheel.gateway;

import com.fasterxml.jackson.core.JsonGenerator;
import io.waterwheel.client.admin.DeadLetter;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What there is, and how it is: status, streams, dead letters. Each waits for a coordinator. */
final class StreamEndpoints {
    private static final int USUAL_LETTERS = 100;
    private static final int MOST_LETTERS = 10_000;
    /** Of all records together that one answer shows; the first is shown whatever it takes. */
    private static final int MOST_LETTER_BYTES = 1 << 20;

    private final QueryEndpoint.Server server;

    StreamEndpoints(QueryEndpoint.Server server) {
        this.server = server;
    }

    /** {@code GET /v1/status}: as {@code waterwheel status --format json} says it. */
    void status(Exchange exchange) {
        exchange.allow(List.of());
        exchange.json(server.client().status().json().getBytes(StandardCharsets.UTF_8));
    }

    /** {@code GET /v1/streams}. */
    void list(Exchange exchange) {
        exchange.allow(List.of());
        List<String> unreadable = new ArrayList<>();
        List<StreamDetails> streams = server.client().listStreams(unreadable::add);
        exchange.json(Json.object(json -> {
            json.writeArrayFieldStart("streams");
            for (StreamDetails stream : streams) {
                StreamDefinition definition = stream.definition();
                json.writeStartObject();
                json.writeStringField("name", definition.name());
                json.writeNumberField("id", stream.id());
                json.writeStringField("topic", definition.topic());
                json.writeNumberField("partitions", definition.partitions());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("unreadable");
            for (String name : unreadable) {
                json.writeString(name);
            }
            json.writeEndArray();
        }));
    }

    /** {@code GET /v1/streams/{stream}}. */
    void describe(Exchange exchange) {
        exchange.allow(List.of());
        StreamDetails stream = server.client().describe(exchange.name());
        exchange.json(Json.object(json -> {
            json.writeNumberField("id", stream.id());
            json.writeStringField("kafka", stream.bootstrapServers());
            if (stream.chunks().isPresent()) {
                json.writeObjectFieldStart("chunks");
                json.writeNumberField("count", stream.chunks().getAsLong());
                json.writeNumberField("tuples", stream.chunkTuples().orElse(0));
                json.writeNumberField("bytes", stream.chunkBytes().orElse(0));
                json.writeEndObject();
            }
            if (stream.indexers().isPresent()) {
                json.writeNumberField("indexers", stream.indexers().getAsInt());
            }
            if (stream.routingVersion().isPresent()) {
                json.writeNumberField("routingVersion", stream.routingVersion().getAsInt());
            }
            json.writeFieldName("definition");
            json.writeRawValue(SchemaJson.writeStream(stream.definition()));
        }));
    }

    /** {@code GET /v1/streams/{stream}/dead-letters}: the oldest {@code limit} of them. */
    void deadLetters(Exchange exchange) {
        exchange.allow(List.of("limit"));
        int limit = limit(exchange);
        List<DeadLetter> letters = new ArrayList<>();
        long[] bytes = {0};
        boolean[] cut = {false};
        server.client().deadLetters(exchange.name(), limit, letter -> {
            bytes[0] += letter.raw().length;
            if (bytes[0] > MOST_LETTER_BYTES && !letters.isEmpty()) {
                cut[0] = true;
            } else {
                letters.add(letter);
            }
        });
        letters.sort(Comparator.comparingInt(DeadLetter::partition)
                .thenComparingLong(DeadLetter::offset)
                .thenComparingInt(DeadLetter::index));
        exchange.json(Json.object(json -> {
            json.writeArrayFieldStart("deadLetters");
            for (DeadLetter letter : letters) {
                write(json, letter);
            }
            json.writeEndArray();
            json.writeBooleanField("more", cut[0] || letters.size() == limit);
        }));
    }

    private static int limit(Exchange exchange) {
        String text = exchange.parameter("limit");
        if (text == null) {
            return USUAL_LETTERS;
        }
        if (!text.matches("[1-9]\\d{0,4}") || Integer.parseInt(text) > MOST_LETTERS) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST,
                    "limit: expected a whole number from 1 to " + MOST_LETTERS + ", got '" + text + "'",
                    "limit",
                    null);
        }
        return Integer.parseInt(text);
    }

    private static void write(JsonGenerator json, DeadLetter letter) throws IOException {
        json.writeStartObject();
        json.writeNumberField("partition", letter.partition());
        json.writeNumberField("offset", letter.offset());
        json.writeNumberField("index", letter.index());
        json.writeStringField("reason", letter.reason());
        json.writeNumberField("length", letter.length());
        try {
            json.writeStringField(
                    "text",
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(letter.raw()))
                            .toString());
        } catch (CharacterCodingException e) {
            json.writeBinaryField("base64", letter.raw());
        }
        json.writeEndObject();
    }
}
