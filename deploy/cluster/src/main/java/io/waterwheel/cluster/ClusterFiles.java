package io.waterwheel.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Where things are in a cluster's folder, and what its daemons read.
 *
 * <pre>
 * cluster.properties            where each daemon listens
 * waterwheel-topology.jar       what is submitted; duckdb_jdbc.jar goes with it
 * conf/                         waterwheel.yaml, and what ZooKeeper, Kafka and HDFS read; conf/hdfs is a
 * HADOOP_CONF_DIR lib/NAME/                     the class paths of ZooKeeper, Kafka and HDFS
 * storm/                        a Storm home: bin/storm lib lib-worker extlib extlib-daemon conf log4j2 logs; Nimbus
 * runs in it storm-N/                      the Storm home of Supervisor N, as on a machine of its own
 * data/                         what the daemons keep
 * logs/NAME.log  run/NAME       a daemon's output; its process
 * </pre>
 */
final class ClusterFiles {
    /**
     * Several start at once on few cores: the better compiler would take longer over their first minute than it gives
     * back. Nor is the whole heap collected each time that classes fill the room that they begin with.
     */
    private static final List<String> QUICK =
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:MetaspaceSize=128m");

    final Path folder;
    final Path logs;
    final Path data;
    final Path conf;
    final Path stormHome;
    private final ClusterLayout layout;
    private final List<String> jvm;

    ClusterFiles(Path folder, ClusterLayout layout) {
        this(folder, layout, List.of());
    }

    /** @param jvm further options of every JVM that is started from here */
    ClusterFiles(Path folder, ClusterLayout layout, List<String> jvm) {
        this.folder = folder;
        this.layout = layout;
        this.jvm = jvm;
        logs = folder.resolve("logs");
        data = folder.resolve("data");
        conf = folder.resolve("conf");
        stormHome = folder.resolve("storm");
    }

    /** An argument that every process of this cluster has, and no other: by it they are found. */
    String mark() {
        return "-Dwaterwheel.cluster=" + folder;
    }

    Path log(String daemon) {
        return logs.resolve(daemon + ".log");
    }

    Path lib(String part) {
        return folder.resolve("lib").resolve(part);
    }

    Path hadoopConf() {
        return conf.resolve("hdfs");
    }

    Path dataNodeConf(int pair) {
        return conf.resolve(ClusterLayout.dataNode(pair));
    }

    Path stormHome(int pair) {
        return folder.resolve("storm-" + pair);
    }

    /** Where a daemon that is not there yet will find that it was formatted; others need not be. */
    boolean isFormatted(String daemon) {
        return switch (daemon) {
            case ClusterLayout.KAFKA -> Files.exists(data.resolve("kafka/meta.properties"));
            case ClusterLayout.NAMENODE ->
                Files.exists(data.resolve("namenode/current/VERSION"))
                        && Files.exists(data.resolve("namenode/current/seen_txid"));
            default -> true;
        };
    }

    /** JVM options of a daemon. */
    List<String> options(int heapMegabytes) {
        List<String> options = new ArrayList<>(List.of("-Xmx" + heapMegabytes + "m", mark()));
        options.addAll(QUICK);
        options.addAll(jvm);
        if (Runtime.version().feature() >= 23) {
            options.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        return options;
    }

    /** Writes everything but the data, over what is there. Nothing of the cluster may run. */
    void write(ClusterSettings settings) throws IOException {
        for (Path each : List.of(logs, data, conf, stormHome, folder.resolve("run"))) {
            Files.createDirectories(each);
        }
        layout.write(folder);
        for (String part : List.of("zookeeper", "kafka", "hdfs")) {
            assemble(settings.dist().resolve(part).resolve("lib"), lib(part));
        }
        log4j();
        zooKeeper();
        kafka();
        hdfs();
        stormHome(settings, stormHome, host(ClusterLayout.NIMBUS), 0);
        for (int pair = 1; pair <= layout.pairs(); pair++) {
            stormHome(settings, stormHome(pair), host(ClusterLayout.supervisor(pair)), pair);
        }
        waterwheel(settings);
    }

    /**
     * Fills a folder with links to jars. Links, not paths: a build replaces the jars under processes that run from
     * them.
     */
    private static void assemble(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (DirectoryStream<Path> old = Files.newDirectoryStream(to, "*.jar")) {
            for (Path jar : old) {
                Files.delete(jar);
            }
        }
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(from, "*.jar")) {
            for (Path jar : jars) {
                link(jar, to.resolve(jar.getFileName()));
            }
        }
    }

    private static void link(Path from, Path to) throws IOException {
        Files.deleteIfExists(to);
        try {
            Files.createLink(to, from);
        } catch (IOException | UnsupportedOperationException e) {
            Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING); // another file system
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static String console(String target, String level) {
        return """
                <Configuration status="WARN"><Appenders><Console name="out" target="%s">
                <PatternLayout pattern="%%d{ISO8601} %%p %%c{1.} [%%t] %%m%%n"/></Console></Appenders>
                <Loggers><Root level="%s"><AppenderRef ref="out"/></Root></Loggers></Configuration>
                """.formatted(target, level);
    }

    private void log4j() throws IOException {
        write(conf.resolve("log4j2-console.xml"), console("SYSTEM_OUT", "info"));
        write(stormHome.resolve("log4j2/cluster.xml"), console("SYSTEM_OUT", "info"));
        write(stormHome.resolve("log4j2/client.xml"), console("SYSTEM_ERR", "warn"));
        // The supervisor names the file of a worker by these properties.
        write(stormHome.resolve("log4j2/worker.xml"), """
                <Configuration status="WARN" shutdownHook="disable"><Appenders><File name="file" immediateFlush="true"
                fileName="${sys:workers.artifacts}/${sys:storm.id}/${sys:worker.port}/${sys:logfile.name}">
                <PatternLayout pattern="%d{ISO8601} %p %c{1.} [%t] %m%n"/></File></Appenders>
                <Loggers><Root level="info"><AppenderRef ref="file"/></Root></Loggers></Configuration>
                """);
    }

    private void zooKeeper() throws IOException {
        write(conf.resolve("zookeeper/zoo.cfg"), """
                tickTime=500
                maxSessionTimeout=60000
                dataDir=%s
                clientPort=%d
                clientPortAddress=%s
                admin.enableServer=false
                maxClientCnxns=0
                4lw.commands.whitelist=ruok,srvr,mntr
                """.formatted(
                data.resolve("zookeeper"), layout.port(ClusterLayout.ZOOKEEPER), host(ClusterLayout.ZOOKEEPER)));
    }

    private void kafka() throws IOException {
        write(conf.resolve("kafka/server.properties"), """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@%4$s:%2$d
                listeners=PLAINTEXT://%4$s:%1$d,CONTROLLER://%4$s:%2$d
                advertised.listeners=PLAINTEXT://%4$s:%1$d
                listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
                controller.listener.names=CONTROLLER
                inter.broker.listener.name=PLAINTEXT
                log.dirs=%3$s
                offsets.topic.num.partitions=1
                offsets.topic.replication.factor=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                share.coordinator.state.topic.replication.factor=1
                share.coordinator.state.topic.min.isr=1
                group.initial.rebalance.delay.ms=0
                # Or the broker ends after a minute in which the controller, in the same process, was not ready.
                initial.broker.registration.timeout.ms=600000
                auto.create.topics.enable=false
                num.network.threads=1
                num.io.threads=2
                """.formatted(
                        layout.port(ClusterLayout.KAFKA),
                        layout.port(ClusterLayout.KAFKA_CONTROLLER),
                        data.resolve("kafka"),
                        host(ClusterLayout.KAFKA)));
    }

    private void hdfs() throws IOException {
        Path secret = conf.resolve("hdfs-http-secret");
        write(secret, "any");
        String core = properties(Map.of(
                "fs.defaultFS",
                "hdfs://" + layout.address(ClusterLayout.NAMENODE),
                "hadoop.tmp.dir",
                data.resolve("hdfs-tmp").toString(),
                "hadoop.http.authentication.signature.secret.file",
                secret.toString()));
        write(hadoopConf().resolve("core-site.xml"), core);
        write(hadoopConf().resolve("hdfs-site.xml"), properties(sharedHdfs()));
        for (int pair = 1; pair <= layout.pairs(); pair++) {
            String name = ClusterLayout.dataNode(pair);
            Map<String, String> site = sharedHdfs();
            site.put("dfs.datanode.data.dir", data.resolve(name).toString());
            site.put("dfs.datanode.address", layout.address(name).toString());
            site.put("dfs.datanode.http.address", layout.address(name + ".http").toString());
            site.put("dfs.datanode.ipc.address", layout.address(name + ".ipc").toString());
            // What block locations say; the Supervisor of the pair has the same.
            site.put("dfs.datanode.hostname", layout.address(name).host());
            write(dataNodeConf(pair).resolve("core-site.xml"), core);
            write(dataNodeConf(pair).resolve("hdfs-site.xml"), properties(site));
        }
    }

    private Map<String, String> sharedHdfs() {
        Map<String, String> site = new TreeMap<>();
        site.put("dfs.replication", Integer.toString(layout.replication()));
        site.put("dfs.permissions.enabled", "false");
        site.put("dfs.namenode.name.dir", data.resolve("namenode").toString());
        site.put(
                "dfs.namenode.rpc-address",
                layout.address(ClusterLayout.NAMENODE).toString());
        site.put(
                "dfs.namenode.http-address",
                layout.address(ClusterLayout.NAMENODE_HTTP).toString());
        // The NameNode sees every DataNode come from 127.0.0.1: who wants one must go by its name.
        site.put("dfs.namenode.datanode.registration.ip-hostname-check", "false");
        site.put("dfs.client.use.datanode.hostname", "true");
        site.put("dfs.datanode.use.datanode.hostname", "true");
        site.put("dfs.namenode.safemode.extension", "0");
        // A dead DataNode is noticed in 20 s, not in ten minutes.
        site.put("dfs.heartbeat.interval", "1");
        site.put("dfs.namenode.heartbeat.recheck-interval", "5000");
        return site;
    }

    private static String properties(Map<String, String> values) {
        StringBuilder xml = new StringBuilder("<configuration>\n");
        new TreeMap<>(values).forEach((name, value) -> xml.append("<property><name>")
                .append(name)
                .append("</name><value>")
                .append(value)
                .append("</value></property>\n"));
        return xml.append("</configuration>\n").toString();
    }

    private String host(String daemon) {
        return layout.address(daemon).host();
    }

    /** A Storm home as Storm's own release has it, with what this one's daemon is told. */
    private void stormHome(ClusterSettings settings, Path home, String host, int pair) throws IOException {
        for (String each : List.of("extlib", "extlib-daemon", "bin", "logs", "conf")) {
            Files.createDirectories(home.resolve(each));
        }
        if (pair == 0) {
            assemble(settings.dist().resolve("storm-daemon/lib"), home.resolve("lib"));
            assemble(settings.dist().resolve("storm-worker/lib"), home.resolve("lib-worker"));
        } else {
            for (String part : List.of("lib", "lib-worker", "log4j2")) {
                Files.deleteIfExists(home.resolve(part));
                Files.createSymbolicLink(home.resolve(part), stormHome.resolve(part));
            }
        }
        script(home.resolve("bin/storm"));
        write(home.resolve("RELEASE"), "");
        // Hadoop's files on the workers' class path: there its client looks for them.
        for (String file : List.of("core-site.xml", "hdfs-site.xml")) {
            Files.copy(
                    hadoopConf().resolve(file),
                    home.resolve("conf").resolve(file),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        Map<String, String> yaml = storm(host, pair);
        yaml.putAll(settings.storm());
        StringBuilder text = new StringBuilder();
        yaml.forEach((key, value) -> text.append(key).append(": ").append(value).append('\n'));
        write(home.resolve("conf/storm.yaml"), text.toString());
    }

    private static void script(Path file) throws IOException {
        try (InputStream text = ClusterFiles.class.getResourceAsStream("storm.sh")) {
            Files.copy(Objects.requireNonNull(text, "storm.sh"), file, StandardCopyOption.REPLACE_EXISTING);
        }
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + file + " executable");
        }
    }

    private Map<String, String> storm(String host, int pair) {
        Map<String, String> yaml = new TreeMap<>();
        yaml.put("storm.zookeeper.servers", "[" + quoted(host(ClusterLayout.ZOOKEEPER)) + "]");
        yaml.put("storm.zookeeper.port", Integer.toString(layout.port(ClusterLayout.ZOOKEEPER)));
        yaml.put("storm.zookeeper.root", "/storm");
        yaml.put("storm.local.hostname", quoted(host));
        yaml.put("nimbus.seeds", "[" + quoted(host(ClusterLayout.NIMBUS)) + "]");
        yaml.put("nimbus.thrift.port", Integer.toString(layout.port(ClusterLayout.NIMBUS)));
        if (pair == 0) {
            yaml.put("storm.local.dir", quoted(data.resolve("nimbus").toString()));
            yaml.put("nimbus.childopts", quoted(String.join(" ", options(384))));
        } else {
            String name = ClusterLayout.supervisor(pair);
            yaml.put("storm.local.dir", quoted(data.resolve(name).toString()));
            yaml.put("supervisor.childopts", quoted(String.join(" ", options(256))));
            yaml.put("supervisor.thrift.port", Integer.toString(layout.port(name)));
            yaml.put("supervisor.slots.ports", layout.slots(pair).toString());
        }
        yaml.put("storm.blobstore.replication.factor", "1");
        // A topology may say what stands before Storm on its workers' class path; Nimbus forgets that otherwise.
        yaml.put("storm.topology.classpath.beginning.enabled", "true");
        // The default is RocksDB below the Storm home, which has no reader here.
        yaml.put("storm.metricstore.class", "org.apache.storm.metricstore.NoOpMetricStore");
        // The default holds flags for the garbage collector's log that only JDK 8 knows.
        yaml.put("worker.childopts", quoted("-Xmx%HEAP-MEM%m -XX:+ExitOnOutOfMemoryError " + quick()));
        yaml.put("worker.profiler.enabled", "false");
        // A worker is started through a small process of its own, which needs neither a large collector nor a compiler.
        yaml.put("topology.worker.logwriter.childopts", quoted("-Xmx32m " + quick()));
        // A dead worker is noticed within this time, a new topology scheduled.
        yaml.put("supervisor.monitor.frequency.secs", "1");
        yaml.put("nimbus.monitor.freq.secs", "1");
        // A host is not used for half an hour once it was missed in this number of looks, which are a second apart here
        // and ten by default: a host that was away for some seconds would be lost.
        yaml.put("blacklist.scheduler.tolerance.count", "30");
        return yaml;
    }

    /** Options of a JVM that lives for some seconds, or has its heap from elsewhere; the cluster's mark among them. */
    String quick() {
        return String.join(" ", QUICK) + " " + String.join(" ", jvm) + (jvm.isEmpty() ? "" : " ") + mark();
    }

    private static String quoted(String text) {
        return "\"" + text + "\"";
    }

    /** What the topology is told: this cluster, and small trees and caches, as three workers share a machine. */
    private void waterwheel(ClusterSettings settings) throws IOException {
        renewTopologyJar(settings.dist());
        write(waterwheelYaml(), """
                # Waterwheel on this cluster. Every key: conf/waterwheel.yaml of the project, docs/configuration.md.
                zookeeper.connect: %s
                kafka.bootstrap: %s
                chunk-store.uri: hdfs://%s/waterwheel

                # A task of each kind beside each DataNode.
                topology.workers: %4$d
                indexer.tasks: %4$d
                dispatcher.tasks: %4$d
                query-server.tasks: %4$d
                coordinator.tasks: 2
                worker.rpc-host: storm.local.hostname
                coordinator.host: storm.local.hostname

                # Small, for several workers on one machine.
                indexer.seal-size: 4 MiB
                indexer.memory-pool: 64 MiB
                dispatcher.ring-size: 16 MiB
                query-server.cache-size: 64 MiB
                query.memory: 256 MiB
                """.formatted(
                        layout.address(ClusterLayout.ZOOKEEPER),
                        layout.address(ClusterLayout.KAFKA),
                        layout.address(ClusterLayout.NAMENODE),
                        layout.pairs()));
    }

    /**
     * Makes the folder's topology jar the one of the last build, and DuckDB's beside it; that is a new file, so that a
     * link to the one before stays old. Without effect when none is built. What was submitted is Nimbus's own copy.
     */
    void renewTopologyJar(Path dist) throws IOException {
        renew(dist.resolve("waterwheel-topology-topology.jar"), topologyJar());
        renew(dist.resolve("duckdb_jdbc.jar"), executorJar());
    }

    private static void renew(Path built, Path here) throws IOException {
        if (Files.exists(built)) {
            link(built, here);
        }
    }

    /** What joins in SQL take on the workers. */
    Path executorJar() {
        return folder.resolve("duckdb_jdbc.jar");
    }

    Path topologyJar() {
        return folder.resolve("waterwheel-topology.jar");
    }

    Path waterwheelYaml() {
        return conf.resolve("waterwheel.yaml");
    }
}
