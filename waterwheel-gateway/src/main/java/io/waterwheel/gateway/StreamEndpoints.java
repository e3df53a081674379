package io.waterwheel.gateway;

import com.fasterxml.jackson.core.JsonGenerator;
import io.waterwheel.cli.QueryParameters;
import io.waterwheel.client.admin.ChunkRegions;
import io.waterwheel.client.admin.DeadLetter;
import io.waterwheel.client.admin.KeyRanges;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What there is, and how it is: status, streams, regions, dead letters. Each waits for a coordinator. */
final class StreamEndpoints {
    private static final int USUAL_LETTERS = 100;
    private static final int MOST_LETTERS = 10_000;
    /** Of all records together that one answer shows; the first is shown whatever it takes. */
    private static final int MOST_LETTER_BYTES = 1 << 20;

    private static final int USUAL_REGIONS = 1_000;
    private static final int MOST_REGIONS = 10_000;

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
            json.writeStringField("kafka", stream.topic().bootstrapServers());
            if (stream.chunks().isPresent()) {
                StreamDetails.Chunks chunks = stream.chunks().get();
                json.writeObjectFieldStart("chunks");
                json.writeNumberField("count", chunks.count());
                json.writeNumberField("tuples", chunks.tuples());
                json.writeNumberField("bytes", chunks.bytes());
                json.writeEndObject();
            }
            if (stream.division().isPresent()) {
                StreamDetails.Division division = stream.division().get();
                json.writeNumberField("indexers", division.indexers());
                json.writeNumberField("routingVersion", division.routingVersion());
            }
            json.writeFieldName("definition");
            json.writeRawValue(SchemaJson.writeStream(stream.definition()));
        }));
    }

    /** {@code GET /v1/streams/{stream}/dead-letters}: the oldest {@code limit} of them. */
    void deadLetters(Exchange exchange) {
        exchange.allow(List.of("limit"));
        int limit = limit(exchange, USUAL_LETTERS, MOST_LETTERS);
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

    private static int limit(Exchange exchange, int usual, int most) {
        String text = exchange.parameter("limit");
        if (text == null) {
            return usual;
        }
        if (!text.matches("[1-9]\\d{0,4}") || Integer.parseInt(text) > most) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST,
                    "limit: expected a whole number from 1 to " + most + ", got '" + text + "'",
                    "limit",
                    null);
        }
        return Integer.parseInt(text);
    }

    /** {@code GET /v1/streams/{stream}/regions}: where its chunks lie, and how its keys are divided. */
    void regions(Exchange exchange) {
        exchange.allow(List.of("limit", "after", "time"));
        int limit = limit(exchange, USUAL_REGIONS, MOST_REGIONS);
        TimeInterval times = times(exchange);
        ChunkRegions.Position after = after(exchange);
        KeyRanges keys = server.client().keyRanges(exchange.name());
        ChunkRegions chunks = server.client().chunkRegions(exchange.name(), times, after, limit);
        exchange.json(Json.object(json -> {
            json.writeNumberField("edit", chunks.edit());
            json.writeArrayFieldStart("chunks");
            for (ChunkRegions.Region region : chunks.regions()) {
                write(json, region);
            }
            json.writeEndArray();
            if (chunks.next() != null) {
                json.writeStringField("next", chunks.next().toString());
            }
            json.writeNumberField("routingVersion", keys.version());
            json.writeArrayFieldStart("indexers");
            for (KeyRanges.Part part : keys.partitions()) {
                json.writeStartObject();
                json.writeNumberField("indexer", part.indexer());
                json.writeStringField("low", part.low());
                json.writeNumberField("rate", part.rate());
                json.writeEndObject();
            }
            json.writeEndArray();
        }));
    }

    private static TimeInterval times(Exchange exchange) {
        String text = exchange.parameter("time");
        if (text == null) {
            return TimeInterval.ALL;
        }
        try {
            // As the option of a query has it.
            return QueryParameters.parse(exchange.name(), Map.of("time", List.of(text)))
                    .times();
        } catch (QueryParameters.BadOption e) {
            throw HttpFailure.bad(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()), "time", e);
        }
    }

    private static ChunkRegions.@Nullable Position after(Exchange exchange) {
        String text = exchange.parameter("after");
        if (text == null) {
            return null;
        }
        try {
            return ChunkRegions.Position.parse(text);
        } catch (IllegalArgumentException e) {
            throw HttpFailure.bad(ErrorCode.BAD_REQUEST, "after: " + e.getMessage(), "after", e);
        }
    }

    private static void write(JsonGenerator json, ChunkRegions.Region region) throws IOException {
        json.writeStartObject();
        json.writeStringField("file", region.file());
        json.writeNumberField("indexer", region.position().indexer());
        json.writeStringField("low", region.low());
        json.writeStringField("high", region.high());
        json.writeNumberField("from", region.times().from());
        json.writeNumberField("to", region.times().to());
        json.writeNumberField("tuples", region.tuples());
        json.writeNumberField("bytes", region.bytes());
        json.writeEndObject();
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
