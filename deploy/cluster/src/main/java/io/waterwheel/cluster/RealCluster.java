package io.waterwheel.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
 *     cluster.daemon("datanode").kill();
 *     cluster.restart("datanode");
 * }
 * }</pre>
 */
public final class RealCluster implements AutoCloseable {
    public static final String ZOOKEEPER = "zookeeper";
    public static final String KAFKA = "kafka";
    public static final String NAMENODE = "namenode";
    public static final String DATANODE = "datanode";
    public static final String NIMBUS = "nimbus";
    public static final String SUPERVISOR = "supervisor";

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int TAIL_BYTES = 8_000;
    private static final int HTTP_MILLIS = 2_000;
    private static final long POLL_MILLIS = 50;

    /**
     * A worker process.
     *
     * @param pid its process
     * @param topologyId Storm's id of the topology
     * @param port the slot it occupies
     */
    public record Worker(long pid, String topologyId, int port) {}

    private final ClusterFiles files;
    private final Reaper reaper;
    private final Commands commands;
    private final Workers workers;
    private final StormClient storm;
    private final Map<String, Daemon> daemons = new LinkedHashMap<>();

    private RealCluster(ClusterSettings settings) throws IOException {
        this.files = new ClusterFiles(settings);
        this.reaper = Reaper.start(settings.folder());
        this.commands = new Commands(settings, files);
        this.workers = new Workers(files);
        this.storm = new StormClient(files.nimbus);
    }

    /**
     * Starts all daemons and waits until they are ready. The folder is emptied first; logs stay in it afterwards.
     *
     * @throws IOException when one does not come up, with the end of its log; nothing is left running then
     */
    public static RealCluster start(ClusterSettings settings) throws IOException, InterruptedException {
        for (String part : List.of("zookeeper", "kafka", "hdfs", "storm-daemon", "storm-worker")) {
            if (!Files.isDirectory(settings.dist().resolve(part).resolve("lib"))) {
                throw new IOException(
                        "there is no " + settings.dist().resolve(part).resolve("lib")
                                + "; build it: mvn -pl deploy/cluster -am -DskipTests package");
            }
        }
        deleteRecursively(settings.folder());
        Files.createDirectories(settings.folder());
        RealCluster cluster = new RealCluster(settings);
        try {
            cluster.startAll();
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void startAll() throws IOException, InterruptedException {
        define();
        format();
        // What waits for nobody starts at once; the rest when what it needs is up.
        daemon(ZOOKEEPER).start();
        daemon(KAFKA).start();
        daemon(NAMENODE).start();
        daemon(ZOOKEEPER).awaitReady(PATIENCE);
        daemon(NIMBUS).start();
        daemon(SUPERVISOR).start();
        daemon(NAMENODE).awaitReady(PATIENCE);
        daemon(DATANODE).start();
        for (Daemon each : daemons.values()) {
            each.awaitReady(PATIENCE);
        }
    }

    private void define() {
        add(ZOOKEEPER, commands.zooKeeper(), List.of(files.zooKeeper), () -> true);
        add(KAFKA, commands.kafka(), List.of(files.kafka, files.kafkaController), () -> true);
        add(NAMENODE, commands.nameNode(), List.of(files.nameNode, files.nameNodeHttp), () -> true);
        add(DATANODE, commands.dataNode(), List.of(files.dataNode, files.dataNodeIpc), this::hdfsTakesWrites);
        add(NIMBUS, commands.nimbus(), List.of(files.nimbus), storm::answers);
        add(SUPERVISOR, commands.supervisor(), List.of(files.supervisor), () -> storm.supervisors() == 1);
    }

    private void add(String name, List<String> command, List<Integer> ports, Daemon.Ready ready) {
        daemons.put(name, new Daemon(name, command, ports, files.log(name), ready, reaper));
    }

    /** Both write their first files; neither runs anything afterwards. */
    private void format() throws IOException, InterruptedException {
        Process kafka = spawn("kafka-format", commands.kafkaFormat());
        run("namenode-format", commands.nameNodeFormat());
        finish("kafka-format", kafka);
    }

    private Process spawn(String name, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(files.log(name).toFile()))
                .start();
        process.getOutputStream().close();
        reaper.watch(name, process.pid());
        return process;
    }

    private void run(String name, List<String> command) throws IOException, InterruptedException {
        finish(name, spawn(name, command));
    }

    private void finish(String name, Process process) throws IOException, InterruptedException {
        try {
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException(name + " did not end within " + PATIENCE.toSeconds() + " s:\n" + tail(name));
            }
            if (process.exitValue() != 0) {
                throw new IOException(name + " failed with exit code " + process.exitValue() + ":\n" + tail(name));
            }
        } finally {
            process.destroyForcibly();
            reaper.forget(name);
        }
    }

    private String tail(String name) {
        return Daemon.tail(files.log(name), TAIL_BYTES);
    }

    /** Out of safe mode, and with a datanode to write to: the port is open long before. */
    private boolean hdfsTakesWrites() {
        try (InputStream answer = open("Hadoop:service=NameNode,name=FSNamesystemState")) {
            String text = new String(answer.readAllBytes(), StandardCharsets.UTF_8).replace(" ", "");
            return text.contains("\"FSState\":\"Operational\"") && text.contains("\"NumLiveDataNodes\":1");
        } catch (IOException e) {
            return false;
        }
    }

    private InputStream open(String bean) throws IOException {
        var connection = URI.create("http://127.0.0.1:" + files.nameNodeHttp + "/jmx?qry=" + bean)
                .toURL()
                .openConnection();
        connection.setConnectTimeout(HTTP_MILLIS);
        connection.setReadTimeout(HTTP_MILLIS);
        return connection.getInputStream();
    }

    /** {@code HOST:PORT} of ZooKeeper. */
    public String zooKeeper() {
        return "127.0.0.1:" + files.zooKeeper;
    }

    /** {@code HOST:PORT} of the Kafka broker. */
    public String kafka() {
        return "127.0.0.1:" + files.kafka;
    }

    /** {@code hdfs://HOST:PORT}. */
    public String hdfs() {
        return "hdfs://127.0.0.1:" + files.nameNode;
    }

    /** A daemon by its name, one of the constants here. */
    public Daemon daemon(String name) {
        Daemon daemon = daemons.get(name);
        if (daemon == null) {
            throw new IllegalArgumentException("there is no daemon '" + name + "', only " + daemons.keySet());
        }
        return daemon;
    }

    /** Starts a daemon that was killed, on its old data and ports, and waits until it is ready. */
    public void restart(String name) throws IOException, InterruptedException {
        daemon(name).start();
        daemon(name).awaitReady(PATIENCE);
    }

    /**
     * Submits a topology as {@code storm jar} does: the main class runs with the jar and Storm's worker libraries on
     * its class path.
     *
     * @throws IOException when the main class fails, with what it printed
     */
    public void submit(Path jar, String mainClass, List<String> arguments) throws IOException, InterruptedException {
        run("submit", commands.submit(jar.toAbsolutePath(), mainClass, arguments));
    }

    /** The topologies that Nimbus has. */
    public List<TopologySummary> topologies() throws Exception {
        return storm.topologies();
    }

    /** Where a topology's executors run, as Nimbus last heard. */
    public List<ExecutorSummary> executors(String topologyId) throws Exception {
        return storm.executors(topologyId);
    }

    /** Asks Nimbus to kill a topology at once; its workers end some seconds later. */
    public void killTopology(String name) throws Exception {
        storm.kill(name);
    }

    /** The worker processes that run now, by slot. */
    public List<Worker> workers() throws IOException {
        return workers.running();
    }

    /** Ends a worker as a crash would: {@code kill -9}. The Supervisor starts another. */
    public void killWorker(Worker worker) {
        Workers.kill(worker);
    }

    /** Sizes of the files below a folder of HDFS, by path. */
    public Map<String, Long> hdfsFiles(String folder) throws IOException, InterruptedException {
        Files.deleteIfExists(files.log("hdfs-ls"));
        run("hdfs-ls", commands.list(folder));
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

    /** The folder with the logs: one file a daemon, the workers' below {@code storm/logs/workers-artifacts}. */
    public Path folder() {
        return files.folder;
    }

    /** The ends of all logs, workers' included: what one wants to see when a test has failed. */
    public String tails() {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> all = Files.walk(files.folder)) {
            all.filter(file -> file.toString().endsWith(".log") || file.endsWith("worker.log.err"))
                    .filter(Files::isRegularFile)
                    .sorted(Comparator.naturalOrder())
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
            // The supervisor first, or it starts its workers again; what they write to after them.
            for (String name : List.of(SUPERVISOR, NIMBUS)) {
                stopIfDefined(name);
            }
            endWorkers();
            for (String name : List.of(DATANODE, NAMENODE, KAFKA, ZOOKEEPER)) {
                stopIfDefined(name);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("the cluster in " + files.folder + " could not be ended", e);
        } finally {
            reaper.close();
            deleteQuietly(files.data);
        }
    }

    private void stopIfDefined(String name) throws InterruptedException {
        Daemon daemon = daemons.get(name);
        if (daemon != null) {
            daemon.stop();
        }
    }

    private void endWorkers() throws IOException, InterruptedException {
        for (List<Worker> left = workers.running(); !left.isEmpty(); left = workers.running()) {
            left.forEach(Workers::kill);
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private static void deleteQuietly(Path folder) {
        try {
            deleteRecursively(folder);
        } catch (IOException e) {
            // Only disk space: the next start empties the folder.
        }
    }

    private static void deleteRecursively(Path path) throws IOException {
        if (!Files.exists(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (Files.isDirectory(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> children = Files.newDirectoryStream(path)) {
                for (Path child : children) {
                    deleteRecursively(child);
                }
            }
        }
        Files.delete(path);
    }
}
