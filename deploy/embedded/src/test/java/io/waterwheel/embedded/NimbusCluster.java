package io.waterwheel.embedded;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.storm.Config;
import org.apache.storm.DaemonConfig;
import org.apache.storm.LocalCluster;
import org.apache.storm.metricstore.NoOpMetricStore;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

/**
 * A whole Storm cluster in a process of its own, with a Nimbus that is asked over Thrift, as a real one is. Storm ends
 * its process where an event of it or a task fails: here that is not the test's. It keeps nothing: each start takes a
 * new root in ZooKeeper, because on the old one a killed Nimbus counts as the leader until its session ends, and
 * removes the roots of former starts.
 */
final class NimbusCluster implements AutoCloseable {
    private static final String ROOTS = "storm-embedded-";
    private static final String READY = "READY";
    private static final int SESSION_MILLIS = 10_000;
    /**
     * Storm gives up its work, or its process, when ZooKeeper stays away or forgets it: so its sessions outlast any
     * pause of that. Nobody waits for their end: each start has a root of its own.
     */
    private static final int DAEMON_SESSION_MILLIS = 300_000;

    private static final int LISTENER_SECONDS = 240;
    private static final int SILENCE_SECONDS = 24 * 60 * 60;

    private final CommandProcess process;

    private NimbusCluster(CommandProcess process) {
        this.process = process;
    }

    /**
     * Starts and returns when topologies can be submitted.
     *
     * @param folder for what it writes
     * @param zooKeeper host:port of one server
     * @param workers slots for workers; all run in the process
     * @param nimbusPort on which Nimbus listens
     */
    static NimbusCluster start(Path folder, String zooKeeper, int workers, int nimbusPort) throws Exception {
        CommandProcess process = LocalStorm.start(
                folder, NimbusCluster.class, zooKeeper, Integer.toString(workers), Integer.toString(nimbusPort));
        try {
            if (process.line(READY, LocalStorm.PATIENCE).isEmpty()) {
                throw new IOException("Storm on ZooKeeper at " + zooKeeper
                        + " did not start; its standard error ends:\n" + process.errEnd());
            }
            return new NimbusCluster(process);
        } catch (Throwable e) {
            // Killed in any case; who was interrupted does not wait for its end.
            try {
                process.close();
            } catch (InterruptedException interrupted) {
                e.addSuppressed(interrupted);
            }
            throw e;
        }
    }

    /** What runs in the process: ZooKeeper's host:port, slots for workers, Nimbus's port. */
    public static void main(String[] args) throws Exception {
        LocalStorm.serve(() -> serve(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2])));
    }

    @SuppressWarnings({"SystemOut", "resource"}) // the parent reads it; the process ends by being killed
    private static void serve(String zooKeeper, int slots, int nimbusPort) throws Exception {
        int colon = zooKeeper.lastIndexOf(':');
        Map<String, Object> conf = new HashMap<>();
        conf.put(Config.STORM_ZOOKEEPER_SERVERS, List.of(zooKeeper.substring(0, colon)));
        conf.put(Config.STORM_ZOOKEEPER_PORT, Integer.parseInt(zooKeeper.substring(colon + 1)));
        conf.put(Config.STORM_ZOOKEEPER_ROOT, newRoot(zooKeeper));
        conf.put(Config.STORM_ZOOKEEPER_SESSION_TIMEOUT, DAEMON_SESSION_MILLIS);
        conf.put(Config.STORM_LOCAL_HOSTNAME, "127.0.0.1");
        // Its one worker lives and dies with it: to move it elsewhere after a silence (ZooKeeper was away, the process
        // stood still) would only interrupt it.
        conf.put(DaemonConfig.NIMBUS_TASK_TIMEOUT_SECS, SILENCE_SECONDS);
        conf.put(DaemonConfig.NIMBUS_TASK_LAUNCH_SECS, SILENCE_SECONDS);
        conf.put(DaemonConfig.NIMBUS_SUPERVISOR_TIMEOUT_SECS, SILENCE_SECONDS);
        conf.put(Config.SUPERVISOR_WORKER_TIMEOUT_SECS, SILENCE_SECONDS);
        conf.put(DaemonConfig.SUPERVISOR_WORKER_START_TIMEOUT_SECS, SILENCE_SECONDS);
        conf.put(DaemonConfig.STORM_METRIC_STORE_CLASS, NoOpMetricStore.class.getName());
        conf.put(Config.TOPOLOGY_FALL_BACK_ON_JAVA_SERIALIZATION, false);
        // LocalCluster would switch them off, and a lost tuple would never be told of.
        conf.put(Config.TOPOLOGY_ENABLE_MESSAGE_TIMEOUTS, true);
        conf.put(Config.TOPOLOGY_ACKER_EXECUTORS, 0);
        conf.put(Config.NIMBUS_THRIFT_PORT, nimbusPort);
        conf.put(Config.NIMBUS_SEEDS, List.of("127.0.0.1"));
        LocalStorm.cluster(new LocalCluster.Builder().withNimbusDaemon(true).withDaemonConf(conf), slots);
        // Nimbus begins to listen on a thread of its own, some time after the cluster is there.
        Waiting.until("Nimbus listens", Duration.ofSeconds(LISTENER_SECONDS), () -> listens(nimbusPort));
        System.out.println(READY);
    }

    private static boolean listens(int port) {
        try {
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static String newRoot(String zooKeeper) throws IOException, InterruptedException, KeeperException {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(zooKeeper, SESSION_MILLIS, (WatchedEvent event) -> connected.countDown());
        try {
            if (!connected.await(4, TimeUnit.MINUTES)) {
                throw new IOException("no ZooKeeper server answers at " + zooKeeper);
            }
            for (String name : client.getChildren("/", false)) {
                if (name.startsWith(ROOTS)) {
                    ZKUtil.deleteRecursive(client, "/" + name);
                }
            }
            return "/" + ROOTS + Long.toHexString(client.getSessionId());
        } finally {
            client.close();
        }
    }

    /** The end of what it wrote to standard error. */
    String err() throws IOException {
        return process.errEnd();
    }

    /** Kills it: to stop in order, Storm waits for its timers. */
    @Override
    public void close() throws InterruptedException {
        process.close();
    }
}
