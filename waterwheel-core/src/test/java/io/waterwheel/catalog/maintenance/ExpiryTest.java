package io.waterwheel.catalog.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.ForwardingCatalogStore;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Horizons: which chunks a snapshot has, compared with a list; who moves them, and how far. */
final class ExpiryTest {
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final Region EVERYWHERE = new Region(KeyInterval.ALL, TimeInterval.ALL);
    private static final Retention HOUR = Retention.parse("1 h");
    private static final long NOW = 1_700_000_000_000L;
    private static final long HOUR_MILLIS = 3_600_000;

    @TempDir
    Path folder;

    /** A stream of one indexer in a catalog of its own. */
    private final class Setting {
        final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        final Namespace namespace = new Namespace(store);
        final ChunkStore files;
        final StreamInfo stream;
        final StreamCatalog catalog;
        final Expiry expiry;
        int nodeVersion;
        long flush;

        Setting() throws IOException {
            files = new LocalChunkStore(folder);
            stream = namespace.create("s", SCHEMA, RecordFormat.BLOCK, "t", new long[1], 1);
            catalog = new StreamCatalog(store, stream);
            expiry = new Expiry(new StreamSnapshots(store, files));
            nodeVersion = catalog.startIndexer(0).nodeVersion();
        }

        void flush(long from, long to) {
            flush++;
            String file = ChunkDescriptor.fileName("s", stream.id(), 0, 1, flush, 0);
            ChunkDescriptor chunk = new ChunkDescriptor(file, 0, 1, flush, 0, 10, 100, Region.of(0, 9, from, to));
            var done = catalog.commitFlush(
                    0, nodeVersion, new IndexerCheckpoint(1, flush, new long[] {flush}, 0), List.of(chunk));
            nodeVersion = ((StreamCatalog.CommitOutcome.Done) done).nodeVersion();
        }

        void retain(Retention retention) {
            namespace.changePolicy("s", policy -> policy.withRetention(retention));
        }

        StreamSnapshot latest() {
            return new SnapshotReader(store, files, stream).latest();
        }
    }

    @Test
    void aSnapshotHasWhatAListHas() {
        long first = Long.getLong("seed", 1L);
        for (long seed = first; seed < first + 30; seed++) {
            Random random = new Random(seed);
            List<ChunkDescriptor> naive = new ArrayList<>();
            long horizon = Retention.NO_HORIZON;
            StreamInfo stream = new StreamInfo("s", 1, SCHEMA, RecordFormat.BLOCK, "t", 1, 1);
            StreamSnapshot snapshot = StreamSnapshot.before(stream)
                    .apply(1, new Edit.Created(RoutingTable.even(1, KeyInterval.ALL, 1), List.of(0L)));
            for (int step = 0; step < 300; step++) {
                Edit edit;
                int action = random.nextInt(8);
                if (action == 0) {
                    // Not in order, and sometimes far back.
                    long to = random.nextInt(10) == 0 ? random.nextInt(40_000) : step * 100L - random.nextInt(3_000);
                    edit = new Edit.Expired(to);
                    horizon = Math.max(horizon, to);
                } else if (action == 1 && naive.size() > 1) {
                    ChunkDescriptor a = naive.remove(random.nextInt(naive.size()));
                    ChunkDescriptor b = naive.remove(random.nextInt(naive.size()));
                    ChunkDescriptor output = chunk(step, 0, 0, a.region().span(b.region()));
                    edit = new Edit.Merged(List.of(a.file(), b.file()), output);
                    naive.add(output);
                } else {
                    List<ChunkDescriptor> added = new ArrayList<>();
                    for (int part = random.nextInt(4); part > 0; part--) {
                        long key = random.nextInt(1_000);
                        long from = step * 100L - random.nextInt(5_000);
                        added.add(chunk(
                                step,
                                step + 1L,
                                part,
                                Region.of(key, key + random.nextInt(500), from, from + random.nextInt(4_000))));
                    }
                    naive.addAll(added);
                    edit = new Edit.Flushed(0, new IndexerCheckpoint(1, step + 1L, new long[1], 0), added);
                }
                snapshot = snapshot.apply(snapshot.edit() + 1, edit);
                long bound = horizon;
                naive.removeIf(chunk -> chunk.region().times().to() < bound);
                compare(snapshot, naive, horizon, random, "seed " + seed + " step " + step);
            }
        }
    }

    private static ChunkDescriptor chunk(int step, long flush, int part, Region region) {
        return new ChunkDescriptor("s-1/0-1-" + flush + "-" + part + "x" + step, 0, 1, flush, part, 1, 1, region);
    }

    private static void compare(
            StreamSnapshot snapshot, List<ChunkDescriptor> naive, long horizon, Random random, String where) {
        assertThat(snapshot.horizon()).as(where).isEqualTo(horizon);
        assertThat(snapshot.chunkCount()).as(where).isEqualTo(naive.size());
        assertThat(found(snapshot, EVERYWHERE)).as(where).isEqualTo(new HashSet<>(naive));
        long key = random.nextInt(1_000);
        long time = random.nextInt(30_000);
        Region region = Region.of(key, key + random.nextInt(300), time, time + random.nextInt(3_000));
        Set<ChunkDescriptor> expected = new HashSet<>(naive);
        expected.removeIf(chunk -> !chunk.region().overlaps(region));
        assertThat(found(snapshot, region)).as(where).isEqualTo(expected);
        assertThat(snapshot.times())
                .as(where)
                .isEqualTo(naive.stream().map(chunk -> chunk.region().times()).reduce(TimeInterval::span));
    }

    private static Set<ChunkDescriptor> found(StreamSnapshot snapshot, Region region) {
        Set<ChunkDescriptor> found = new HashSet<>();
        snapshot.chunks(region, chunk -> assertThat(found.add(chunk)).isTrue());
        return found;
    }

    @Test
    void dropsWholeChunksAndCountsThoseThatReachAcross() throws IOException {
        Setting setting = new Setting();
        setting.flush(NOW - 3 * HOUR_MILLIS, NOW - 2 * HOUR_MILLIS);
        setting.flush(NOW - 2 * HOUR_MILLIS, NOW - HOUR_MILLIS);
        setting.flush(NOW - 2 * HOUR_MILLIS, NOW);
        assertThat(setting.expiry.expire(setting.stream, NOW)).as("off").isEmpty();
        setting.retain(HOUR);
        Expiry.Due due = Expiry.next(setting.latest(), HOUR, NOW);
        assertThat(due).isEqualTo(new Expiry.Due(NOW - HOUR_MILLIS, 1, 10, 100, 2));
        assertThat(setting.latest().chunkCount()).as("asked only").isEqualTo(3);
        assertThat(setting.expiry.expire(setting.stream, NOW)).contains(due);
        assertThat(setting.latest().horizon()).isEqualTo(NOW - HOUR_MILLIS);
        assertThat(setting.latest().chunkCount()).isEqualTo(2);
        assertThat(setting.expiry.expire(setting.stream, NOW)).as("again").isEmpty();
    }

    @Test
    void nothingIsDueThatTheNextLookLeaves() throws IOException {
        Setting setting = new Setting();
        setting.retain(HOUR);
        setting.flush(NOW - 2 * HOUR_MILLIS, NOW + HOUR_MILLIS);
        assertThat(setting.expiry.expire(setting.stream, NOW)).isPresent();
        // No whole chunk, and less than a 64th of the hour; then more.
        long soon = NOW + 1_000;
        assertThat(Expiry.next(setting.latest(), HOUR, soon).horizon()).isEqualTo(Retention.NO_HORIZON);
        assertThat(setting.expiry.expire(setting.stream, soon)).isEmpty();
        long later = NOW + HOUR_MILLIS / 60;
        Expiry.Due due = Expiry.next(setting.latest(), HOUR, later);
        assertThat(due).isEqualTo(new Expiry.Due(later - HOUR_MILLIS, 0, 0, 0, 1));
        assertThat(setting.expiry.expire(setting.stream, later)).contains(due);
    }

    @Test
    void neitherAWrongTupleNorAWrongMachineTakesWhatShouldBeKept() throws IOException {
        Setting setting = new Setting();
        setting.retain(HOUR);
        setting.flush(NOW - HOUR_MILLIS / 2, NOW);
        // A tuple of next year.
        setting.flush(NOW - HOUR_MILLIS / 2, NOW + 9_000 * HOUR_MILLIS);
        assertThat(setting.expiry.expire(setting.stream, NOW)).isEmpty();

        Setting other = new Setting();
        other.retain(HOUR);
        other.flush(NOW - HOUR_MILLIS / 2, NOW);
        // A machine that lives in next year; and a stream that has stood still for so long.
        assertThat(other.expiry.expire(other.stream, NOW + 9_000 * HOUR_MILLIS)).isEmpty();
        assertThat(other.latest().chunkCount()).isEqualTo(1);
    }

    @Test
    void theHorizonNeverGoesBackAndWhatComesTooLateIsNotRead() throws IOException {
        Setting setting = new Setting();
        setting.retain(HOUR);
        setting.flush(NOW - 2 * HOUR_MILLIS, NOW);
        assertThat(setting.expiry.expire(setting.stream, NOW)).isPresent();
        setting.retain(Retention.parse("30 d"));
        setting.flush(NOW - 3 * HOUR_MILLIS, NOW - 2 * HOUR_MILLIS);
        assertThat(setting.expiry.expire(setting.stream, NOW)).isEmpty();
        assertThat(setting.latest().horizon()).isEqualTo(NOW - HOUR_MILLIS);
        assertThat(setting.latest().chunkCount()).isEqualTo(1);
        setting.retain(Retention.OFF);
        assertThat(setting.expiry.expire(setting.stream, NOW + HOUR_MILLIS)).isEmpty();
        assertThat(setting.latest().horizon()).isEqualTo(NOW - HOUR_MILLIS);
    }

    @Test
    void oneEditTakesAnyNumberOfChunksAndSmallStepsTakeNone() throws IOException {
        Setting setting = new Setting();
        setting.retain(HOUR);
        setting.flush(NOW - 50 * HOUR_MILLIS, NOW);
        for (int i = 0; i < 500; i++) {
            setting.flush(NOW - 40 * HOUR_MILLIS + i, NOW - 39 * HOUR_MILLIS + i);
        }
        long before = setting.latest().edit();
        assertThat(setting.expiry.expire(setting.stream, NOW).orElseThrow().chunks())
                .isEqualTo(500);
        assertThat(setting.latest().edit()).isEqualTo(before + 1);
        assertThat(setting.latest().chunkCount()).isEqualTo(1);
        setting.flush(NOW, NOW + 30_000);
        assertThat(setting.expiry.expire(setting.stream, NOW + 30_000))
                .as("half a minute later")
                .isEmpty();
        setting.flush(NOW, NOW + 60_000);
        assertThat(setting.expiry.expire(setting.stream, NOW + 60_000))
                .as("a 60th of the retention")
                .isPresent();
    }

    @Test
    void aPolicyThatChangesMeanwhileIsTheOneThatCounts() throws IOException {
        Setting setting = new Setting();
        setting.retain(HOUR);
        setting.flush(NOW - 3 * HOUR_MILLIS, NOW - 2 * HOUR_MILLIS);
        setting.flush(NOW - HOUR_MILLIS, NOW);
        CatalogStore late = new Interposed(setting.store, () -> setting.retain(Retention.OFF));
        Expiry expiry = new Expiry(new StreamSnapshots(late, setting.files));
        assertThat(expiry.expire(setting.stream, NOW)).isEmpty();
        assertThat(setting.latest().chunkCount()).isEqualTo(2);
        assertThat(setting.latest().horizon()).isEqualTo(Retention.NO_HORIZON);
    }

    @Test
    void aDroppedStreamIsLeftAlone() throws IOException {
        Setting setting = new Setting();
        setting.namespace.drop("s");
        setting.namespace.create("s", SCHEMA, RecordFormat.BLOCK, "t", new long[1], 1);
        assertThatThrownBy(() -> setting.expiry.expire(setting.stream, NOW)).isInstanceOf(StreamGoneException.class);
    }

    /** Something happens before the first commit. */
    private static final class Interposed extends ForwardingCatalogStore {
        private Runnable before;

        Interposed(CatalogStore store, Runnable before) {
            super(store);
            this.before = before;
        }

        @Override
        public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
            Runnable now = before;
            before = () -> {};
            now.run();
            super.commit(ops);
        }
    }
}
