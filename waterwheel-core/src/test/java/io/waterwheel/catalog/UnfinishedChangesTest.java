package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.maintenance.Finisher;
import io.waterwheel.catalog.maintenance.ManifestCompaction;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LostRange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Changes of the routing, and of the partitions, whose author dies on the way: what holds meanwhile, and who finishes.
 */
final class UnfinishedChangesTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");
    private static final LogIdentity LOG = LogIdentity.first("one");

    @TempDir
    Path folder;

    private final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final Namespace namespace = new Namespace(store);
    private final StreamInfo stream = namespace.create(
            "s",
            SCHEMA,
            RecordFormat.CSV,
            new StartOfTopic("s", new long[] {10, 20, 30}, LOG),
            1,
            StreamPolicy.DEFAULT);
    private final StreamCatalog catalog = new StreamCatalog(store, stream);
    private LocalChunkStore chunks;
    private SnapshotReader reader;
    private Finisher finisher;

    @BeforeEach
    void open() throws IOException {
        chunks = new LocalChunkStore(folder);
        reader = new SnapshotReader(store, chunks, stream);
        finisher = new Finisher(new StreamSnapshots(store, chunks));
        for (int p = 0; p < 3; p++) {
            catalog.raiseLimit(p, 100 + p, LOG);
        }
    }

    /** A store whose user dies after so many transactions. */
    private final class Dying extends ForwardingCatalogStore {
        private int left;

        Dying(int commits) {
            super(UnfinishedChangesTest.this.store);
            this.left = commits;
        }

        @Override
        public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
            if (left-- <= 0) {
                throw new WaterwheelException(ErrorCode.CATALOG_UNAVAILABLE, "away");
            }
            super.commit(ops);
        }
    }

    private RoutingTable changeAndDie(int commits, int... indexers) {
        long[] boundaries = new long[indexers.length - 1];
        Arrays.setAll(boundaries, i -> 1_000 * (i + 1L));
        return new StreamCatalog(new Dying(commits), stream).changeRouting(boundaries, indexers);
    }

    private List<Integer> askedFor(long key) {
        return reader.latest().indexersFor(List.of(new KeyInterval(key, key)));
    }

    private void cover(int indexer) {
        StreamCatalog.IndexerStart start = catalog.startIndexer(indexer);
        long[] watermarks = new long[3];
        for (int p = 0; p < 3; p++) {
            watermarks[p] = catalog.route(p).route().limit();
        }
        IndexerCheckpoint next = new IndexerCheckpoint(
                start.checkpoint().epoch(), start.checkpoint().flushed() + 1, watermarks, 0);
        assertThat(catalog.commitFlush(indexer, start.nodeVersion(), next, List.of()))
                .isInstanceOf(StreamCatalog.CommitOutcome.Done.class);
    }

    @Test
    void whoIsInAnAnnouncedTableIsAskedWhateverPartitionsHaveAdopted() {
        // Joined, announced, adopted by partition 0.
        RoutingTable table = changeAndDie(3, 0, 1);
        assertThat(catalog.route(0).route().newestVersion()).isEqualTo(table.version());
        assertThat(catalog.route(1).route().newestVersion()).isEqualTo(1);
        StreamSnapshot snapshot = reader.latest();
        assertThat(snapshot.version()).isEqualTo(table.version());
        assertThat(snapshot.announced()).contains(table);
        assertThat(snapshot.notAdopted()).containsExactly(0, 1, 2);
        assertThat(askedFor(5_000)).containsExactly(0, 1);
        assertThat(askedFor(5)).containsExactly(0);
        assertThat(snapshot.checkpoints().get(1).watermarks()).containsExactly(100, 101, 102);
        assertThat(finisher.finish(stream)).isTrue();
        assertThat(reader.latest().announced()).isEmpty();
        assertThat(reader.latest().notAdopted()).isEmpty();
        assertThat(finisher.finish(stream)).isFalse();
        for (int p = 0; p < 3; p++) {
            assertThat(catalog.route(p).route().versions())
                    .isEqualTo(reader.latest().route(p).versions());
        }
        // Only what is above its checkpoint keeps indexer 0 in the question.
        assertThat(askedFor(5_000)).containsExactly(0, 1);
        cover(0);
        assertThat(askedFor(5_000)).containsExactly(1);
    }

    @Test
    void aNewerTableIsAdoptedAlsoWhereTheOneBeforeNeverWas() {
        RoutingTable first = changeAndDie(3, 0, 1);
        catalog.raiseLimit(0, 150, LOG);
        RoutingTable second = catalog.changeRouting(new long[0], new int[] {1});
        StreamSnapshot snapshot = reader.latest();
        assertThat(snapshot.announced()).isEmpty();
        assertThat(catalog.route(0).route().versions())
                .containsExactly(
                        new PartitionRoute.VersionSince(1, 10),
                        new PartitionRoute.VersionSince(first.version(), 100),
                        new PartitionRoute.VersionSince(second.version(), 150));
        assertThat(snapshot.route(0).versions())
                .as("with what was adopted and never recorded")
                .isEqualTo(catalog.route(0).route().versions());
        assertThat(catalog.route(1).route().versions())
                .containsExactly(
                        new PartitionRoute.VersionSince(1, 20), new PartitionRoute.VersionSince(second.version(), 101));
        assertThat(store.children(Namespace.dataPath(stream.id()) + "/tables")).containsExactly("1", "2", "3");
    }

    @Test
    void whatIsGivenUpAndNewPartitionsMeetAChangeThatNobodyHasFinished() {
        RoutingTable announced = changeAndDie(3, 0, 1);
        catalog.giveUp(new LostRange(1, 101, 120, "gone"));
        RoutingTable lost = catalog.newestTable();
        assertThat(lost.version()).isEqualTo(announced.version() + 1);
        assertThat(lost.indexers())
                .as("the newest, which the partition had not adopted")
                .containsExactly(0, 1);
        catalog.giveUp(new LostRange(0, 100, 110, "gone"));
        StreamSnapshot snapshot = reader.latest();
        assertThat(snapshot.route(0).versions())
                .as("with the version that was adopted and not recorded")
                .isEqualTo(catalog.route(0).route().versions())
                .hasSize(3);
        assertThat(snapshot.announced()).contains(announced);
        assertThat(snapshot.notAdopted()).containsExactly(2);
        StreamInfo grown = catalog.extend(new long[] {0, 0, 0, 7}, LOG);
        assertThat(finisher.finish(grown)).isTrue();
        snapshot = reader.latest();
        assertThat(snapshot.announced()).isEmpty();
        assertThat(snapshot.partitions()).isEqualTo(4);
        for (int p = 0; p < 4; p++) {
            assertThat(catalog.route(p).route().versions())
                    .isEqualTo(snapshot.route(p).versions());
            assertThat(snapshot.table(snapshot.route(p).newestVersion()).indexers())
                    .containsExactly(0, 1);
        }
    }

    @Test
    void aTableStaysAsLongAsAPartitionMayAdoptIt() {
        // Announced, adopted by nobody; then another, adopted by partition 0 alone.
        RoutingTable first = changeAndDie(2, 0, 1);
        RoutingTable second = changeAndDie(2, 1, 0);
        cover(0);
        cover(1);
        new RoutingChanges(store, catalog, new EditTail(store, stream)).deleteTables();
        assertThat(catalog.findTable(first.version())).isPresent();
        assertThat(finisher.finish(stream)).isTrue();
        assertThat(catalog.findTable(first.version())).isEmpty();
        assertThat(catalog.newestTable()).isEqualTo(second);
    }

    /** Runs something once, after the first reading of a path. */
    private final class Interrupted extends ForwardingCatalogStore {
        private final String path;
        private Runnable once;

        Interrupted(String path, Runnable once) {
            super(UnfinishedChangesTest.this.store);
            this.path = path;
            this.once = once;
        }

        private void after(String read) {
            if (read.equals(path)) {
                Runnable now = once;
                once = () -> {};
                now.run();
            }
        }

        @Override
        public Optional<Node> read(String path) {
            Optional<Node> node = super.read(path);
            after(path);
            return node;
        }

        @Override
        public List<String> children(String path) {
            List<String> children = super.children(path);
            after(path);
            return children;
        }
    }

    /** Everything is flushed, the routing changes, and routes drop what no checkpoint needs. */
    private void goOn() {
        for (int change = 0; change < 3; change++) {
            for (int p = 0; p < 3; p++) {
                catalog.raiseLimit(p, catalog.route(p).route().limit() + 500, LOG);
            }
            for (int indexer = 0; indexer < namespace.find("s").orElseThrow().indexers(); indexer++) {
                cover(indexer);
            }
            RoutingTable newest = catalog.newestTable();
            catalog.changeRouting(newest.boundaries(), newest.indexers());
        }
    }

    private void checkEachCheckpointIsOfOffsetsThatAreRouted() {
        for (int indexer = 0; indexer < namespace.find("s").orElseThrow().indexers(); indexer++) {
            for (int p = 0; p < 3; p++) {
                assertThat(catalog.checkpoint(indexer).watermarks()[p])
                        .as("indexer %d, partition %d", indexer, p)
                        .isGreaterThanOrEqualTo(catalog.route(p).route().firstSince());
            }
        }
    }

    @Test
    void whoJoinsWhileRoutesForgetBeginsWhereTheyDoNot() {
        CatalogStore slow = new Interrupted(catalog.routePath(2), this::goOn);
        new StreamCatalog(slow, stream).changeRouting(new long[] {5}, new int[] {0, 1});
        checkEachCheckpointIsOfOffsetsThatAreRouted();
    }

    @Test
    void routesForgetNothingThatOneWhoHasJustJoinedNeeds() {
        RoutingTable announced = changeAndDie(1, 0);
        for (int p = 0; p < 3; p++) {
            catalog.raiseLimit(p, 500, LOG);
        }
        String indexers = Namespace.dataPath(stream.id()) + "/indexers";
        // It has listed the indexers; then another joins, then all flush far beyond where that one began.
        CatalogStore slow = new Interrupted(indexers, () -> {
            RoutingTable joined = changeAndDie(2, 0, 1);
            assertThat(joined.version()).isGreaterThan(announced.version());
            for (int p = 0; p < 3; p++) {
                catalog.raiseLimit(p, 900, LOG);
            }
            cover(0);
        });
        new Finisher(new StreamSnapshots(slow, chunks)).finish(stream);
        checkEachCheckpointIsOfOffsetsThatAreRouted();
        catalog.raiseLimit(0, 1_000, LOG);
        assertThat(finisher.finish(stream)).isTrue();
        checkEachCheckpointIsOfOffsetsThatAreRouted();
    }

    @Test
    void whoIsToldWhatIsWrongHasChangedNothing() {
        assertThatThrownBy(() -> catalog.changeRouting(new long[] {1}, new int[] {0, 7}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no indexer 1 yet");
        assertThat(reader.latest().edit()).isEqualTo(1);
        assertThat(catalog.changeRouting(9, new long[] {1}, new int[] {0, 1})).isEmpty();
        assertThat(reader.latest().edit()).isEqualTo(1);
    }

    @Test
    void indexersThatWereNotToldOfNewPartitionsAreToldByAnybody() {
        catalog.changeRouting(new long[] {5}, new int[] {0, 1});
        StreamCatalog.IndexerStart old = catalog.startIndexer(0);
        catalog.startIndexer(1);
        StreamCatalog dying = new StreamCatalog(new Dying(1), stream);
        assertThatThrownBy(() -> dying.extend(new long[] {0, 0, 0, 7, 8}, LOG)).isInstanceOf(WaterwheelException.class);
        StreamInfo grown = namespace.find("s").orElseThrow();
        assertThat(grown.partitions()).isEqualTo(5);
        assertThat(reader.latest().narrow()).containsExactly(0, 1);
        // It still flushes, and stands at the beginning of what it does not know.
        assertThat(catalog.commitFlush(
                        0, old.nodeVersion(), new IndexerCheckpoint(1, 1, new long[] {50, 60, 70}, 0), List.of()))
                .isInstanceOf(StreamCatalog.CommitOutcome.Done.class);
        StreamCatalog present = new StreamCatalog(store, grown);
        assertThat(present.checkpoint(0).watermarks()).containsExactly(50, 60, 70, 7, 8);
        assertThat(reader.latest().checkpoints().get(0)).isEqualTo(present.checkpoint(0));
        // Routes forget nothing meanwhile, also where the limits are far on.
        present.raiseLimit(3, 1_000, LOG);
        present.changeRouting(new long[] {7}, new int[] {0, 1});
        assertThat(present.route(3).route().firstSince()).isEqualTo(7);
        assertThatThrownBy(() -> catalog.startIndexer(0)).hasMessageContaining("has 5 partitions now");
        assertThat(finisher.finish(stream)).isTrue();
        StreamSnapshot snapshot = reader.latest();
        assertThat(snapshot.narrow()).isEmpty();
        assertThat(snapshot.checkpoints().get(0))
                .isEqualTo(present.checkpoint(0))
                .isEqualTo(new IndexerCheckpoint(2, 1, new long[] {50, 60, 70, 7, 8}, 0));
        assertThat(catalog.commitFlush(
                        0, old.nodeVersion() + 1, new IndexerCheckpoint(1, 2, new long[] {51, 61, 71}, 0), List.of()))
                .isInstanceOf(StreamCatalog.CommitOutcome.Fenced.class);
        assertThat(finisher.finish(stream)).isFalse();
    }

    @Test
    void unfinishedChangesAreInTheManifest() throws IOException {
        changeAndDie(3, 0, 1);
        assertThatThrownBy(() -> new StreamCatalog(new Dying(1), stream).extend(new long[4], LOG))
                .isInstanceOf(WaterwheelException.class);
        StreamSnapshot before = reader.latest();
        ManifestCompaction roll = new ManifestCompaction(
                new StreamSnapshots(store, chunks), stream, new ManifestCompaction.Settings(1, 0), () -> "a");
        assertThat(roll.write()).isTrue();
        assertThat(roll.commit()).isTrue();
        while (roll.trim() > 0) {}
        StreamSnapshot after = new SnapshotReader(store, chunks, stream).latest();
        assertThat(after.unfinished()).isEqualTo(before.unfinished());
        assertThat(after.announced()).isPresent();
        assertThat(after.narrow()).containsExactly(0, 1);
        assertThat(after.tables()).isEqualTo(before.tables());
    }
}
