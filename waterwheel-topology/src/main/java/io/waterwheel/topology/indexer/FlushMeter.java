package io.waterwheel.topology.indexer;

import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.metrics.ChunkMetrics;
import io.waterwheel.metrics.Histogram;
import io.waterwheel.metrics.Metrics;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Measures flushes. Thread-safe. */
final class FlushMeter {
    private final Histogram write;
    private final Histogram commit;
    private final Map<SealedTree.Reason, Histogram> whole = new EnumMap<>(SealedTree.Reason.class);

    FlushMeter(Metrics metrics) {
        this.write = metrics.histogram(ChunkMetrics.FLUSH_STEP, "write");
        this.commit = metrics.histogram(ChunkMetrics.FLUSH_STEP, "commit");
        for (SealedTree.Reason reason : SealedTree.Reason.values()) {
            whole.put(
                    reason, metrics.histogram(ChunkMetrics.FLUSH, reason.name().toLowerCase(Locale.ROOT)));
        }
    }

    /** A part was written, which was begun then. */
    void written(long beginNanos) {
        write.since(beginNanos);
    }

    /** The flush is committed. */
    void committed(SealedTree.Reason reason, long commitBeginNanos, long firstTryNanos) {
        long now = System.nanoTime();
        commit.nanos(now - commitBeginNanos);
        Histogram all = whole.get(reason);
        if (all != null) {
            all.nanos(now - firstTryNanos);
        }
    }
}
