package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.Appender;
import io.waterwheel.client.StreamQuery;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.Scrape;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Statistics;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.TimestampUnit;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What explanations say of random queries adds up, within each, and in all to what the metrics have counted meanwhile.
 */
final class ExplainedAndMeasured implements AutoCloseable {
    private static final String STREAM = "measured";
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("note", FieldType.STRING, false, TimestampUnit.NANOSECONDS, true),
                    new Field("value", FieldType.INT, false)),
            new KeySpec.Ordered("id"),
            "at");

    /** Rows of each of the stream's parts, the last of which stays in memory. */
    private static final int ROWS = 6_000;

    private static final int PARTS = 3;
    private static final int QUERIES = 60;
    private static final Pattern LINE =
            Pattern.compile("(?m)^(waterwheel_query_(?:chunks|leaves|pruned_leaves|read_tuples|read_bytes)_total)"
                    + "\\{(.*)} ([0-9.eE+-]+)$");
    private static final Pattern STORE =
            Pattern.compile("(?m)^waterwheel_store_bytes_total\\{operation=\"read\"} ([0-9.eE+-]+)$");
    private static final Pattern PLACE = Pattern.compile("place=\"([^\"]*)\"");
    private static final Pattern OTHER = Pattern.compile("(?:outcome|reason|source)=\"([^\"]*)\"");

    private final WaterwheelClient client;
    private final Supplier<? extends Collection<Metrics>> metrics;

    ExplainedAndMeasured(WaterwheelClient client, Supplier<? extends Collection<Metrics>> metrics) {
        this.client = client;
        this.metrics = metrics;
        client.createStream(new StreamDefinition(STREAM, STREAM, RecordFormat.BLOCK, 2, SCHEMA));
    }

    @Override
    public void close() {
        client.drop(STREAM);
    }

    void sumsAreThoseOfTheMetrics() throws Exception {
        long seed = Long.getLong("seed", 1);
        Random random = new Random(seed);
        for (int part = 0; part < PARTS; part++) {
            Map<Integer, Long> written = append(random, part);
            if (part < PARTS - 1) {
                client.flush(STREAM, Duration.ofMinutes(2), written);
            } else {
                client.query(STREAM).atLeast(written).count();
            }
        }
        Map<String, Long> before = measured();
        Map<String, Long> told = new TreeMap<>();
        // The second needs a column that the first did not: no cache has it.
        add(told, askedOfTheStore(client.query(STREAM).aggregate("sum(value)")));
        add(told, askedOfTheStore(client.query(STREAM).where("note LIKE '%77%'")));
        for (int query = 0; query < QUERIES; query++) {
            Explanation explanation = ask(random);
            Statistics statistics =
                    Objects.requireNonNull(explanation.analysis()).statistics();
            requireSums(explanation, statistics);
            add(told, statistics);
        }
        Map<String, Long> after = measured();
        after.replaceAll((name, value) -> value - before.getOrDefault(name, 0L));
        after.values().removeIf(value -> value == 0);
        told.values().removeIf(value -> value == 0);
        assertThat(after).as("seed %s", seed).isEqualTo(told);
        // Not a comparison of nothing with nothing.
        assertThat(told)
                .containsKeys(
                        "waterwheel_query_chunks_total null outside",
                        "waterwheel_query_chunks_total null read",
                        "waterwheel_query_leaves_total chunks pruned",
                        "waterwheel_query_leaves_total chunks read",
                        "waterwheel_query_leaves_total memory read",
                        "waterwheel_query_pruned_leaves_total chunks zone",
                        "waterwheel_query_read_tuples_total chunks null",
                        "waterwheel_query_read_bytes_total null store",
                        "waterwheel_query_read_bytes_total null cache");
    }

    /**
     * Of what the cache does not have: the chunk store has read what the explanation says, and what attempts in vain
     * have, which may read on when the query has ended. That nothing else is read has a test in the core.
     */
    private Statistics askedOfTheStore(StreamQuery query) {
        long before = readFromStore();
        Explanation.Analysis analysis = Objects.requireNonNull(query.analyze().analysis());
        long read = readFromStore() - before;
        ScanStatistics.Parts parts = analysis.statistics().inChunks().parts();
        assertThat(parts.allBytesRead()).isBetween(1L, read);
        return analysis.statistics();
    }

    private long readFromStore() {
        Matcher line = STORE.matcher(new String(Scrape.of(metrics.get(), null).body(), UTF_8));
        assertThat(line.find()).isTrue();
        return (long) Double.parseDouble(line.group(1));
    }

    private Map<Integer, Long> append(Random random, int part) throws Exception {
        try (Appender appender = client.appender(STREAM)) {
            for (int row = 0; row < ROWS; row++) {
                long millis = part * 100_000_000L + row * 1_000L;
                appender.append(
                        (long) random.nextInt(100_000),
                        Instant.ofEpochMilli(millis),
                        "note-" + random.nextInt(2_000),
                        part * ROWS + row);
            }
            return appender.flush();
        }
    }

    private Explanation ask(Random random) {
        var query = client.query(STREAM);
        if (random.nextBoolean()) {
            long low = random.nextInt(100_000);
            query = query.keys(low, low + random.nextInt(20_000));
        }
        if (random.nextBoolean()) {
            Instant from = Instant.ofEpochMilli(random.nextInt(PARTS) * 100_000_000L + random.nextInt(3_000_000));
            query = query.between(from, from.plusMillis(random.nextInt(100_000_000)));
        }
        query = switch (random.nextInt(4)) {
            case 0 -> query.where("note = 'note-" + random.nextInt(3_000) + "'");
            case 1 -> query.where("value < " + random.nextInt(PARTS * ROWS));
            case 2 -> query.where("value > " + random.nextInt(PARTS * ROWS));
            default -> query;
        };
        return switch (random.nextInt(4)) {
            case 0 -> query.aggregate("count(*)").analyze();
            case 1 -> query.aggregate("max(value)").analyze();
            case 2 -> query.limit(1 + random.nextInt(10)).analyze();
            default -> query.analyze();
        };
    }

    private static void requireSums(Explanation explanation, Statistics statistics) {
        Explanation.Chunks chunks = explanation.chunks();
        assertThat(chunks.pruned().total() + chunks.toRead()).isEqualTo(chunks.total());
        assertThat(statistics.chunks()).isEqualTo(chunks.total());
        assertThat(statistics.chunksRead())
                .isBetween(0L, chunks.toRead())
                .isLessThanOrEqualTo(statistics.chunksMeeting());
        ScanStatistics ofServers = ScanStatistics.NOTHING;
        for (Explanation.Server server :
                Objects.requireNonNull(explanation.analysis()).servers()) {
            ofServers = ofServers.plus(server.scanned());
        }
        ScanStatistics all = statistics.inChunks().plus(statistics.fresh());
        assertThat(ofServers).isEqualTo(all);
        assertThat(all.left()).isNotNegative();
    }

    private static void add(Map<String, Long> sums, Statistics statistics) {
        ScanStatistics.Parts parts = statistics.inChunks().parts();
        add(sums, "chunks", null, "outside", statistics.chunks() - statistics.chunksMeeting());
        add(sums, "chunks", null, "read", statistics.chunksRead());
        add(sums, "chunks", null, "left", statistics.chunksMeeting() - statistics.chunksRead());
        add(sums, "read_bytes", null, "store", parts.allBytesRead());
        add(sums, "read_bytes", null, "cache", parts.bytesCached());
        addLeaves(sums, "chunks", statistics.inChunks());
        addLeaves(sums, "memory", statistics.fresh());
    }

    private static void addLeaves(Map<String, Long> sums, String place, ScanStatistics scan) {
        add(sums, "leaves", place, "pruned", scan.pruned().total());
        add(sums, "leaves", place, "counted", scan.counted());
        add(sums, "leaves", place, "read", scan.read());
        add(sums, "leaves", place, "left", scan.left());
        add(sums, "read_tuples", place, null, scan.tuples());
        for (Pruning.Count count : scan.pruned().counts()) {
            add(sums, "pruned_leaves", place, count.reason(), count.number());
        }
    }

    private static void add(
            Map<String, Long> sums, String metric, @Nullable String place, @Nullable String other, long more) {
        sums.merge("waterwheel_query_" + metric + "_total " + place + " " + other, more, Long::sum);
    }

    private Map<String, Long> measured() {
        String page = new String(Scrape.of(metrics.get(), null).body(), UTF_8);
        Map<String, Long> values = new TreeMap<>();
        Matcher lines = LINE.matcher(page);
        while (lines.find()) {
            String name = lines.group(1) + " " + label(PLACE, lines.group(2)) + " " + label(OTHER, lines.group(2));
            values.put(name, (long) Double.parseDouble(lines.group(3)));
        }
        return values;
    }

    private static @Nullable String label(Pattern pattern, String labels) {
        Matcher label = pattern.matcher(labels);
        return label.find() ? label.group(1) : null;
    }
}
