package io.waterwheel.topology.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.ChunkDescriptor;
import io.waterwheel.chunk.ChunkStore;
import io.waterwheel.model.Region;
import io.waterwheel.query.exec.Dispatch;
import io.waterwheel.query.exec.DispatchPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three datanodes on hosts of their own, two copies of a block, and a thread beside each in place of a query server:
 * what HDFS calls the hosts is what dispatch compares, and near reads follow. The same with real daemons, in processes
 * of their own, is the cluster's PlacementTest.
 */
@Tag("embedded")
final class HdfsPlacementTest {
    private static final List<String> HOSTS = List.of("127.0.0.2", "127.0.0.3", "127.0.0.4");
    private static final int CHUNKS = 18;
    private static final int QUERIES = 15;

    @Test
    void chunksAreReadBesideTheirReplicas(@TempDir Path folder) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set("hdfs.minidfs.basedir", folder.toString());
        configuration.setInt("dfs.replication", 2);
        try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(configuration)
                        .numDataNodes(HOSTS.size())
                        .hosts(HOSTS.toArray(new String[0]))
                        .build();
                ChunkStore store = ChunkStores.open(cluster.getURI() + "/chunks")) {
            cluster.waitClusterUp();
            Map<String, List<String>> replicas = new HashMap<>();
            List<ChunkDescriptor> chunks = new ArrayList<>();
            for (int c = 0; c < CHUNKS; c++) {
                String file = "s-1/0-1-" + c + "-0.chunk";
                store.write(file, List.of(ByteBuffer.wrap(new byte[100_000])));
                chunks.add(new ChunkDescriptor(file, 0, 1, c, 0, 1, 1, Region.of(0, 1, 0, 1)));
            }
            for (ChunkDescriptor chunk : chunks) {
                replicas.put(chunk.file(), hosts(store, chunk.file()));
                assertThat(replicas.get(chunk.file())).as(chunk.file()).isSubsetOf(HOSTS);
            }
            Map<DispatchPolicy, Double> near = new HashMap<>();
            for (DispatchPolicy policy : List.of(DispatchPolicy.LADA, DispatchPolicy.ROUND_ROBIN)) {
                int reads = 0;
                Random random = new Random(1);
                for (int query = 0; query < QUERIES; query++) {
                    // Of one chunk, of three, of five: the small ones are where chance decides.
                    Collections.shuffle(chunks, random);
                    List<ChunkDescriptor> asked = List.copyOf(chunks.subList(0, 1 + query % 3 * 2));
                    reads += asked.size();
                    near.merge(policy, (double) nearReads(policy, asked, replicas, store), Double::sum);
                }
                near.put(policy, near.get(policy) / reads);
            }
            System.err.println("read beside a replica: " + near);
            assertThat(near.get(DispatchPolicy.LADA)).as("%s", near).isGreaterThanOrEqualTo(0.85);
            assertThat(near.get(DispatchPolicy.ROUND_ROBIN)).as("%s", near).isLessThan(0.9);
        }
    }

    /** Both; the second is reported to the namenode a moment after the file is closed. */
    private static List<String> hosts(ChunkStore store, String file) throws IOException {
        long deadline = System.nanoTime() + 30_000_000_000L;
        List<String> hosts = store.hosts(file);
        while (hosts.size() < 2) {
            assertThat(System.nanoTime()).as("%s: %s", file, hosts).isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
            hosts = store.hosts(file);
        }
        return hosts;
    }

    private static int nearReads(
            DispatchPolicy policy, List<ChunkDescriptor> chunks, Map<String, List<String>> replicas, ChunkStore store)
            throws Exception {
        Map<String, String> servers = new HashMap<>();
        HOSTS.forEach(host -> servers.put("server on " + host, host));
        Dispatch dispatch = policy.dispatch(chunks, servers, replicas::get);
        AtomicInteger near = new AtomicInteger();
        AtomicInteger all = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(HOSTS.size());
        try {
            List<Future<?>> ends = new ArrayList<>();
            servers.forEach((server, host) -> ends.add(threads.submit(() -> {
                while (true) {
                    Dispatch.Bid bid = dispatch.bid(server, System.nanoTime());
                    if (bid instanceof Dispatch.Bid.Nothing) {
                        return;
                    }
                    if (!(bid instanceof Dispatch.Bid.Read read)) {
                        LockSupport.parkNanos(200_000);
                        continue;
                    }
                    String file = read.chunk().file();
                    try (ChunkStore.Input input = store.open(file)) {
                        input.readVectored(new long[] {0, 50_000}, new byte[][] {new byte[20_000], new byte[50_000]});
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    if (!dispatch.done(read.chunk(), server, System.nanoTime())) {
                        continue;
                    }
                    all.incrementAndGet();
                    near.addAndGet(replicas.get(file).contains(host) ? 1 : 0);
                }
            })));
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(all.get()).as("%s", policy).isEqualTo(chunks.size());
        return near.get();
    }
}
