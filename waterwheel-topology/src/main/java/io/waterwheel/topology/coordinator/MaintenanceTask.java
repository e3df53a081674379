package io.waterwheel.topology.coordinator;

import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.maintenance.ChunkMerger;
import io.waterwheel.catalog.maintenance.ChunkMerges;
import io.waterwheel.catalog.maintenance.DroppedStreams;
import io.waterwheel.catalog.maintenance.Expiry;
import io.waterwheel.catalog.maintenance.FileCollector;
import io.waterwheel.catalog.maintenance.Finisher;
import io.waterwheel.catalog.maintenance.ManifestCompaction;
import io.waterwheel.catalog.maintenance.ManifestCompactionPolicy;
import io.waterwheel.catalog.maintenance.MergePolicy;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.metrics.ChunkMetrics;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.topology.worker.TimedJobs;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets tuples expire ({@link Expiry}), merges small chunks ({@link ChunkMerges}), removes chunk files that no stream
 * owns ({@link FileCollector}), records whose rows are in chunks ({@link IndexedRecordsDeletion}) and what is left in
 * the catalog of dropped streams ({@link DroppedStreams}), rolls edits up into manifests ({@link ManifestCompactions}),
 * and finishes what others have begun ({@link Finisher}), at intervals, as jobs of one line. One task of the topology
 * has it; that a predecessor may still be at work harms nothing.
 */
final class MaintenanceTask implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceTask.class);

    /** What it has done so far. */
    record Totals(long removed, long removedBytes, FileCollector.@Nullable Found last) {}

    /** How often is looked whether there is something to roll up. */
    private static final Duration ROLL_UP_INTERVAL = Duration.ofSeconds(5);

    /** A round begins no merge after this time: expiry and roll-ups need the thread too. */
    private static final long MERGING_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final CoordinatorServices services;
    private final FileCollector collector;
    /** What it does, one after another. */
    private final TimedJobs.Line jobs;

    /** Writer: its thread. Readers: any. */
    private volatile Totals totals = new Totals(0, 0, null);

    private final Finisher finisher;
    private final Expiry expiry;
    private final DroppedStreams dropped;
    private final ManifestCompactions rollUps;
    private final ChunkMerges merges;
    /** Nothing where records stay. */
    private final Optional<IndexedRecordsDeletion> records;
    /** Why records stay that could go, as of the last look; empty: none does. Writer: its thread. Readers: any. */
    private volatile String recordsTrouble = "";
    /** By id, streams of the last look that may have chunks to merge, in the order of their turns. */
    private final Map<Integer, StreamInfo> toMerge = new LinkedHashMap<>();

    /** A stream as it is known here without asking; nothing when it is not followed. */
    private final Function<StreamInfo, Optional<StreamSnapshot>> known;

    /** @param cache the coordinator's snapshots, which are the collector's too */
    MaintenanceTask(CoordinatorServices services, SnapshotCache cache) {
        this.services = services;
        this.known = cache::followed;
        StreamSnapshots snapshots = new StreamSnapshots(
                services.catalogStore(), services.chunkStore(), snapshot -> cache.latest(snapshot.stream()));
        this.finisher = new Finisher(snapshots);
        this.expiry = new Expiry(snapshots);
        this.dropped = new DroppedStreams(
                services.catalogStore(),
                services.config().get(Keys.MAINTENANCE_GRACE).toNanos());
        ManifestCompactionPolicy policy = new ManifestCompactionPolicy(
                ManifestCompaction.Settings.of(services.config().get(Keys.CATALOG_MANIFEST_INTERVAL_EDITS)),
                services.config().get(Keys.CATALOG_TOTAL_EDITS),
                services.config().get(Keys.CATALOG_EDIT_AGE).toNanos());
        this.rollUps = new ManifestCompactions(snapshots, policy, known);
        this.collector = new FileCollector(
                snapshots, services.config().get(Keys.MAINTENANCE_GRACE).toNanos());
        this.merges = new ChunkMerges(
                snapshots,
                new MergePolicy(
                        services.config().get(Keys.MAINTENANCE_MERGE_SIZE).bytes(),
                        services.config().get(Keys.MAINTENANCE_MERGE_SPAN).toMillis()),
                () -> ThreadLocalRandom.current().nextInt(ChunkDescriptor.FIRST_MERGED_PART, ChunkDescriptor.LAST_PART),
                collector::neverNamedAgain);
        this.records = services.config()
                .indexedRecordsStay()
                .map(stay ->
                        new IndexedRecordsDeletion(services, cache::partitionReports, stay, InstantSource.system()));
        Duration interval = services.config().get(Keys.MAINTENANCE_INTERVAL);
        Duration rolling = interval.compareTo(ROLL_UP_INTERVAL) < 0 ? interval : ROLL_UP_INTERVAL;
        this.jobs = services.jobs()
                .line("chunk-collector")
                .every(interval, interval, this::look)
                .every(rolling, rolling, this::rollUp);
        LOG.info(
                "[collector] looks every {}, rolls up {} edits of a stream, {} of all, and those of {}",
                interval,
                policy.settings().edits(),
                policy.total(),
                services.config().get(Keys.CATALOG_EDIT_AGE));
    }

    ManifestCompactions.Totals rollUps() {
        return rollUps.totals();
    }

    private void rollUp() {
        try {
            Map<Integer, StreamInfo> streams = services.streams().streams();
            streams.values().forEach(this::finish);
            rollUps.round(streams);
            merge();
        } catch (RuntimeException | Error e) {
            // Whatever it is, the rest goes on.
            LOG.error("[collector] finishing, rolling up or merging failed; trying again later", e);
        }
    }

    /** Goes on with the streams of the last look, a merge of each in turn. */
    private void merge() {
        long begin = System.nanoTime();
        while (!toMerge.isEmpty()
                && System.nanoTime() - begin < MERGING_NANOS
                && !Thread.currentThread().isInterrupted()) {
            StreamInfo stream = toMerge.values().iterator().next();
            toMerge.remove(stream.id());
            try {
                ChunkMerges.Step step = merges.step(stream);
                step.merged().ifPresent(merge -> merged(stream, merge));
                if (step.more()) {
                    toMerge.put(stream.id(), stream);
                }
            } catch (IOException | RuntimeException e) {
                // Of this stream; others go on.
                LOG.warn("[{}/collector] chunks could not be merged; trying again later", stream.name(), e);
            }
        }
    }

    private void merged(StreamInfo stream, ChunkMerger.Written merge) {
        String label = services.metrics().stream(stream.name());
        services.metrics()
                .counter(ChunkMetrics.MERGED_CHUNKS, label)
                .add(merge.inputs().size());
        services.metrics()
                .counter(ChunkMetrics.MERGED_TUPLES, label)
                .add(merge.output().tuples());
        LOG.info(
                "[{}/collector] merged {} chunks of {} bytes into one of {} bytes, {} tuples",
                stream.name(),
                merge.inputs().size(),
                merge.inputs().stream().mapToLong(ChunkDescriptor::bytes).sum(),
                merge.output().bytes(),
                merge.output().tuples());
    }

    private void finish(StreamInfo stream) {
        try {
            if (known.apply(stream).filter(Finisher::isDue).isPresent() && finisher.finish(stream)) {
                LOG.info("[{}/collector] finished a change of the routing, or of the partitions", stream.name());
            }
        } catch (RuntimeException e) {
            LOG.warn(
                    "[{}/collector] a change of the routing, or of the partitions, could not be finished; trying again"
                            + " in a few seconds",
                    stream.name(),
                    e);
        }
    }

    Totals totals() {
        return totals;
    }

    /** Why records stay in topics whose rows are in chunks, until somebody mends it; empty when none does. */
    String recordsTrouble() {
        return recordsTrouble;
    }

    private void look() {
        try {
            services.requireCatalog();
        } catch (RuntimeException e) {
            // Without the catalog every file looks like an orphan.
            LOG.warn("[collector] removes nothing, for it is not known whether the catalog is there: {}", e.toString());
            return;
        }
        removeRemains();
        records.ifPresent(this::deleteRecords);
        Map<Integer, StreamInfo> present = services.streams().streams();
        merges.retain(present.keySet());
        toMerge.keySet().retainAll(present.keySet());
        // Those that wait keep their turns.
        toMerge.putAll(present);
        try {
            expire();
            collector.list();
            collector.readCatalog();
            services.requireCatalog();
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
            // Whatever it is, the rest goes on.
            LOG.error("[collector] failed; trying again later", e);
        }
    }

    private void deleteRecords(IndexedRecordsDeletion records) {
        try {
            recordsTrouble = records.look();
        } catch (WaterwheelException e) {
            LOG.warn("[collector] no records are deleted from topics; trying again later", e);
            recordsTrouble = IndexedRecordsDeletion.trouble("topics", e);
        } catch (RuntimeException | Error e) {
            // Whatever it is, the rest goes on.
            LOG.error("[collector] failed to delete records from topics; trying again later", e);
            recordsTrouble = "no records are deleted from topics, which failed: " + e;
        }
    }

    private void removeRemains() {
        try {
            int removed = dropped.look(System.nanoTime());
            LOG.debug("[collector] removed what {} dropped streams had left in the catalog", removed);
        } catch (WaterwheelException e) {
            LOG.warn("[collector] could not look for what dropped streams have left in the catalog; trying again", e);
        } catch (RuntimeException | Error e) {
            // Whatever it is, the rest goes on.
            LOG.error("[collector] failed to remove what dropped streams have left; trying again later", e);
        }
    }

    private void expire() {
        for (StreamInfo stream : services.streams().streams().values()) {
            if (stream.policy().retention().isOff()) {
                continue;
            }
            try {
                expiry.expire(stream, System.currentTimeMillis()).ifPresent(due -> expired(stream, due));
            } catch (RuntimeException e) {
                // Of this stream; others, and the files, go on.
                LOG.warn("[{}] nothing could expire; trying again later", stream.name(), e);
            }
        }
    }

    private void expired(StreamInfo stream, Expiry.Due due) {
        services.metrics()
                .counter(ChunkMetrics.EXPIRED_CHUNKS, services.metrics().stream(stream.name()))
                .add(due.chunks());
        LOG.info(
                "[{}] expired what is before {}: {} chunks, {} tuples, {} bytes; {} chunks reach across",
                stream.name(),
                Instant.ofEpochMilli(due.horizon()),
                due.chunks(),
                due.tuples(),
                due.bytes(),
                due.cut());
    }

    @Override
    public void close() {
        jobs.close();
    }
}
