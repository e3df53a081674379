package io.waterwheel.query.exec;

import io.waterwheel.catalog.ChunkDescriptor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chunk subqueries of one query, while query servers take them. An idle server bids; it gets a chunk, and says
 * later that it has read it or failed. Every chunk is out at one server at a time. Thread-safe.
 */
public interface Dispatch {
    /** What this server should read next, or null when nothing is left that it may read and has not failed at. */
    @Nullable
    ChunkDescriptor bid(String server);

    /** The server could not read it: another may, and is preferred from now on. */
    void failed(ChunkDescriptor chunk, String server);

    /** Servers may try again what they failed at. */
    void forgetFailures();

    /** It was read whole. */
    void done(ChunkDescriptor chunk);

    /** Chunks that nobody has read and nobody is reading. */
    List<ChunkDescriptor> left();
}
