package io.waterwheel.topology.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.chunk.ChunkStoreContract;
import io.waterwheel.store.ChunkStore;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a namenode and two datanodes in this process. */
@Tag("embedded")
final class HdfsChunkStoreTest extends ChunkStoreContract {
    @TempDir
    static Path folder;

    private static MiniDFSCluster cluster;
    private static int folders;
    private ChunkStore store;

    @BeforeAll
    static void startHdfs() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set("hdfs.minidfs.basedir", folder.toString());
        configuration.setInt("dfs.replication", 2);
        cluster = new MiniDFSCluster.Builder(configuration).numDataNodes(2).build();
        cluster.waitClusterUp();
    }

    @AfterAll
    static void stopHdfs() {
        cluster.shutdown();
    }

    @BeforeEach
    void openStore() throws IOException {
        store = ChunkStores.open(cluster.getURI() + "/chunks" + folders++);
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
    }

    @Override
    protected ChunkStore store() {
        return store;
    }

    @Test
    void scatteredRangesAreThoseOfTheFile() throws IOException {
        long seed = Long.getLong("seed", 3L);
        Random random = new Random(seed);
        byte[] bytes = new byte[3_000_000];
        random.nextBytes(bytes);
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        store.write("s/a.chunk", List.of(direct));
        assertThat(direct.remaining()).isEqualTo(bytes.length);
        try (ChunkStore.Input input = store.open("s/a.chunk")) {
            for (int step = 0; step < 30; step++) {
                List<Long> positions = new ArrayList<>();
                List<Integer> lengths = new ArrayList<>();
                int at = random.nextInt(1000);
                while (at < bytes.length && positions.size() < 40) {
                    int length = Math.min(random.nextInt(random.nextBoolean() ? 100 : 50_000), bytes.length - at);
                    positions.add((long) at);
                    lengths.add(length);
                    at += length + (random.nextInt(3) == 0 ? 0 : random.nextInt(200_000));
                }
                int[] each = lengths.stream().mapToInt(Integer::intValue).toArray();
                byte[] target = new byte[Arrays.stream(each).sum()];
                input.readVectored(positions.stream().mapToLong(Long::longValue).toArray(), each, target);
                int to = 0;
                for (int i = 0; i < each.length; i++) {
                    int from = positions.get(i).intValue();
                    assertThat(Arrays.equals(target, to, to + each[i], bytes, from, from + each[i]))
                            .as("seed %s step %s range %s", seed, step, i)
                            .isTrue();
                    to += each[i];
                }
            }
        }
    }

    @Test
    void hostsAreThoseOfTheReplicas() throws IOException {
        store.write("s/a.chunk", List.of(ByteBuffer.wrap(new byte[10])));
        assertThat(store.hosts("s/a.chunk")).isNotEmpty();
        assertThatThrownBy(() -> store.hosts("s/none.chunk")).isInstanceOf(java.nio.file.NoSuchFileException.class);
    }

    @Test
    void isOpenedAndReadInSafeMode() throws IOException {
        store.write("s/a.chunk", List.of(ByteBuffer.wrap(new byte[10])));
        String uri = cluster.getURI() + "/chunks" + (folders - 1);
        cluster.getFileSystem().setSafeMode(SafeModeAction.ENTER);
        try (ChunkStore again = ChunkStores.open(uri);
                ChunkStore.Input input = again.open("s/a.chunk")) {
            assertThat(input.size()).isEqualTo(10);
            assertThatThrownBy(() -> again.write("s/b.chunk", List.of(ByteBuffer.wrap(new byte[10]))))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("safe mode");
        } finally {
            cluster.getFileSystem().setSafeMode(SafeModeAction.LEAVE);
        }
    }

    @Test
    void namesStayBelowTheFolder() {
        for (String name : List.of("", "/a", "a//b", "../a", "a/../../b", ".")) {
            assertThatThrownBy(() -> store.open(name)).as(name).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void uriPicksTheStore(@TempDir Path local) throws IOException {
        try (ChunkStore chunks = ChunkStores.open(local.toUri() + "chunks")) {
            chunks.write("s/a", List.of(ByteBuffer.wrap(new byte[3])));
        }
        assertThat(local.resolve("chunks/s/a")).hasSize(3);
        for (String uri : List.of("chunks", "s3://b/c", "hdfs:///chunks", "hdfs://h:1/", "file:x", "a b")) {
            assertThatThrownBy(() -> ChunkStores.open(uri))
                    .as(uri)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("expected file:///folder or hdfs://namenode:port/folder");
        }
    }

    @Test
    void chunkIsWrittenWithoutASleep() throws IOException {
        byte[] bytes = new byte[4 << 20];
        long best = Long.MAX_VALUE;
        // Others may want the disk too; where the client sleeps, none of them is quicker.
        for (int i = 0; i < 20 && best >= 400_000_000; i++) {
            long begin = System.nanoTime();
            store.write("s/" + i, List.of(ByteBuffer.wrap(bytes)));
            best = Math.min(best, System.nanoTime() - begin);
        }
        assertThat(best / 1_000_000).as("ms for 4 MiB, the quickest of twenty").isLessThan(400);
    }

    @Test
    void flushedFilesAreWholeToo() throws IOException {
        try (ChunkStore flushing = HdfsChunkStore.open(
                URI.create(cluster.getURI() + "/flushed"),
                HdfsChunkStore.Sync.HFLUSH,
                HdfsChunkStore.configuration(null))) {
            flushing.write("s/a", List.of(ByteBuffer.wrap(new byte[] {1, 2, 3})));
            try (ChunkStore.Input input = flushing.open("s/a")) {
                assertThat(input.size()).isEqualTo(3);
            }
        }
    }
}
