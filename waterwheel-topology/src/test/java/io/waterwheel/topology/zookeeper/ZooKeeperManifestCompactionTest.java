package io.waterwheel.topology.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.maintenance.FileCollector;
import io.waterwheel.catalog.maintenance.ManifestCompaction;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.Region;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Edits are rolled up on a real server while two indexers flush, two roll up, one follows. */
final class ZooKeeperManifestCompactionTest {
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final int FLUSHES = 60;
    private static final int EDITS = 10;

    @TempDir
    Path folder;

    @Test
    void nothingIsLostAndZooKeeperStaysSmall() throws Exception {
        try (TestingServer server = new TestingServer(true);
                ChunkStore files = new LocalChunkStore(folder);
                CatalogStore one = connect(server);
                CatalogStore two = connect(server)) {
            StreamInfo stream = new Namespace(one).create("s", SCHEMA, RecordFormat.BLOCK, "t", new long[1], 2);
            ExecutorService threads = Executors.newFixedThreadPool(4);
            try {
                List<Future<?>> writers = List.of(
                        threads.submit(() -> flushAll(one, stream, 0)), threads.submit(() -> flushAll(two, stream, 1)));
                List<Future<?>> rollers = List.of(
                        threads.submit(() -> rollUpUntil(one, files, stream, writers, "a")),
                        threads.submit(() -> rollUpUntil(two, files, stream, writers, "b")));
                SnapshotReader reader = new SnapshotReader(two, files, stream);
                StreamSnapshot follower = StreamSnapshot.before(stream);
                while (!writers.stream().allMatch(Future::isDone)) {
                    StreamSnapshot next = reader.advance(follower);
                    assertThat(next.edit()).isGreaterThanOrEqualTo(follower.edit());
                    checkWhole(next);
                    follower = next;
                }
                for (Future<?> each : writers) {
                    each.get();
                }
                for (Future<?> each : rollers) {
                    each.get();
                }
                two.sync();
                assertThat(reader.advance(follower).chunkCount()).isEqualTo(2 * FLUSHES);
                StreamSnapshot opened = reader.latest();
                assertThat(opened.edit()).isEqualTo(1 + 2 + 2 * FLUSHES);
                assertThat(opened.chunkCount()).isEqualTo(2 * FLUSHES);
                checkWhole(opened);
                assertThat(one.children(reader.editsPath()).size()).isLessThanOrEqualTo(EDITS + EDITS / 2);
            } finally {
                threads.shutdownNow();
            }
            FileCollector collector = new FileCollector(two, files, 1);
            for (long now = 0; now < 10; now += 5) {
                collector.list();
                collector.readCatalog();
                collector.collect(now);
            }
            assertThat(new SnapshotReader(one, files, stream).latest().chunkCount())
                    .isEqualTo(2 * FLUSHES);
        }
    }

    private static CatalogStore connect(TestingServer server) {
        return ZooKeeperCatalogStore.connect(server.getConnectString(), "/w", Duration.ofSeconds(60));
    }

    /** Whatever the edit, as many chunks as flushes. */
    private static void checkWhole(StreamSnapshot snapshot) {
        long flushed = snapshot.checkpoints().values().stream()
                .mapToLong(IndexerCheckpoint::flushed)
                .sum();
        assertThat(snapshot.chunkCount())
                .as("chunks at edit %s", snapshot.edit())
                .isEqualTo((int) flushed);
    }

    private static void flushAll(CatalogStore store, StreamInfo stream, int indexer) {
        StreamCatalog catalog = new StreamCatalog(store, stream);
        int version = catalog.startIndexer(indexer).nodeVersion();
        for (long flush = 1; flush <= FLUSHES; flush++) {
            ChunkDescriptor chunk = new ChunkDescriptor(
                    ChunkDescriptor.fileName("s", stream.id(), indexer, 1, flush, 0),
                    indexer,
                    1,
                    flush,
                    0,
                    1,
                    1,
                    Region.of(flush, flush, flush, flush));
            var outcome = catalog.commitFlush(
                    indexer, version, new IndexerCheckpoint(1, flush, new long[] {flush}, 0), List.of(chunk));
            version = ((StreamCatalog.CommitOutcome.Done) outcome).nodeVersion();
        }
    }

    private static Void rollUpUntil(
            CatalogStore store, ChunkStore files, StreamInfo stream, List<Future<?>> writers, String name)
            throws Exception {
        int[] attempts = {0};
        ManifestCompaction roll = new ManifestCompaction(
                new StreamSnapshots(store, files),
                stream,
                ManifestCompaction.Settings.of(EDITS),
                () -> name + attempts[0]++);
        boolean last = false;
        while (!last) {
            last = writers.stream().allMatch(Future::isDone);
            if (roll.write()) {
                roll.commit();
            }
            while (roll.trim() > 0) {
                Thread.onSpinWait();
            }
        }
        return null;
    }
}
