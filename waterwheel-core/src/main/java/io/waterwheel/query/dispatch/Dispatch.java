package io.waterwheel.query.dispatch;

import io.waterwheel.catalog.state.ChunkDescriptor;
import java.util.List;

/**
 * The chunk subqueries of one query, while query servers take them. An idle server bids; it gets a chunk, and says
 * later that it has read it or failed. Every chunk is out at one server at a time; by {@link LocalityAwareDispatch} at
 * another too once that one takes far longer than others do, and then the first who has read it counts. Thread-safe.
 */
public interface Dispatch {
    /**
     * A query server.
     *
     * @param host its name, to compare with those that hold a replica
     * @param readers chunks that it reads at once; at least 1
     */
    record Server(String host, int readers) {}

    /** What a server that bids is told. */
    sealed interface Bid {
        /** To read this chunk. */
        record Read(ChunkDescriptor chunk) implements Bid {}

        /**
         * To bid again, soon: what is pending is better read by others, who are at work.
         *
         * @param nanos after which it gets something if it is still pending; more than 0
         */
        record Later(long nanos) implements Bid {}

        /** That nothing is left that it may read and has not failed at. */
        record Nothing() implements Bid {}
    }

    /**
     * What this server should do next. A server that is told to wait may bid again at any time.
     *
     * @param nowNanos time, by the same clock for every bid of a dispatch
     */
    Bid bid(String server, long nowNanos);

    /** The server could not read it: another may, and is preferred from now on. */
    void failed(ChunkDescriptor chunk, String server);

    /** The server reads it later, or another does: it was no failure. */
    void putOff(ChunkDescriptor chunk, String server);

    /** Servers may try again what they failed at; no server is told to wait from now on. */
    void forgetFailures();

    /**
     * The server has read it whole.
     *
     * @param nowNanos as of a bid
     * @return whether it is the first: what others have read of the chunk is void
     */
    boolean done(ChunkDescriptor chunk, String server, long nowNanos);

    /**
     * The server reads nothing of the chunk for a while, or goes on: it has handed over a piece, and its client may
     * take its time. That is no reason for others to read it too.
     *
     * @param nowNanos as of a bid
     */
    void paused(ChunkDescriptor chunk, String server, boolean isPaused, long nowNanos);

    /** Chunks that no server has read or is reading. */
    List<ChunkDescriptor> left();

    /** Whether there is something for this server, now or soon: a bid would not end it. */
    boolean hasWorkFor(String server, long nowNanos);

    /** Whether a chunk that was given to a server has been read by another meanwhile. */
    boolean isRead(ChunkDescriptor given);
}
