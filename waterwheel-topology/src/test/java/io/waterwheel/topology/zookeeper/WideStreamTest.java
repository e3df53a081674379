package io.waterwheel.topology.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One stream of many partitions and indexers on a real ZooKeeper: created, extended, given more indexers, divided anew
 * while its partitions raise their limits, started again. {@code -Dpartitions=4096 -Dindexers=64} for the size that is
 * aimed at; figures are in benchmark/RESULTS.md.
 */
final class WideStreamTest {
    private static final int PARTITIONS = Rounds.of("partitions", 300, 1_024);
    private static final int INDEXERS = Rounds.of("indexers", 6, 16);
    /** A topic that is in use: offsets of thirteen digits. */
    private static final long USED = 1_000_000_000_000L;

    private static final LogIdentity LOG = LogIdentity.first("AAAAAAAAAAAAAAAAAAAAAA");
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    @TempDir
    Path folder;

    private interface Step<T> {
        T run() throws Exception;
    }

    private static <T> T timed(String what, Step<T> step) throws Exception {
        long begun = System.nanoTime();
        T result = step.run();
        System.out.printf(
                "wide stream: %d partitions, %d indexers: %s %.2f s%n",
                PARTITIONS, INDEXERS, what, (System.nanoTime() - begun) / 1e9);
        return result;
    }

    private static long[] starts(int partitions) {
        return IntStream.range(0, partitions).mapToLong(p -> USED + 7 * p).toArray();
    }

    private static StreamInfo create(CatalogStore store, String name, int partitions, int indexers) {
        return new Namespace(store)
                .create(
                        name,
                        SCHEMA,
                        RecordFormat.BLOCK,
                        new StartOfTopic(name, starts(partitions), LOG),
                        indexers,
                        StreamPolicy.DEFAULT);
    }

    private static int[] ids(int indexers) {
        return IntStream.range(0, indexers).toArray();
    }

    @Test
    void isCreatedExtendedResizedRebalancedAndStarted() throws Exception {
        try (TestingServer server = new TestingServer(true);
                ChunkStore files = new LocalChunkStore(folder);
                CatalogStore store = connect(server);
                CatalogStore others = connect(server)) {
            StreamInfo wide = timed("create", () -> create(store, "wide", PARTITIONS, INDEXERS));
            StreamCatalog catalog = new StreamCatalog(store, wide);
            timed("start of every indexer", () -> startAll(catalog));
            StreamInfo narrow = create(store, "narrow", 1, INDEXERS);
            startAll(new StreamCatalog(store, narrow));
            StreamInfo grown =
                    timed("extend from 1", () -> new StreamCatalog(store, narrow).extend(starts(PARTITIONS), LOG));
            assertThat(grown.partitions()).isEqualTo(PARTITIONS);
            StreamSnapshot extended = new SnapshotReader(store, files, grown).latest();
            assertThat(extended.partitions()).isEqualTo(PARTITIONS);
            assertThat(extended.checkpoints().get(INDEXERS - 1).watermarks()).isEqualTo(starts(PARTITIONS));

            AtomicBoolean done = new AtomicBoolean();
            ExecutorService dispatchers = Executors.newSingleThreadExecutor();
            try {
                StreamInfo few = create(store, "few", PARTITIONS, 1);
                Future<Long> raises = dispatchers.submit(() -> raiseUntil(done, new StreamCatalog(others, few)));
                StreamCatalog resized = new StreamCatalog(store, few);
                RoutingTable even = RoutingTable.even(1, KeyInterval.ALL, INDEXERS);
                timed("resize from 1", () -> resized.changeRouting(even.boundaries(), ids(INDEXERS)));
                long[] other = even.boundaries().clone();
                Arrays.setAll(other, i -> other[i] + 1);
                RoutingTable newest = timed("rebalance", () -> resized.changeRouting(other, ids(INDEXERS)));
                done.set(true);
                System.out.printf("wide stream: %d limits were raised meanwhile%n", raises.get());
                StreamInfo present = new Namespace(store).find("few").orElseThrow();
                assertThat(present.indexers()).isEqualTo(INDEXERS);
                StreamCatalog now = new StreamCatalog(store, present);
                timed("start of every indexer after it", () -> startAll(now));
                flushAll(now);
                StreamSnapshot snapshot =
                        timed("open from edits", () -> new SnapshotReader(store, files, present).latest());
                assertThat(snapshot.announced()).isEmpty();
                for (int p = 0; p < PARTITIONS; p++) {
                    assertThat(snapshot.route(p).newestVersion()).isEqualTo(newest.version());
                }
                timed("first plan", () -> snapshot.indexersFor(List.of(KeyInterval.ALL)));
                long begun = System.nanoTime();
                for (int i = 0; i < 1_000; i++) {
                    assertThat(snapshot.indexersFor(List.of(new KeyInterval(i, i))))
                            .isNotEmpty();
                }
                System.out.printf("wide stream: each plan after it %.1f us%n", (System.nanoTime() - begun) / 1e6);
            } finally {
                done.set(true);
                dispatchers.shutdownNow();
            }
            timed("drop", () -> {
                new Namespace(store).drop("few");
                return true;
            });
        }
    }

    private static int startAll(StreamCatalog catalog) {
        for (int indexer = 0; indexer < INDEXERS; indexer++) {
            assertThat(catalog.startIndexer(indexer).checkpoint().watermarks())
                    .hasSize(catalog.stream().partitions());
        }
        return INDEXERS;
    }

    private static void flushAll(StreamCatalog catalog) {
        for (int indexer = 0; indexer < INDEXERS; indexer++) {
            StreamCatalog.IndexerStart start = catalog.startIndexer(indexer);
            IndexerCheckpoint old = start.checkpoint();
            IndexerCheckpoint next =
                    new IndexerCheckpoint(old.epoch(), old.flushed() + 1, old.watermarks(), old.rejected());
            assertThat(catalog.commitFlush(indexer, start.nodeVersion(), next, List.of()))
                    .isInstanceOf(StreamCatalog.CommitOutcome.Done.class);
        }
    }

    /** As dispatchers do, as fast as one client can. */
    private static long raiseUntil(AtomicBoolean done, StreamCatalog catalog) {
        long raised = 0;
        while (!done.get()) {
            int p = (int) (raised * 31 % PARTITIONS);
            catalog.raiseLimit(p, catalog.route(p).route().limit() + 100, LOG);
            raised++;
        }
        return raised;
    }

    private static CatalogStore connect(TestingServer server) {
        return ZooKeeperCatalogStore.connect(server.getConnectString(), "/test", Duration.ofSeconds(60));
    }
}
