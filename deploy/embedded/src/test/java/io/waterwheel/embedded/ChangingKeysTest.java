package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.waterwheel.Waiting;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.query.Query;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Templates on a whole server whose keys change in every way: they are rebuilt a few times a chunk at most, nothing
 * waits long for it, and every answer is right. {@code -Drows=2000000} is the long form, rows of each stream;
 * {@code -Dpause=N} sets the milliseconds that the indexer's thread may work for a rebuild in one insertion. The time
 * on the clock is printed beside it: with the broker, the collector and the producer on the same cores, others' turns
 * are in that.
 */
@Tag("embedded")
@Tag("alone")
@Timeout(900)
final class ChangingKeysTest {
    private static final int ROWS = Integer.getInteger("rows", 100_000);
    private static final double MOST_PAUSE_MILLIS = Integer.getInteger("pause", 10);
    /** A tree's bound, see {@code TemplateTree}. */
    private static final int MOST_REBUILDS = 9;

    private static final long SPREAD = 1L << 40;
    private static final long FAR = 1L << 50;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path folder;

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    /** Of each stream, the longest that its indexer's thread worked for a rebuild in one insertion. */
    private final List<Double> pauses = new ArrayList<>();

    @Test
    void templatesFollowWhateverTheKeysDo() throws Exception {
        Map<String, LongUnaryOperator> kinds = new LinkedHashMap<>();
        // The first rebuilds of a JVM run in its interpreter.
        kinds.put("cold-drift", i -> i * (SPREAD / 100_000) + random.nextLong(SPREAD));
        kinds.put("stationary", i -> random.nextLong(SPREAD));
        kinds.put("hot-keys", i -> i % 3 == 0 ? random.nextLong(SPREAD) : i % 3);
        kinds.put("jump", i -> (i < ROWS / 2 ? 0 : FAR) + random.nextLong(SPREAD));
        kinds.put("drift", i -> i * (SPREAD / 100_000) + random.nextLong(SPREAD));
        kinds.put("sorted", i -> i);
        kinds.put("alternating", i -> (i / 50_000 % 2 == 0 ? 0 : FAR) + random.nextLong(SPREAD));
        WaterwheelConfig config =
                WaterwheelConfig.parse("test", "", List.of("indexer.tasks=1", "indexer.seal-size=8 MiB"));
        try (RunningServer server =
                        QuickServer.start(folder.resolve("server"), ServerCommand.fitted(config, 0), Set.of());
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            for (Map.Entry<String, LongUnaryOperator> kind : kinds.entrySet()) {
                String stream = kind.getKey();
                create(client, stream);
                Map<Integer, Long> positions;
                try (Appender appender = client.appender(stream)) {
                    for (int i = 0; i < ROWS; i++) {
                        appender.append(1_600_000_000_000L + i, kind.getValue().applyAsLong(i));
                    }
                    positions = appender.flush();
                }
                assertThat(client.count(Query.of(stream).withAtLeast(positions)))
                        .isEqualTo(ROWS);
                check(client, stream);
                assertThat(client.verify(stream, Duration.ofMinutes(5)).differences())
                        .as("seed %s, %s, fresh", seed, stream)
                        .isEmpty();
                client.flush(stream);
                assertThat(client.verify(stream, Duration.ofMinutes(5)).differences())
                        .as("seed %s, %s, in chunks", seed, stream)
                        .isEmpty();
            }
        }
        // Half of the streams at least: who shares the processor's caches may make a single one longer.
        assertThat(pauses.stream().sorted().skip(pauses.size() / 2).findFirst().orElseThrow())
                .as("seed %s: the median of %s, ms", seed, pauses)
                .isLessThanOrEqualTo(MOST_PAUSE_MILLIS);
    }

    private static void create(WaterwheelClient client, String stream) {
        Schema schema = new Schema(
                List.of(new Field("t", FieldType.TIMESTAMP, false), new Field("k", FieldType.LONG, false)),
                new KeySpec.Ordered("k"),
                "t");
        client.createStream(new StreamDefinition(stream, stream, RecordFormat.BLOCK, 1, schema));
    }

    private void check(WaterwheelClient client, String stream) throws Exception {
        JsonNode[] told = new JsonNode[1];
        Waiting.until("the indexer's report is of all rows", () -> {
            told[0] = status(client, stream);
            return told[0].path("memoryTuples").asLong()
                            + told[0].path("chunkTuples").asLong()
                    == ROWS;
        });
        JsonNode indexer = told[0].path("indexers").path(0);
        int trees = told[0].path("chunks").asInt() + 1;
        int rebuilds = indexer.path("rebuilds").asInt();
        double pause = indexer.path("longestRebuildCpuMs").asDouble();
        System.err.printf(
                Locale.ROOT,
                "templates: %s: %d rows, %d trees, %d rebuilds, the last from skewness %.2f to %.2f, longest pause"
                        + " %.2f ms, longest work %.2f ms%n",
                stream,
                ROWS,
                trees,
                rebuilds,
                indexer.path("skewnessBefore").asDouble(),
                indexer.path("skewnessAfter").asDouble(),
                indexer.path("longestRebuildPauseMs").asDouble(),
                pause);
        assertThat(rebuilds)
                .as("seed %s, %s: rebuilds of %s trees", seed, stream, trees)
                .isBetween(1, MOST_REBUILDS * trees);
        pauses.add(pause);
    }

    private static JsonNode status(WaterwheelClient client, String stream) throws Exception {
        for (JsonNode status : JSON.readTree(client.status().json()).path("streams")) {
            if (status.path("name").asText().equals(stream)) {
                return status;
            }
        }
        throw new AssertionError("the status does not have stream " + stream);
    }
}
