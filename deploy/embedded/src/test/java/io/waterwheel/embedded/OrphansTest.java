package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.Verification;
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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** On a whole server: chunk files that are nobody's are removed after the grace time, all others stay. */
@Tag("embedded")
@Timeout(900)
final class OrphansTest {
    private static final Pattern CHUNK = Pattern.compile("(\\d+)-(\\d+)-(\\d+)-0\\.chunk");
    private static final Pattern REMOVED = Pattern.compile("\"removed\":(\\d+)");
    private static final int ROWS = 1_000;

    @TempDir
    static Path folder;

    @Test
    void whatCrashesLeftIsRemovedAndWhatIsNamedStays() throws Exception {
        WaterwheelConfig config = WaterwheelConfig.parse(
                "test",
                "",
                List.of(
                        "maintenance.grace=1 s",
                        "maintenance.interval=100 ms",
                        "query.timeout=900 ms",
                        // One that expires makes the indexer's epoch a dead one.
                        "zookeeper.session-timeout=60 s"));
        try (RunningServer server =
                        QuickServer.start(folder.resolve("server"), ServerCommand.fitted(config, 0), Set.of());
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            Map<Integer, Long> end = append(client);
            client.flush("kept");
            waitForAll(client, end);
            Path chunk = anyChunk();
            Matcher name = CHUNK.matcher(chunk.getFileName().toString());
            assertThat(name.matches()).as(chunk.toString()).isTrue();
            int indexer = Integer.parseInt(name.group(1));
            int epoch = Integer.parseInt(name.group(2));

            Path temporary = copy(chunk, indexer + "-" + epoch + "-2-0.chunk.1f.tmp");
            Path deadEpochs = copy(chunk, indexer + "-" + (epoch - 1) + "-7-0.chunk");
            // The indexer lives: it might be about to commit this one.
            Path yetToCome = copy(chunk, indexer + "-" + epoch + "-1000000-0.chunk");
            Path foreign = copy(chunk, "notes.txt");
            Waiting.until("orphans are removed", () -> !Files.exists(temporary) && !Files.exists(deadEpochs));
            // They are counted when the look at the folder has ended.
            Waiting.until("the status tells of them", () -> {
                String status = client.status().json();
                // A file that is still being written may be older than this test's grace, and is removed too.
                Matcher removed = REMOVED.matcher(status);
                return removed.find() && Integer.parseInt(removed.group(1)) >= 2 && status.contains("\"foreign\":1");
            });
            assertThat(chunk).exists();
            assertThat(yetToCome).exists();
            assertThat(foreign).exists();
            waitForAll(client, end);
            Verification found = Waiting.answered(() -> client.verify("kept", Duration.ofMillis(900)));
            assertThat(found.differences()).isEmpty();
        }
    }

    private static Map<Integer, Long> append(WaterwheelClient client) {
        Schema schema = new Schema(
                List.of(new Field("t", FieldType.TIMESTAMP, false), new Field("k", FieldType.LONG, false)),
                new KeySpec.Ordered("k"),
                "t");
        client.createStream(new StreamDefinition("kept", "kept", RecordFormat.BLOCK, 1, schema));
        try (Appender appender = client.appender("kept")) {
            for (long i = 0; i < ROWS; i++) {
                appender.append(i, i << 54);
            }
            return appender.flush();
        }
    }

    /** Queries must be short here, and on a busy machine one may be too short. */
    private static void waitForAll(WaterwheelClient client, Map<Integer, Long> end) throws Exception {
        Query all = Query.of("kept").withAtLeast(end).withTimeout(Duration.ofMillis(900));
        long counted = Waiting.answered(() -> client.count(all));
        assertThat(counted).isEqualTo(ROWS);
    }

    private static Path anyChunk() throws IOException {
        return LiveFiles.chunks(folder.resolve("server").resolve("chunks")).get(0);
    }

    private static Path copy(Path chunk, String name) throws IOException {
        return Files.copy(chunk, chunk.resolveSibling(name));
    }
}
