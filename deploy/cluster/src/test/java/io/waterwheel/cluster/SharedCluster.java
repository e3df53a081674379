package io.waterwheel.cluster;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.WaterwheelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Three DataNodes, three Supervisors and the topology on them, for every test that has a {@link Running} among its
 * parameters: the first of a run starts it, the end of the run ends it. A test leaves it as it found it, with a stream
 * more.
 */
final class SharedCluster implements ParameterResolver {
    /** ZooKeeper's session of the topology's processes. */
    static final int SESSION_MILLIS = 6_000;

    private static final Duration PATIENCE = Duration.ofMinutes(10);
    /** For all until the topology answers: the patience of all steps would be an hour. */
    private static final Duration START_PATIENCE = Duration.ofMinutes(40);

    private static final int COORDINATORS = 2;
    private static final int PAIRS = 3;
    private static final int FIRST_NUMBER = 10;
    private static final List<String> TOPOLOGY = List.of(
            "dispatcher.tasks=2",
            // Small trees, so that chunks are written while rows arrive.
            "indexer.seal-size=1 MiB",
            // Small chunks are merged while tests run.
            "maintenance.interval=2 s",
            "query.warm-up=0 s",
            "zookeeper.session-timeout=" + SESSION_MILLIS + " ms");
    /** Whether hosts are struck, and not only workers, DataNodes and daemons that are started again at once. */
    private static final boolean HOSTS_FAIL = Rounds.ALL
            || !LinkFault.PREFIX.isEmpty()
            || Integer.getInteger("kills", 0) > 0
            || System.getProperty("faults") != null;

    /**
     * Where hosts fail: Storm moves what was on a host that is away after a quarter of a minute, instead of a half; and
     * once a worker was launched a minute ago, instead of two: a test's topology is younger than that when its hosts
     * fail. Else nothing is moved, and no worker that starts is given up, for minutes: on a slow machine with
     * everything beside, what is only late would be started anew, which makes all the others later.
     */
    private static final Map<String, String> STORM = HOSTS_FAIL
            ? Map.of(
                    "nimbus.task.timeout.secs",
                    "15",
                    "nimbus.supervisor.timeout.secs",
                    "15",
                    "nimbus.task.launch.secs",
                    "60")
            : Map.of(
                    "nimbus.task.timeout.secs",
                    "120",
                    "nimbus.supervisor.timeout.secs",
                    "120",
                    "nimbus.task.launch.secs",
                    "400",
                    // Not longer: a Supervisor that was started again learns by silence alone that a worker of its
                    // predecessor has died.
                    "supervisor.worker.timeout.secs",
                    "60",
                    "supervisor.worker.start.timeout.secs",
                    "400");

    /** As test JVMs: what compilers have just written is not verified again by each of a dozen processes. */
    private static final List<String> JVM =
            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote");

    /** The cluster with its topology. */
    static final class Running implements AutoCloseable {
        private final RealCluster cluster;

        private Running(RealCluster cluster) {
            this.cluster = cluster;
        }

        RealCluster cluster() {
            return cluster;
        }

        /** Finds the coordinators in ZooKeeper, as they come and go. */
        WaterwheelClient client() {
            return WaterwheelClient.discover(cluster.zooKeeper(), "default");
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    /** The same for a test that may not want it. */
    interface Lazy {
        Running start();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Running.class || type == Lazy.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        ExtensionContext.Store store =
                context.getRoot().getStore(ExtensionContext.Namespace.create(SharedCluster.class));
        Lazy lazy = () -> store.getOrComputeIfAbsent(Running.class, key -> start(), Running.class);
        return parameter.getParameter().getType() == Lazy.class ? lazy : lazy.start();
    }

    /** Where daemons run below {@code deploy/cluster/netns}, which has the same order; on loopback else. */
    private static Map<String, ClusterSettings.Place> places() {
        Map<String, ClusterSettings.Place> places = new HashMap<>();
        if (LinkFault.PREFIX.isEmpty()) {
            return places;
        }
        int number = FIRST_NUMBER;
        for (String name :
                List.of(RealCluster.ZOOKEEPER, RealCluster.KAFKA, RealCluster.NAMENODE, RealCluster.NIMBUS)) {
            places.put(name, place(name, number++));
        }
        for (int pair = 1; pair <= PAIRS; pair++) {
            ClusterSettings.Place host = place("host-" + pair, number++);
            places.put(RealCluster.dataNode(pair), host);
            places.put(RealCluster.supervisor(pair), host);
        }
        return places;
    }

    private static ClusterSettings.Place place(String namespace, int number) {
        return new ClusterSettings.Place(
                System.getProperty("waterwheel.netns.net") + "." + number,
                List.of("ip", "netns", "exec", LinkFault.PREFIX + "-" + namespace));
    }

    private static Running start() {
        long begun = System.nanoTime();
        try {
            RealCluster cluster = RealCluster.start(ClusterSettings.ofThree(
                            Path.of("target/dist"),
                            Path.of("target/cluster-tests", LinkFault.PREFIX.isEmpty() ? "shared" : "netns"))
                    .withStorm(STORM)
                    .withJvm(JVM)
                    .withPlaces(places()));
            double up = (System.nanoTime() - begun) / 1e9;
            Running running = new Running(cluster);
            try {
                submit(running, begun + START_PATIENCE.toNanos());
            } catch (Exception | AssertionError e) {
                System.out.println(cluster.tails());
                cluster.close();
                throw e;
            }
            System.out.printf(
                    Locale.ROOT,
                    "cluster: all daemons up after %.1f s, the topology answers after %.1f s%n",
                    up,
                    (System.nanoTime() - begun) / 1e9);
            return running;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (Exception e) {
            throw new IllegalStateException("the cluster did not start: " + e.getMessage(), e);
        }
    }

    /** The least of one step's patience and of what is left of all. */
    private static Duration patience(long deadlineNanos) {
        long left = Math.max(0, deadlineNanos - System.nanoTime());
        return Duration.ofNanos(Math.min(left, PATIENCE.toNanos()));
    }

    private static void submit(Running running, long startDeadlineNanos) throws Exception {
        Path configuration = Files.writeString(
                running.cluster.folder().resolve("conf/waterwheel-of-tests.yaml"),
                Files.readString(running.cluster.configuration())
                        + "\nstorm:\n  topology.testing.always.try.serialize: true\n"
                        + "  topology.classpath.beginning: " + OldLibraries.jars() + "\n");
        List<String> arguments = new ArrayList<>(List.of("--config", configuration.toString()));
        arguments.addAll(TOPOLOGY);
        running.cluster.submit(
                Path.of("target/dist/waterwheel-topology-topology.jar"),
                "io.waterwheel.topology.WaterwheelTopology",
                arguments);
        try (Coordinators coordinators = new Coordinators(running.cluster.zooKeeper(), "/waterwheel/default")) {
            for (int c = 0; c < COORDINATORS; c++) {
                int coordinator = c;
                Waiting.until("coordinator " + c + " is announced", patience(startDeadlineNanos), () -> coordinators
                        .address(coordinator)
                        .isPresent());
            }
        }
        try (WaterwheelClient client = running.client()) {
            WaterwheelException last = null;
            long deadline = System.nanoTime() + patience(startDeadlineNanos).toNanos();
            while (System.nanoTime() - deadline < 0) {
                try {
                    var unused = client.listStreams();
                    return;
                } catch (WaterwheelException e) {
                    last = e;
                    LockSupport.parkNanos(50_000_000);
                }
            }
            throw new IllegalStateException("no coordinator answers", last);
        }
    }
}
