package io.waterwheel.metrics;

import java.util.ArrayList;
import java.util.List;

/** The definitions of one part of the system, in the order in which docs/metrics.md lists them. */
final class Room {
    private final String title;
    private final String where;
    private final List<Metric> metrics = new ArrayList<>();

    /** @param where which process has them, one sentence */
    Room(String title, String where) {
        this.title = title;
        this.where = where;
    }

    String title() {
        return title;
    }

    String where() {
        return where;
    }

    List<Metric> metrics() {
        return List.copyOf(metrics);
    }

    Metric counter(String name, String meaning, String advice, String... labels) {
        return add(new Metric(name, Metric.Type.COUNTER, List.of(labels), Metric.Scale.NONE, meaning, advice));
    }

    Metric gauge(String name, String meaning, String advice, String... labels) {
        return add(new Metric(name, Metric.Type.GAUGE, List.of(labels), Metric.Scale.NONE, meaning, advice));
    }

    Metric histogram(String name, Metric.Scale scale, String meaning, String advice, String... labels) {
        return add(new Metric(name, Metric.Type.HISTOGRAM, List.of(labels), scale, meaning, advice));
    }

    private Metric add(Metric metric) {
        metrics.add(metric);
        return metric;
    }
}
