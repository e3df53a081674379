package io.waterwheel.topology.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.store.ChunkStore;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The client reads as the files in the folder of {@code HADOOP_CONF_DIR} say: short-circuit, past the datanode, by the
 * older kind, which needs no native library.
 */
@Tag("embedded")
final class HdfsClientSettingsTest {
    @Test
    void shortCircuitReadsAreThoseOfTheClientsFiles(@TempDir Path folder) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set("hdfs.minidfs.basedir", folder.resolve("hdfs").toString());
        configuration.setInt("dfs.replication", 1);
        configuration.set("dfs.block.local-path-access.user", System.getProperty("user.name"));
        Path conf = Files.createDirectories(folder.resolve("conf"));
        Files.writeString(conf.resolve("hdfs-site.xml"), """
                <configuration>
                  <property><name>dfs.client.context</name><value>of-its-own</value></property>
                  <property><name>dfs.client.read.shortcircuit</name><value>true</value></property>
                  <property><name>dfs.client.use.legacy.blockreader.local</name><value>true</value></property>
                </configuration>
                """);
        try (MiniDFSCluster cluster =
                new MiniDFSCluster.Builder(configuration).numDataNodes(1).build()) {
            cluster.waitClusterUp();
            assertThat(pastTheDataNode(cluster, conf.toString())).isEqualTo(150_000);
            assertThat(pastTheDataNode(cluster, null)).as("by default").isZero();
        }
    }

    /** Bytes read that no datanode has sent. */
    private static long pastTheDataNode(MiniDFSCluster cluster, @org.jspecify.annotations.Nullable String conf)
            throws Exception {
        URI uri = URI.create(cluster.getURI() + "/chunks-" + (conf == null ? "plain" : "direct"));
        try (ChunkStore store =
                HdfsChunkStore.open(uri, HdfsChunkStore.Sync.HSYNC, HdfsChunkStore.configuration(conf))) {
            store.write("s/a", List.of(ByteBuffer.wrap(new byte[1_000_000])));
            try (ChunkStore.Input input = store.open("s/a")) {
                input.read(500_000, new byte[50_000], 0, 50_000);
                input.readVectored(new long[] {0, 900_000}, new int[] {50_000, 50_000}, new byte[100_000]);
                return ((HdfsInput) input).stream().getReadStatistics().getTotalShortCircuitBytesRead();
            }
        }
    }
}
