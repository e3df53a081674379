package io.waterwheel.metrics;

import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of one worker or one gateway. Counters and histograms are asked for once, by whom observes them, and
 * kept; gauges are read when they are scraped. Thread-safe.
 *
 * <p>Values of the label {@code stream} are bounded by {@link #stream}; values of all other labels are few by their
 * nature (tasks of a worker, codes, kinds), which is for the caller to see to.
 */
public final class Metrics {
    private static final Logger LOG = LoggerFactory.getLogger(Metrics.class);

    /** Streams with series of their own where nothing was said. */
    public static final int DEFAULT_STREAMS = 100;

    private static final long COMPLAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** How long a place of a dropped stream may stay taken between two scrapes. */
    static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Map<Metric, Family> families = new ConcurrentHashMap<>();

    private final LongSupplier nanoTime;

    /** When streams that are there no longer were forgotten last. */
    private final AtomicLong forgotNanos;

    private final StreamLabels streams;
    private final Counter failures;
    private final AtomicLong complainedNanos;

    /**
     * An empty registry.
     *
     * @param mostStreams streams with series of their own; the others are summed up as {@code other}
     */
    public Metrics(int mostStreams) {
        this(mostStreams, System::nanoTime);
    }

    /**
     * An empty registry with a clock of its own, for tests.
     *
     * @param nanoTime as {@link System#nanoTime}
     */
    Metrics(int mostStreams, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        long now = nanoTime.getAsLong();
        this.forgotNanos = new AtomicLong(now - FORGET_NANOS);
        this.complainedNanos = new AtomicLong(now - COMPLAIN_NANOS);
        this.streams = new StreamLabels(mostStreams);
        this.failures = counter(ProcessMetrics.FAILURES);
    }

    /** Metrics that are not scraped, for tests and tools. */
    public static Metrics unread() {
        return new Metrics(DEFAULT_STREAMS);
    }

    /**
     * The value of the label {@code stream} for a stream: its name, or {@code other} when as many streams as may be
     * have series of their own.
     */
    public String stream(String name) {
        String label = streams.of(name);
        if (label.equals(name)) {
            return label;
        }
        // Streams that were dropped may still have places. A scrape asks for each stream: once for all of them is
        // enough.
        long now = nanoTime.getAsLong();
        long before = forgotNanos.get();
        if (now - before < FORGET_NANOS || !forgotNanos.compareAndSet(before, now)) {
            return label;
        }
        forgetAbsent();
        return streams.of(name);
    }

    private void forgetAbsent() {
        Set<String> gone = streams.forgetAbsent();
        if (!gone.isEmpty()) {
            families.values().forEach(family -> family.forget(gone));
        }
    }

    /** Says which streams there are: a scrape forgets the series of the others. */
    public void streams(Supplier<? extends Collection<String>> present) {
        streams.present(present);
    }

    /**
     * A counter, always the same for the same labels.
     *
     * @param labels values, in the order of the metric's labels
     */
    public Counter counter(Metric metric, String... labels) {
        return family(metric).counter(List.of(labels));
    }

    /**
     * A histogram, always the same for the same labels.
     *
     * @param labels values, in the order of the metric's labels
     */
    public Histogram histogram(Metric metric, String... labels) {
        return family(metric).histogram(List.of(labels));
    }

    /**
     * Reads a value at every scrape.
     *
     * @return closing it ends the reading
     */
    public AutoCloseable gauge(Metric metric, LongSupplier value, String... labels) {
        return read(metric, values -> values.add(value.getAsLong(), labels));
    }

    /**
     * Reads values at every scrape: of a gauge, or of a counter that is kept elsewhere.
     *
     * @return closing it ends the reading
     */
    public AutoCloseable read(Metric metric, Source source) {
        return family(metric).read(source);
    }

    private Family family(Metric metric) {
        return families.computeIfAbsent(metric, Family::new);
    }

    /** All series that have a value, by name. */
    List<MetricSnapshot> snapshots() {
        forgetAbsent();
        List<MetricSnapshot> all = new ArrayList<>();
        for (Map.Entry<Metric, Family> entry : families.entrySet()) {
            MetricSnapshot snapshot =
                    entry.getValue().snapshot(failure -> failed(entry.getKey().name(), failure));
            if (!snapshot.getDataPoints().isEmpty()) {
                all.add(snapshot);
            }
        }
        all.sort(Comparator.comparing(snapshot -> snapshot.getMetadata().getPrometheusName()));
        return all;
    }

    private void failed(String name, RuntimeException failure) {
        failures.increment();
        long now = nanoTime.getAsLong();
        long last = complainedNanos.get();
        if (now - last >= COMPLAIN_NANOS && complainedNanos.compareAndSet(last, now)) {
            LOG.warn("[metrics] {} could not be read: {}", name, failure.toString(), failure);
        }
    }
}
