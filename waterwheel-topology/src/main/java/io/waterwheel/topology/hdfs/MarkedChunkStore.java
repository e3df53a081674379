package io.waterwheel.topology.hdfs;

import io.waterwheel.catalog.CatalogStore;
import io.waterwheel.chunk.ChunkStore;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A chunk store that is known to be its catalog's ({@link StoreMark}) before a file of it is written, listed or
 * deleted. The first call asks, and so does every one until the answer was yes. Thread-safe.
 */
public final class MarkedChunkStore implements ChunkStore {
    private final ChunkStore store;
    private final CatalogStore catalog;
    private final String uri;
    /** Never taken back: whose a store is does not change while it is used. */
    private volatile boolean ours;

    /**
     * A store of this catalog.
     *
     * @param uri of the store, for messages
     */
    MarkedChunkStore(ChunkStore store, CatalogStore catalog, String uri) {
        this.store = store;
        this.catalog = catalog;
        this.uri = uri;
    }

    /**
     * Opens the store of a configuration, and asks whose it is.
     *
     * @throws WaterwheelException USER when it is not this catalog's
     * @throws IOException when it cannot be reached
     */
    public static MarkedChunkStore open(CatalogStore catalog, WaterwheelConfig config) throws IOException {
        ChunkStore store = ChunkStores.open(config);
        MarkedChunkStore marked = new MarkedChunkStore(store, catalog, config.chunkStoreUri());
        try {
            marked.requireOurs();
            return marked;
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    private void requireOurs() throws IOException {
        if (!ours) {
            // Two at once do no harm.
            StoreMark.check(catalog, store, uri);
            ours = true;
        }
    }

    @Override
    public void write(String name, List<ByteBuffer> content) throws IOException {
        requireOurs();
        store.write(name, content);
    }

    @Override
    public Input open(String name) throws IOException {
        requireOurs();
        return store.open(name);
    }

    @Override
    public List<StoredFile> list(String prefix) throws IOException {
        requireOurs();
        return store.list(prefix);
    }

    @Override
    public void delete(String name) throws IOException {
        requireOurs();
        store.delete(name);
    }

    @Override
    public List<String> hosts(String name) throws IOException {
        return store.hosts(name);
    }

    @Override
    public void close() throws IOException {
        store.close();
    }
}
