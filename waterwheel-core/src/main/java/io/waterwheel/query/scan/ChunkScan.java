package io.waterwheel.query.scan;

import io.waterwheel.query.Subquery;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.store.ChunkStore;
import java.io.IOException;

/**
 * Looks up tuples in chunks: of each only the leaves and columns that the question touches, from the cache or in few
 * vectored reads. Thread-safe: any number of scans at a time.
 */
public final class ChunkScan {
    private final ChunkStore store;
    private final ChunkCache cache;

    public ChunkScan(ChunkStore store, ChunkCache cache) {
        this.store = store;
        this.cache = cache;
    }

    /**
     * Hands the matching tuples to the sink, leaf by leaf in the order of keys, or counts them.
     *
     * @param layout the stored layout of the chunk's stream
     * @return number of matching tuples, up to where the limit or the sink ended the scan
     * @throws io.waterwheel.chunk.encoding.CorruptChunkException when what is read of the file is damaged
     * @throws IOException when the file cannot be read; rows may have been handed over by then
     */
    public long scan(String file, RowLayout layout, ScanSpec spec, RowSink sink) throws IOException {
        return scan(file, layout, spec, Subquery.Piece.WHOLE, sink);
    }

    /** The same for a piece of the chunk; the sink is told where the next one begins, if there is one. */
    public long scan(String file, RowLayout layout, ScanSpec spec, Subquery.Piece piece, RowSink sink)
            throws IOException {
        return scan(file, layout, spec, piece, sink, false);
    }

    /**
     * The same from the cache alone, and whole: waits for no file.
     *
     * @throws NotQuickException when something of it would have to be read, when the sink allows no more tuples, or
     *     when it does not end with this piece; rows may have been handed over by then
     */
    public long scanCached(String file, RowLayout layout, ScanSpec spec, Subquery.Piece piece, RowSink sink)
            throws IOException {
        return scan(file, layout, spec, piece, sink, true);
    }

    private long scan(
            String file, RowLayout layout, ScanSpec spec, Subquery.Piece piece, RowSink sink, boolean cachedOnly)
            throws IOException {
        RowFilter filter = new RowFilter(spec, layout);
        if (filter.matchesNothing()) {
            return 0;
        }
        try (Reservation memory = sink.memory().part();
                ChunkParts parts = new ChunkParts(store, cache, file, layout, memory, cachedOnly)) {
            return new ChunkLeafScan(parts, spec, filter, piece, sink, new Workspace(sink::wanted, memory)).run();
        }
    }
}
