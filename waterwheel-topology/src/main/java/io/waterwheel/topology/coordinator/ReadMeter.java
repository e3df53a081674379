package io.waterwheel.topology.coordinator;

import io.waterwheel.metrics.Counter;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.QueryMetrics;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Statistics;
import java.util.HashMap;
import java.util.Map;

/** Adds up what queries read, and what they did not, by the statistics of their verdicts. Thread-safe. */
final class ReadMeter {
    /** A reason of a newer worker. */
    private static final String OTHER = "other";

    private final Counter chunksOutside;
    private final Counter chunksRead;
    private final Counter chunksLeft;
    private final Counter bytesOfStore;
    private final Counter bytesOfCache;
    private final Place chunks;
    private final Place memory;

    ReadMeter(Metrics metrics) {
        this.chunksOutside = metrics.counter(QueryMetrics.CHUNKS, "outside");
        this.chunksRead = metrics.counter(QueryMetrics.CHUNKS, "read");
        this.chunksLeft = metrics.counter(QueryMetrics.CHUNKS, "left");
        this.bytesOfStore = metrics.counter(QueryMetrics.READ_BYTES, "store");
        this.bytesOfCache = metrics.counter(QueryMetrics.READ_BYTES, "cache");
        this.chunks = new Place(metrics, "chunks");
        this.memory = new Place(metrics, "memory");
    }

    void add(Statistics statistics) {
        chunksOutside.add(statistics.chunks() - statistics.chunksMeeting());
        chunksRead.add(statistics.chunksRead());
        chunksLeft.add(statistics.chunksMeeting() - statistics.chunksRead());
        ScanStatistics.Parts parts = statistics.inChunks().parts();
        bytesOfStore.add(parts.allBytesRead());
        bytesOfCache.add(parts.bytesCached());
        chunks.add(statistics.inChunks());
        memory.add(statistics.fresh());
    }

    /** Where leaves are. */
    private static final class Place {
        private final Counter pruned;
        private final Counter counted;
        private final Counter read;
        private final Counter left;
        private final Counter tuples;
        private final Counter otherReason;
        private final Map<String, Counter> reasons = new HashMap<>();

        Place(Metrics metrics, String place) {
            this.pruned = metrics.counter(QueryMetrics.LEAVES, place, "pruned");
            this.counted = metrics.counter(QueryMetrics.LEAVES, place, "counted");
            this.read = metrics.counter(QueryMetrics.LEAVES, place, "read");
            this.left = metrics.counter(QueryMetrics.LEAVES, place, "left");
            this.tuples = metrics.counter(QueryMetrics.TUPLES, place);
            for (PruneReason reason : PruneReason.values()) {
                reasons.put(reason.toString(), metrics.counter(QueryMetrics.PRUNED, place, reason.toString()));
            }
            this.otherReason = metrics.counter(QueryMetrics.PRUNED, place, OTHER);
        }

        void add(ScanStatistics scan) {
            pruned.add(scan.pruned().total());
            counted.add(scan.counted());
            read.add(scan.read());
            left.add(scan.left());
            tuples.add(scan.tuples());
            for (Pruning.Count count : scan.pruned().counts()) {
                reasons.getOrDefault(count.reason(), otherReason).add(count.number());
            }
        }
    }
}
