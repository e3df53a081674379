package io.waterwheel.topology.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.query.dispatch.ComparedPolicy;
import io.waterwheel.query.dispatch.Dispatch;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three datanodes on hosts of their own, two copies of a block, and a reader beside each in place of a query server:
 * what HDFS calls the hosts is what dispatch compares, and near reads follow. The same with real daemons, in processes
 * of their own, is the cluster's PlacementTest.
 */
@Tag("embedded")
final class HdfsPlacementTest {
    private static final List<String> HOSTS = List.of("127.0.0.2", "127.0.0.3", "127.0.0.4");
    private static final int CHUNKS = 18;
    private static final int QUERIES = 15;
    /** What a read takes, by the readers' clock. */
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

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
            Map<ComparedPolicy, Double> near = new HashMap<>();
            for (ComparedPolicy policy : List.of(ComparedPolicy.LADA, ComparedPolicy.ROUND_ROBIN)) {
                int reads = 0;
                Random random = new Random(1);
                for (int query = 0; query < QUERIES; query++) {
                    // Of one chunk, of three, of five: the small ones are where chance decides.
                    Collections.shuffle(chunks, random);
                    List<ChunkDescriptor> asked = List.copyOf(chunks.subList(0, 1 + query % 3 * 2));
                    reads += asked.size();
                    near.merge(policy, (double) nearReads(policy, asked, replicas, store, query), Double::sum);
                }
                near.put(policy, near.get(policy) / reads);
            }
            System.err.println("read beside a replica: " + near);
            assertThat(near.get(ComparedPolicy.LADA)).as("%s", near).isGreaterThanOrEqualTo(0.85);
            // HDFS places replicas at random.
            assertThat(near.get(ComparedPolicy.ROUND_ROBIN)).as("%s", near).isLessThan(near.get(ComparedPolicy.LADA));
        }
    }

    /** Both; the second is reported to the namenode a moment after the file is closed. */
    private static List<String> hosts(ChunkStore store, String file) throws IOException {
        Waiting.until("both hosts of " + file, () -> store.hosts(file).size() == 2);
        return store.hosts(file);
    }

    /**
     * The readers take turns on a clock of their own: how long one waits for a better one is milliseconds, and a busy
     * machine would decide who reads what.
     */
    private static int nearReads(
            ComparedPolicy policy,
            List<ChunkDescriptor> chunks,
            Map<String, List<String>> replicas,
            ChunkStore store,
            long seed)
            throws IOException {
        Map<String, Dispatch.Server> servers = new TreeMap<>();
        HOSTS.forEach(host -> servers.put("server on " + host, new Dispatch.Server(host, 1)));
        Dispatch dispatch = policy.dispatch(chunks, servers, replicas::get);
        List<String> bidders = new ArrayList<>(servers.keySet());
        Random random = new Random(seed);
        Map<String, ChunkDescriptor> reading = new HashMap<>();
        int near = 0;
        int all = 0;
        for (long now = 0; !bidders.isEmpty(); now += STEP_NANOS) {
            assertThat(now).as("%s: no end", policy).isLessThan(TimeUnit.MINUTES.toNanos(1));
            // Who bids first is chance.
            Collections.shuffle(bidders, random);
            for (String server : List.copyOf(bidders)) {
                ChunkDescriptor read = reading.remove(server);
                if (read != null) {
                    assertThat(dispatch.done(read, server, now))
                            .as("%s", policy)
                            .isTrue();
                    all++;
                    near += replicas.get(read.file())
                                    .contains(servers.get(server).host())
                            ? 1
                            : 0;
                }
                Dispatch.Bid bid = dispatch.bid(server, now);
                if (bid instanceof Dispatch.Bid.Read next) {
                    try (ChunkStore.Input input = store.open(next.chunk().file())) {
                        input.readVectored(new long[] {0, 50_000}, new int[] {20_000, 50_000}, new byte[70_000]);
                    }
                    reading.put(server, next.chunk());
                } else if (bid instanceof Dispatch.Bid.Nothing) {
                    bidders.remove(server);
                }
            }
        }
        assertThat(all).as("%s", policy).isEqualTo(chunks.size());
        return near;
    }
}
