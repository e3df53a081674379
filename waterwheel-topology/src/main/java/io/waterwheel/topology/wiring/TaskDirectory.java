package io.waterwheel.topology.wiring;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.topology.worker.ChildrenFollower;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
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
final class TaskDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskDirectory.class);
    /** How often to look whether the own nodes are still there. */
    private static final long LOOK_MILLIS = 2_000;

    /** One look in this number reads also what no watch has told of. */
    private static final int LOOKS_A_READ = 15;

    private final CatalogStore store;
    private final String path;
    private final ChildrenFollower follower;
    private final ScheduledFuture<?> looking;
    private final Set<Announced> own = ConcurrentHashMap.newKeySet();
    /** The executor's. */
    private int looks;

    private volatile Map<String, String> places = Map.of();

    TaskDirectory(CatalogStore store, String topology, ScheduledExecutorService executor) {
        this(store, topology, executor, LOOK_MILLIS);
    }

    /** The same, for tests that cannot wait as long. */
    TaskDirectory(CatalogStore store, String topology, ScheduledExecutorService executor, long lookMillis) {
        this.store = store;
        this.path = "/live/" + topology;
        store.ensure(path);
        this.follower = new ChildrenFollower(store, path, executor, this::changed);
        this.looking = executor.scheduleWithFixedDelay(this::look, lookMillis, lookMillis, TimeUnit.MILLISECONDS);
    }

    /** Makes a task's place known, as long as the result is not closed. */
    AutoCloseable announce(String address, String place) {
        return announceAt(path + "/" + address, place);
    }

    /**
     * Keeps an ephemeral node alive. A process that was cut off, and has a successor, may come back for a moment and
     * take the node with it when it dies: so the announcing task looks again and again whether it is still there.
     */
    AutoCloseable announceAt(String nodePath, String content) {
        Announced announced = new Announced(nodePath, content.getBytes(StandardCharsets.UTF_8));
        own.add(announced);
        try {
            announced.renew();
        } catch (RuntimeException | Error e) {
            // It would be made after all at the next look, and name what has never started.
            announced.close();
            throw e;
        }
        return announced;
    }

    /** What this process announces, and has announced by now, below a path that ends with a slash; by its path. */
    List<String> ownAt(String folder) {
        return own.stream()
                .filter(announced -> announced.nodePath.startsWith(folder) && announced.node != null)
                .sorted(Comparator.comparing(announced -> announced.nodePath))
                .map(announced -> new String(announced.content, StandardCharsets.UTF_8))
                .toList();
    }

    private final class Announced implements AutoCloseable {
        private final String nodePath;
        private final byte[] content;
        /** Written under the lock. Readers: any. */
        private volatile @Nullable AutoCloseable node;

        /** Of a node of another folder, of which the copy says nothing; null for others. Guarded by this. */
        private @Nullable AutoCloseable watch;
        /** Whether it may be missing, as far as the watch tells. */
        private volatile boolean unsure = true;

        private boolean closed;

        Announced(String nodePath, byte[] content) {
            this.nodePath = nodePath;
            this.content = content;
        }

        synchronized void renew() {
            if (closed) {
                return;
            }
            if (watch == null && !isOfTasks()) {
                watch = store.watch(nodePath, () -> unsure = true);
            }
            // Before it is read: what changes from now on is looked at next time.
            unsure = false;
            try {
                if (node == null || store.read(nodePath).isEmpty()) {
                    closeParts(node);
                    node = null;
                    node = store.announce(nodePath, content);
                }
            } catch (RuntimeException | Error e) {
                unsure = true;
                throw e;
            }
        }

        private boolean isOfTasks() {
            return nodePath.startsWith(path + "/");
        }

        void look(boolean anyhow) {
            if (isOfTasks() ? !isSeen() : unsure || anyhow) {
                renew();
            }
        }

        /** Whether the copy has it, one of a task, as it was announced. */
        private boolean isSeen() {
            String place = places.get(nodePath.substring(path.length() + 1));
            return place != null && place.equals(new String(content, StandardCharsets.UTF_8));
        }

        private void closeParts(@Nullable AutoCloseable... parts) {
            for (AutoCloseable part : parts) {
                if (part != null) {
                    try {
                        part.close();
                    } catch (Exception e) {
                        LOG.warn("[directory] {} could not be removed", nodePath, e);
                    }
                }
            }
        }

        @Override
        public synchronized void close() {
            closed = true;
            own.remove(this);
            closeParts(watch, node);
            watch = null;
            node = null;
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

    private void changed(Map<String, byte[]> present, Set<String> gone) {
        Map<String, String> fresh = new HashMap<>(places);
        fresh.keySet().removeAll(gone);
        present.forEach((address, place) -> fresh.put(address, new String(place, StandardCharsets.UTF_8)));
        places = Map.copyOf(fresh);
    }

    /**
     * What is there is known from watches; only a node that may be missing is read. Others now and then, to be sure.
     */
    private void look() {
        boolean anyhow = ++looks % LOOKS_A_READ == 0;
        try {
            own.forEach(announced -> announced.look(anyhow));
        } catch (RuntimeException e) {
            LOG.warn("[directory] the catalog could not be read; trying again", e);
        }
    }

    @Override
    public void close() {
        looking.cancel(false);
        follower.close();
    }
}
