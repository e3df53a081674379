package io.waterwheel.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The command lines of a cluster's processes. Small heaps, and the quick compiler alone where nothing runs for long.
 * Each has the cluster's mark among its arguments.
 */
final class Commands {
    private static final String NAME_NODE = "org.apache.hadoop.hdfs.server.namenode.NameNode";
    private static final String DATA_NODE = "org.apache.hadoop.hdfs.server.datanode.DataNode";

    private final ClusterFiles files;

    Commands(ClusterFiles files) {
        this.files = files;
    }

    /**
     * Sets what they need: one Java for all, workers included, where Hadoop's files are, and no other Storm's settings.
     */
    void prepare(Map<String, String> environment) {
        environment.keySet().removeIf(name -> name.startsWith("STORM_"));
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("HADOOP_CONF_DIR", files.hadoopConf().toString());
        environment.put("STORM_JAR_JVM_OPTS", files.quick());
    }

    List<String> zooKeeper() {
        Path folder = files.conf.resolve("zookeeper");
        return java(
                256,
                folder + ":" + lib("zookeeper"),
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                folder.resolve("zoo.cfg").toString());
    }

    List<String> kafka() {
        return java(512, lib("kafka"), "kafka.Kafka", kafkaProperties());
    }

    List<String> kafkaFormat() {
        return java(
                256,
                lib("kafka"),
                "kafka.tools.StorageTool",
                "format",
                "-t",
                "MkU3OEVBNTcwNTJENDM2Qk",
                "--ignore-formatted",
                "-c",
                kafkaProperties());
    }

    private String kafkaProperties() {
        return files.conf.resolve("kafka/server.properties").toString();
    }

    List<String> nameNode() {
        return java(256, files.hadoopConf() + ":" + lib("hdfs"), NAME_NODE);
    }

    List<String> nameNodeFormat() {
        return java(256, files.hadoopConf() + ":" + lib("hdfs"), NAME_NODE, "-format", "-force", "-nonInteractive");
    }

    List<String> dataNode(int pair) {
        return java(256, files.dataNodeConf(pair) + ":" + lib("hdfs"), DATA_NODE);
    }

    /** Lists a folder of HDFS and those below. */
    List<String> list(String folder) {
        return java(256, files.hadoopConf() + ":" + lib("hdfs"), "org.apache.hadoop.fs.FsShell", "-ls", "-R", folder);
    }

    List<String> nimbus() {
        return List.of(storm(files.stormHome), "nimbus");
    }

    List<String> supervisor(int pair) {
        return List.of(storm(files.stormHome(pair)), "supervisor");
    }

    /** As people type it: what looks like an option of Storm's script is taken for one. */
    List<String> submit(Path jar, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                "env",
                // Not the storm.yaml that the user may have for another cluster.
                "STORM_CONF_DIR=" + files.stormHome.resolve("conf"),
                storm(files.stormHome),
                "jar",
                "--jars",
                files.executorJar().toString(),
                jar.toString(),
                mainClass));
        command.addAll(arguments);
        return command;
    }

    private static String storm(Path home) {
        return home.resolve("bin/storm").toString();
    }

    private List<String> java(int heapMegabytes, String classPath, String... main) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(files.options(heapMegabytes));
        command.add("-Dlog4j2.configurationFile=" + files.conf.resolve("log4j2-console.xml"));
        command.addAll(List.of("-cp", classPath));
        command.addAll(List.of(main));
        return command;
    }

    private String lib(String part) {
        return files.lib(part) + "/*";
    }
}
