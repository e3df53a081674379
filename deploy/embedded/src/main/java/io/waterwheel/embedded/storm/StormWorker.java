package io.waterwheel.embedded.storm;

import io.waterwheel.topology.Tasks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.storm.Config;
import org.apache.storm.StormTimer.StormTimerTask;
import org.apache.storm.cluster.ClusterUtils;
import org.apache.storm.daemon.StormCommon;
import org.apache.storm.daemon.worker.Worker;
import org.apache.storm.generated.Assignment;
import org.apache.storm.generated.InvalidTopologyException;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.generated.StormBase;
import org.apache.storm.generated.StormTopology;
import org.apache.storm.generated.Supervisor;
import org.apache.storm.generated.SupervisorAssignments;
import org.apache.storm.generated.SupervisorWorkerHeartbeat;
import org.apache.storm.generated.TopologyStatus;
import org.apache.storm.messaging.local.Context;
import org.apache.storm.shade.net.minidev.json.JSONValue;
import org.apache.storm.utils.ConfigUtils;
import org.apache.storm.utils.SupervisorIfaceFactory;
import org.apache.storm.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One life of a worker of Storm that has a topology all for itself. Storm ends the process when an executor or a timer
 * of a worker fails; here only the worker is dead then, and {@link #death} says so.
 *
 * <p>What Storm's threads do when they fail is theirs to say, by Storm's public classes, but only once there are
 * threads: the topology is inactive until all are told, and before it is active no task of it does anything.
 */
final class StormWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StormWorker.class);
    /** Of threads that have been told to end; what has not ended by then is left behind. */
    private static final long STOP_SECONDS = 60;
    /** Of threads that have been interrupted after that. */
    private static final long THREADS_SECONDS = 10;

    private static final int PORT = 1024;
    private static final String NODE = "embedded";
    private static final AtomicLong LIVES = new AtomicLong();

    private final String id;
    private final Path folder;
    private final ThreadGroup group;
    private final Worker worker;
    /** That must live while the worker does. */
    private List<Thread> threads = List.of();

    private volatile @Nullable String death;
    private volatile boolean closing;

    private StormWorker(String id, Path folder, Worker worker) {
        this.id = id;
        this.folder = folder;
        this.group = new ThreadGroup(id);
        this.worker = worker;
    }

    /**
     * Starts a worker; its tasks come up on their own threads, a moment later.
     *
     * @param folder for what Storm keeps in files; made, and removed again by {@link #close}
     * @param storm Storm's configuration
     * @param conf the topology's, on top of it
     */
    static StormWorker start(
            Path folder, Map<String, Object> storm, String name, Map<String, Object> conf, StormTopology topology)
            throws IOException, InterruptedException {
        // An id of its own: what an earlier life left open must not be taken for this one's.
        String id = name + "-" + LIVES.incrementAndGet() + "-" + Long.toHexString(System.nanoTime());
        Map<String, Object> daemon = new HashMap<>(storm);
        daemon.put(Config.STORM_LOCAL_DIR, folder.toAbsolutePath().toString());
        StormState state = StormStateFactory.of(daemon, "/" + id);
        Map<String, Object> own = new HashMap<>(conf);
        own.put(Config.TOPOLOGY_NAME, name);
        own.put(Config.STORM_ID, id);
        StormWorker started = null;
        try {
            StormTopology made = Utils.addVersions(withTasks(topology));
            Map<String, Object> all = new HashMap<>(daemon);
            all.putAll(own);
            Assignment assignment = assignment(folder, made, all);
            Path code = Files.createDirectories(Path.of(ConfigUtils.supervisorStormDistRoot(daemon, id)));
            Files.write(Path.of(ConfigUtils.supervisorStormCodePath(code.toString())), Utils.serialize(made));
            Files.write(Path.of(ConfigUtils.supervisorStormConfPath(code.toString())), Utils.toCompressedJsonConf(own));
            activate(state, id, name, TopologyStatus.INACTIVE);
            Context context = new Context();
            context.prepare(daemon);
            started = new StormWorker(
                    id, folder, new Worker(daemon, context, id, NODE, 0, PORT, id, () -> supervisor(assignment)));
            started.launch();
            activate(state, id, name, TopologyStatus.ACTIVE);
            return started;
        } catch (IOException | InterruptedException | RuntimeException | InvalidTopologyException | Error e) {
            if (started == null) {
                StormStateFactory.forget("/" + id);
                delete(folder);
            } else {
                started.close();
            }
            if (e instanceof InterruptedException interrupted) {
                throw interrupted;
            }
            if (e instanceof Error error) {
                throw error;
            }
            throw e instanceof IOException known ? known : new IOException("the worker did not start: " + e, e);
        }
    }

    /** As many tasks of each component as it has executors; Nimbus would write that down. */
    private static StormTopology withTasks(StormTopology topology) throws InvalidTopologyException {
        StormTopology made = topology.deepCopy();
        for (Object component : StormCommon.allComponents(made).values()) {
            Map<String, Object> conf = StormCommon.componentConf(component);
            conf.put(Config.TOPOLOGY_TASKS, StormCommon.numStartExecutors(component));
            StormCommon.getComponentCommon(component).set_json_conf(JSONValue.toJSONString(conf));
        }
        return made;
    }

    /** Every task is here, with an executor of its own. */
    private static Assignment assignment(Path folder, StormTopology topology, Map<String, Object> conf)
            throws InvalidTopologyException {
        NodeInfo here = new NodeInfo(NODE, Set.of((long) PORT));
        Map<List<Long>, NodeInfo> executors = new HashMap<>();
        for (long task : StormCommon.stormTaskInfo(topology, conf).keySet()) {
            executors.put(List.of(task, task), here);
        }
        Assignment assignment = new Assignment(folder.toString());
        assignment.set_executor_node_port(executors);
        assignment.set_node_host(Map.of(NODE, "127.0.0.1"));
        return assignment;
    }

    private static SupervisorIfaceFactory supervisor(Assignment assignment) {
        Supervisor.Iface supervisor = new Supervisor.Iface() {
            @Override
            public void sendSupervisorAssignments(SupervisorAssignments assignments) {
                throw new UnsupportedOperationException("there is one assignment");
            }

            @Override
            public Assignment getLocalAssignmentForStorm(String topology) {
                return assignment;
            }

            @Override
            public void sendSupervisorWorkerHeartbeat(SupervisorWorkerHeartbeat heartbeat) {}
        };
        return () -> supervisor;
    }

    private static void activate(StormState state, String id, String name, TopologyStatus status) {
        StormBase base = new StormBase(name, status, 1);
        base.set_component_debug(new HashMap<>());
        state.set_data(ClusterUtils.stormPath(id), Utils.serialize(base), List.of());
    }

    /** In a thread group of its own: that is how its threads are found. */
    private void launch() throws IOException, InterruptedException {
        FutureTask<Void> starting = new FutureTask<>(() -> {
            worker.start();
            return null;
        });
        new Thread(group, starting, id + "-start").start();
        try {
            starting.get();
        } catch (ExecutionException e) {
            throw new IOException("Storm's worker did not start: " + e.getCause(), e.getCause());
        } finally {
            takeOver();
        }
    }

    private void takeOver() {
        List<Thread> found = new ArrayList<>();
        for (Thread thread : all()) {
            if (thread instanceof StormTimerTask timer) {
                timer.setOnKillFunc((dead, failure) -> died(dead, failure));
                found.add(thread);
            } else if (thread instanceof Utils.SmartThread) {
                thread.setUncaughtExceptionHandler(this::died);
                found.add(thread);
            }
        }
        threads = found;
    }

    private List<Thread> all() {
        Thread[] found = new Thread[64];
        int count = group.enumerate(found);
        while (count == found.length) {
            found = new Thread[found.length * 2];
            count = group.enumerate(found);
        }
        return Arrays.asList(found).subList(0, count);
    }

    private void died(Thread thread, Throwable failure) {
        if (closing) {
            LOG.debug("{} ended while its worker did", thread.getName(), failure);
            return;
        }
        LOG.error("{} of worker {} failed", thread.getName(), id, failure);
        if (death == null) {
            death = thread.getName() + " failed: " + failure;
        }
    }

    /** Why this worker does not do its work any longer; null while it does. */
    @Nullable
    String death() {
        for (Thread thread : threads) {
            if (death == null && !thread.isAlive()) {
                // An interrupt ends Storm's threads without a word.
                death = thread.getName() + " ended";
            }
        }
        return death;
    }

    /** Ends it, its tasks in order; takes a moment. What does not end is logged and left behind. */
    @Override
    public void close() {
        closing = true;
        FutureTask<Void> stopping = new FutureTask<>(() -> {
            worker.shutdown();
            return null;
        });
        Thread stopper = new Thread(stopping, id + "-stop");
        stopper.setDaemon(true);
        stopper.start();
        try {
            stopping.get(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            LOG.warn("worker {} did not end in order", id, e.getCause());
        } catch (TimeoutException e) {
            LOG.warn("worker {} has not ended in {} s, and is left behind", id, STOP_SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<Thread> left = new ArrayList<>();
        for (Thread thread : all()) {
            if (thread instanceof StormTimerTask timer) {
                timer.setActive(false);
                timer.interrupt();
                left.add(thread);
            } else if (thread instanceof Utils.SmartThread) {
                thread.interrupt();
                left.add(thread);
            }
        }
        awaitEnd(left);
        new Tasks().end(id);
        StormStateFactory.forget("/" + id);
        delete(folder);
    }

    /** Storm does not wait for its threads: one may still be preparing a task, and open what would never be closed. */
    private static void awaitEnd(List<Thread> threads) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(THREADS_SECONDS);
        try {
            for (Thread thread : threads) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left > 0) {
                    thread.join(left);
                }
                if (thread.isAlive()) {
                    LOG.warn("{} has not ended in {} s, and is left behind", thread.getName(), THREADS_SECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | java.io.UncheckedIOException e) {
            LOG.warn("what Storm kept in {} could not be removed", folder, e);
        }
    }
}
