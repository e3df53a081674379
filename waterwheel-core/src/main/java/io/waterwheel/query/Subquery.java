package io.waterwheel.query;

import java.time.Duration;

/** The part of a query that one indexer or one query server answers. */
public sealed interface Subquery {
    /** The whole query; the receiver takes from it what concerns its part. */
    Query query();

    int streamId();

    /**
     * How many versions of scales of the stream's dimensions the plan knows. Keys of all of them may be met, so who
     * answers must know as many.
     */
    int scales();

    /** The same with another timeout. */
    Subquery withTimeout(Duration timeout);

    /**
     * For an indexer: the tuples of its trees above a flush sequence number (protocol rule 9).
     *
     * @param indexer the logical indexer
     * @param epoch its epoch in the snapshot
     * @param flushed its last flush in the snapshot; chunks up to it are read by query servers
     * @param demand per partition, the offset that its watermark must have reached
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    record OfIndexer(Query query, int streamId, int scales, int indexer, int epoch, long flushed, long[] demand)
            implements Subquery {
        /** On a plan that knows the first scales alone. */
        public OfIndexer(Query query, int streamId, int indexer, int epoch, long flushed, long[] demand) {
            this(query, streamId, 1, indexer, epoch, flushed, demand);
        }

        @Override
        public OfIndexer withTimeout(Duration timeout) {
            return new OfIndexer(query.withTimeout(timeout), streamId, scales, indexer, epoch, flushed, demand);
        }
    }

    /**
     * For a query server: the tuples of one chunk.
     *
     * @param piece how much of it
     */
    record OfChunk(Query query, int streamId, int scales, String file, Piece piece) implements Subquery {
        /** On a plan that knows the first scales alone. */
        public OfChunk(Query query, int streamId, String file, Piece piece) {
            this(query, streamId, 1, file, piece);
        }

        /** Of the whole chunk. */
        public OfChunk(Query query, int streamId, String file) {
            this(query, streamId, file, Piece.WHOLE);
        }

        @Override
        public OfChunk withTimeout(Duration timeout) {
            return new OfChunk(query.withTimeout(timeout), streamId, scales, file, piece);
        }
    }

    /**
     * What is read of a chunk at a time. The next piece begins where the one before ended, whichever server reads it.
     *
     * @param fromLeaf its first leaf
     * @param bytes of matching rows, after which it ends behind a leaf; a few leaves more at most
     */
    record Piece(int fromLeaf, long bytes) {
        /** The whole chunk, however large. */
        public static final Piece WHOLE = new Piece(0, Long.MAX_VALUE);

        public Piece {
            if (fromLeaf < 0 || bytes < 1) {
                throw new IllegalArgumentException("a piece of a chunk: leaf " + fromLeaf + " and " + bytes
                        + " bytes, expected a leaf from 0 and at least one byte");
            }
        }

        /** Whether it may end before the chunk does. */
        public boolean isBounded() {
            return bytes < Long.MAX_VALUE;
        }
    }
}
