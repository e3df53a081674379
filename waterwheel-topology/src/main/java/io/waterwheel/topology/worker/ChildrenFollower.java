package io.waterwheel.topology.worker;

import io.waterwheel.catalog.store.CatalogStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the children of one node of the catalog and what they hold, and reads them when they change: while nothing
 * changes it costs the catalog one read in {@value #LOOK_SECONDS} s, however many there are.
 *
 * <p>Changes are noted by any thread; reading is done by the executor's, or at the beginning by the constructor's, one
 * at a time.
 */
public final class ChildrenFollower implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChildrenFollower.class);
    /** Watches tell of changes; this is for one that was lost, and for what could not be read. */
    static final long LOOK_SECONDS = 30;

    private static final long RETRY_MILLIS = 500;
    /** Read in one round trip. */
    private static final int BATCH = 500;

    /** Takes what is new. Calls come one at a time. */
    public interface Listener {
        /**
         * Some children changed, or may have.
         *
         * @param present what they hold, by name
         * @param gone names of those that are not there
         */
        void changed(Map<String, byte[]> present, Set<String> gone);
    }

    private final CatalogStore store;
    private final String path;
    private final ScheduledExecutorService executor;
    private final Listener listener;
    private final AutoCloseable watch;
    private final ScheduledFuture<?> looking;
    /** Guarded by itself. */
    private final Set<String> dirty = new HashSet<>();
    /** Guarded by {@link #dirty}. */
    private boolean all = true;
    /** Guarded by {@link #dirty}. */
    private boolean due;

    /** Names of those that are there. */
    private final Set<String> children = new HashSet<>();

    private volatile boolean closed;

    /**
     * Reads everything once, and from then on what changes.
     *
     * @param path of the parent, which is there
     * @param listener called before this returns, unless the catalog is away
     */
    public ChildrenFollower(CatalogStore store, String path, ScheduledExecutorService executor, Listener listener) {
        this.store = store;
        this.path = path;
        this.executor = executor;
        this.listener = listener;
        this.watch = store.watchChildren(path, this::note);
        refresh();
        this.looking = executor.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    /** @param name of a child; empty: it is not known what has changed */
    private void note(String name) {
        synchronized (dirty) {
            if (name.isEmpty()) {
                all = true;
            } else {
                dirty.add(name);
            }
            if (due || closed) {
                return;
            }
            due = true;
        }
        executor.execute(this::refresh);
    }

    private synchronized void refresh() {
        Set<String> changed;
        boolean whole;
        synchronized (dirty) {
            due = false;
            changed = new HashSet<>(dirty);
            dirty.clear();
            whole = all;
            all = false;
        }
        try {
            if (whole) {
                changed.addAll(store.children(path));
                changed.addAll(children);
            }
            if (!changed.isEmpty()) {
                read(new ArrayList<>(changed));
            }
        } catch (RuntimeException e) {
            LOG.warn("[catalog] what is below {} could not be read; trying again", path, e);
            synchronized (dirty) {
                dirty.addAll(changed);
                all |= whole;
                if (!due && !closed) {
                    due = true;
                    ScheduledFuture<?> unused = executor.schedule(this::refresh, RETRY_MILLIS, TimeUnit.MILLISECONDS);
                }
            }
        }
    }

    private void read(List<String> names) {
        Map<String, byte[]> present = new HashMap<>();
        Set<String> gone = new HashSet<>();
        for (int from = 0; from < names.size(); from += BATCH) {
            List<String> some = names.subList(from, Math.min(names.size(), from + BATCH));
            List<Optional<CatalogStore.Node>> nodes =
                    store.readAll(some.stream().map(name -> path + "/" + name).toList());
            for (int i = 0; i < some.size(); i++) {
                if (nodes.get(i).isPresent()) {
                    present.put(some.get(i), nodes.get(i).get().data());
                } else {
                    gone.add(some.get(i));
                }
            }
        }
        children.addAll(present.keySet());
        children.removeAll(gone);
        listener.changed(present, gone);
    }

    /** Compares the names. */
    private synchronized void look() {
        try {
            Set<String> names = Set.copyOf(store.children(path));
            for (String name : names) {
                if (!children.contains(name)) {
                    note(name);
                }
            }
            for (String name : children) {
                if (!names.contains(name)) {
                    note(name);
                }
            }
        } catch (RuntimeException e) {
            LOG.warn("[catalog] what is below {} could not be listed; trying again", path, e);
        }
    }

    @Override
    public void close() {
        closed = true;
        looking.cancel(false);
        try {
            watch.close();
        } catch (Exception e) {
            LOG.warn("[catalog] the watch of {} could not be closed", path, e);
        }
    }
}
