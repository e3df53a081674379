package io.waterwheel.topology.coordinator;

import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.plan.IndexerReports;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.query.plan.StreamTracker;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.topology.worker.CoordinatorServices;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a coordinator knows of every stream, followed by watches ({@link StreamTracker}). Thread-safe. */
final class SnapshotCache implements SnapshotSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotCache.class);

    private final class Followed {
        final StreamTracker follower;
        final AutoCloseable watch;
        final AtomicBoolean due = new AtomicBoolean();

        Followed(StreamInfo stream) {
            SnapshotReader reader = new SnapshotReader(catalog, chunks, stream);
            this.follower = new StreamTracker(reader);
            // Before there is a watch: a failure here leaves none behind, and the next caller begins anew.
            follower.advance();
            this.watch = catalog.watch(reader.editsPath(), this::changed);
            // What came between the reading and the watch is told of by no event.
            changed();
        }

        void changed() {
            if (due.compareAndSet(false, true)) {
                try {
                    blockingCalls.execute(() -> {
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
                    // A query that needs it newer refreshes it.
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

    /** A stream that could not be followed is tried again by reports after so long, then twice as long, and so on. */
    static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    static final long MAX_RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Partitions that stand still of which a failure tells. */
    private static final int MOST_STANDING = 3;

    /** Until when reports do not try again. */
    private record Retry(long atNanos, long waitNanos) {}

    private final CatalogStore catalog;
    private final ChunkStore chunks;
    private final Function<String, Optional<StreamInfo>> find;
    private final Supplier<Map<Integer, StreamInfo>> present;
    private final Executor blockingCalls;
    private final LongSupplier nanoTime;
    private final Map<Integer, Followed> streams = new ConcurrentHashMap<>();
    /** By stream and partition, the last report. */
    private final Map<Integer, Map<Integer, Control.PartitionReport>> partitions = new ConcurrentHashMap<>();
    /** Streams that are about to be followed. */
    private final Set<Integer> beginning = ConcurrentHashMap.newKeySet();
    /** Streams that could not be followed the last time. */
    private final Map<Integer, Retry> retries = new ConcurrentHashMap<>();

    private volatile Map<Integer, StreamInfo> known = Map.of();

    SnapshotCache(CoordinatorServices services) {
        this(
                services.catalogStore(),
                services.chunkStore(),
                services.namespace()::find,
                services.streams()::streams,
                services.blockingCalls(),
                System::nanoTime);
    }

    /**
     * A cache of these streams.
     *
     * @param find a stream by name, read now
     * @param present by id; the same object as long as nothing changes
     * @param blockingCalls runs what must not hold up who delivers reports
     */
    SnapshotCache(
            CatalogStore catalog,
            ChunkStore chunks,
            Function<String, Optional<StreamInfo>> find,
            Supplier<Map<Integer, StreamInfo>> present,
            Executor blockingCalls,
            LongSupplier nanoTime) {
        this.catalog = catalog;
        this.chunks = chunks;
        this.find = find;
        this.present = present;
        this.blockingCalls = blockingCalls;
        this.nanoTime = nanoTime;
    }

    @Override
    public Optional<StreamSnapshot> snapshot(String stream) {
        for (StreamInfo info : present.get().values()) {
            if (info.name().equals(stream)) {
                return Optional.of(follow(info).follower.snapshot()).filter(snapshot -> snapshot.edit() > 0);
            }
        }
        return Optional.empty();
    }

    @Override
    public Optional<StreamSnapshot> refreshed(String stream) {
        catalog.sync();
        return find.apply(stream).map(info -> follow(info).follower.advance());
    }

    /** A stream as it is known here without asking; nothing when it is not followed. */
    Optional<StreamSnapshot> followed(StreamInfo stream) {
        return Optional.ofNullable(streams.get(stream.id())).map(followed -> followed.follower.snapshot());
    }

    /** A snapshot that holds every edit of a stream that was committed before the call. */
    StreamSnapshot latest(StreamInfo stream) {
        catalog.sync();
        return follow(stream).follower.advance();
    }

    @Override
    public Map<Integer, IndexerReports> reports(int streamId) {
        Followed followed = streams.get(streamId);
        return followed == null ? Map.of() : followed.follower.reports(nanoTime.getAsLong());
    }

    @Override
    public void shown(int streamId, int indexer, long[] watermarks) {
        Followed followed = streams.get(streamId);
        if (followed != null) {
            followed.follower.onShown(indexer, watermarks);
        }
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

    @Override
    public List<String> standing(int streamId, String stream, IntPredicate of) {
        List<String> sentences = new ArrayList<>();
        int more = 0;
        for (Control.PartitionReport report : new TreeMap<>(partitionReports(streamId)).values()) {
            if (!report.trouble().standsStill() || !of.test(report.partition())) {
                continue;
            }
            if (sentences.size() < MOST_STANDING) {
                sentences.add("partition " + report.partition() + " stands still: "
                        + report.trouble().sentence(stream));
            } else {
                more++;
            }
        }
        if (more > 0) {
            sentences.add(more + " more stand still; `waterwheel status` shows them");
        }
        return sentences;
    }

    /** Takes a report; a newer one replaces an older one of the same indexer. */
    boolean onReport(Control.Report report) {
        Map<Integer, StreamInfo> now = present.get();
        if (now != known) {
            known = now;
            later(this::forgetDropped);
        }
        Followed followed = streams.get(report.streamId());
        if (followed == null) {
            StreamInfo info = now.get(report.streamId());
            // Following a stream reads the catalog: not on the thread that delivers reports. A later one will do.
            if (info != null
                    && isDue(info.id())
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
        followed.follower.onReport(report, nanoTime.getAsLong());
        return true;
    }

    private boolean later(Runnable call) {
        try {
            blockingCalls.execute(() -> {
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

    private boolean isDue(int streamId) {
        Retry retry = retries.get(streamId);
        return retry == null || nanoTime.getAsLong() - retry.atNanos() >= 0;
    }

    /** Follows a stream; a query that needs it tries at once, and is told why it cannot. */
    private Followed follow(StreamInfo stream) {
        Followed followed = streams.get(stream.id());
        if (followed != null) {
            return followed;
        }
        try {
            followed = streams.computeIfAbsent(stream.id(), id -> new Followed(stream));
        } catch (RuntimeException e) {
            retries.compute(stream.id(), (id, last) -> {
                long wait = last == null ? FIRST_RETRY_NANOS : Math.min(MAX_RETRY_NANOS, 2 * last.waitNanos());
                return new Retry(nanoTime.getAsLong() + wait, wait);
            });
            throw e;
        }
        retries.remove(stream.id());
        return followed;
    }

    /** Ends following streams that are gone. */
    private void forgetDropped() {
        Map<Integer, StreamInfo> now = present.get();
        partitions.keySet().retainAll(now.keySet());
        retries.keySet().retainAll(now.keySet());
        streams.entrySet().removeIf(entry -> {
            if (now.containsKey(entry.getKey())) {
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
