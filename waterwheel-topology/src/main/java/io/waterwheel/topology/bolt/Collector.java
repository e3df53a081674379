package io.waterwheel.topology.bolt;

import io.waterwheel.catalog.DroppedStreams;
import io.waterwheel.catalog.Expiry;
import io.waterwheel.catalog.FileCollector;
import io.waterwheel.catalog.RollUp;
import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.worker.WorkerServices;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets tuples expire ({@link Expiry}), removes chunk files that are nobody's ({@link FileCollector}) and what is left
 * in the catalog of dropped streams ({@link DroppedStreams}), and rolls edits up into manifests ({@link RollUp}), at
 * intervals, on a thread of its own. One task of the topology has it; that a predecessor may still be at work harms
 * nothing.
 */
final class Collector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Collector.class);

    /** What it has done so far. */
    record Totals(long removed, long removedBytes, FileCollector.@Nullable Found last) {}

    /**
     * What has become of the edits.
     *
     * @param manifests named so far
     * @param failure why edits stay in ZooKeeper though there are more than there should be; empty when they do not
     */
    record RollUps(long manifests, String failure) {}

    /** How often is looked whether there is something to roll up. */
    private static final Duration ROLL_UP_INTERVAL = Duration.ofSeconds(5);

    /** A failure that lasts is told of as often. */
    private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final WorkerServices services;
    private final FileCollector collector;
    private final ScheduledExecutorService thread;

    /** Writer: its thread. Readers: any. */
    private volatile Totals totals = new Totals(0, 0, null);

    /** Writer: its thread. Readers: any. */
    private volatile RollUps rollUps = new RollUps(0, "");

    private final StreamSnapshots snapshots;
    private final Expiry expiry;
    private final DroppedStreams dropped;
    private final RollUp.Settings settings;
    /** By stream. Its thread only. */
    private final Map<Integer, RollUp> rolls = new HashMap<>();

    private long warnedNanos = System.nanoTime() - WARN_NANOS;

    Collector(WorkerServices services) {
        this.services = services;
        this.snapshots = new StreamSnapshots(services.catalogStore(), services.chunkStore());
        this.expiry = new Expiry(snapshots);
        this.dropped = new DroppedStreams(
                services.catalogStore(),
                services.config().get(Keys.COLLECTOR_GRACE).toNanos());
        this.settings = RollUp.Settings.of(services.config().get(Keys.CATALOG_EDITS));
        this.collector = new FileCollector(
                snapshots, services.config().get(Keys.COLLECTOR_GRACE).toNanos());
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread created = new Thread(task, "chunk-collector");
            created.setDaemon(true);
            return created;
        });
        Duration interval = services.config().get(Keys.COLLECTOR_INTERVAL);
        var looks =
                thread.scheduleWithFixedDelay(this::look, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
        long rollNanos = Math.min(interval.toNanos(), ROLL_UP_INTERVAL.toNanos());
        var rolling = thread.scheduleWithFixedDelay(this::rollUp, rollNanos, rollNanos, TimeUnit.NANOSECONDS);
        LOG.info(
                "[collector] looks every {}, rolls up {} edits: {}",
                interval,
                settings.edits(),
                looks.isDone() || rolling.isDone() ? "ended" : "started");
    }

    RollUps rollUps() {
        return rollUps;
    }

    private void rollUp() {
        String failure = "";
        long manifests = rollUps.manifests();
        try {
            for (StreamInfo stream : services.streams().streams().values()) {
                try {
                    manifests += rollUp(stream);
                } catch (IOException | RuntimeException e) {
                    failure = stream.name() + ": " + e.getMessage();
                    if (System.nanoTime() - warnedNanos >= WARN_NANOS) {
                        warnedNanos = System.nanoTime();
                        LOG.warn(
                                "[collector] edits of stream {} cannot be rolled up and stay in ZooKeeper; trying again every"
                                        + " few seconds. Is the chunk store reachable and has it room?",
                                stream.name(),
                                e);
                    }
                }
            }
            rolls.keySet().retainAll(services.streams().streams().keySet());
        } catch (RuntimeException | Error e) {
            // A scheduled task that throws is never run again, and nobody would hear of it.
            LOG.error("[collector] rolling up failed; trying again later", e);
            failure = String.valueOf(e);
        }
        rollUps = new RollUps(manifests, failure);
    }

    /** Returns how many manifests were named. */
    private int rollUp(StreamInfo stream) throws IOException {
        RollUp roll = rolls.computeIfAbsent(
                stream.id(),
                id -> new RollUp(snapshots, stream, settings, () -> UUID.randomUUID()
                        .toString()
                        .replace("-", "")));
        boolean named = roll.write() && roll.commit();
        while (roll.trim() > 0) {
            LOG.debug("[collector] deleted edits of stream {}", stream.name());
        }
        return named ? 1 : 0;
    }

    Totals totals() {
        return totals;
    }

    private void look() {
        removeRemains();
        try {
            expire();
            collector.list();
            collector.readCatalog();
            FileCollector.Found found = collector.collect(System.nanoTime());
            found.unreadable()
                    .forEach((stream, why) ->
                            LOG.error("[{}] none of its files is collected, since it cannot be read: {}", stream, why));
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

    private void removeRemains() {
        try {
            int removed = dropped.look(System.nanoTime());
            LOG.debug("[collector] removed what {} dropped streams had left in the catalog", removed);
        } catch (WaterwheelException e) {
            LOG.warn("[collector] could not look for what dropped streams have left in the catalog; trying again", e);
        } catch (RuntimeException | Error e) {
            // A scheduled task that throws is never run again, and nobody would hear of it.
            LOG.error("[collector] failed to remove what dropped streams have left; trying again later", e);
        }
    }

    private void expire() {
        for (StreamInfo stream : services.streams().streams().values()) {
            if (stream.policy().retention().isOff()) {
                continue;
            }
            try {
                expiry.expire(stream, System.currentTimeMillis())
                        .ifPresent(due -> LOG.info(
                                "[{}] expired what is before {}: {} chunks, {} tuples, {} bytes; {} chunks reach across",
                                stream.name(),
                                Instant.ofEpochMilli(due.horizon()),
                                due.chunks(),
                                due.tuples(),
                                due.bytes(),
                                due.cut()));
            } catch (RuntimeException e) {
                // Of this stream; others, and the files, go on.
                LOG.warn("[{}] nothing could expire; trying again later", stream.name(), e);
            }
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
