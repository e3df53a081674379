package io.waterwheel.query.plan;

import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.protocol.Control;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What one coordinator knows of one stream: the catalog at one edit, and the last report of each indexer (protocol rule
 * 8). Apart from what its own answers have shown, it holds nothing that another coordinator, or a new one, could not
 * find out. Thread-safe; no threads, no clock.
 *
 * <p>Owner of the snapshot: the thread that calls {@link #advance}, under this object's lock. Readers: any. Published
 * by: a volatile write; a snapshot only moves forward.
 */
public final class StreamTracker {
    /** A report, when it came, and the latest event time of it and of those before. */
    private record Arrived(Control.Report report, long atNanos, long newest) {}

    private final SnapshotReader reader;
    private final Map<Integer, Arrived> reports = new ConcurrentHashMap<>();
    /**
     * Those among them that were not of a recovery: a successor's first reports say less than its predecessor's last.
     */
    private final Map<Integer, Arrived> settled = new ConcurrentHashMap<>();

    /** By indexer the watermarks up to which answers have shown tuples of it. */
    private final Map<Integer, long[]> shown = new ConcurrentHashMap<>();

    private volatile StreamSnapshot snapshot;

    public StreamTracker(SnapshotReader reader) {
        this.reader = reader;
        this.snapshot = StreamSnapshot.before(reader.stream());
    }

    /** The catalog as last seen. */
    public StreamSnapshot snapshot() {
        return snapshot;
    }

    /** Applies the edits that are visible here; blocks. To see what others have just committed, sync before. */
    public synchronized StreamSnapshot advance() {
        snapshot = reader.advance(snapshot);
        return snapshot;
    }

    /** Takes a report, whenever it arrives; a newer one of an indexer replaces an older one. */
    public void onReport(Control.Report report, long nowNanos) {
        Arrived arrived = new Arrived(report, nowNanos, IndexerReports.newest(report));
        keepLater(reports, arrived);
        if (!report.recovering()) {
            keepLater(settled, arrived);
        }
    }

    /** Answers have shown tuples of an indexer up to these watermarks (protocol rule 10). */
    public void onShown(int indexer, long[] watermarks) {
        shown.merge(indexer, watermarks, StreamTracker::highest);
    }

    private static long[] highest(long[] one, long[] other) {
        long[] highest = Arrays.copyOf(one, Math.max(one.length, other.length));
        for (int p = 0; p < other.length; p++) {
            highest[p] = Math.max(highest[p], other[p]);
        }
        return highest;
    }

    private static void keepLater(Map<Integer, Arrived> reports, Arrived arrived) {
        reports.merge(
                arrived.report().indexer(),
                arrived,
                (old, fresh) -> overtaken(old.report(), fresh.report())
                        ? old
                        : new Arrived(fresh.report(), fresh.atNanos(), Math.max(old.newest(), fresh.newest())));
    }

    /** What each indexer has reported, as it is at a moment. */
    public Map<Integer, IndexerReports> reports(long nowNanos) {
        Map<Integer, IndexerReports> all = new HashMap<>();
        reports.forEach((indexer, last) -> {
            Arrived calm = settled.get(indexer);
            all.put(
                    indexer,
                    new IndexerReports(
                            last.report(),
                            Duration.ofNanos(nowNanos - last.atNanos()),
                            calm == null ? null : calm.report(),
                            calm == null ? Duration.ZERO : Duration.ofNanos(nowNanos - calm.atNanos()),
                            calm == null ? Long.MIN_VALUE : calm.newest(),
                            shown.getOrDefault(indexer, IndexerReports.NOTHING_SHOWN)));
        });
        return all;
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
}
