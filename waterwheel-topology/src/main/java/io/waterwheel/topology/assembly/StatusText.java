package io.waterwheel.topology.assembly;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Locale;

/** The status for people: a line a stream. */
final class StatusText {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private StatusText() {}

    static String of(String json) {
        try {
            StringBuilder text = new StringBuilder();
            for (JsonNode stream : MAPPER.readTree(json).path("streams")) {
                text.append(String.format(
                        Locale.ROOT,
                        "%s: %d tuples in memory, %d in %d chunks (%d bytes), %d rejected%n",
                        stream.path("name").asText(),
                        stream.path("memoryTuples").asLong(),
                        stream.path("chunkTuples").asLong(),
                        stream.path("chunks").asLong(),
                        stream.path("chunkBytes").asLong(),
                        stream.path("rejected").asLong()));
            }
            return text.length() == 0 ? "no streams\n" : text.toString();
        } catch (IOException e) {
            throw new IllegalStateException("a status could not be read back", e);
        }
    }
}
