package io.waterwheel.metrics;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import java.util.concurrent.TimeUnit;

/**
 * How often something took how long, in classic and in native buckets. Thread-safe; an observation takes about 50 ns
 * ({@code ObservationBenchmark}), so that a block, a flush or a query may have some, and a tuple none.
 */
public final class Histogram {
    private final DistributionDataPoint point;

    Histogram(DistributionDataPoint point) {
        this.point = point;
    }

    /**
     * Observes a time.
     *
     * @param nanos how long it took; what is below 0, as clocks may have it, counts as 0
     */
    public void nanos(long nanos) {
        point.observe(Math.max(0, nanos) * 1e-9);
    }

    /** Observes the time since {@code System.nanoTime()} was this. */
    public void since(long beginNanos) {
        nanos(System.nanoTime() - beginNanos);
    }

    /**
     * Observes what two clocks of day tell.
     *
     * @param millis as {@link #nanos}
     */
    public void millis(long millis) {
        nanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
