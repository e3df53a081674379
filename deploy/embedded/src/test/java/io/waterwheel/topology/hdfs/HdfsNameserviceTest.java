package io.waterwheel.topology.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.store.ChunkStore;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A name of two namenodes, known from the cluster's own client configuration alone. */
@Tag("embedded")
final class HdfsNameserviceTest {
    @Test
    void otherNamenodeIsAskedWhenTheFirstIsNotActive(@TempDir Path folder) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set("hdfs.minidfs.basedir", folder.resolve("hdfs").toString());
        configuration.setInt("dfs.replication", 1);
        try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(configuration)
                .nnTopology(MiniDFSNNTopology.simpleHATopology())
                .numDataNodes(1)
                .build()) {
            cluster.waitActive();
            // The first stays standby.
            cluster.transitionToActive(1);
            Path client = Files.createDirectories(folder.resolve("conf"));
            Files.writeString(
                    client.resolve("hdfs-site.xml"),
                    """
                    <configuration>
                      <property><name>dfs.nameservices</name><value>wheel</value></property>
                      <property><name>dfs.ha.namenodes.wheel</name><value>a,b</value></property>
                      <property><name>dfs.namenode.rpc-address.wheel.a</name><value>%s</value></property>
                      <property><name>dfs.namenode.rpc-address.wheel.b</name><value>%s</value></property>
                      <property><name>dfs.client.failover.proxy.provider.wheel</name>
                        <value>org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider</value></property>
                    </configuration>
                    """.formatted(address(cluster, 0), address(cluster, 1)),
                    StandardCharsets.UTF_8);
            try (ChunkStore store = HdfsChunkStore.open(
                    URI.create("hdfs://wheel/chunks"),
                    HdfsChunkStore.Sync.HSYNC,
                    HdfsChunkStore.configuration(client.toString()))) {
                store.write("s/a", List.of(ByteBuffer.wrap(new byte[] {7})));
                assertThat(store.list(""))
                        .extracting(ChunkStore.StoredFile::name)
                        .containsExactly("s/a");
                cluster.shutdownNameNode(0);
                byte[] read = new byte[1];
                try (ChunkStore.Input input = store.open("s/a")) {
                    input.read(0, read, 0, 1);
                }
                assertThat(read).containsExactly(7);
                assertThat(store.hosts("s/a")).isNotEmpty();
            }
        }
    }

    private static String address(MiniDFSCluster cluster, int namenode) {
        var at = cluster.getNameNode(namenode).getNameNodeAddress();
        return at.getHostString() + ":" + at.getPort();
    }
}
