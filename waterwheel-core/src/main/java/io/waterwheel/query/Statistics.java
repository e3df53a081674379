package io.waterwheel.query;

/**
 * Counts of what was read to find an answer, and of what was not. They show people why a query is as quick or slow as
 * it is; nothing else depends on them. Only attempts that became part of the answer count.
 *
 * @param chunks chunks of the stream, at the edit that the answer was planned on
 * @param chunksMeeting of those, chunks whose region meets the query's keys and times, and of a key of dimensions whose
 *     cells meet the query's in each
 * @param chunksByDimension chunks whose region meets the query's keys and times, and that a dimension of the key left
 *     out, by its field; the other chunks lie outside the keys or times
 * @param chunksRead of those, chunks that were read; fewer when older ones turned out not to be needed
 * @param nearReads of those, chunks of which something was read from the chunk store, other than a directory, by a
 *     query server on a host that holds a replica; where all hosts are equally near, none counts as either
 * @param farReads the same, by a query server on another host
 * @param inChunks what was looked at in chunks
 * @param fresh what was looked at in the indexers' trees
 */
public record Statistics(
        long chunks,
        long chunksMeeting,
        Pruning chunksByDimension,
        long chunksRead,
        long nearReads,
        long farReads,
        ScanStatistics inChunks,
        ScanStatistics fresh) {
    /** Of an answer whose server said nothing about it. */
    public static final Statistics NONE =
            new Statistics(0, 0, Pruning.NOTHING, 0, 0, 0, ScanStatistics.NOTHING, ScanStatistics.NOTHING);

    /** Of two queries together. */
    public Statistics plus(Statistics other) {
        return new Statistics(
                chunks + other.chunks,
                chunksMeeting + other.chunksMeeting,
                chunksByDimension.plus(other.chunksByDimension),
                chunksRead + other.chunksRead,
                nearReads + other.nearReads,
                farReads + other.farReads,
                inChunks.plus(other.inChunks),
                fresh.plus(other.fresh));
    }
}
