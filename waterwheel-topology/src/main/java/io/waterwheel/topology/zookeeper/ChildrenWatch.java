package io.waterwheel.topology.zookeeper;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.watch.PersistentWatcher;
import org.apache.zookeeper.WatchedEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A persistent watch on a node and what is below it, that tells which child changed. What changed while there was no
 * connection is told of by no event: after each registration an empty name says so.
 */
final class ChildrenWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChildrenWatch.class);

    private final String path;
    private final Consumer<String> onChange;
    private final Executor executor;
    private final PersistentWatcher watcher;
    private volatile boolean closed;

    ChildrenWatch(CuratorFramework curator, String path, Consumer<String> onChange, Executor executor) {
        this.path = path;
        this.onChange = onChange;
        this.executor = executor;
        this.watcher = new PersistentWatcher(curator, path, true);
    }

    void start() {
        watcher.getListenable().addListener(this::event);
        watcher.getResetListenable().addListener(() -> changed(""));
        watcher.start();
    }

    private void event(WatchedEvent event) {
        String changed = event.getPath();
        if (changed != null && changed.startsWith(path + "/")) {
            int end = changed.indexOf('/', path.length() + 1);
            changed(changed.substring(path.length() + 1, end < 0 ? changed.length() : end));
        }
    }

    private void changed(String name) {
        try {
            executor.execute(() -> call(name));
        } catch (RejectedExecutionException e) {
            LOG.debug("watch below {}: the store is closed", path);
        }
    }

    private void call(String name) {
        if (closed) {
            return;
        }
        try {
            onChange.accept(name);
        } catch (RuntimeException e) {
            LOG.error("watch below {}: the callback failed; it is called again at the next change", path, e);
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
