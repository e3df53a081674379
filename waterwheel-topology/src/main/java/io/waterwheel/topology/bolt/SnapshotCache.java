package io.waterwheel.topology.bolt;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.catalog.StreamSnapshot;
import io.waterwheel.model.Control;
import io.waterwheel.query.exec.SnapshotSource;
import io.waterwheel.topology.worker.WorkerServices;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A coordinator's snapshots, followed by watches, and the indexers' reports. Thread-safe. A snapshot only moves
 * forward, one edit at a time, under its stream's lock; readers take the reference.
 */
final class SnapshotCache implements SnapshotSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotCache.class);
    /** Reports come several times a second; an indexer whose last one is older is asked. */
    private static final long FRESH_NANOS = 1_000_000_000;

    /** A report and when it came: one that is not renewed excuses nobody. */
    private record Reported(Control.Report report, long atNanos) {}

    private final class Followed {
        final StreamCatalog catalog;
        final AutoCloseable watch;
        final Map<Integer, Reported> reports = new ConcurrentHashMap<>();
        final AtomicBoolean due = new AtomicBoolean();
        /** Readers: any. Published by: volatile write under this object's lock. */
        volatile StreamSnapshot snapshot;

        Followed(StreamInfo stream) {
            this.catalog = new StreamCatalog(services.catalogStore(), stream);
            this.snapshot = StreamSnapshot.before(stream);
            this.watch = services.catalogStore().watch(catalog.editsPath(), this::changed);
            advance();
        }

        synchronized StreamSnapshot advance() {
            snapshot = catalog.advance(snapshot);
            return snapshot;
        }

        void changed() {
            if (due.compareAndSet(false, true)) {
                try {
                    services.blockingCalls().execute(() -> {
                        due.set(false);
                        try {
                            advance();
                        } catch (RuntimeException e) {
                            LOG.warn(
                                    "[{}/coordinator] its edits could not be read",
                                    snapshot.stream().name(),
                                    e);
                        }
                    });
                } catch (RejectedExecutionException e) {
                    // Whoever needs it newer refreshes it.
                    due.set(false);
                }
            }
        }

        void close() {
            try {
                watch.close();
            } catch (Exception e) {
                LOG.warn(
                        "[{}/coordinator] a watch could not be closed",
                        snapshot.stream().name(),
                        e);
            }
        }
    }

    private final WorkerServices services;
    private final Map<Integer, Followed> streams = new ConcurrentHashMap<>();
    /** By stream and partition, the last report. */
    private final Map<Integer, Map<Integer, Control.PartitionReport>> partitions = new ConcurrentHashMap<>();
    /** Streams that are about to be followed. */
    private final Set<Integer> beginning = ConcurrentHashMap.newKeySet();

    private volatile Map<Integer, StreamInfo> known = Map.of();

    SnapshotCache(WorkerServices services) {
        this.services = services;
    }

    @Override
    public Optional<StreamSnapshot> snapshot(String stream) {
        for (StreamInfo info : services.streams().streams().values()) {
            if (info.name().equals(stream)) {
                return Optional.of(follow(info).snapshot).filter(snapshot -> snapshot.edit() > 0);
            }
        }
        return Optional.empty();
    }

    @Override
    public Optional<StreamSnapshot> refreshed(String stream) {
        services.catalogStore().sync();
        return services.namespace().find(stream).map(info -> follow(info).advance());
    }

    @Override
    public Map<Integer, Control.Report> reports(int streamId) {
        return reports(streamId, System.nanoTime() - FRESH_NANOS);
    }

    /** The last report of each indexer, however old: for people. */
    Map<Integer, Control.Report> lastReports(int streamId) {
        return reports(streamId, System.nanoTime() - Long.MAX_VALUE / 2);
    }

    private Map<Integer, Control.Report> reports(int streamId, long since) {
        Followed followed = streams.get(streamId);
        Map<Integer, Control.Report> fresh = new HashMap<>();
        if (followed != null) {
            followed.reports.forEach((indexer, reported) -> {
                if (reported.atNanos() - since >= 0) {
                    fresh.put(indexer, reported.report());
                }
            });
        }
        return fresh;
    }

    /** Takes the report of a partition; of several that came, the last. */
    boolean onPartitionReport(Control.PartitionReport report) {
        partitions
                .computeIfAbsent(report.streamId(), id -> new ConcurrentHashMap<>())
                .put(report.partition(), report);
        return true;
    }

    /** The last report of each partition. */
    Map<Integer, Control.PartitionReport> partitionReports(int streamId) {
        return partitions.getOrDefault(streamId, Map.of());
    }

    /** Takes a report; a newer one replaces an older one of the same indexer. */
    boolean onReport(Control.Report report) {
        Map<Integer, StreamInfo> present = services.streams().streams();
        if (present != known) {
            known = present;
            later(this::forgetDropped);
        }
        Followed followed = streams.get(report.streamId());
        if (followed == null) {
            StreamInfo info = present.get(report.streamId());
            // Following a stream reads the catalog: not on the thread that delivers reports. A later one will do.
            if (info != null
                    && beginning.add(info.id())
                    && !later(() -> {
                        try {
                            follow(info);
                        } finally {
                            beginning.remove(info.id());
                        }
                    })) {
                beginning.remove(info.id());
            }
            return false;
        }
        long now = System.nanoTime();
        followed.reports.merge(
                report.indexer(),
                new Reported(report, now),
                (old, fresh) -> overtaken(old.report(), fresh.report()) ? old : fresh);
        return true;
    }

    private boolean later(Runnable call) {
        try {
            services.blockingCalls().execute(() -> {
                try {
                    call.run();
                } catch (RuntimeException e) {
                    LOG.warn("[coordinator] the catalog could not be read; a later report tries again", e);
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Whether the later of two arrivals was sent earlier. */
    private static boolean overtaken(Control.Report first, Control.Report later) {
        if (later.epoch() != first.epoch()) {
            return later.epoch() < first.epoch();
        }
        // Watermarks and flushes only grow, so an overtaken report is below in one of them.
        if (later.flushed() < first.flushed()) {
            return true;
        }
        for (int p = 0; p < first.watermarks().length; p++) {
            if (later.watermarks()[p] < first.watermarks()[p]) {
                return true;
            }
        }
        return false;
    }

    private Followed follow(StreamInfo stream) {
        return streams.computeIfAbsent(stream.id(), id -> new Followed(stream));
    }

    /** Ends following streams that are gone. */
    private void forgetDropped() {
        Map<Integer, StreamInfo> present = services.streams().streams();
        partitions.keySet().retainAll(present.keySet());
        streams.entrySet().removeIf(entry -> {
            if (present.containsKey(entry.getKey())) {
                return false;
            }
            entry.getValue().close();
            return true;
        });
    }

    @Override
    public void close() {
        streams.values().forEach(Followed::close);
        streams.clear();
    }
}
