package io.waterwheel.topology.bolt;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.catalog.StreamSnapshot;
import io.waterwheel.model.Control;
import io.waterwheel.query.exec.SnapshotSource;
import io.waterwheel.topology.worker.WorkerServices;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A coordinator's snapshots, followed by watches, and the indexers' reports. Thread-safe. A snapshot only moves
 * forward, one edit at a time, under its stream's lock; readers take the reference.
 */
final class SnapshotCache implements SnapshotSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotCache.class);

    private final class Followed {
        final StreamCatalog catalog;
        final AutoCloseable watch;
        final Map<Integer, Control.Report> reports = new ConcurrentHashMap<>();
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
        Followed followed = streams.get(streamId);
        return followed == null ? Map.of() : followed.reports;
    }

    /** Takes a report; a newer one replaces an older one of the same indexer. */
    boolean onReport(Control.Report report) {
        Followed followed = streams.get(report.streamId());
        if (followed == null) {
            StreamInfo info = services.streams().streams().get(report.streamId());
            if (info == null) {
                return false;
            }
            // Following a stream reads the catalog: not on the thread that delivers reports. A later one will do.
            services.blockingCalls().execute(() -> follow(info));
            return true;
        }
        followed.reports.merge(report.indexer(), report, SnapshotCache::newer);
        return true;
    }

    private static Control.Report newer(Control.Report old, Control.Report fresh) {
        if (fresh.epoch() != old.epoch()) {
            return fresh.epoch() > old.epoch() ? fresh : old;
        }
        // Watermarks and flushes only grow, so an overtaken report is below in one of them.
        if (fresh.flushed() < old.flushed()) {
            return old;
        }
        for (int p = 0; p < old.watermarks().length; p++) {
            if (fresh.watermarks()[p] < old.watermarks()[p]) {
                return old;
            }
        }
        return fresh;
    }

    private Followed follow(StreamInfo stream) {
        return streams.computeIfAbsent(stream.id(), id -> new Followed(stream));
    }

    /** Ends following streams that are gone. */
    void forgetDropped() {
        Map<Integer, StreamInfo> present = services.streams().streams();
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
