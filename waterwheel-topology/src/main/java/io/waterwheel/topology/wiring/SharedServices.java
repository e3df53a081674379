package io.waterwheel.topology.wiring;

import io.waterwheel.metrics.Metrics;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.worker.ServicesFactory;
import io.waterwheel.topology.worker.WorkerServices;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Opens a worker's services at its first task and closes them at its last. Keyed by worker, because the one-process
 * server has several, one after another.
 */
public final class SharedServices implements ServicesFactory {
    private static final long serialVersionUID = 1;

    private static final class Shared {
        final WorkerRuntime runtime;
        int users;

        Shared(WorkerRuntime runtime) {
            this.runtime = runtime;
        }
    }

    /** By the worker's name, which is Storm's id of the topology on a cluster. Guarded by itself. */
    private static final Map<String, Shared> OPEN = new HashMap<>();

    /** Those of them that have started: to look at these waits for no start, which may take long. */
    private static final Map<String, WorkerRuntime> STARTED = new ConcurrentHashMap<>();

    /** Ids of the workers that ended last, a bounded number: what a task of one still opens would never be closed. */
    private static final Set<String> ENDED = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > 1000;
        }
    });

    @Override
    public WorkerServices open(String id, WaterwheelConfig config) {
        synchronized (OPEN) {
            if (ENDED.contains(id)) {
                throw new IllegalStateException("worker " + id + " has ended");
            }
            Shared shared = OPEN.get(id);
            if (shared == null) {
                shared = new Shared(new WorkerRuntime(config));
                OPEN.put(id, shared);
                STARTED.put(id, shared.runtime);
            }
            shared.users++;
            return handle(id, shared);
        }
    }

    /** The runtime with a close of its own, that counts once. */
    private static WorkerServices handle(String id, Shared shared) {
        AtomicBoolean closed = new AtomicBoolean();
        return (WorkerServices) Proxy.newProxyInstance(
                WorkerServices.class.getClassLoader(), new Class<?>[] {WorkerServices.class}, (proxy, method, args) -> {
                    if (method.getName().equals("close")) {
                        if (closed.compareAndSet(false, true)) {
                            release(id, shared);
                        }
                        return null;
                    }
                    try {
                        return method.invoke(shared.runtime, args);
                    } catch (java.lang.reflect.InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /**
     * What the workers of this process measure that serve the same streams by the same services; mostly one or none.
     */
    public static List<Metrics> metricsOf(WaterwheelConfig config) {
        synchronized (OPEN) {
            return OPEN.values().stream()
                    .map(shared -> shared.runtime)
                    .filter(runtime -> isOf(runtime.config(), config))
                    .map(WorkerRuntime::metrics)
                    .toList();
        }
    }

    /**
     * Where the coordinators of these workers are, once they have announced themselves. The catalog names those of a
     * process that was killed, too, until their session ends.
     */
    public static List<String> coordinatorsOf(WaterwheelConfig config) {
        return STARTED.values().stream()
                .filter(runtime -> isOf(runtime.config(), config))
                .flatMap(runtime -> runtime.directory().ownAt("/coordinators/").stream())
                .toList();
    }

    private static boolean isOf(WaterwheelConfig one, WaterwheelConfig other) {
        return one.catalogRoot().equals(other.catalogRoot())
                && one.get(Keys.ZOOKEEPER_CONNECT).equals(other.get(Keys.ZOOKEEPER_CONNECT))
                && one.get(Keys.TOPOLOGY_NAME).equals(other.get(Keys.TOPOLOGY_NAME));
    }

    /** For what a worker that is dead has left: a task that does not end in time keeps its services. */
    @Override
    public void closeLeft(String id) {
        Shared left;
        synchronized (OPEN) {
            ENDED.add(id);
            left = OPEN.remove(id);
            STARTED.remove(id);
        }
        if (left != null) {
            left.runtime.close();
        }
    }

    private static void release(String id, Shared shared) {
        boolean last;
        synchronized (OPEN) {
            shared.users--;
            // Not when it is closed already.
            last = shared.users == 0 && OPEN.remove(id, shared);
            if (last) {
                STARTED.remove(id);
            }
        }
        if (last) {
            shared.runtime.close();
        }
    }
}
