package io.waterwheel.query;

import java.util.List;

/**
 * The first word of an indexer's answer, before any tuple.
 *
 * @param outcome whether it answers, or why not
 * @param reason for people, when it does not answer; empty otherwise
 * @param version highest routing version it has seen
 * @param watermarks per partition, the offset below which every tuple of the indexer is in this answer or in chunks up
 *     to the flush it was asked with
 * @param recovering whether a watermark is still below the indexer's recovery target
 * @param stale partitions whose channel has been silent for over a second
 */
@SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
public record IndexerHeader(
        Outcome outcome, String reason, int version, long[] watermarks, boolean recovering, List<Integer> stale) {
    /** What an indexer does with a subquery. */
    public enum Outcome {
        /** The tuples follow. */
        ANSWER,
        /** The subquery was planned on a snapshot that does not fit: sync and plan the whole query again. */
        REFRESH,
        /** The watermarks did not reach the demand, or the recovery target, in time. */
        LATE
    }

    public IndexerHeader {
        stale = List.copyOf(stale);
    }

    public static IndexerHeader refresh(String reason) {
        return new IndexerHeader(Outcome.REFRESH, reason, 0, new long[0], false, List.of());
    }
}
