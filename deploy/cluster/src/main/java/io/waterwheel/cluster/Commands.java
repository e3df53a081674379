package io.waterwheel.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command lines of a cluster's processes. Small heaps, and the quick compiler alone where nothing runs for long.
 */
final class Commands {
    private static final String NAME_NODE = "org.apache.hadoop.hdfs.server.namenode.NameNode";

    private final ClusterSettings settings;
    private final ClusterFiles files;

    Commands(ClusterSettings settings, ClusterFiles files) {
        this.settings = settings;
        this.files = files;
    }

    List<String> zooKeeper() {
        Path folder = files.conf.resolve("zookeeper");
        return java(
                256,
                List.of(),
                folder + ":" + lib("zookeeper"),
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                folder.resolve("zoo.cfg").toString());
    }

    List<String> kafka() {
        return java(512, List.of(), lib("kafka"), "kafka.Kafka", kafkaProperties());
    }

    List<String> kafkaFormat() {
        return java(
                256,
                List.of(),
                lib("kafka"),
                "kafka.tools.StorageTool",
                "format",
                "-t",
                "MkU3OEVBNTcwNTJENDM2Qk",
                "-c",
                kafkaProperties());
    }

    private String kafkaProperties() {
        return files.conf.resolve("kafka/server.properties").toString();
    }

    List<String> nameNode() {
        return java(256, List.of(), hdfs(), NAME_NODE);
    }

    List<String> nameNodeFormat() {
        return java(256, List.of(), hdfs(), NAME_NODE, "-format", "-force", "-nonInteractive");
    }

    List<String> dataNode() {
        return java(256, List.of(), hdfs(), "org.apache.hadoop.hdfs.server.datanode.DataNode");
    }

    /** Lists a folder of HDFS and those below. */
    List<String> list(String folder) {
        return java(256, List.of(), hdfs(), "org.apache.hadoop.fs.FsShell", "-ls", "-R", folder);
    }

    List<String> nimbus() {
        return java(384, storm("nimbus"), daemons(), "org.apache.storm.daemon.nimbus.Nimbus");
    }

    List<String> supervisor() {
        return java(256, storm("supervisor"), daemons(), "org.apache.storm.daemon.supervisor.Supervisor");
    }

    /** What {@code storm jar} runs. */
    List<String> submit(Path jar, String mainClass, List<String> arguments) {
        List<String> flags = new ArrayList<>(storm("submit"));
        flags.addAll(List.of("-Dstorm.jar=" + jar, "-Dstorm.dependency.jars=", "-Dstorm.dependency.artifacts={}"));
        String classPath = files.stormHome + "/lib-worker/*:" + files.stormHome + "/extlib/*:" + jar + ":"
                + files.stormHome + "/conf";
        List<String> command = java(256, flags, classPath, mainClass);
        command.addAll(arguments);
        return command;
    }

    private List<String> java(int heapMegabytes, List<String> flags, String classPath, String... main) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMegabytes + "m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dlog4j2.configurationFile=" + files.conf.resolve("log4j2-console.xml")));
        if (Runtime.version().feature() >= 23) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath));
        command.addAll(List.of(main));
        return command;
    }

    private List<String> storm(String name) {
        return List.of(
                "-Dstorm.home=" + files.stormHome,
                "-Dstorm.log.dir=" + files.stormHome.resolve("logs"),
                "-Dstorm.conf.file=",
                "-Dstorm.options=",
                "-Ddaemon.name=" + name,
                "-Dlogfile.name=" + name + ".log");
    }

    private String daemons() {
        return files.stormHome + "/lib/*:" + files.stormHome + "/conf";
    }

    private String hdfs() {
        return files.conf.resolve("hdfs") + ":" + lib("hdfs");
    }

    private String lib(String part) {
        return settings.dist().resolve(part).resolve("lib") + "/*";
    }
}
