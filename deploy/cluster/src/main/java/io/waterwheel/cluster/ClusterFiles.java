package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Where things are in a cluster's folder, and the configuration files of its daemons. */
final class ClusterFiles {
    private static final int PORTS = 11;

    final Path folder;
    final Path logs;
    final Path data;
    final Path conf;
    final Path stormHome;
    final int zooKeeper;
    final int kafka;
    final int kafkaController;
    final int nameNode;
    final int nameNodeHttp;
    final int dataNode;
    final int dataNodeHttp;
    final int dataNodeIpc;
    final int nimbus;
    final int supervisor;
    final List<Integer> slots;

    ClusterFiles(ClusterSettings settings) throws IOException {
        folder = settings.folder();
        logs = Files.createDirectories(folder.resolve("logs"));
        data = Files.createDirectories(folder.resolve("data"));
        conf = Files.createDirectories(folder.resolve("conf"));
        stormHome = Files.createDirectories(folder.resolve("storm"));
        List<Integer> ports = Ports.free(PORTS - 1 + settings.slots());
        zooKeeper = ports.get(0);
        kafka = ports.get(1);
        kafkaController = ports.get(2);
        nameNode = ports.get(3);
        nameNodeHttp = ports.get(4);
        dataNode = ports.get(5);
        dataNodeHttp = ports.get(6);
        dataNodeIpc = ports.get(7);
        nimbus = ports.get(8);
        supervisor = ports.get(9);
        slots = List.copyOf(ports.subList(PORTS - 1, ports.size()));
        log4j();
        zooKeeper();
        kafka();
        hdfs();
        storm(settings);
    }

    Path log(String daemon) {
        return logs.resolve(daemon + ".log");
    }

    private void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void log4j() throws IOException {
        write(conf.resolve("log4j2-console.xml"), """
                <Configuration status="WARN"><Appenders><Console name="out">
                <PatternLayout pattern="%d{ISO8601} %p %c{1.} [%t] %m%n"/></Console></Appenders>
                <Loggers><Root level="info"><AppenderRef ref="out"/></Root></Loggers></Configuration>
                """);
        // The supervisor names the file of a worker by these properties; it insists on a "cluster.xml" too.
        write(stormHome.resolve("log4j2/worker.xml"), """
                <Configuration status="WARN" shutdownHook="disable"><Appenders><File name="file" immediateFlush="true"
                fileName="${sys:workers.artifacts}/${sys:storm.id}/${sys:worker.port}/${sys:logfile.name}">
                <PatternLayout pattern="%d{ISO8601} %p %c{1.} [%t] %m%n"/></File></Appenders>
                <Loggers><Root level="info"><AppenderRef ref="file"/></Root></Loggers></Configuration>
                """);
        Files.copy(conf.resolve("log4j2-console.xml"), stormHome.resolve("log4j2/cluster.xml"));
    }

    private void zooKeeper() throws IOException {
        write(conf.resolve("zookeeper/zoo.cfg"), """
                tickTime=500
                maxSessionTimeout=60000
                dataDir=%s
                clientPort=%d
                clientPortAddress=127.0.0.1
                admin.enableServer=false
                maxClientCnxns=0
                4lw.commands.whitelist=ruok,srvr,mntr
                """.formatted(data.resolve("zookeeper"), zooKeeper));
    }

    private void kafka() throws IOException {
        write(conf.resolve("kafka/server.properties"), """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@127.0.0.1:%2$d
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
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
                auto.create.topics.enable=false
                num.network.threads=1
                num.io.threads=2
                """.formatted(kafka, kafkaController, data.resolve("kafka")));
    }

    private void hdfs() throws IOException {
        Path secret = conf.resolve("hdfs/secret");
        write(secret, "any");
        write(
                conf.resolve("hdfs/core-site.xml"),
                properties(Map.of(
                        "fs.defaultFS",
                        "hdfs://127.0.0.1:" + nameNode,
                        "hadoop.tmp.dir",
                        data.resolve("hdfs-tmp").toString(),
                        "hadoop.http.authentication.signature.secret.file",
                        secret.toString())));
        Map<String, String> site = new TreeMap<>();
        site.put("dfs.replication", "1");
        site.put("dfs.permissions.enabled", "false");
        site.put("dfs.namenode.name.dir", data.resolve("namenode").toString());
        site.put("dfs.datanode.data.dir", data.resolve("datanode").toString());
        site.put("dfs.namenode.rpc-address", "127.0.0.1:" + nameNode);
        site.put("dfs.namenode.http-address", "127.0.0.1:" + nameNodeHttp);
        site.put("dfs.datanode.address", "127.0.0.1:" + dataNode);
        site.put("dfs.datanode.http.address", "127.0.0.1:" + dataNodeHttp);
        site.put("dfs.datanode.ipc.address", "127.0.0.1:" + dataNodeIpc);
        site.put("dfs.datanode.hostname", "127.0.0.1");
        site.put("dfs.namenode.datanode.registration.ip-hostname-check", "false");
        site.put("dfs.namenode.safemode.extension", "0");
        write(conf.resolve("hdfs/hdfs-site.xml"), properties(site));
    }

    private static String properties(Map<String, String> values) {
        StringBuilder xml = new StringBuilder("<configuration>\n");
        values.forEach((name, value) -> xml.append("<property><name>")
                .append(name)
                .append("</name><value>")
                .append(value)
                .append("</value></property>\n"));
        return xml.append("</configuration>\n").toString();
    }

    private void storm(ClusterSettings settings) throws IOException {
        for (String each : List.of("extlib", "extlib-daemon", "bin", "logs", "conf")) {
            Files.createDirectories(stormHome.resolve(each));
        }
        Files.createSymbolicLink(stormHome.resolve("lib"), settings.dist().resolve("storm-daemon/lib"));
        Files.createSymbolicLink(
                stormHome.resolve("lib-worker"), settings.dist().resolve("storm-worker/lib"));
        write(stormHome.resolve("RELEASE"), "");
        Map<String, String> yaml = new TreeMap<>();
        yaml.put("storm.zookeeper.servers", "[\"127.0.0.1\"]");
        yaml.put("storm.zookeeper.port", Integer.toString(zooKeeper));
        yaml.put("storm.zookeeper.root", "/storm");
        yaml.put("storm.local.hostname", "127.0.0.1");
        yaml.put("storm.local.dir", quoted(data.resolve("storm")));
        yaml.put("nimbus.seeds", "[\"127.0.0.1\"]");
        yaml.put("nimbus.thrift.port", Integer.toString(nimbus));
        yaml.put("supervisor.thrift.port", Integer.toString(supervisor));
        yaml.put("supervisor.slots.ports", slots.toString());
        yaml.put("storm.blobstore.replication.factor", "1");
        // The default is RocksDB below the Storm home, which nobody reads here.
        yaml.put("storm.metricstore.class", "org.apache.storm.metricstore.NoOpMetricStore");
        // The default holds flags for the garbage collector's log that only JDK 8 knows.
        yaml.put("worker.childopts", "\"-Xmx%HEAP-MEM%m -XX:+ExitOnOutOfMemoryError\"");
        yaml.put("worker.profiler.enabled", "false");
        // A worker is started through a small process of its own, which needs neither a large collector nor a compiler.
        yaml.put("topology.worker.logwriter.childopts", "\"-Xmx32m -XX:+UseSerialGC -XX:TieredStopAtLevel=1\"");
        // A dead worker is noticed within this time, a new topology scheduled.
        yaml.put("supervisor.monitor.frequency.secs", "1");
        yaml.put("nimbus.monitor.freq.secs", "1");
        yaml.putAll(settings.storm());
        StringBuilder text = new StringBuilder();
        yaml.forEach((key, value) -> text.append(key).append(": ").append(value).append('\n'));
        write(stormHome.resolve("conf/storm.yaml"), text.toString());
    }

    private static String quoted(Path path) {
        return "\"" + path + "\"";
    }
}
