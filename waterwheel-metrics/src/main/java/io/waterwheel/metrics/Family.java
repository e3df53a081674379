package io.waterwheel.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All series of one metric in one registry. Thread-safe. */
final class Family {
    private final Metric metric;
    private final io.prometheus.metrics.core.metrics.@Nullable Histogram histogram;
    private final Map<List<String>, Counter> counters = new ConcurrentHashMap<>();
    private final Map<List<String>, Histogram> points = new ConcurrentHashMap<>();
    private final List<Source> sources = new CopyOnWriteArrayList<>();

    Family(Metric metric) {
        this.metric = metric;
        this.histogram = metric.type() == Metric.Type.HISTOGRAM
                ? io.prometheus.metrics.core.metrics.Histogram.builder()
                        .name(metric.name())
                        .help(metric.meaning())
                        .labelNames(metric.labels().toArray(new String[0]))
                        .classicUpperBounds(metric.scale().bounds())
                        .withoutExemplars()
                        .build()
                : null;
    }

    Counter counter(List<String> labels) {
        require(Metric.Type.COUNTER, labels);
        return counters.computeIfAbsent(labels, unused -> new Counter(metric));
    }

    Histogram histogram(List<String> labels) {
        require(Metric.Type.HISTOGRAM, labels);
        io.prometheus.metrics.core.metrics.Histogram all = histogram;
        if (all == null) {
            throw new IllegalStateException("no histogram: " + metric.name());
        }
        return points.computeIfAbsent(labels, unused -> new Histogram(all.labelValues(labels.toArray(new String[0]))));
    }

    /**
     * Reads it at every scrape.
     *
     * @return closing it ends the reading
     */
    AutoCloseable read(Source source) {
        if (metric.type() == Metric.Type.HISTOGRAM) {
            throw new IllegalArgumentException(metric.name() + " is a histogram: it is observed, not read");
        }
        sources.add(source);
        return () -> sources.remove(source);
    }

    private void require(Metric.Type type, List<String> labels) {
        if (metric.type() != type) {
            throw new IllegalArgumentException(metric.name() + " is a " + metric.type() + ", not a " + type);
        }
        requireLabels(labels.size());
    }

    private void requireLabels(int values) {
        if (values != metric.labels().size()) {
            throw new IllegalArgumentException(
                    metric.name() + ": expected values of the labels " + metric.labels() + ", got " + values);
        }
    }

    /** Removes the series of these streams. */
    void forget(Set<String> streams) {
        int at = metric.labels().indexOf(Metric.STREAM);
        if (at < 0) {
            return;
        }
        counters.keySet().removeIf(labels -> streams.contains(labels.get(at)));
        io.prometheus.metrics.core.metrics.Histogram all = histogram;
        points.keySet().removeIf(labels -> {
            boolean gone = streams.contains(labels.get(at));
            if (gone && all != null) {
                all.remove(labels.toArray(new String[0]));
            }
            return gone;
        });
    }

    /**
     * The series as they are.
     *
     * @param failed hears what a source failed with; the others are read all the same
     */
    MetricSnapshot snapshot(Consumer<RuntimeException> failed) {
        io.prometheus.metrics.core.metrics.Histogram all = histogram;
        if (all != null) {
            return all.collect();
        }
        Map<List<String>, Double> values = new HashMap<>();
        counters.forEach((labels, counter) -> values.merge(labels, counter.value(), Double::sum));
        for (Source source : sources) {
            Map<List<String>, Double> read = new HashMap<>();
            try {
                source.read((value, labels) -> {
                    requireLabels(labels.length);
                    read.merge(List.of(labels), value, Double::sum);
                });
                read.forEach((labels, value) -> values.merge(labels, value, Double::sum));
            } catch (RuntimeException e) {
                failed.accept(e);
            }
        }
        return metric.type() == Metric.Type.COUNTER ? counters(values) : gauges(values);
    }

    private MetricSnapshot counters(Map<List<String>, Double> values) {
        // The library adds _total itself.
        CounterSnapshot.Builder all = CounterSnapshot.builder()
                .name(metric.name().substring(0, metric.name().length() - "_total".length()))
                .help(metric.meaning());
        values.forEach((labels, value) -> all.dataPoint(CounterDataPointSnapshot.builder()
                .labels(Labels.of(metric.labels(), labels))
                .value(value)
                .build()));
        return all.build();
    }

    private MetricSnapshot gauges(Map<List<String>, Double> values) {
        GaugeSnapshot.Builder all = GaugeSnapshot.builder().name(metric.name()).help(metric.meaning());
        values.forEach((labels, value) -> all.dataPoint(GaugeDataPointSnapshot.builder()
                .labels(Labels.of(metric.labels(), labels))
                .value(value)
                .build()));
        return all.build();
    }
}
