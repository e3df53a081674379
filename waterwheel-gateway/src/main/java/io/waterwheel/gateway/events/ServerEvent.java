package io.waterwheel.gateway.events;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.gateway.http.Json;

/**
 * One thing that happened, or a part of how things are.
 *
 * @param stream that it is about; empty: the server
 * @param kind edit, lag, alert or stream
 * @param data an object of JSON, in one line
 */
public record ServerEvent(String stream, String kind, String data) {
    /** Beside its texts. */
    private static final int OBJECT_BYTES = 100;

    static ServerEvent of(String stream, String kind, Json.Writing members) {
        byte[] data = Json.object(json -> {
            if (!stream.isEmpty()) {
                json.writeStringField("stream", stream);
            }
            members.write(json);
        });
        return new ServerEvent(stream, kind, new String(data, UTF_8));
    }

    /** What it takes in memory, about. */
    int bytes() {
        return OBJECT_BYTES + 2 * data.length();
    }
}
