package io.waterwheel.embedded.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.waterwheel.Rounds;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Chunks cannot be written while several times the indexers' memory arrives, and a client has stopped reading: memory
 * stays in its bounds, the lag grows, and when the disk has room again everything drains and is there once.
 */
@Tag("embedded")
final class BackPressureTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int POOL_MEGABYTES = 16;
    private static final long FIRST = Rounds.ALL ? 500_000 : 300_000;
    /** About 130 MB of tuples, four times what both indexers may hold; or 80. */
    private static final long ALL = Rounds.ALL ? 3_500_000 : 2_200_000;

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    Path folder;

    private long mostUsed;

    @Test
    void aFullDiskAndASlowClientCostNothingButTime() throws Exception {
        SmallDisk disk = SmallDisk.mount(folder.resolve("chunks"), 256);
        Assumptions.assumeTrue(disk != null, "no small disk can be mounted here");
        try (SmallDisk mounted = Objects.requireNonNull(disk);
                Installation installation = new Installation(
                        folder,
                        mounted.folder(),
                        false,
                        "indexer.seal-size=4 MiB",
                        "indexer.memory-pool=" + POOL_MEGABYTES + " MiB")) {
            installation.startAll();
            try (WaterwheelClient client = WaterwheelClient.connect(installation.url())) {
                client.createStream(KnownRows.definition());
                try (Appender appender = client.appender(KnownRows.STREAM)) {
                    append(appender, 0, FIRST);
                    Map<Integer, Long> first = appender.flush();
                    assertThat(count(client, first)).isEqualTo(FIRST);

                    Path filler = mounted.folder().resolve("filler");
                    SmallDisk.fill(filler);
                    Query everything =
                            Query.of(KnownRows.STREAM).withAtLeast(first).withTimeout(Duration.ofMinutes(5));
                    try (Cursor slow = client.query(everything)) {
                        assertThat(slow.nextBatch()).isTrue();
                        append(appender, FIRST, ALL);
                        Map<Integer, Long> all = appender.flush();
                        JsonNode full = await(
                                client, status -> status.path("lag").asLong() > 0 && used(status) > limit(status) / 2);
                        // A while longer: it stays so, and what was there is still answered.
                        for (int i = 0; i < 20; i++) {
                            bounded(status(client));
                            assertThat(count(client, first)).isBetween(FIRST, ALL);
                        }
                        Files.delete(filler);
                        long begin = System.nanoTime();
                        assertThat(count(client, all)).isEqualTo(ALL);
                        double seconds = (System.nanoTime() - begin) / 1e9;
                        await(client, status -> status.path("lag").asLong() == 0);
                        long read = readOn(slow);
                        System.err.printf(
                                Locale.ROOT,
                                "back-pressure: %d rows; disk full: memory at most %d of %d bytes, lag %d records;"
                                        + " drained %.1f s after there was room; the slow client read %s%n",
                                ALL,
                                mostUsed,
                                limit(full),
                                full.path("lag").asLong(),
                                seconds,
                                read < 0 ? "until its trees were taken back, and was told" : read + " rows");
                        assertThat(read < 0 || (read >= FIRST && read <= ALL)).isTrue();
                    }
                    assertThat(client.verify(KnownRows.STREAM, PATIENCE).differences())
                            .isEmpty();
                }
            }
        }
    }

    private static void append(Appender appender, long from, long to) {
        for (long id = from; id < to; id++) {
            appender.append(KnownRows.row(id));
        }
    }

    private static long count(WaterwheelClient client, Map<Integer, Long> positions) {
        return client.count(Query.of(KnownRows.STREAM).withAtLeast(positions).withTimeout(PATIENCE));
    }

    /** Reads to the end; -1 when the answer was cut off, which must be said. */
    private static long readOn(Cursor cursor) {
        try {
            boolean more = true;
            while (more) {
                more = cursor.nextBatch();
            }
            assertThat(cursor.verdict().complete()).isTrue();
            return cursor.verdict().tuples();
        } catch (WaterwheelException e) {
            assertThat(e.kind()).as(e.getMessage()).isEqualTo(WaterwheelException.Kind.TEMPORARY);
            return -1;
        }
    }

    private JsonNode status(WaterwheelClient client) throws Exception {
        return JSON.readTree(client.status().json()).path("streams").path(0);
    }

    private void bounded(JsonNode status) {
        mostUsed = Math.max(mostUsed, used(status));
        assertThat(used(status)).as(status.toString()).isLessThanOrEqualTo(limit(status));
    }

    private static long used(JsonNode status) {
        return sum(status, "memoryUsed");
    }

    private static long limit(JsonNode status) {
        return sum(status, "memoryLimit");
    }

    private static long sum(JsonNode status, String field) {
        long sum = 0;
        for (JsonNode indexer : status.path("indexers")) {
            sum += indexer.path(field).asLong();
        }
        return sum;
    }

    private JsonNode await(WaterwheelClient client, Predicate<JsonNode> condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            JsonNode status = status(client);
            bounded(status);
            if (condition.test(status)) {
                return status;
            }
            assertThat(System.nanoTime() - deadline).as("status %s", status).isNegative();
            LockSupport.parkNanos(20_000_000);
        }
    }
}
