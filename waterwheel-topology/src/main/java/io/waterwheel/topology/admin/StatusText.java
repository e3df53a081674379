package io.waterwheel.topology.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Locale;

/** The status for people: a line a stream, and one for each partition that lags or stands still. */
public final class StatusText {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private StatusText() {}

    public static String of(String json) {
        try {
            StringBuilder text = new StringBuilder();
            JsonNode status = MAPPER.readTree(json);
            for (JsonNode trouble : status.path("troubles")) {
                text.append(trouble.asText()).append(System.lineSeparator());
            }
            for (JsonNode stream : status.path("streams")) {
                text.append(String.format(
                        Locale.ROOT,
                        "%s: %d tuples in memory, %d in %d chunks (%d bytes), %d rejected, lag %d%n",
                        stream.path("name").asText(),
                        stream.path("memoryTuples").asLong(),
                        stream.path("chunkTuples").asLong(),
                        stream.path("chunks").asLong(),
                        stream.path("chunkBytes").asLong(),
                        stream.path("rejected").asLong(),
                        stream.path("lag").asLong()));
                for (JsonNode trouble : stream.path("troubles")) {
                    text.append("  ").append(trouble.asText()).append(System.lineSeparator());
                }
                for (JsonNode partition : stream.path("sources")) {
                    String trouble = partition.path("trouble").asText();
                    if (!trouble.isEmpty()
                            || partition.path("deadLetters").asLong() > 0
                            || partition.path("lag").asLong() > 0) {
                        text.append(String.format(
                                Locale.ROOT,
                                "  partition %d: lag %d, %d dead letters since the start%s%s%n",
                                partition.path("partition").asInt(),
                                partition.path("lag").asLong(),
                                partition.path("deadLetters").asLong(),
                                trouble.isEmpty() ? "" : "; STANDS STILL: ",
                                trouble));
                    }
                }
                for (JsonNode indexer : stream.path("indexers")) {
                    long limit = indexer.path("memoryLimit").asLong();
                    if (indexer.path("memoryUsed").asLong() > limit - limit / 8
                            && indexer.path("unflushedTrees").asInt() > 0) {
                        text.append(String.format(
                                Locale.ROOT,
                                "  indexer %d: %d of %d MiB of memory used, %d trees wait to be written; reading waits"
                                        + " for them. Is the chunk store slow or full?%n",
                                indexer.path("indexer").asInt(),
                                indexer.path("memoryUsed").asLong() >> 20,
                                limit >> 20,
                                indexer.path("unflushedTrees").asInt()));
                    }
                }
                for (JsonNode lost : stream.path("lost")) {
                    text.append(String.format(
                            Locale.ROOT,
                            "  partition %d: LOST offsets %d to %d (%s)%n",
                            lost.path("partition").asInt(),
                            lost.path("from").asLong(),
                            lost.path("to").asLong() - 1,
                            lost.path("reason").asText()));
                }
            }
            return text.length() == 0 ? "no streams\n" : text.toString();
        } catch (IOException e) {
            throw new IllegalStateException("a status could not be read back", e);
        }
    }
}
