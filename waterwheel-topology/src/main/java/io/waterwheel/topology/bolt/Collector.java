package io.waterwheel.topology.bolt;

import io.waterwheel.catalog.FileCollector;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.worker.WorkerServices;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes chunk files that are nobody's, at intervals, on a thread of its own ({@link FileCollector}). One task of the
 * topology has it; that a predecessor may still be at work harms nothing.
 */
final class Collector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Collector.class);

    /** What it has done so far. */
    record Totals(long removed, long removedBytes, FileCollector.@Nullable Found last) {}

    private final WorkerServices services;
    private final FileCollector collector;
    private final ScheduledExecutorService thread;
    /** Whether the store is known to be this catalog's. Its thread only. */
    private boolean marked;

    /** Writer: its thread. Readers: any. */
    private volatile Totals totals = new Totals(0, 0, null);

    Collector(WorkerServices services) {
        this.services = services;
        this.collector = new FileCollector(
                services.catalogStore(),
                services.chunkStore(),
                services.config().get(Keys.COLLECTOR_GRACE).toNanos());
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread created = new Thread(task, "chunk-collector");
            created.setDaemon(true);
            return created;
        });
        Duration interval = services.config().get(Keys.COLLECTOR_INTERVAL);
        var looks =
                thread.scheduleWithFixedDelay(this::look, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
        LOG.info("[collector] looks every {}: {}", interval, looks.isDone() ? "ended" : "started");
    }

    Totals totals() {
        return totals;
    }

    private void look() {
        try {
            if (!marked) {
                StoreMark.check(services.catalogStore(), services.chunkStore());
                marked = true;
            }
            collector.list();
            collector.readCatalog();
            FileCollector.Found found = collector.collect(System.nanoTime());
            Totals before = totals;
            totals =
                    new Totals(before.removed() + found.removed(), before.removedBytes() + found.removedBytes(), found);
            if (found.removed() > 0) {
                LOG.info(
                        "[collector] removed {} of {} files, {} bytes; {} wait for the grace time",
                        found.removed(),
                        found.files(),
                        found.removedBytes(),
                        found.waiting());
            }
        } catch (IOException | WaterwheelException e) {
            LOG.warn("[collector] could not look through the chunk store; trying again later", e);
        } catch (RuntimeException | Error e) {
            // A scheduled task that throws is never run again, and nobody would hear of it.
            LOG.error("[collector] failed; trying again later", e);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
                LOG.warn("[collector] did not end in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
