package io.waterwheel.topology.bolt;

import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.catalog.StreamSnapshot;
import io.waterwheel.model.Control;
import io.waterwheel.query.exec.Reported;
import io.waterwheel.query.exec.SnapshotSource;
import io.waterwheel.query.exec.StreamFollower;
import io.waterwheel.topology.worker.WorkerServices;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a coordinator knows of every stream, followed by watches ({@link StreamFollower}). Thread-safe. */
final class SnapshotCache implements SnapshotSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotCache.class);

    private final class Followed {
        final StreamFollower follower;
        final AutoCloseable watch;
        final AtomicBoolean due = new AtomicBoolean();

        Followed(StreamInfo stream) {
            SnapshotReader reader = new SnapshotReader(services.catalogStore(), services.chunkStore(), stream);
            this.follower = new StreamFollower(reader);
            this.watch = services.catalogStore().watch(reader.editsPath(), this::changed);
            follower.advance();
        }

        void changed() {
            if (due.compareAndSet(false, true)) {
                try {
                    services.blockingCalls().execute(() -> {
                        due.set(false);
                        try {
                            follower.advance();
                        } catch (RuntimeException e) {
                            LOG.warn(
                                    "[{}/coordinator] its edits could not be read",
                                    follower.snapshot().stream().name(),
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
                        follower.snapshot().stream().name(),
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
                return Optional.of(follow(info).follower.snapshot()).filter(snapshot -> snapshot.edit() > 0);
            }
        }
        return Optional.empty();
    }

    @Override
    public Optional<StreamSnapshot> refreshed(String stream) {
        services.catalogStore().sync();
        return services.namespace()
                .find(stream)
                .map(info -> follow(info).follower.advance());
    }

    @Override
    public Map<Integer, Reported> reports(int streamId) {
        Followed followed = streams.get(streamId);
        return followed == null ? Map.of() : followed.follower.reports(System.nanoTime());
    }

    /** The last report of each indexer, however old: for people. */
    Map<Integer, Control.Report> lastReports(int streamId) {
        Map<Integer, Control.Report> last = new TreeMap<>();
        reports(streamId).forEach((indexer, reported) -> last.put(indexer, reported.last()));
        return last;
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
        followed.follower.onReport(report, System.nanoTime());
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
