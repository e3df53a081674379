package io.waterwheel.catalog;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.store.ChunkStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The last snapshot of each stream, for those who look at all of them now and then: what one has read, the next need
 * not read again. One thread at a time.
 */
public final class StreamSnapshots {
    private final CatalogStore catalog;
    private final ChunkStore files;
    private final Map<Integer, StreamSnapshot> last = new HashMap<>();
    private final UnaryOperator<StreamSnapshot> advance;

    public StreamSnapshots(CatalogStore catalog, ChunkStore files) {
        this(catalog, files, snapshot -> new SnapshotReader(catalog, files, snapshot.stream()).advance(snapshot));
    }

    /**
     * Of a process that has snapshots for another purpose too: a million chunks are there once.
     *
     * @param advance a snapshot of the same stream at the last edit that is visible
     */
    public StreamSnapshots(CatalogStore catalog, ChunkStore files, UnaryOperator<StreamSnapshot> advance) {
        this.catalog = catalog;
        this.files = files;
        this.advance = advance;
    }

    public CatalogStore catalog() {
        return catalog;
    }

    public ChunkStore files() {
        return files;
    }

    /** The stream at the last edit that is visible. */
    public StreamSnapshot advance(StreamInfo stream) {
        StreamSnapshot snapshot = advance.apply(last.getOrDefault(stream.id(), StreamSnapshot.before(stream)));
        last.put(stream.id(), snapshot);
        return snapshot;
    }

    /** Forgets streams that are gone. */
    public void retain(Set<Integer> ids) {
        last.keySet().retainAll(ids);
    }
}
