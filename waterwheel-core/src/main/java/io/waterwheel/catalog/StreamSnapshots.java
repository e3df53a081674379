package io.waterwheel.catalog;

import io.waterwheel.chunk.ChunkStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The last snapshot of each stream, for those who look at all of them now and then: what one has read, the next need
 * not read again. One thread at a time.
 */
public final class StreamSnapshots {
    private final CatalogStore catalog;
    private final ChunkStore files;
    private final Map<Integer, StreamSnapshot> last = new HashMap<>();

    public StreamSnapshots(CatalogStore catalog, ChunkStore files) {
        this.catalog = catalog;
        this.files = files;
    }

    CatalogStore catalog() {
        return catalog;
    }

    ChunkStore files() {
        return files;
    }

    /** The stream at the last edit that is visible. */
    StreamSnapshot advance(StreamInfo stream) {
        StreamSnapshot snapshot = new SnapshotReader(catalog, files, stream)
                .advance(last.getOrDefault(stream.id(), StreamSnapshot.before(stream)));
        last.put(stream.id(), snapshot);
        return snapshot;
    }

    /** Forgets streams that are gone. */
    void retain(Set<Integer> ids) {
        last.keySet().retainAll(ids);
    }
}
