package io.waterwheel.query.exec;

import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamSnapshot;
import io.waterwheel.model.Control;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What one coordinator knows of one stream: the catalog at one edit, and the last report of each indexer (protocol rule
 * 8). Holds nothing that another coordinator, or a new one, could not find out. Thread-safe; no threads, no clock.
 *
 * <p>Owner of the snapshot: whoever calls {@link #advance}, under this object's lock. Readers: any. Published by: a
 * volatile write; a snapshot only moves forward.
 */
public final class StreamFollower {
    /** A report and when it came: one that is not renewed excuses nobody. */
    private record Reported(Control.Report report, long atNanos) {}

    private final SnapshotReader reader;
    private final Map<Integer, Reported> reports = new ConcurrentHashMap<>();
    private volatile StreamSnapshot snapshot;

    public StreamFollower(SnapshotReader reader) {
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
        reports.merge(
                report.indexer(),
                new Reported(report, nowNanos),
                (old, fresh) -> overtaken(old.report(), fresh.report()) ? old : fresh);
    }

    /** The last report of each indexer that came at or after a moment. */
    public Map<Integer, Control.Report> reports(long sinceNanos) {
        Map<Integer, Control.Report> fresh = new HashMap<>();
        reports.forEach((indexer, reported) -> {
            if (reported.atNanos() - sinceNanos >= 0) {
                fresh.put(indexer, reported.report());
            }
        });
        return fresh;
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
