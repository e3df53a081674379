package io.waterwheel.metrics;

import java.util.concurrent.atomic.LongAdder;

/** A number that only grows while its process lives. Thread-safe, without a lock. */
public final class Counter {
    /** Of nanoseconds, which are scraped as seconds. */
    private final double unit;

    private final LongAdder sum = new LongAdder();

    Counter(Metric metric) {
        this.unit = metric.unit().equals("seconds") ? 1e-9 : 1;
    }

    /** Adds 1. */
    public void increment() {
        sum.increment();
    }

    /**
     * Adds to it.
     *
     * @param more at least 0; nanoseconds where the metric's unit is seconds
     */
    public void add(long more) {
        sum.add(more);
    }

    /** As it is scraped. */
    double value() {
        return sum.sum() * unit;
    }
}
