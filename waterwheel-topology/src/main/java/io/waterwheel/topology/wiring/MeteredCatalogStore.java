package io.waterwheel.topology.wiring;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.metrics.CatalogMetrics;
import io.waterwheel.metrics.Counter;
import io.waterwheel.metrics.Histogram;
import io.waterwheel.metrics.Metrics;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A catalog's store whose calls are timed. Thread-safe. */
final class MeteredCatalogStore implements CatalogStore {
    /** What is known of one kind of call. */
    private static final class Calls {
        private final Histogram seconds;
        private final Counter failures;

        Calls(Metrics metrics, String operation) {
            this.seconds = metrics.histogram(CatalogMetrics.CALLS, operation);
            this.failures = metrics.counter(CatalogMetrics.FAILURES, operation);
        }

        <T> T time(Supplier<T> call) {
            long begin = System.nanoTime();
            try {
                T result = call.get();
                seconds.since(begin);
                return result;
            } catch (RuntimeException e) {
                failures.increment();
                throw e;
            }
        }

        void time(Runnable call) {
            boolean unused = time(() -> {
                call.run();
                return true;
            });
        }
    }

    private final CatalogStore store;
    private final Calls reads;
    private final Calls children;
    private final Calls ensures;
    private final Calls commits;
    private final Calls syncs;
    private final Counter conflicts;

    MeteredCatalogStore(CatalogStore store, Metrics metrics) {
        this.store = store;
        this.reads = new Calls(metrics, "read");
        this.children = new Calls(metrics, "children");
        this.ensures = new Calls(metrics, "ensure");
        this.commits = new Calls(metrics, "commit");
        this.syncs = new Calls(metrics, "sync");
        this.conflicts = metrics.counter(CatalogMetrics.CONFLICTS);
        AutoCloseable lasting = metrics.gauge(CatalogMetrics.CONNECTED, () -> store.isConnected() ? 1 : 0);
        assert lasting != null; // as long as the registry
    }

    @Override
    public Optional<Node> read(String path) {
        return reads.time(() -> store.read(path));
    }

    @Override
    public List<Optional<Node>> readAll(List<String> paths) {
        return reads.time(() -> store.readAll(paths));
    }

    @Override
    public List<String> children(String path) {
        return children.time(() -> store.children(path));
    }

    @Override
    public void ensure(String path) {
        ensures.time(() -> store.ensure(path));
    }

    @Override
    public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
        long begin = System.nanoTime();
        try {
            store.commit(ops);
            commits.seconds.since(begin);
        } catch (ConflictException e) {
            commits.seconds.since(begin);
            conflicts.increment();
            throw e;
        } catch (UnknownOutcomeException | RuntimeException e) {
            commits.failures.increment();
            throw e;
        }
    }

    @Override
    public void pause(int tries) {
        store.pause(tries);
    }

    @Override
    public boolean isConnected() {
        return store.isConnected();
    }

    @Override
    public void sync() {
        syncs.time(store::sync);
    }

    @Override
    public AutoCloseable watch(String path, Runnable onChange) {
        return store.watch(path, onChange);
    }

    @Override
    public AutoCloseable watchChildren(String path, Consumer<String> onChange) {
        return store.watchChildren(path, onChange);
    }

    @Override
    public AutoCloseable announce(String path, byte[] data) {
        return store.announce(path, data);
    }

    @Override
    public void close() {
        store.close();
    }
}
