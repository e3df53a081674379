package io.waterwheel.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.storm.Config;
import org.apache.storm.DaemonConfig;
import org.apache.storm.LocalCluster;
import org.apache.storm.metricstore.NoOpMetricStore;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

/**
 * A whole Storm cluster in this process, with a Nimbus that is asked over Thrift, as a real one is. It keeps nothing:
 * each start takes a new root in ZooKeeper, because on the old one a killed Nimbus counts as the leader until its
 * session ends, and removes the roots of former starts.
 */
final class NimbusCluster implements AutoCloseable {
    private static final String ROOTS = "storm-embedded-";
    private static final int SESSION_MILLIS = 10_000;
    /**
     * Storm gives up its work, or its process, when ZooKeeper stays away or forgets it: so they share a process, and
     * its sessions outlast any pause of that. Nobody waits for their end: each start has a root of its own.
     */
    private static final int DAEMON_SESSION_MILLIS = 300_000;

    private static final int LISTENER_SECONDS = 60;
    private static final int SILENCE_SECONDS = 24 * 60 * 60;

    private final LocalCluster cluster;

    private NimbusCluster(LocalCluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Starts and returns when topologies can be submitted.
     *
     * @param zooKeeper host:port of one server
     * @param workers slots for workers; all run in this process
     * @param nimbusPort on which Nimbus listens
     */
    static NimbusCluster start(String zooKeeper, int workers, int nimbusPort) throws IOException {
        int colon = zooKeeper.lastIndexOf(':');
        String host = zooKeeper.substring(0, colon);
        int port = Integer.parseInt(zooKeeper.substring(colon + 1));
        try {
            String root = newRoot(zooKeeper);
            Map<String, Object> conf = new HashMap<>();
            conf.put(Config.STORM_ZOOKEEPER_SERVERS, List.of(host));
            conf.put(Config.STORM_ZOOKEEPER_PORT, port);
            conf.put(Config.STORM_ZOOKEEPER_ROOT, root);
            conf.put(Config.STORM_ZOOKEEPER_SESSION_TIMEOUT, DAEMON_SESSION_MILLIS);
            conf.put(Config.STORM_LOCAL_HOSTNAME, "127.0.0.1");
            // Its one worker lives and dies with it: to move it elsewhere after a silence (ZooKeeper was away, the
            // process
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
            LocalCluster cluster = new LocalCluster.Builder()
                    .withNimbusDaemon(true)
                    .withSupervisors(1)
                    .withPortsPerSupervisor(workers)
                    .withDaemonConf(conf)
                    .build();
            NimbusCluster started = new NimbusCluster(cluster);
            awaitListener(nimbusPort, started);
            return started;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Storm was starting", e);
        } catch (Exception e) {
            throw new IOException("Storm on ZooKeeper at " + zooKeeper + " did not start: " + e, e);
        }
    }

    /** Nimbus begins to listen on a thread of its own, some time after the cluster is there. */
    private static void awaitListener(int port, NimbusCluster storm) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LISTENER_SECONDS);
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return;
            } catch (IOException e) {
                if (Thread.interrupted()) {
                    storm.close();
                    throw new InterruptedException("while Nimbus began to listen");
                }
                if (System.nanoTime() - deadline >= 0) {
                    storm.close();
                    throw new IOException("Nimbus does not listen on port " + port + ": " + e.getMessage(), e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }

    private static String newRoot(String zooKeeper) throws IOException, InterruptedException, KeeperException {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(zooKeeper, SESSION_MILLIS, (WatchedEvent event) -> connected.countDown());
        try {
            if (!connected.await(1, TimeUnit.MINUTES)) {
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

    /** Takes some seconds: Storm waits for its timers. */
    @Override
    public void close() throws IOException {
        try {
            cluster.close();
        } catch (Exception e) {
            throw new IOException("Storm did not stop: " + e, e);
        }
    }
}
