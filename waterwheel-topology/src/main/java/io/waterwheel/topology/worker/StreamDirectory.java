package io.waterwheel.topology.worker;

import io.waterwheel.catalog.CatalogStore;
import io.waterwheel.catalog.CorruptCatalogException;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamInfo;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of the namespace as this worker last saw them; a stream that is created is here some milliseconds later.
 *
 * <p>Written by one thread at a time: the executor's, or at the beginning the constructor's; so never by an older list.
 * Readers: any. Published by: volatile write of an immutable map.
 */
public final class StreamDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamDirectory.class);
    /** Watches tell of changes; this is for a watch that was lost. */
    private static final long POLL_SECONDS = 5;

    private final Namespace namespace;
    private final ScheduledExecutorService executor;
    private final AutoCloseable watch;
    private final ScheduledFuture<?> polling;
    private final AtomicBoolean due = new AtomicBoolean();
    private volatile Map<Integer, StreamInfo> streams = Map.of();

    public StreamDirectory(CatalogStore store, Namespace namespace, ScheduledExecutorService executor) {
        this.namespace = namespace;
        this.executor = executor;
        this.watch = store.watch(namespace.streamsPath(), this::changed);
        refresh();
        this.polling = executor.scheduleWithFixedDelay(this::refresh, POLL_SECONDS, POLL_SECONDS, TimeUnit.SECONDS);
    }

    /** By stream id; the same object as long as nothing changes. */
    public Map<Integer, StreamInfo> streams() {
        return streams;
    }

    private void changed() {
        if (due.compareAndSet(false, true)) {
            executor.execute(this::refresh);
        }
    }

    private synchronized void refresh() {
        due.set(false);
        try {
            Map<Integer, StreamInfo> fresh = new HashMap<>();
            Map<Integer, StreamInfo> before = streams;
            for (String name : namespace.names()) {
                try {
                    namespace.find(name).ifPresent(stream -> fresh.put(stream.id(), stream));
                } catch (CorruptCatalogException e) {
                    // One bad entry must not hide the others; what is known of it goes on.
                    LOG.error("[streams] stream {} cannot be read: {}", name, e.getMessage());
                    before.values().stream()
                            .filter(known -> known.name().equals(name))
                            .forEach(known -> fresh.put(known.id(), known));
                }
            }
            if (!fresh.equals(streams)) {
                streams = Map.copyOf(fresh);
            }
        } catch (RuntimeException e) {
            LOG.warn("[streams] the catalog could not be read; trying again", e);
        }
    }

    @Override
    public void close() {
        polling.cancel(false);
        try {
            watch.close();
        } catch (Exception e) {
            LOG.warn("[streams] the watch could not be closed", e);
        }
    }
}
