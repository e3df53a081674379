package io.waterwheel.topology.zookeeper;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.watch.PersistentWatcher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A persistent watch on one node. Calls back after each event and after each registration, the first one and those that
 * follow a reconnection: what changed while there was no connection is told of by no event.
 */
final class Watch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);

    private final String path;
    private final Runnable onChange;
    private final Executor executor;
    private final PersistentWatcher watcher;
    private final AtomicBoolean pending = new AtomicBoolean();
    private volatile boolean closed;

    Watch(CuratorFramework curator, String path, Runnable onChange, Executor executor) {
        this.path = path;
        this.onChange = onChange;
        this.executor = executor;
        this.watcher = new PersistentWatcher(curator, path, false);
    }

    void start() {
        watcher.getListenable().addListener(event -> changed());
        watcher.getResetListenable().addListener(this::changed);
        watcher.start();
    }

    /** Several events become one call as long as it has not begun. */
    private void changed() {
        if (!closed && pending.compareAndSet(false, true)) {
            try {
                executor.execute(this::call);
            } catch (RejectedExecutionException e) {
                LOG.debug("watch of {}: the store is closed", path);
            }
        }
    }

    private void call() {
        pending.set(false);
        if (closed) {
            return;
        }
        try {
            onChange.run();
        } catch (RuntimeException e) {
            LOG.error("watch of {}: the callback failed; it is called again at the next change", path, e);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            watcher.close();
        }
    }
}
