package io.waterwheel.catalog;

import com.fasterxml.jackson.databind.JsonNode;

/** Members of JSON objects that must be there and be of a type; else {@link IllegalArgumentException} names them. */
final class JsonMembers {
    private JsonMembers() {}

    static JsonNode require(JsonNode json, String name) {
        JsonNode value = json.get(name);
        if (value == null) {
            throw new IllegalArgumentException("member '" + name + "' is missing");
        }
        return value;
    }

    static String text(JsonNode json, String name) {
        return require(json, name).asText();
    }

    static long longOf(JsonNode json, String name) {
        JsonNode value = require(json, name);
        if (!value.canConvertToLong()) {
            throw new IllegalArgumentException("member '" + name + "' is not a whole number: " + value);
        }
        return value.asLong();
    }

    static int intOf(JsonNode json, String name) {
        long value = longOf(json, name);
        if (value != (int) value) {
            throw new IllegalArgumentException("member '" + name + "' is no number of 32 bits: " + value);
        }
        return (int) value;
    }

    static long[] longs(JsonNode array) {
        long[] values = new long[array.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = array.get(i).asLong();
        }
        return values;
    }
}
