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
    private static final long LOOK_SECONDS = 2;

    private final CatalogStore store;
    private final String path;
    private final ChildrenFollower follower;
    private final ScheduledFuture<?> looking;
    private final Set<Announced> own = ConcurrentHashMap.newKeySet();
    private volatile Map<String, String> places = Map.of();

    TaskDirectory(CatalogStore store, String topology, ScheduledExecutorService executor) {
        this.store = store;
        this.path = "/live/" + topology;
        store.ensure(path);
        this.follower = new ChildrenFollower(store, path, executor, this::changed);
        this.looking = executor.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
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

        /** Whether the copy has it as it was announced. */
        boolean isSeen() {
            String place = nodePath.startsWith(path + "/") ? places.get(nodePath.substring(path.length() + 1)) : null;
            return place != null && place.equals(new String(content, StandardCharsets.UTF_8));
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

    private void changed(Map<String, byte[]> present, Set<String> gone) {
        Map<String, String> fresh = new HashMap<>(places);
        fresh.keySet().removeAll(gone);
        present.forEach((address, place) -> fresh.put(address, new String(place, StandardCharsets.UTF_8)));
        places = Map.copyOf(fresh);
    }

    /** What is there is known from the watch; only a node of another folder, or one that is missing, is read. */
    private void look() {
        try {
            own.forEach(announced -> {
                if (!announced.isSeen()) {
                    announced.renew();
                }
            });
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
