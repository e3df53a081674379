package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.Verification;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** On a whole server: the small chunks of a slow stream become few, and no answer shows it. */
@Tag("embedded")
@Timeout(900)
final class SmallChunksTest {
    private static final int FLUSHES = 130;
    private static final int ROWS = 20;
    /** Loops of two dispatchers and an indexer, and seven or eight more; a job or two may be under way. */
    private static final int MOST_THREADS = 13;

    private static final Duration LONGEST = Duration.ofMinutes(5);

    @TempDir
    static Path folder;

    private int appended;
    private Map<Integer, Long> end = Map.of();

    @Test
    void becomeFewAndNoAnswerShowsIt() throws Exception {
        WaterwheelConfig config = WaterwheelConfig.parse(
                "test", "", List.of("maintenance.interval=300 ms", "indexer.tasks=1", "query-server.tasks=1"));
        try (RunningServer server =
                        QuickServer.start(folder.resolve("server"), ServerCommand.fitted(config, 0), Set.of());
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            // A server without streams: what it does now and then has few threads.
            Waiting.until(
                    "few threads: " + OwnThreads.names(),
                    () -> OwnThreads.names().size() <= MOST_THREADS);
            Schema schema = new Schema(
                    List.of(
                            new Field("t", FieldType.TIMESTAMP, false),
                            new Field("id", FieldType.LONG, false),
                            new Field("name", FieldType.STRING, true)),
                    new KeySpec.Ordered("id"),
                    "t");
            client.createStream(new StreamDefinition("slow", "slow", RecordFormat.BLOCK, 1, schema));
            try (Appender appender = client.appender("slow")) {
                for (int flush = 0; flush < FLUSHES; flush++) {
                    append(appender);
                    Waiting.answered(() -> {
                        client.flush("slow");
                        return true;
                    });
                    if (flush % 10 == 0) {
                        checkExact(client);
                    }
                }
                Waiting.until("chunks are merged", () -> {
                    checkExact(client);
                    return client.describe("slow").chunks().orElseThrow().count() < FLUSHES / 2;
                });
                append(appender);
                checkExact(client);
            }
            Verification found = Waiting.answered(() -> client.verify("slow", LONGEST));
            assertThat(found.differences()).isEmpty();
            // A new indexer stands at the partition's limit, beyond the end of a log into which nothing comes.
            assertThat(client.setIndexers("slow", 2).division().orElseThrow().indexers())
                    .isEqualTo(2);
            found = Waiting.answered(() -> client.verify("slow", LONGEST));
            assertThat(found.differences()).isEmpty();
        }
    }

    private void append(Appender appender) {
        for (int row = 0; row < ROWS; row++) {
            appender.append(appended * 1000L, (long) appended, appended % 3 == 0 ? null : "device " + appended % 7);
            appended++;
        }
        end = appender.flush();
    }

    /** Each row once, with its own values. */
    private void checkExact(WaterwheelClient client) {
        Query query = Query.of("slow").withAtLeast(end).withTimeout(LONGEST);
        Set<Long> ids = new TreeSet<>();
        Verdict verdict = Waiting.answered(() -> {
            ids.clear();
            long rows = 0;
            try (var cursor = client.query(query)) {
                while (cursor.next()) {
                    long id = cursor.getLong(1);
                    assertThat(cursor.getInstant(0).toEpochMilli()).isEqualTo(id * 1000);
                    assertThat(cursor.isNull(2)).isEqualTo(id % 3 == 0);
                    if (id % 3 != 0) {
                        assertThat(cursor.getString(2)).isEqualTo("device " + id % 7);
                    }
                    ids.add(id);
                    rows++;
                }
                assertThat(rows).isEqualTo(ids.size());
                return cursor.verdict();
            }
        });
        assertThat(verdict.complete()).isTrue();
        assertThat(ids).hasSize(appended);
    }
}
