package io.waterwheel.ingest.indexer;

/**
 * Bounds of an indexer.
 *
 * @param sealBytes tuples after which a tree is sealed
 * @param sealAgeNanos age of a tree's first tuple, or of an unmoved checkpoint, after which it is sealed
 * @param keepNanos how long a committed tree still answers queries that were planned before its commit
 * @param silenceNanos silence on a channel after which its subscription is repeated
 * @param staleNanos silence on a channel after which answers say that the indexer is stale
 * @param reportNanos time between reports that say nothing new
 * @param lateMillis how far behind the newest tuple one may be, by event time, and still go to the main tree
 * @param aheadMillis how far ahead of the clock one may be and still go to the main tree, and count as the newest
 */
public record IndexerSettings(
        long sealBytes,
        long sealAgeNanos,
        long keepNanos,
        long silenceNanos,
        long staleNanos,
        long reportNanos,
        long lateMillis,
        long aheadMillis) {
    public static final IndexerSettings DEFAULT = new IndexerSettings(
            16 << 20, 600_000_000_000L, 2_000_000_000L, 300_000_000L, 1_000_000_000L, 200_000_000L, 300_000L, 60_000L);
}
