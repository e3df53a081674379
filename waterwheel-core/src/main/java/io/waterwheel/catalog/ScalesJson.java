package io.waterwheel.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import java.util.ArrayList;
import java.util.List;

/** The scales that were put in force after a stream was created, as the member {@code scales} of its entry. */
final class ScalesJson {
    private ScalesJson() {}

    /** Adds the member to an entry; nothing where there are only the first scales. */
    static void write(Schema schema, ObjectNode entry) {
        KeySpec.Dimensions key = schema.key().dimensional();
        if (key == null || key.scales() == 1) {
            return;
        }
        ArrayNode versions = entry.putArray("scales");
        for (List<Dimension> version : key.later()) {
            ArrayNode dimensions = versions.addArray();
            for (Dimension dimension : version) {
                ObjectNode json = dimensions.addObject();
                json.put("field", dimension.field());
                json.put("bits", dimension.bits());
                if (dimension.bytes() > 0) {
                    json.put("bytes", dimension.bytes());
                }
                write(dimension.range(), "range", json);
                write(dimension.cuts(), "cuts", json);
            }
        }
    }

    private static void write(List<String> texts, String member, ObjectNode json) {
        if (!texts.isEmpty()) {
            ArrayNode array = json.putArray(member);
            texts.forEach(array::add);
        }
    }

    /**
     * The schema of an entry, with the later scales that the entry has.
     *
     * @param schema with the first scales alone
     * @throws IllegalArgumentException when they do not fit
     */
    static Schema read(Schema schema, JsonNode entry) {
        KeySpec.Dimensions key = schema.key().dimensional();
        if (!entry.has("scales")) {
            return schema;
        }
        if (key == null) {
            throw new IllegalArgumentException("member 'scales', and the key has no dimensions");
        }
        for (JsonNode version : entry.get("scales")) {
            List<Dimension> dimensions = new ArrayList<>();
            for (JsonNode json : version) {
                dimensions.add(new Dimension(
                        json.path("field").asText(),
                        json.path("bits").asInt(),
                        texts(json.path("range")),
                        texts(json.path("cuts")),
                        json.path("bytes").asInt()));
            }
            key = key.withScales(dimensions);
        }
        return schema.withKey(key);
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }
}
