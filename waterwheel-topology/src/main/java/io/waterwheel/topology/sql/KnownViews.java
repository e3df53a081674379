package io.waterwheel.topology.sql;

import io.waterwheel.catalog.ViewCatalog;
import io.waterwheel.catalog.state.View;
import io.waterwheel.catalog.store.CatalogStore;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The views of the catalog, which are read again after the catalog has said that they changed. Nothing is read before
 * the first statement that may name one. Thread-safe; may block.
 */
final class KnownViews implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KnownViews.class);

    private final CatalogStore store;
    private final ViewCatalog catalog;
    private final Object told = new Object();
    /** Told or made since the beginning. Guarded by told. */
    private long changes;
    /** As last read; null when they are to be read again. Written under told. */
    private volatile @Nullable Map<String, View> views;
    /** Guarded by this; null before the first reading. */
    private @Nullable AutoCloseable watch;

    KnownViews(CatalogStore store) {
        this.store = store;
        this.catalog = new ViewCatalog(store);
    }

    /** All of them, by name. */
    Map<String, View> all() {
        Map<String, View> known = views;
        return known == null ? read() : known;
    }

    private synchronized Map<String, View> read() {
        if (watch == null) {
            store.ensure(ViewCatalog.PATH);
            watch = store.watch(ViewCatalog.PATH, this::changed);
        }
        Map<String, View> known = views;
        if (known != null) {
            return known;
        }
        long before;
        synchronized (told) {
            before = changes;
        }
        Map<String, View> read = catalog.read();
        synchronized (told) {
            // Of a change in between it may know, or not.
            if (changes == before) {
                views = read;
            }
        }
        return read;
    }

    private void changed() {
        synchronized (told) {
            changes++;
            views = null;
        }
    }

    /** The view that is written so, in other letters perhaps; null when there is none. */
    @Nullable
    View find(String written) {
        Map<String, View> all = all();
        View exact = all.get(written);
        return exact != null
                ? exact
                : all.values().stream()
                        .filter(view -> view.name().equalsIgnoreCase(written))
                        .findFirst()
                        .orElse(null);
    }

    /** As {@link ViewCatalog#create}. */
    void create(View view, boolean replace) {
        catalog.create(view, replace);
        changed();
    }

    /** As {@link ViewCatalog#drop}. */
    boolean drop(String name) {
        boolean dropped = catalog.drop(name);
        changed();
        return dropped;
    }

    @Override
    public synchronized void close() {
        if (watch != null) {
            try {
                watch.close();
            } catch (Exception e) {
                LOG.warn("the watch of the views cannot be closed", e);
            }
        }
    }
}
