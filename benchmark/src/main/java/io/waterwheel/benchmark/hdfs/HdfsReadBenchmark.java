package io.waterwheel.benchmark.hdfs;

import io.waterwheel.benchmark.Options;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.topology.hdfs.ChunkStores;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/**
 * What a vectored read of a chunk's parts saves against a read for each, over TCP and short-circuit. A namenode and two
 * datanodes in this process; the client is a process of its own, told by {@code HADOOP_CONF_DIR} how to read. With
 * {@code uri=hdfs://...} the client reads there instead, as the environment's own {@code HADOOP_CONF_DIR} says.
 *
 * <pre>
 * java --add-opens=java.base/java.nio=ALL-UNNAMED -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.hdfs.HdfsReadBenchmark files=20 megabytes=16 rounds=200
 * </pre>
 *
 * <p>Short-circuit reads by way of domain sockets need Hadoop's native library. Where there is none, which is said, the
 * older kind is measured, which opens the datanode's file by its path and needs none: what it saves is what the newer
 * one saves, the way through the datanode. Every byte is compared with what was written.
 */
public final class HdfsReadBenchmark {
    /** Ways to read the ranges of a file. */
    private enum Way {
        ONE_BY_ONE,
        VECTORED
    }

    /**
     * What of a chunk a query needs.
     *
     * @param ranges how many parts
     * @param bytes of each
     * @param gap between them
     */
    private record Shape(String name, int ranges, int bytes, int gap) {}

    private static final List<Shape> SHAPES = List.of(
            new Shape("directory: 1 x 64 KiB", 1, 64 << 10, 0),
            new Shape("a column: 16 x 16 KiB, 48 KiB apart", 16, 16 << 10, 48 << 10),
            new Shape("some leaves: 8 x 64 KiB, 1 MiB apart", 8, 64 << 10, 1 << 20),
            new Shape("scattered: 32 x 8 KiB, 400 KiB apart", 32, 8 << 10, 400 << 10));

    private final Options options;

    private HdfsReadBenchmark(Options options) {
        this.options = options;
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments, "files", "20", "megabytes", "16", "rounds", "200", "seed", "1", "uri", "", "name", "");
        HdfsReadBenchmark benchmark = new HdfsReadBenchmark(options);
        if (options.text("uri").isEmpty()) {
            benchmark.serve(arguments);
        } else {
            benchmark.read();
        }
    }

    /** Runs HDFS here, and a client for each kind of reading. */
    private void serve(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("hdfs-reads-");
        Configuration configuration = new Configuration();
        configuration.set("hdfs.minidfs.basedir", folder.resolve("hdfs").toString());
        configuration.setInt("dfs.replication", 2);
        configuration.set("dfs.block.local-path-access.user", System.getProperty("user.name"));
        try (MiniDFSCluster cluster =
                new MiniDFSCluster.Builder(configuration).numDataNodes(2).build()) {
            cluster.waitClusterUp();
            for (String name : List.of("tcp", "short-circuit")) {
                Path conf = Files.createDirectories(folder.resolve(name));
                boolean direct = !name.equals("tcp");
                Files.writeString(conf.resolve("hdfs-site.xml"), """
                        <configuration>
                          <property><name>dfs.client.read.shortcircuit</name><value>%1$s</value></property>
                          <property><name>dfs.client.use.legacy.blockreader.local</name><value>%1$s</value></property>
                        </configuration>
                        """.formatted(direct));
                List<String> command = new ArrayList<>(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HdfsReadBenchmark.class.getName()));
                command.addAll(Arrays.asList(arguments));
                command.add("uri=" + cluster.getURI() + "/chunks-" + name);
                command.add("name=" + name);
                ProcessBuilder client = new ProcessBuilder(command).inheritIO();
                client.environment().put("HADOOP_CONF_DIR", conf.toString());
                int code = client.start().waitFor();
                if (code != 0) {
                    throw new IllegalStateException("the client of " + name + " ended with " + code);
                }
            }
        } finally {
            try (var all = Files.walk(folder)) {
                for (Path path : all.sorted(Collections.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    private void read() throws IOException {
        int size = options.integer("megabytes") << 20;
        try (ChunkStore store = ChunkStores.open(options.text("uri"))) {
            byte[] content = new byte[size];
            new Random(options.number("seed")).nextBytes(content);
            for (int file = 0; file < options.integer("files"); file++) {
                store.write("reads/" + file, List.of(ByteBuffer.wrap(content)));
            }
            System.out.printf(Locale.ROOT, "%s, %s%n", options.text("name"), options);
            for (Shape shape : SHAPES) {
                Map<Way, long[]> nanos = new EnumMap<>(Way.class);
                // As many rounds before as are counted, so that both ways are compiled.
                measure(store, content, shape);
                nanos.putAll(measure(store, content, shape));
                System.out.printf(
                        Locale.ROOT,
                        "%-40s one by one p50 %6.2f p90 %6.2f ms   vectored p50 %6.2f p90 %6.2f ms%n",
                        shape.name(),
                        quantile(nanos, Way.ONE_BY_ONE, 50),
                        quantile(nanos, Way.ONE_BY_ONE, 90),
                        quantile(nanos, Way.VECTORED, 50),
                        quantile(nanos, Way.VECTORED, 90));
            }
        }
    }

    /** Both ways, in turn; the file is opened each time, as for a cold chunk, outside what is measured. */
    private Map<Way, long[]> measure(ChunkStore store, byte[] content, Shape shape) throws IOException {
        Random random = new Random(options.number("seed"));
        int rounds = options.integer("rounds");
        Map<Way, long[]> nanos = new EnumMap<>(Way.class);
        for (Way way : Way.values()) {
            nanos.put(way, new long[rounds]);
        }
        int span = shape.ranges() * (shape.bytes() + shape.gap());
        for (int round = 0; round < rounds; round++) {
            String name = "reads/" + random.nextInt(options.integer("files"));
            int from = random.nextInt(content.length - span);
            long[] positions = new long[shape.ranges()];
            for (int i = 0; i < positions.length; i++) {
                positions[i] = from + (long) i * (shape.bytes() + shape.gap());
            }
            int[] lengths = new int[shape.ranges()];
            Arrays.fill(lengths, shape.bytes());
            for (Way way :
                    round % 2 == 0 ? List.of(Way.ONE_BY_ONE, Way.VECTORED) : List.of(Way.VECTORED, Way.ONE_BY_ONE)) {
                byte[] target = new byte[shape.ranges() * shape.bytes()];
                try (ChunkStore.Input input = store.open(name)) {
                    long begin = System.nanoTime();
                    if (way == Way.VECTORED) {
                        input.readVectored(positions, lengths, target);
                    } else {
                        for (int i = 0; i < positions.length; i++) {
                            input.read(positions[i], target, i * shape.bytes(), shape.bytes());
                        }
                    }
                    long[] times = nanos.get(way);
                    if (times != null) {
                        times[round] = System.nanoTime() - begin;
                    }
                }
                for (int i = 0; i < positions.length; i++) {
                    int at = (int) positions[i];
                    int read = i * shape.bytes();
                    if (!Arrays.equals(target, read, read + shape.bytes(), content, at, at + shape.bytes())) {
                        throw new IllegalStateException(name + ": range " + i + " is not what was written");
                    }
                }
            }
        }
        return nanos;
    }

    private static double quantile(Map<Way, long[]> nanos, Way way, int percent) {
        long[] sorted = nanos.getOrDefault(way, new long[1]).clone();
        Arrays.sort(sorted);
        return sorted[sorted.length * percent / 100] / 1e6;
    }
}
