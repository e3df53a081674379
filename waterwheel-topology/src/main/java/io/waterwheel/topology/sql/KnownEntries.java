package io.waterwheel.topology.sql;

import io.waterwheel.catalog.EntryCatalog;
import io.waterwheel.catalog.store.CatalogStore;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The views of the catalog, or the tables of files, which are read again after the catalog has said that they changed.
 * Nothing is read before the first statement that may name one. Thread-safe; may block.
 *
 * @param <T> a view, or a table
 */
final class KnownEntries<T> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KnownEntries.class);

    private final CatalogStore store;
    private final EntryCatalog<T> catalog;
    private final Object told = new Object();
    /** Told or made since the beginning. Guarded by told. */
    private long changes;
    /** As last read; null when they are to be read again. Written under told. */
    private volatile @Nullable Map<String, T> entries;
    /** Guarded by this; null before the first reading. */
    private @Nullable AutoCloseable watch;

    KnownEntries(CatalogStore store, EntryCatalog<T> catalog) {
        this.store = store;
        this.catalog = catalog;
    }

    /** All of them, by name. */
    Map<String, T> all() {
        Map<String, T> known = entries;
        return known == null ? read() : known;
    }

    private synchronized Map<String, T> read() {
        if (watch == null) {
            store.ensure(catalog.path());
            watch = store.watch(catalog.path(), this::changed);
        }
        Map<String, T> known = entries;
        if (known != null) {
            return known;
        }
        long before;
        synchronized (told) {
            before = changes;
        }
        Map<String, T> read = catalog.read();
        synchronized (told) {
            // Of a change in between it may know, or not.
            if (changes == before) {
                entries = read;
            }
        }
        return read;
    }

    private void changed() {
        synchronized (told) {
            changes++;
            entries = null;
        }
    }

    /** The entry that is written so, in other letters perhaps; null when there is none. */
    @Nullable
    T find(String written) {
        Map<String, T> all = all();
        T exact = all.get(written);
        return exact != null
                ? exact
                : all.entrySet().stream()
                        .filter(entry -> entry.getKey().equalsIgnoreCase(written))
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse(null);
    }

    /** Changes the catalog, and knows of it afterwards. */
    <R> R change(Supplier<R> by) {
        try {
            return by.get();
        } finally {
            changed();
        }
    }

    @Override
    public synchronized void close() {
        if (watch != null) {
            try {
                watch.close();
            } catch (Exception e) {
                LOG.warn("the watch of views or tables cannot be closed", e);
            }
        }
    }
}
