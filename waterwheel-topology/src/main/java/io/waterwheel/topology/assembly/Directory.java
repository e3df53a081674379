package io.waterwheel.topology.assembly;

import io.waterwheel.catalog.CatalogStore;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which task of the topology is reached where, as ephemeral nodes of the catalog: {@code /live/TOPOLOGY/ADDRESS} holds
 * {@code HOST:PORT} of the worker's server.
 *
 * <p>Written by one thread at a time: the executor's, or at the beginning the constructor's; so never by an older list.
 * Readers: any. Published by: volatile write of an immutable map.
 */
final class Directory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Directory.class);
    /** Watches tell of changes; this is for a watch that was lost. */
    private static final long POLL_SECONDS = 2;

    private final CatalogStore store;
    private final String path;
    private final ScheduledExecutorService executor;
    private final AutoCloseable watch;
    private final ScheduledFuture<?> polling;
    private final AtomicBoolean due = new AtomicBoolean();
    private final Set<Announced> own = ConcurrentHashMap.newKeySet();
    private volatile Map<String, String> places = Map.of();

    Directory(CatalogStore store, String topology, ScheduledExecutorService executor) {
        this.store = store;
        this.path = "/live/" + topology;
        this.executor = executor;
        store.ensure(path);
        this.watch = store.watch(path, this::changed);
        refresh();
        this.polling = executor.scheduleWithFixedDelay(this::refresh, POLL_SECONDS, POLL_SECONDS, TimeUnit.SECONDS);
    }

    /** Makes a task's place known, as long as the result is not closed. */
    AutoCloseable announce(String address, String place) {
        return announceAt(path + "/" + address, place);
    }

    /**
     * Keeps an ephemeral node alive. A process that was cut off, and has a successor, may come back for a moment and
     * take the node with it when it dies: so whoever announced looks again and again whether it is still there.
     */
    AutoCloseable announceAt(String nodePath, String content) {
        Announced announced = new Announced(nodePath, content.getBytes(StandardCharsets.UTF_8));
        own.add(announced);
        announced.renew();
        return announced;
    }

    private final class Announced implements AutoCloseable {
        private final String nodePath;
        private final byte[] content;
        private @Nullable AutoCloseable node;
        private boolean closed;

        Announced(String nodePath, byte[] content) {
            this.nodePath = nodePath;
            this.content = content;
        }

        synchronized void renew() {
            if (!closed && (node == null || store.read(nodePath).isEmpty())) {
                closeNode();
                node = store.announce(nodePath, content);
            }
        }

        private void closeNode() {
            AutoCloseable old = node;
            node = null;
            if (old != null) {
                try {
                    old.close();
                } catch (Exception e) {
                    LOG.warn("[directory] {} could not be removed", nodePath, e);
                }
            }
        }

        @Override
        public synchronized void close() {
            closed = true;
            own.remove(this);
            closeNode();
        }
    }

    /** {@code HOST:PORT} of the worker that runs the task, or null when none is known. */
    @Nullable
    String find(String address) {
        return places.get(address);
    }

    /** By address. */
    Map<String, String> all() {
        return places;
    }

    private void changed() {
        if (due.compareAndSet(false, true)) {
            executor.execute(this::refresh);
        }
    }

    private synchronized void refresh() {
        due.set(false);
        try {
            Map<String, String> fresh = new HashMap<>();
            for (String address : store.children(path)) {
                Optional<CatalogStore.Node> node = store.read(path + "/" + address);
                node.ifPresent(found -> fresh.put(address, new String(found.data(), StandardCharsets.UTF_8)));
            }
            places = Map.copyOf(fresh);
            own.forEach(Announced::renew);
        } catch (RuntimeException e) {
            LOG.warn("[directory] the catalog could not be read; trying again", e);
        }
    }

    @Override
    public void close() {
        polling.cancel(false);
        try {
            watch.close();
        } catch (Exception e) {
            LOG.warn("[directory] the watch could not be closed", e);
        }
    }
}
