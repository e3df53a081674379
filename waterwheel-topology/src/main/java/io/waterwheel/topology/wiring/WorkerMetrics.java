package io.waterwheel.topology.wiring;

import io.waterwheel.metrics.Metric;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.MetricsServer;
import io.waterwheel.metrics.QueryMetrics;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a worker measures, and where it is scraped: at a port of its own, which the catalog has beside the places of the
 * worker's tasks, or at that of a gateway in the same process. Thread-safe.
 */
final class WorkerMetrics implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerMetrics.class);

    private final WaterwheelConfig config;
    private final Metrics metrics;
    private final List<AutoCloseable> parts = new ArrayList<>();

    WorkerMetrics(WaterwheelConfig config) {
        this.config = config;
        this.metrics = new Metrics(config.get(Keys.METRICS_STREAMS));
    }

    Metrics metrics() {
        return metrics;
    }

    /** Measures what the worker's tasks share. */
    void measure(Supplier<? extends Collection<String>> streams, ChunkCache cache, QueryMemory memory) {
        metrics.streams(streams);
        read(QueryMetrics.CACHE_HITS, cache::hits);
        read(QueryMetrics.CACHE_MISSES, cache::misses);
        gauge(QueryMetrics.CACHE_BYTES, cache::bytes);
        long cacheLimit = config.get(Keys.QUERY_SERVER_CACHE_SIZE).bytes();
        gauge(QueryMetrics.CACHE_LIMIT, () -> cacheLimit);
        gauge(QueryMetrics.MEMORY, memory::reserved);
        gauge(QueryMetrics.SPILLED, memory::spilled);
        long memoryLimit = memory.total();
        gauge(QueryMetrics.MEMORY_LIMIT, () -> memoryLimit);
    }

    void measure(Admission admission) {
        parts.add(metrics.read(QueryMetrics.OPEN, values -> admission
                .openByStage()
                .forEach((stage, open) -> values.add(open, stage.toString().toLowerCase(Locale.ROOT)))));
        long limit = config.get(Keys.QUERY_OPEN);
        gauge(QueryMetrics.OPEN_LIMIT, () -> limit);
    }

    void measure(BufferAllocator allocator) {
        gauge(QueryMetrics.ARROW_BYTES, allocator::getAllocatedMemory);
        gauge(QueryMetrics.ARROW_LIMIT, allocator::getLimit);
    }

    private void gauge(Metric metric, LongSupplier value) {
        parts.add(metrics.gauge(metric, value));
    }

    private void read(Metric metric, LongSupplier value) {
        parts.add(metrics.read(metric, values -> values.add(value.getAsLong())));
    }

    /** Listens for scrapes, where the configuration says so, and makes the place known. Without a port it goes on. */
    void serve(MetricsPlaces places) {
        if (config.get(Keys.METRICS_HOST).equals(Keys.NO_HOST)) {
            return;
        }
        String host = WorkerHost.of(config.get(Keys.METRICS_HOST));
        MetricsServer server;
        try {
            server = MetricsServer.start(host, config.get(Keys.METRICS_PORTS), () -> List.of(metrics));
        } catch (IOException e) {
            LOG.error(
                    "[worker] has no metrics: {}; let {} name ports that are free, or 0 for any, or set {} to {}",
                    e.getMessage(),
                    Keys.METRICS_PORTS.name(),
                    Keys.METRICS_HOST.name(),
                    Keys.NO_HOST,
                    e);
            return;
        }
        parts.add(server);
        String place = host + ":" + server.port();
        parts.add(places.announceWorker(place));
        LOG.info("[worker] metrics at http://{}/metrics", place);
    }

    @Override
    public void close() {
        for (int i = parts.size() - 1; i >= 0; i--) {
            try {
                parts.get(i).close();
            } catch (Exception e) {
                LOG.warn("[worker] a part of the metrics could not be closed", e);
            }
        }
        parts.clear();
    }
}
