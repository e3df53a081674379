package io.waterwheel.catalog;

import io.waterwheel.catalog.store.CatalogStore;
import java.util.List;
import java.util.Optional;

/** Another store under a test's hand: what is not overridden goes on to it; several reads are single ones. */
public class ForwardingCatalogStore implements CatalogStore {
    protected final CatalogStore store;

    public ForwardingCatalogStore(CatalogStore store) {
        this.store = store;
    }

    @Override
    public Optional<Node> read(String path) {
        return store.read(path);
    }

    @Override
    public List<String> children(String path) {
        return store.children(path);
    }

    @Override
    public void ensure(String path) {
        store.ensure(path);
    }

    @Override
    public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
        store.commit(ops);
    }

    @Override
    public void pause(int tries) {
        store.pause(tries);
    }

    @Override
    public void sync() {
        store.sync();
    }

    @Override
    public AutoCloseable watch(String path, Runnable onChange) {
        return store.watch(path, onChange);
    }

    @Override
    public AutoCloseable announce(String path, byte[] data) {
        return store.announce(path, data);
    }

    @Override
    public void close() {
        store.close();
    }
}
