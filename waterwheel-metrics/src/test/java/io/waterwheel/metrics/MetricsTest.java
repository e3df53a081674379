package io.waterwheel.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class MetricsTest {
    private static final Pattern SERIES = Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)");

    /** What a page says, by name with labels. */
    private static Map<String, Double> read(Metrics metrics) {
        Map<String, Double> series = new HashMap<>();
        new String(Scrape.of(List.of(metrics), null).body(), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("waterwheel_"))
                .forEach(line -> {
                    Matcher match = SERIES.matcher(line);
                    assertThat(match.matches()).as(line).isTrue();
                    String labels = match.group(2) == null ? "" : "{" + match.group(2) + "}";
                    series.put(match.group(1) + labels, Double.parseDouble(match.group(3)));
                });
        return series;
    }

    /** Counters, by streams that come and go, beside a map. */
    @Test
    void streamsBeyondTheNumberAreSummedUp() {
        long seed = Long.getLong("seed", ThreadLocalRandom.current().nextLong());
        Random random = new Random(seed);
        int most = random.nextInt(5);
        AtomicLong clock = new AtomicLong();
        Metrics metrics = new Metrics(most, clock::get);
        Set<String> present = new HashSet<>();
        metrics.streams(() -> Set.copyOf(present));
        Map<String, Long> expected = new HashMap<>();
        Set<String> named = new HashSet<>();
        long forgotNanos = -Metrics.FORGET_NANOS;
        for (int step = 0; step < 300; step++) {
            String stream = "s" + random.nextInt(8);
            if (random.nextInt(10) == 0) {
                present.remove(stream);
                if (random.nextBoolean()) {
                    // A scrape looks who is there.
                    read(metrics);
                    forget(named, present, expected);
                }
                continue;
            }
            present.add(stream);
            if (random.nextBoolean()) {
                clock.addAndGet(Metrics.FORGET_NANOS);
            }
            if (!named.contains(stream) && named.size() >= most && clock.get() - forgotNanos >= Metrics.FORGET_NANOS) {
                // Places of dropped streams are looked for once a second.
                forgotNanos = clock.get();
                forget(named, present, expected);
            }
            if (named.size() < most) {
                named.add(stream);
            }
            String label = named.contains(stream) ? stream : "other";
            int more = random.nextInt(100);
            metrics.counter(WayInMetrics.INSERTED, metrics.stream(stream)).add(more);
            expected.merge(label, (long) more, Long::sum);
        }
        forget(named, present, expected);
        Map<String, Double> series = read(metrics);
        expected.forEach(
                (stream, sum) -> assertThat(series.get("waterwheel_inserted_tuples_total{stream=\"" + stream + "\"}"))
                        .as("-Dseed=%s %s", seed, stream)
                        .isEqualTo(sum.doubleValue()));
        assertThat(series.keySet().stream().filter(name -> name.contains("inserted")))
                .as("-Dseed=%s", seed)
                .hasSize(expected.size());
    }

    private static void forget(Set<String> named, Set<String> present, Map<String, Long> expected) {
        named.retainAll(present);
        expected.keySet().removeIf(stream -> !stream.equals("other") && !named.contains(stream));
    }

    /** Classic buckets beside a list of all that was observed. */
    @Test
    void histogramsCountByBucket() {
        long seed = Long.getLong("seed", ThreadLocalRandom.current().nextLong());
        Random random = new Random(seed);
        Metrics metrics = Metrics.unread();
        Histogram histogram = metrics.histogram(QueryMetrics.QUERIES, "complete");
        List<Long> observed = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            long nanos = (long) Math.exp(random.nextDouble() * 25);
            observed.add(nanos);
            histogram.nanos(nanos);
        }
        histogram.nanos(-5);
        observed.add(0L);
        Map<String, Double> series = read(metrics);
        for (double bound : QueryMetrics.QUERIES.scale().bounds()) {
            long expected =
                    observed.stream().filter(nanos -> nanos * 1e-9 <= bound).count();
            assertThat(series.get("waterwheel_query_seconds_bucket{outcome=\"complete\",le=\"" + bound + "\"}"))
                    .as("-Dseed=%s le %s", seed, bound)
                    .isEqualTo((double) expected);
        }
        assertThat(series.get("waterwheel_query_seconds_count{outcome=\"complete\"}"))
                .isEqualTo(1_001);
    }

    @Test
    void nativeHistogramsComeByProtocolBuffers() {
        Metrics metrics = Metrics.unread();
        metrics.histogram(QueryMetrics.QUERIES, "complete").nanos(1_000_000);
        Scrape scrape = Scrape.of(
                List.of(metrics),
                "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited");
        assertThat(scrape.contentType()).startsWith("application/vnd.google.protobuf");
        assertThat(new String(scrape.body(), StandardCharsets.ISO_8859_1)).contains("waterwheel_query_seconds");
    }

    @Test
    void secondsAreCountedInNanoseconds() {
        Metrics metrics = Metrics.unread();
        metrics.counter(WayInMetrics.CREDIT_WAIT, "a").add(2_500_000_000L);
        assertThat(read(metrics)).containsEntry("waterwheel_credit_wait_seconds_total{stream=\"a\"}", 2.5);
    }

    @Test
    void valuesOfEqualLabelsAreAddedUp() throws Exception {
        Metrics metrics = Metrics.unread();
        AutoCloseable first = metrics.gauge(ChunkMetrics.TREE_BYTES, () -> 3, "other");
        metrics.read(ChunkMetrics.TREE_BYTES, values -> {
            values.add(4, "other");
            values.add(5, "other");
        });
        String name = "waterwheel_tree_bytes{stream=\"other\"}";
        assertThat(read(metrics)).containsEntry(name, 12.0);
        first.close();
        assertThat(read(metrics)).containsEntry(name, 9.0);
    }

    /** A scrape without one value is better than none. */
    @Test
    void aSourceThatFailsIsLeftOutAndCounted() {
        Metrics metrics = Metrics.unread();
        metrics.gauge(ChunkMetrics.TREE_BYTES, () -> 3, "a");
        metrics.read(ChunkMetrics.TREE_BYTES, values -> {
            values.add(1, "b");
            throw new IllegalStateException("on purpose");
        });
        metrics.read(ChunkMetrics.TREE_LIMIT, values -> values.add(1, "a", "one too many"));
        read(metrics);
        assertThat(read(metrics))
                .containsEntry("waterwheel_tree_bytes{stream=\"a\"}", 3.0)
                .doesNotContainKey("waterwheel_tree_bytes{stream=\"b\"}")
                .hasEntrySatisfying("waterwheel_metrics_failures_total", count -> assertThat(count)
                        .isGreaterThanOrEqualTo(2));
    }

    @Test
    void aMetricIsUsedAsItIsDefined() {
        Metrics metrics = Metrics.unread();
        assertThatThrownBy(() -> metrics.counter(WayInMetrics.INSERTED))
                .hasMessage("waterwheel_inserted_tuples_total: expected values of the labels [stream], got 0");
        assertThatThrownBy(() -> metrics.counter(QueryMetrics.QUERIES, "complete"))
                .hasMessage("waterwheel_query_seconds is a HISTOGRAM, not a COUNTER");
        assertThatThrownBy(() -> metrics.gauge(QueryMetrics.QUERIES, () -> 1, "complete"))
                .hasMessage("waterwheel_query_seconds is a histogram: it is observed, not read");
        assertThatThrownBy(
                        () -> new Metric("waterwheel_files", Metric.Type.COUNTER, List.of(), Metric.Scale.NONE, "", ""))
                .hasMessageContaining("_total");
    }

    /** Two workers may live for a moment in one process, the one that ends beside its successor. */
    @Test
    void ofTwoRegistriesTheFirstCounts() {
        Metrics one = Metrics.unread();
        Metrics two = Metrics.unread();
        one.counter(ChunkMetrics.COLLECTED_FILES).add(1);
        two.counter(ChunkMetrics.COLLECTED_FILES).add(2);
        two.counter(ChunkMetrics.COLLECTED_BYTES).add(3);
        String page = new String(Scrape.of(List.of(one, two), null).body(), StandardCharsets.UTF_8);
        assertThat(page)
                .contains("\nwaterwheel_collected_files_total 1.0\n")
                .contains("\nwaterwheel_collected_bytes_total 3.0\n")
                .contains("\njvm_memory_used_bytes{");
    }
}
