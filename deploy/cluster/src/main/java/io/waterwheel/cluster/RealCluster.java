package io.waterwheel.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.storm.generated.ExecutorSummary;
import org.apache.storm.generated.TopologySummary;

/**
 * A whole cluster of real daemons on this machine. Started with everything up, closed with everything gone; in between
 * any process of it can be killed and started again. Calls block. Owner: one thread at a time.
 *
 * <pre>{@code
 * try (RealCluster cluster = RealCluster.start(ClusterSettings.of(Path.of("target/dist"), folder))) {
 *     cluster.submit(jar, "some.Topology", List.of("key=value"));
 *     cluster.killWorker(cluster.workers().get(0));
 *     cluster.daemon("datanode-1").kill();
 *     cluster.restart("datanode-1");
 * }
 * }</pre>
 */
public final class RealCluster implements AutoCloseable {
    public static final String ZOOKEEPER = ClusterLayout.ZOOKEEPER;
    public static final String KAFKA = ClusterLayout.KAFKA;
    public static final String NAMENODE = ClusterLayout.NAMENODE;
    public static final String NIMBUS = ClusterLayout.NIMBUS;

    private static final int TAIL_BYTES = 8_000;
    /** Tests show what is unusual: a daemon that ended at each start and was started again would not be seen else. */
    private static final Daemons.Progress NOTICES = new Daemons.Progress() {
        @Override
        public void done(String daemon, String what, long millis) {}

        @Override
        public void notice(String text) {
            System.err.println("cluster: " + text);
        }
    };

    /**
     * A worker process.
     *
     * @param pid its process
     * @param topologyId Storm's id of the topology
     * @param port the slot it occupies
     * @param pair number of its Supervisor and DataNode, from 1
     */
    public record Worker(long pid, String topologyId, int port, int pair) {}

    private final ClusterLayout layout;
    private final ClusterFiles files;
    private final Reaper reaper;
    private final Daemons daemons;

    private RealCluster(ClusterLayout layout, ClusterFiles files, ClusterSettings settings) throws IOException {
        this.layout = layout;
        this.files = files;
        this.reaper = Reaper.start(files.folder, files.mark());
        this.daemons = new Daemons(layout, files, false, settings.places(), Daemons.Answers.LATE);
    }

    /** Name of a DataNode, counted from 1. */
    public static String dataNode(int pair) {
        return ClusterLayout.dataNode(pair);
    }

    /** Name of a Supervisor, counted from 1. */
    public static String supervisor(int pair) {
        return ClusterLayout.supervisor(pair);
    }

    /**
     * Starts all daemons and waits until they are ready. The folder is emptied first; logs stay in it afterwards.
     *
     * @throws IOException when one does not come up, with the end of its log; nothing is left running then
     */
    public static RealCluster start(ClusterSettings settings) throws IOException, InterruptedException {
        Assembly.check(settings.dist());
        Folders.delete(settings.folder());
        ClusterLayout layout = ClusterLayout.of(settings);
        ClusterFiles files = new ClusterFiles(settings.folder(), layout, settings.jvm());
        files.write(settings);
        RealCluster cluster = new RealCluster(layout, files, settings);
        try {
            cluster.daemons.startMissing(NOTICES);
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** {@code HOST:PORT} of ZooKeeper. */
    public String zooKeeper() {
        return layout.address(ZOOKEEPER).toString();
    }

    /** {@code HOST:PORT} of the Kafka broker. */
    public String kafka() {
        return layout.address(KAFKA).toString();
    }

    /** {@code hdfs://HOST:PORT}. */
    public String hdfs() {
        return "hdfs://" + layout.address(NAMENODE);
    }

    /** Number of DataNodes, and of Supervisors. */
    public int pairs() {
        return layout.pairs();
    }

    /** The host of a DataNode and of the Supervisor beside it, as HDFS and Storm call it; counted from 1. */
    public String host(int pair) {
        return layout.address(dataNode(pair)).host();
    }

    /** A ready {@code waterwheel.yaml} for a topology on this cluster, a task of each kind for each pair. */
    public Path configuration() {
        return files.waterwheelYaml();
    }

    /** A daemon by its name, {@code zookeeper} or {@code datanode-2} for instance. */
    public Daemon daemon(String name) {
        return daemons.get(name);
    }

    /** Starts a daemon that was killed, on its old data and ports, and waits until it is ready. */
    public void restart(String name) throws IOException, InterruptedException {
        daemons.start(List.of(daemon(name)), NOTICES);
    }

    /**
     * Starts Supervisors that have ended by themselves, as the init system of a real machine does: Storm's daemons end
     * when their ZooKeeper session is lost, and count on that. One that was killed on purpose stays away.
     *
     * @return their names; they are ready some seconds later
     */
    public List<String> restartEndedSupervisors() throws IOException {
        List<String> started = new ArrayList<>();
        for (int pair = 1; pair <= pairs(); pair++) {
            Daemon supervisor = daemon(supervisor(pair));
            if (supervisor.endedByItself()) {
                supervisor.start();
                started.add(supervisor.name());
            }
        }
        return started;
    }

    /**
     * Submits a topology by {@code storm jar}: the main class runs with the jar and Storm's worker libraries on its
     * class path, and DuckDB's jar goes to the workers with it.
     *
     * @param arguments the main class's
     * @throws IOException when the main class fails, with what it printed
     */
    public void submit(Path jar, String mainClass, List<String> arguments) throws IOException, InterruptedException {
        run("submit", daemons.commands().submit(jar.toAbsolutePath(), mainClass, arguments));
    }

    private void run(String name, List<String> command) throws IOException, InterruptedException {
        daemons.runs().start(name, command).await(Daemons.PATIENCE);
    }

    /** The topologies that Nimbus has. */
    public List<TopologySummary> topologies() throws Exception {
        return daemons.storm().topologies();
    }

    /** Where a topology's executors run, as Nimbus last heard. */
    public List<ExecutorSummary> executors(String topologyId) throws Exception {
        return daemons.storm().executors(topologyId);
    }

    /** Asks Nimbus to kill a topology at once; its workers end some seconds later. */
    public void killTopology(String name) throws Exception {
        daemons.storm().kill(name);
    }

    /** The worker processes that run now, by slot. */
    public List<Worker> workers() throws IOException {
        return daemons.workers().running();
    }

    /** Ends a worker as a crash would: {@code kill -9}. The Supervisor starts another. */
    public void killWorker(Worker worker) {
        ProcessHandle.of(worker.pid()).ifPresent(ProcessHandle::destroyForcibly);
    }

    /** Stops a worker where it is, its connections open, as a machine that hangs: {@code kill -STOP}. */
    public void pauseWorker(Worker worker) throws InterruptedException {
        Processes.signal(worker.pid(), "STOP");
    }

    /** Lets a paused worker go on, as the zombie that it may have become; nothing happens when it is gone. */
    public void resumeWorker(Worker worker) throws InterruptedException {
        Processes.signal(worker.pid(), "CONT");
    }

    /** Sizes of the files below a folder of HDFS, by path. */
    public Map<String, Long> hdfsFiles(String folder) throws IOException, InterruptedException {
        Files.deleteIfExists(files.log("hdfs-ls"));
        run("hdfs-ls", daemons.commands().list(folder));
        Map<String, Long> found = new LinkedHashMap<>();
        for (String line : Files.readAllLines(files.log("hdfs-ls"))) {
            // -rw-r--r--   1 owner group SIZE DATE TIME PATH
            String[] columns = line.split("\\s+", 8);
            if (line.startsWith("-") && columns.length == 8) {
                found.put(columns[7], Long.parseLong(columns[4]));
            }
        }
        return found;
    }

    /** The folder with the logs: one file a daemon, the workers' below {@code storm-N/logs/workers-artifacts}. */
    public Path folder() {
        return files.folder;
    }

    /** The ends of all logs, workers' included: what one wants to see when a test has failed. */
    public String tails() {
        StringBuilder text = new StringBuilder();
        try {
            Folders.files(files.folder).stream()
                    .filter(file -> file.toString().endsWith(".log") || file.endsWith("worker.log.err"))
                    .forEach(file -> text.append("=== ")
                            .append(file)
                            .append('\n')
                            .append(Daemon.tail(file, TAIL_BYTES))
                            .append('\n'));
        } catch (IOException e) {
            text.append("the logs cannot be read: ").append(e);
        }
        return text.toString();
    }

    /** Ends every process of the cluster; its data is removed, its logs stay. */
    @Override
    public void close() {
        try {
            daemons.stopAll(Daemons.Progress.SILENT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException("the cluster in " + files.folder + " could not be ended", e);
        } finally {
            reaper.close();
            Folders.deleteQuietly(files.data);
        }
    }
}
