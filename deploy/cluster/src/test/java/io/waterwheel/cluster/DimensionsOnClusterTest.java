package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.ChunkRegions;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.Query;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A key of dimensions on real daemons, whose values move on and whose scales are changed while its indexers, query
 * servers and two coordinators are in different processes, and whose small chunks are merged: each answer is that of a
 * plain list. {@code -Dseed=N} repeats a run's choices.
 */
@Tag("cluster")
@Timeout(1800)
@ExtendWith(SharedCluster.class)
final class DimensionsOnClusterTest {
    private static final String STREAM = "dimensions";
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    /** Rows of a phase, enough to learn from. */
    private static final int ROWS = 2_000;

    private static final int QUESTIONS = 8;

    /**
     * So many that chunks of two flushes may be merged: between the checkpoints that the catalog remembers, of which
     * every second goes when there are 32 of one stride.
     */
    private static final int FLUSHES = 40;

    private static final int ROWS_A_FLUSH = 30;

    private record Row(long id, double place, Long count, String kind, Instant time) {}

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<Row> rows = new ArrayList<>();
    private Map<Integer, Long> demanded = Map.of();

    private static StreamDefinition definition() {
        return new StreamDefinition(
                STREAM,
                STREAM,
                RecordFormat.CSV,
                3,
                new Schema(
                        List.of(
                                new Field("id", FieldType.LONG, false),
                                new Field("place", FieldType.DOUBLE, false),
                                new Field("count", FieldType.LONG, true),
                                new Field("kind", FieldType.STRING, false),
                                new Field("t", FieldType.TIMESTAMP, false)),
                        new KeySpec.Dimensions(
                                List.of(
                                        new Dimension("place", 4, List.of("0", "100"), List.of()),
                                        new Dimension("count", 4, List.of("0", "1500"), List.of()),
                                        new Dimension("kind", 2, List.of(), List.of("a0", "a1", "a2"))),
                                List.of()),
                        "t"),
                StreamPolicy.DEFAULT);
    }

    @Test
    void everyAnswerIsThatOfAListThroughAChangeOfScales(SharedCluster.Running running) {
        try (WaterwheelClient client = running.client()) {
            client.createStream(definition());
            append(client, 0);
            ask(client, "by the first scales");
            append(client, 1);
            ask(client, "beyond the first scales");
            assertThat(client.rescale(STREAM, List.of(), 0, false).scales()).isEqualTo(2);
            ask(client, "changed, and nothing came since");
            appendUntilKeyedAnew(client);
            append(client, 0);
            ask(client, "in memory by both");
            client.flush(STREAM, PATIENCE, demanded);
            ask(client, "in chunks by both");
            append(client, 2);
            ask(client, "in chunks and in memory");
            for (int flush = 0; flush < FLUSHES; flush++) {
                append(client, 2, ROWS_A_FLUSH);
                client.flush(STREAM, PATIENCE, demanded);
            }
            ask(client, "in many chunks");
            Waiting.until("chunks are merged", PATIENCE, () -> mergedTuples(client) > 0);
            ask(client, "in merged chunks");
            assertThat(client.describe(STREAM).scales()).isEqualTo(2);
            client.drop(STREAM);
        } catch (RuntimeException | AssertionError e) {
            System.out.println(running.cluster().tails());
            throw new AssertionError("seed " + seed + ": " + e, e);
        }
    }

    /** Values of a phase lie beyond those of the phases before it; some rows are late. */
    private void append(WaterwheelClient client, int phase) {
        append(client, phase, ROWS);
    }

    private void append(WaterwheelClient client, int phase, int count) {
        try (Appender appender = client.appender(STREAM)) {
            for (int i = 0; i < count; i++) {
                long value = 5000L * phase + random.nextInt(1500);
                int hour = random.nextInt(10) == 0 ? random.nextInt(phase + 1) : phase;
                Row row = new Row(
                        rows.size(),
                        1000 * phase + 100 * random.nextDouble(),
                        value % 7 == 0 ? null : value,
                        (char) ('a' + phase) + String.valueOf(random.nextInt(4)),
                        Instant.ofEpochMilli(1_700_000_000_000L + 3_600_000L * hour + random.nextInt(60_000)));
                rows.add(row);
                appender.append(row.id(), row.place(), row.count(), row.kind(), row.time());
            }
            demanded = appender.flush();
        }
    }

    /** The new scales hold from the partitions' limits on, which a burst of rows has raised. */
    private void appendUntilKeyedAnew(WaterwheelClient client) {
        Query byNew = Query.of(STREAM).withKeys(List.of(new KeyInterval(Long.MIN_VALUE, -1)));
        long keyed = 0;
        for (int more = 0; keyed == 0; more++) {
            assertThat(more).as("times that rows were added").isLessThan(100);
            append(client, 1);
            keyed = client.count(byNew.withAtLeast(demanded).withTimeout(PATIENCE));
        }
        assertThat(keyed).as("of %s rows", rows.size()).isLessThan(rows.size());
    }

    private static long mergedTuples(WaterwheelClient client) {
        return client.chunkRegions(STREAM, TimeInterval.ALL, null, 1_000).regions().stream()
                .filter(region -> region.position().part() >= ChunkDescriptor.FIRST_MERGED_PART)
                .mapToLong(ChunkRegions.Region::tuples)
                .sum();
    }

    private void ask(WaterwheelClient client, String when) {
        for (int q = 0; q < QUESTIONS; q++) {
            double place = random.nextInt(3) * 1000 + 110 * random.nextDouble() - 5;
            double far = place + 60 * random.nextDouble();
            long count = 5000L * random.nextInt(3) + random.nextInt(1500);
            String kind = (char) ('a' + random.nextInt(3)) + String.valueOf(random.nextInt(4));
            boolean byCount = random.nextBoolean();
            boolean byKind = random.nextInt(3) == 0;
            boolean byPlace = !(byCount || byKind) || random.nextBoolean();
            List<KeyRange> ranges = new ArrayList<>();
            if (byPlace) {
                ranges.add(new KeyRange("place", String.valueOf(place), String.valueOf(far)));
            }
            if (byCount) {
                ranges.add(new KeyRange("count", String.valueOf(count), String.valueOf(count + 400)));
            }
            if (byKind) {
                ranges.add(new KeyRange("kind", kind, kind));
            }
            List<Long> expected = rows.stream()
                    .filter(row -> !byPlace || (row.place() >= place && row.place() <= far))
                    .filter(row ->
                            !byCount || (row.count() != null && row.count() >= count && row.count() <= count + 400))
                    .filter(row -> !byKind || row.kind().equals(kind))
                    .map(Row::id)
                    .toList();
            Query query = Query.of(STREAM)
                    .withKeyRanges(ranges)
                    .withSelect(List.of("id"))
                    .withAtLeast(demanded)
                    .withTimeout(PATIENCE);
            List<Long> got = new ArrayList<>();
            try (Cursor cursor = client.query(query)) {
                while (cursor.next()) {
                    got.add(cursor.getLong(0));
                }
                assertThat(cursor.verdict().complete())
                        .as("%s: %s", when, query)
                        .isTrue();
            }
            assertThat(got).as("%s: %s", when, query).containsExactlyInAnyOrderElementsOf(expected);
        }
    }
}
