package io.waterwheel.topology.hdfs;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's chunk store: opened beside the worker's start, which does not wait for a NameNode that is away or in safe
 * mode, and known to be its catalog's ({@link StoreOwner}) before a file of it is looked at. Until then every call
 * fails at once, as when a store goes away later: what is in memory is indexed and answered, flushes wait. Thread-safe.
 */
public final class MarkedChunkStore implements ChunkStore {
    private static final Logger LOG = LoggerFactory.getLogger(MarkedChunkStore.class);
    private static final long RETRY_MILLIS = 1_000;
    private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Opens the store itself. */
    interface Opener {
        ChunkStore open() throws IOException;
    }

    private final Opener opener;
    private final CatalogStore catalog;
    private final String uri;
    private final Thread thread;
    private final CountDownLatch firstTry = new CountDownLatch(1);
    private final CountDownLatch closing = new CountDownLatch(1);

    /** The store, once it is known to be ours; never taken back. */
    private volatile @Nullable ChunkStore store;
    /** The catalog's name, once it is known. */
    private volatile @Nullable String name;

    /** Why there is no store, or none yet. */
    private volatile @Nullable Exception failure;

    /** @param uri of the store, for messages */
    MarkedChunkStore(Opener opener, CatalogStore catalog, String uri) {
        this.opener = opener;
        this.catalog = catalog;
        this.uri = uri;
        this.thread = new Thread(this::openAtLast, "chunk-store-opener");
        thread.setDaemon(true);
    }

    /**
     * Opens the store of a configuration, and asks whose it is. Goes on trying, in the background, where it cannot be
     * reached.
     *
     * @param patience how long is waited for the first try
     * @throws WaterwheelException USER when it is not this catalog's
     * @throws IllegalArgumentException when the configuration names none
     */
    public static MarkedChunkStore start(CatalogStore catalog, WaterwheelConfig config, Duration patience) {
        return new MarkedChunkStore(() -> ChunkStores.open(config), catalog, config.chunkStoreUri()).start(patience);
    }

    MarkedChunkStore start(Duration patience) {
        thread.start();
        try {
            boolean tried = firstTry.await(patience.toNanos(), TimeUnit.NANOSECONDS);
            Exception why = failure;
            if (why instanceof RuntimeException refused && isFinal(why)) {
                close();
                throw refused;
            }
            if (!tried || why != null) {
                LOG.warn(
                        "chunk store {} cannot be reached: starting without it; flushes wait for it, and queries that"
                                + " need chunks",
                        uri,
                        why);
            }
            return this;
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while chunk store " + uri + " was opened", e);
        }
    }

    /** No other answer is to be expected: somebody else's store, or no URI of one. */
    private static boolean isFinal(Exception why) {
        return why instanceof WaterwheelException of
                ? of.kind() != WaterwheelException.Kind.TEMPORARY
                : why instanceof IllegalArgumentException;
    }

    private void openAtLast() {
        long warned = System.nanoTime();
        try {
            do {
                Exception why = tryOnce();
                failure = why;
                firstTry.countDown();
                if (why == null) {
                    LOG.info("chunk store {} is open", uri);
                    return;
                }
                if (isFinal(why)) {
                    LOG.error("chunk store {} is not used", uri, why);
                    return;
                }
                if (System.nanoTime() - warned >= WARN_NANOS) {
                    warned = System.nanoTime();
                    LOG.warn("chunk store {} cannot be reached; trying again", uri, why);
                }
            } while (!closing.await(RETRY_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            LOG.debug("chunk store {} is not opened: the worker ends", uri, e);
        }
    }

    private @Nullable Exception tryOnce() {
        ChunkStore opened = null;
        try {
            opened = opener.open();
            name = StoreOwner.check(catalog, opened, uri);
            synchronized (this) {
                if (closing.getCount() > 0) {
                    store = opened;
                    opened = null;
                }
            }
            return null;
        } catch (IOException | RuntimeException e) {
            return e;
        } catch (Error e) {
            // Told as the reason; what it means for the process others find out.
            return new IllegalStateException("chunk store " + uri + " could not be opened", e);
        } finally {
            if (opened != null) {
                closeUnused(opened);
            }
        }
    }

    private void closeUnused(ChunkStore opened) {
        try {
            opened.close();
        } catch (IOException e) {
            LOG.warn("chunk store {} could not be closed", uri, e);
        }
    }

    /** Why it cannot be used, or not written, for people; empty when it can. */
    @Override
    public String trouble() {
        ChunkStore open = store;
        if (open != null) {
            String full = open.trouble();
            return full.isEmpty() ? "" : full + "; what comes is indexed and answered, flushes wait";
        }
        Exception why = failure;
        return "chunk store " + uri + " cannot be used: "
                + (why == null ? "it has not answered since the worker started" : why.getMessage())
                + "; what comes is indexed and answered, flushes wait";
    }

    /**
     * Whether the catalog is still the one whose chunks these are: false once its nodes were removed, or others took
     * their place. Asks it.
     *
     * @throws WaterwheelException TEMPORARY when it is away
     */
    public boolean catalogIsThere() {
        String known = name;
        return known == null || StoreOwner.isOf(catalog, known);
    }

    private ChunkStore store() throws IOException {
        ChunkStore open = store;
        if (open != null) {
            return open;
        }
        Exception why = failure;
        if (why instanceof WaterwheelException refused && isFinal(why)) {
            throw refused;
        }
        throw new IOException(
                "chunk store " + uri + " cannot be reached yet" + (why == null ? "" : ": " + why.getMessage()), why);
    }

    @Override
    public void write(String name, List<ByteBuffer> content) throws IOException {
        store().write(name, content);
    }

    @Override
    public Input open(String name) throws IOException {
        return store().open(name);
    }

    @Override
    public void forEach(String prefix, Consumer<StoredFile> visitor) throws IOException {
        store().forEach(prefix, visitor);
    }

    @Override
    public void delete(String name) throws IOException {
        store().delete(name);
    }

    @Override
    public List<String> hosts(String name) throws IOException {
        return store().hosts(name);
    }

    @Override
    public void close() {
        ChunkStore open;
        synchronized (this) {
            closing.countDown();
            open = store;
        }
        thread.interrupt();
        if (open != null) {
            closeUnused(open);
        }
    }
}
