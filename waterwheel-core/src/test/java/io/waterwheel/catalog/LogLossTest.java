package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.manifest.ManifestWriter;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LostRange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the catalog keeps of logs that lost something, grew, or were made anew. */
final class LogLossTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");

    @TempDir
    Path folder;

    private final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final Namespace namespace = new Namespace(store);
    private final StreamInfo stream = namespace.create(
            "s",
            SCHEMA,
            RecordFormat.CSV,
            new StartOfTopic("s", new long[] {10, 20}, LogIdentity.first("one")),
            2,
            StreamPolicy.DEFAULT);
    private final StreamCatalog catalog = new StreamCatalog(store, stream);

    private SnapshotReader reader(StreamInfo of) throws IOException {
        return new SnapshotReader(store, new LocalChunkStore(folder), of);
    }

    @Test
    void whatIsGivenUpIsInRouteAndSnapshotUnderAVersionOfItsOwn() throws IOException {
        catalog.giveUp(new LostRange(1, 25, 30, "a"));
        catalog.giveUp(new LostRange(1, 30, 40, "b"));
        catalog.giveUp(new LostRange(1, 32, 38, "again"));
        PartitionRoute route = catalog.route(1).route();
        assertThat(route.lost()).containsExactly(new LostRange(1, 25, 40, "a, b"));
        assertThat(route.limit()).isEqualTo(40);
        assertThat(route.newestVersion()).isEqualTo(3);
        StreamSnapshot snapshot = reader(stream).latest();
        assertThat(snapshot.lost()).isEqualTo(route.lost());
        assertThat(snapshot.version()).isEqualTo(3);
        assertThat(catalog.table(3).boundaries()).isEqualTo(catalog.table(1).boundaries());
        // A change of routing after it takes the next version.
        assertThat(catalog.changeRouting(new long[0], new int[] {0}).version()).isEqualTo(4);
        assertThat(reader(stream).advance(snapshot).version()).isEqualTo(4);
    }

    private void flushToTheLimits(int indexer) {
        StreamCatalog.IndexerStart start = catalog.startIndexer(indexer);
        IndexerCheckpoint old = start.checkpoint();
        long[] limits = {
            catalog.route(0).route().limit(), catalog.route(1).route().limit()
        };
        assertThat(catalog.commitFlush(
                        indexer,
                        start.nodeVersion(),
                        new IndexerCheckpoint(old.epoch(), old.flushed() + 1, limits, 0),
                        List.of()))
                .isInstanceOf(StreamCatalog.CommitOutcome.Done.class);
    }

    @Test
    void manyGiveUpsLeaveAFewVersionsAndTables() throws IOException {
        SnapshotReader reader = reader(stream);
        StreamSnapshot snapshot = reader.latest();
        int stateBytes = 0;
        for (int i = 0; i < 300; i++) {
            // Mostly one partition, while the other keeps the first table.
            int p = i < 200 ? 1 : i % 2;
            long from = catalog.route(p).route().limit();
            catalog.giveUp(new LostRange(p, from, from + 1, "gone"));
            flushToTheLimits(i % 2);
            snapshot = reader.advance(snapshot);
            String where = "give-up " + i;
            assertThat(catalog.route(p).route().versions()).as(where).hasSizeLessThan(9);
            assertThat(store.children("/data/1/tables")).as(where).hasSizeLessThan(20);
            assertThat(store.read(catalog.routePath(p)).orElseThrow().data().length)
                    .as(where)
                    .isLessThan(800);
            assertThat(snapshot.tables()).as(where).hasSizeLessThan(20);
            assertThat(snapshot.route(p).versions()).as(where).hasSizeLessThan(9);
            assertThat(snapshot.lost()).as(where).isEqualTo(lost());
            assertThat(snapshot.version()).as(where).isEqualTo(i + 2);
            assertThat(snapshot.indexersFor(List.of(KeyInterval.ALL))).as(where).containsExactly(0, 1);
            stateBytes = Math.max(stateBytes, ManifestWriter.state(snapshot).remaining());
        }
        assertThat(stateBytes).isLessThan(4_000);
        // Every table that is named is there.
        for (int p = 0; p < 2; p++) {
            for (PartitionRoute.VersionSince version : catalog.route(p).route().versions()) {
                assertThat(catalog.table(version.version()).indexers()).hasSize(2);
            }
        }
    }

    @Test
    void mostGiveUpsReadNoCheckpoint() {
        int[] reads = {0};
        CatalogStore counting = new ForwardingCatalogStore(store) {
            @Override
            public List<Optional<Node>> readAll(List<String> paths) {
                reads[0] += paths.stream().anyMatch(path -> path.contains("/indexers/")) ? 1 : 0;
                return super.readAll(paths);
            }
        };
        for (int i = 0; i < 40; i++) {
            long from = catalog.route(1).route().limit();
            new StreamCatalog(counting, stream).giveUp(new LostRange(1, from, from + 1, "gone"));
            flushToTheLimits(0);
            flushToTheLimits(1);
        }
        assertThat(reads[0]).isBetween(1, 8);
    }

    private List<LostRange> lost() {
        return Stream.of(0, 1)
                .flatMap(p -> catalog.route(p).route().lost().stream())
                .toList();
    }

    @Test
    void limitsThatRiseAllTheTimeHoldNoGiveUpUp() {
        // So many that there are tables to delete; the other partition rises before every commit.
        for (int i = 0; i < 10; i++) {
            flushToTheLimits(0);
            flushToTheLimits(1);
            long from = catalog.route(1).route().limit();
            CatalogStore busy = new ForwardingCatalogStore(store) {
                @Override
                public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
                    catalog.raiseLimit(0, catalog.route(0).route().limit() + 1, LogIdentity.first("one"));
                    super.commit(ops);
                }
            };
            assertThat(new StreamCatalog(busy, stream)
                            .giveUp(new LostRange(1, from, from + 1, "gone"))
                            .route()
                            .limit())
                    .isEqualTo(from + 1);
        }
        flushToTheLimits(0);
        flushToTheLimits(1);
        long from = catalog.route(1).route().limit();
        catalog.giveUp(new LostRange(1, from, from + 1, "gone"));
        assertThat(store.children("/data/1/tables")).as("what was left, later").hasSizeLessThan(10);
    }

    @Test
    void whoReadsAnotherLogRaisesNoLimit() {
        LogIdentity first = LogIdentity.first("one");
        assertThat(catalog.raiseLimit(0, 50, first).route().limit()).isEqualTo(50);
        LogIdentity next = catalog.changeLog(0, first, "two", 7).route().log();
        assertThat(next).isEqualTo(new LogIdentity("two", 1_000_000_000_000L, 1_000_000_000_007L));
        assertThat(catalog.changeLog(0, first, "three", 7).route().log())
                .as("somebody has decided already")
                .isEqualTo(next);
        assertThat(catalog.raiseLimit(0, Long.MAX_VALUE, first).route().limit()).isEqualTo(next.since());
        assertThat(catalog.raiseLimit(0, next.since() + 5, next).route().limit())
                .isEqualTo(next.since() + 5);
        assertThat(catalog.changeLog(0, next, "three", 0).route().log().base()).isEqualTo(2_000_000_000_000L);
    }

    @Test
    void newPartitionsFenceWhoDoesNotKnowThem() throws IOException {
        StreamCatalog.IndexerStart start = catalog.startIndexer(0);
        StreamInfo grown = catalog.extend(new long[] {0, 0, 5}, LogIdentity.first("one"));
        assertThat(grown.partitions()).isEqualTo(3);
        assertThat(catalog.extend(new long[] {0, 0, 9}, LogIdentity.ANY)).isEqualTo(grown);
        assertThat(catalog.commitFlush(
                        0, start.nodeVersion(), new IndexerCheckpoint(1, 1, new long[] {11, 21}, 0), List.of()))
                .isInstanceOf(StreamCatalog.CommitOutcome.Fenced.class);
        assertThatThrownBy(() -> catalog.startIndexer(0))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("has 3 partitions now");
        StreamCatalog present = new StreamCatalog(store, namespace.find("s").orElseThrow());
        IndexerCheckpoint checkpoint = present.startIndexer(0).checkpoint();
        assertThat(checkpoint.watermarks()).containsExactly(10, 20, 5);
        assertThat(checkpoint.epoch()).isEqualTo(3);
        StreamSnapshot snapshot = reader(stream).latest();
        assertThat(snapshot.partitions()).isEqualTo(3);
        assertThat(snapshot.stream()).isEqualTo(grown);
        assertThat(snapshot.checkpoints().get(0)).isEqualTo(checkpoint);
    }

    @Test
    void policiesChangeAndOldEntriesAreRead() {
        StreamPolicy policy = StreamPolicy.DEFAULT
                .withBadRecords(BadRecords.parse("halt above 5 per million"))
                .withLogLoss(LogLoss.SKIP);
        assertThat(namespace.changePolicy("s", old -> policy).policy()).isEqualTo(policy);
        assertThat(namespace.find("s").orElseThrow().policy()).isEqualTo(policy);
        byte[] data = store.read("/streams/s").orElseThrow().data();
        String json = new String(data, StandardCharsets.UTF_8);
        String old = json.replace("\"layout\":" + CatalogJson.LAYOUT + ",", "")
                .replace(",\"deadLetters\":\"halt above 5 per million\",\"logLoss\":\"skip to earliest\"", "");
        assertThat(CatalogJson.readStream("s", old.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(stream);
        assertThatThrownBy(() -> CatalogJson.readStream(
                        "s",
                        json.replace(
                                        "\"layout\":" + CatalogJson.LAYOUT,
                                        "\"layout\":" + (CatalogJson.LATEST_LAYOUT + 1))
                                .getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(CorruptCatalogException.class);
        // A schema that a later release wrote: this stream alone is refused.
        String later = json.replaceFirst("\"fields\":\\[\\{", "\"fields\":[{\"indexed\":\"later\",");
        assertThat(later).isNotEqualTo(json);
        assertThatThrownBy(() -> CatalogJson.readStream("s", later.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(CorruptCatalogException.class);
    }

    @Test
    void whatIsTooManyIsMergedWhereTheLeastIsNamedTooMuch() {
        PartitionRoute route = catalog.route(0).route();
        for (int i = 0; i < PartitionRoute.MAX_LOST; i++) {
            route = route.withLost(new LostRange(0, i * 100L, i * 100L + 10, "gone"));
        }
        assertThat(route.lost()).hasSize(PartitionRoute.MAX_LOST);
        route = route.withLost(new LostRange(0, 515, 520, "gone"));
        assertThat(route.lost()).hasSize(PartitionRoute.MAX_LOST).contains(new LostRange(0, 500, 520, "gone"));
        route = route.withLost(new LostRange(0, 1_000_000, 1_000_001, "gone"));
        assertThat(route.lost()).hasSize(PartitionRoute.MAX_LOST).contains(new LostRange(0, 500, 610, "gone"));
        assertThat(route.lostAt(1_000_000)).isNotNull();
    }
}
