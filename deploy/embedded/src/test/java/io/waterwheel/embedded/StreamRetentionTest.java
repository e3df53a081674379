package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.cli.Cli;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamRetention;
import io.waterwheel.client.admin.Verification;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.tuple.TimeInterval;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** On a whole server: what is older than a stream's retention goes, for good, and nothing else does. */
@Tag("embedded")
@Timeout(900)
final class StreamRetentionTest {
    private static final long HOUR = 3_600_000;
    private static final long YEAR = 365 * 24 * HOUR;
    private static final int ROWS = 1_000;
    /** No query may run for longer than files that are nobody's stay. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    @TempDir
    static Path folder;

    private RunningServer server;
    private WaterwheelClient client;

    @Test
    void whatIsOldGoesForGoodAndNothingElse() throws Exception {
        WaterwheelConfig config = WaterwheelConfig.parse(
                "test",
                "",
                List.of(
                        "maintenance.grace=11 s",
                        "maintenance.interval=300 ms",
                        "query.timeout=10 s",
                        "indexer.tasks=2",
                        "catalog.manifest-interval-edits=10"));
        try (RunningServer started =
                        QuickServer.start(folder.resolve("server"), ServerCommand.fitted(config, 0), Set.of());
                WaterwheelClient connected = WaterwheelClient.connect(started.url())) {
            server = started;
            client = connected;
            long now = System.currentTimeMillis();
            // In chunks of their own: 3 hours ago; across the horizon; one from a clock that is a year ahead.
            create("kept");
            append(now - 3 * HOUR, HOUR);
            append(now - 3 * HOUR / 2, HOUR);
            append(now + YEAR, 0);
            assertThat(count()).isEqualTo(3 * ROWS);
            assertThat(ran("retention", "show", "kept"))
                    .isEqualTo("stream kept: retention off\nexpired: nothing\nto expire: nothing\n");

            String dry = ran("retention", "set", "--dry-run", "kept", "1h");
            assertThat(dry)
                    .startsWith(
                            "stream kept: retention off\nexpired: nothing\nwith retention 1 h:\nto expire: all before ");
            StreamRetention due = client.retention("kept", Retention.parse("1 h"));
            // Late ones of the second may have chunks of their own, that end before the horizon.
            assertThat(due.tuples()).as("whole chunks").isBetween((long) ROWS, 3L * ROWS / 2);
            assertThat(due.cut()).as("chunks across").isPositive();
            assertThat(due.next().toEpochMilli()).isBetween(now - HOUR, System.currentTimeMillis() - HOUR);
            assertThat(count()).as("after a dry run").isEqualTo(3 * ROWS);
            long before = chunkFiles();

            assertThat(ran("retention", "set", "kept", "1h")).startsWith("stream kept: retention 1 h\n");
            Waiting.until("the horizon moves", () -> client.retention("kept").horizon() != null);
            assertThat(ran("stream", "describe", "kept")).contains("\nretention: 1 h\n");
            checkExact();
            // It comes too late: its time has gone.
            append(now - 5 * HOUR, HOUR);
            checkExact();
            checkAgainstTheTopic();
            Waiting.until("files are removed", () -> chunkFiles() < before);
            checkExact();

            ran("retention", "set", "kept", "off");
            long horizon = client.retention("kept").horizon().toEpochMilli();
            append(now - 3 * HOUR, HOUR);
            checkExact();
            assertThat(client.retention("kept").horizon().toEpochMilli()).isEqualTo(horizon);
            checkAgainstTheTopic();
        }
    }

    private final List<Long> times = new ArrayList<>();
    private Map<Integer, Long> end = Map.of();

    private void create(String stream) {
        Schema schema = new Schema(
                List.of(new Field("t", FieldType.TIMESTAMP, false), new Field("k", FieldType.LONG, false)),
                new KeySpec.Ordered("k"),
                "t");
        client.createStream(new StreamDefinition(stream, stream, RecordFormat.BLOCK, 1, schema));
    }

    /** Rows of times evenly over a span, and writes them into chunks. */
    private void append(long from, long span) {
        try (Appender appender = client.appender("kept")) {
            for (long i = 0; i < ROWS; i++) {
                long time = from + span * i / ROWS;
                appender.append(time, i << 54);
                times.add(time);
            }
            end = appender.flush();
        }
        client.flush("kept");
    }

    private long count() {
        Query all = Query.of("kept").withAtLeast(end).withTimeout(LONGEST);
        return Waiting.answered(() -> client.count(all));
    }

    /** Every answer has what lies at or after its horizon, and nothing else. */
    private void checkExact() {
        for (TimeInterval asked : List.of(
                TimeInterval.ALL,
                new TimeInterval(times.get(0), times.get(ROWS)),
                new TimeInterval(times.get(0), times.get(0) + HOUR))) {
            Query query = Query.of("kept").withAtLeast(end).withTimeout(LONGEST).withTimes(asked);
            long[] rows = new long[1];
            Verdict verdict = Waiting.answered(() -> {
                rows[0] = 0;
                try (var cursor = client.query(query)) {
                    while (cursor.next()) {
                        rows[0]++;
                    }
                    return cursor.verdict();
                }
            });
            long horizon = verdict.horizon();
            assertThat(horizon).isGreaterThan(Retention.NO_HORIZON);
            assertThat(verdict.complete()).isTrue();
            assertThat(rows[0])
                    .as("%s, horizon %s", asked, horizon)
                    .isEqualTo(times.stream()
                            .filter(time -> asked.contains(time) && time >= horizon)
                            .count());
        }
    }

    private void checkAgainstTheTopic() throws InterruptedException {
        Verification found = Waiting.answered(() -> client.verify("kept", LONGEST));
        assertThat(found.differences()).isEmpty();
    }

    private static long chunkFiles() {
        try {
            return LiveFiles.chunks(folder.resolve("server").resolve("chunks")).size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a command prints; it must end with 0. */
    private String ran(String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--server", server.url()));
        int code = Cli.run(
                all.toArray(String[]::new), new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
        assertThat(code).as("%s: %s", all, err.toString(UTF_8)).isZero();
        return out.toString(UTF_8);
    }
}
