package io.waterwheel.query;

/** The part of a query that one indexer or one query server answers. */
public sealed interface Subquery {
    /** The whole query; the receiver takes from it what concerns its part. */
    Query query();

    int streamId();

    /**
     * For an indexer: the tuples of its trees above a flush sequence number (protocol rule 9).
     *
     * @param indexer the logical indexer
     * @param epoch its epoch in the snapshot
     * @param flushed its last flush in the snapshot; chunks up to it are read by query servers
     * @param demand per partition, the offset that its watermark must have reached
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    record OfIndexer(Query query, int streamId, int indexer, int epoch, long flushed, long[] demand)
            implements Subquery {}

    /** For a query server: the tuples of one chunk. */
    record OfChunk(Query query, int streamId, String file) implements Subquery {}
}
