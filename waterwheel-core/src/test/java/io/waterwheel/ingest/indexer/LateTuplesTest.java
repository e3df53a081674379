package io.waterwheel.ingest.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.query.scan.ChunkScan;
import io.waterwheel.query.scan.ScanSpec;
import io.waterwheel.query.scan.TreeScan;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An indexer alone, with tuples that are late or ahead: none missing, and recent questions touch no more chunks. */
final class LateTuplesTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("k", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);
    private static final long START = 1_600_000_000_000L;
    private static final long MINUTE = 60_000;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    private static final long SEED = Long.getLong("seed", 7);

    @TempDir
    Path folder;

    /** An indexer whose flushes are taken by hand, and what it was given. */
    private final class Run implements IndexerEffects {
        final LocalChunkStore store;
        final SnapshotReader reader;
        StreamSnapshot snapshot;
        final StreamInfo stream;
        final FlushSequence flushes;
        final IndexerCore core;
        final ArrayDeque<SealedTree> sealed = new ArrayDeque<>();
        final ChunkWriter writer = new ChunkWriter();
        final List<long[]> given = new ArrayList<>();
        FreshView view;
        Control.Report reported;
        private final IndexerSettings settings;
        long offset;
        private long clock = 1;

        Run(String name, IndexerSettings settings) throws IOException {
            this.settings = settings;
            store = new LocalChunkStore(Files.createDirectories(folder.resolve(name)));
            InMemoryCatalogStore zookeeper = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
            stream = new Namespace(zookeeper).create("s", SCHEMA, RecordFormat.BLOCK, "t", new long[1], 1);
            StreamCatalog catalog = new StreamCatalog(zookeeper, stream);
            reader = new SnapshotReader(zookeeper, store, stream);
            snapshot = StreamSnapshot.before(stream);
            StreamCatalog.IndexerStart start = catalog.startIndexer(0);
            flushes = new FlushSequence(catalog, 0, start);
            PagePool pool = new PagePool(256 << 20);
            core = new IndexerCore(
                    stream,
                    0,
                    start.checkpoint(),
                    new long[1],
                    pool,
                    new CreditWindow(pool, 1 << 20, 256 << 20),
                    settings,
                    this,
                    1);
        }

        void give(long[] times, Random random, long clock) throws IOException {
            TupleBlock block = new TupleBlock(LAYOUT, times.length);
            for (int row = 0; row < times.length; row++) {
                block.keys()[row] = random.nextLong();
                block.times()[row] = times[row];
                LittleEndian.putLong(block.column(0), row * 8, given.size());
                given.add(new long[] {block.keys()[row], times[row]});
            }
            block.setSize(times.length);
            BlockBody body = BlockBody.of(block, offset, new int[times.length], new int[0]);
            core.onBlock(
                    new ChannelBlock(stream.id(), 0, 0, new ChannelEpoch(core.epoch(), 1), offset, ++offset, 1, body),
                    this.clock,
                    clock);
            flush();
        }

        void flush() throws IOException {
            while (!sealed.isEmpty()) {
                flushes.add(sealed.peek());
                FlushSequence.Step step;
                do {
                    step = flushes.step(store, writer);
                } while (step == FlushSequence.Step.WRITTEN);
                assertThat(step).isEqualTo(FlushSequence.Step.COMMITTED);
                core.onFlushed(sealed.remove().flush(), flushes.learnt(), 1);
            }
        }

        StreamSnapshot snapshot() {
            snapshot = reader.advance(snapshot);
            return snapshot;
        }

        List<ChunkDescriptor> chunks(KeyInterval keys, TimeInterval times) {
            List<ChunkDescriptor> chunks = new ArrayList<>();
            snapshot().chunks(new Region(keys, times), chunks::add);
            return chunks;
        }

        int touched(long from, long to) {
            return chunks(KeyInterval.ALL, new TimeInterval(from, to)).size();
        }

        /** Compares chunks by region, and the view above them, with all that was given. */
        void check(KeyInterval keys, TimeInterval times) throws IOException {
            ScanSpec all = ScanSpec.all(LAYOUT);
            ScanSpec spec = new ScanSpec(List.of(keys), times, null, null, all.gather());
            List<Long> found = new ArrayList<>();
            RowSink sink = rows -> {
                for (int row = 0; row < rows.size(); row++) {
                    found.add(LittleEndian.getLong(rows.column(0), row * 8));
                }
                return true;
            };
            ChunkScan scan = new ChunkScan(store, new ChunkCache(1 << 20));
            for (ChunkDescriptor chunk : chunks(keys, times)) {
                scan.scan(chunk.file(), LAYOUT, spec, sink);
            }
            int inChunks = found.size();
            for (FreshView.SequencedTree tree : view.trees()) {
                if (tree.sequence() > view.flushed()) {
                    TreeScan.scan(tree.tree(), spec, sink);
                }
            }
            checkReport(found.subList(inChunks, found.size()));
            Set<Long> expected = new HashSet<>();
            for (int id = 0; id < given.size(); id++) {
                if (keys.contains(given.get(id)[0]) && times.contains(given.get(id)[1])) {
                    expected.add((long) id);
                }
            }
            assertThat(found)
                    .as("seed %d, %s, %s", SEED, keys, times)
                    .doesNotHaveDuplicates()
                    .hasSize(expected.size());
            assertThat(new HashSet<>(found)).as("seed %d", SEED).isEqualTo(expected);
        }

        /** What is fresh lies in the region of the next report. */
        private void checkReport(List<Long> fresh) {
            clock += settings.reportNanos() + 1;
            core.onTick(clock);
            Region region = reported.region();
            for (long id : fresh) {
                long[] tuple = given.get((int) id);
                assertThat(region != null
                                && region.keys().contains(tuple[0])
                                && region.times().contains(tuple[1]))
                        .as("seed %d, report %s, key %d, time %d", SEED, region, tuple[0], tuple[1])
                        .isTrue();
            }
        }

        @Override
        public void subscribe(Control.Subscribe subscribe) {
            // Blocks are given without being asked for.
        }

        @Override
        public void credit(Control.Credit credit) {
            // As above.
        }

        @Override
        public void rebuilt(TemplateTree.Rebuilt rebuilt) {}

        @Override
        public void report(Control.Report report) {
            reported = report;
        }

        @Override
        public void flush(SealedTree tree) {
            sealed.add(tree);
        }

        @Override
        public void publish(FreshView next) {
            view = next;
        }
    }

    private static IndexerSettings settings(long lateMillis, long aheadMillis) {
        IndexerSettings base = IndexerSettings.DEFAULT;
        return new IndexerSettings(
                48_000,
                base.sealAgeNanos(),
                base.keepNanos(),
                base.silenceNanos(),
                base.staleNanos(),
                base.reportNanos(),
                lateMillis,
                aheadMillis);
    }

    /** Half an hour of 50 tuples a second: a chunk about every 40 s. Times are now, changed by {@code when}. */
    private Run stream(String name, IndexerSettings settings, LongUnaryOperator when) throws IOException {
        Run run = new Run(name, settings);
        Random random = new Random(SEED);
        for (long now = START; now < START + HOUR / 2; now += 1_000) {
            long[] times = new long[50];
            for (int row = 0; row < times.length; row++) {
                times[row] = when.applyAsLong(now - random.nextInt(1_000));
            }
            run.give(times, random, now);
        }
        return run;
    }

    private LongUnaryOperator lateBy(boolean even) {
        Random random = new Random(SEED + 1);
        return now -> {
            int kind = random.nextInt(1_000);
            if (kind < 100) {
                // Evenly over 30 days; or as often within a minute as between ten hours and a hundred.
                double late =
                        even ? random.nextDouble() * 30 * DAY : Math.exp(random.nextDouble() * Math.log(30.0 * DAY));
                return now - (long) late;
            }
            // And a clock that is a year wrong.
            return kind < 105 ? now + 365 * DAY : now;
        };
    }

    private static double recent(Run run) {
        long now = START + HOUR / 2;
        return run.touched(now - 5 * MINUTE, now);
    }

    @Test
    void recentQuestionsTouchNoMoreChunksWhenOneInTenIsLate() throws IOException {
        IndexerSettings settings =
                settings(IndexerSettings.DEFAULT.lateMillis(), IndexerSettings.DEFAULT.aheadMillis());
        Run orderly = stream("orderly", settings, now -> now);
        Run oneTree = stream("one", settings(Long.MAX_VALUE, Long.MAX_VALUE), lateBy(true));
        Run evenly = stream("evenly", settings, lateBy(true));
        Run steeply = stream("steeply", settings, lateBy(false));
        System.out.printf(
                "chunks: last 5 minutes / 5 minutes a quarter of an hour ago / all%n"
                        + "  no late tuples    %s%n  10 %% late, one tree %s%n  late trees, evenly over 30 days %s%n"
                        + "  late trees, as often in each decade %s%n",
                counts(orderly), counts(oneTree), counts(evenly), counts(steeply));

        for (Run run : List.of(evenly, steeply)) {
            assertThat(recent(run)).isLessThanOrEqualTo(recent(orderly) * 1.1);
            assertAnswersAreExact(run);
        }
    }

    private static String counts(Run run) {
        long past = START + HOUR / 4;
        return (int) recent(run) + " / " + run.touched(past - 5 * MINUTE, past) + " / "
                + run.touched(Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static void assertAnswersAreExact(Run run) throws IOException {
        run.check(KeyInterval.ALL, TimeInterval.ALL);
        Random random = new Random(SEED + 2);
        for (int i = 0; i < 20; i++) {
            long span = (long) Math.exp(random.nextDouble() * Math.log(30.0 * DAY));
            long to = START + HOUR + DAY - (long) (random.nextDouble() * 30 * DAY);
            long low = random.nextLong();
            run.check(
                    new KeyInterval(low, low < 0 ? low + Long.MAX_VALUE : Long.MAX_VALUE),
                    new TimeInterval(to - span, to));
        }
    }

    @Test
    void everyMixtureIsExactAndTheReportCoversIt() throws IOException {
        for (int seed = 0; seed < 6; seed++) {
            Random random = new Random(SEED * 1_000 + seed);
            Run run = new Run("mix" + seed, settings(random.nextInt(5_000), random.nextInt(5_000)));
            long clock = START;
            long base = START;
            for (int block = 0; block < 100; block++) {
                clock += random.nextInt(2_000);
                // The stream's time jumps, and the clock is wrong now and then.
                base = random.nextInt(30) == 0 ? START + random.nextInt(10_000_000) - 5_000_000 : base + 1_000;
                long[] times = new long[random.nextInt(60)];
                for (int row = 0; row < times.length; row++) {
                    int spread = random.nextInt(4) == 0 ? 40_000 : 1_000;
                    times[row] = random.nextInt(200) == 0
                            ? (random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE)
                            : base + random.nextInt(spread) - spread / 2;
                }
                run.give(times, random, clock + (random.nextInt(10) == 0 ? random.nextInt() : 0));
                if (random.nextInt(10) == 0) {
                    run.core.onSealRequest(SealedTree.Reason.REQUEST, 1);
                    run.flush();
                    run.check(KeyInterval.ALL, TimeInterval.ALL);
                }
            }
            run.check(KeyInterval.ALL, TimeInterval.ALL);
            long from = base - random.nextInt(20_000);
            run.check(KeyInterval.ALL, new TimeInterval(from, from + random.nextInt(40_000)));
        }
    }

    @Test
    void aStreamWhoseTimeStepsBackIsOrderlyAgainAfterOneFlush() throws IOException {
        Run run = new Run("back", settings(5 * MINUTE, MINUTE));
        Random random = new Random(SEED);
        run.give(new long[] {START}, random, START);
        for (long time = START - 40 * DAY; time < START - 40 * DAY + HOUR; time += 200) {
            run.give(new long[] {time}, random, START);
        }

        // One flush holds both times, the others only the new ones, in main trees.
        assertThat(run.touched(START, START)).isEqualTo(1);
        assertThat(run.chunks(KeyInterval.ALL, TimeInterval.ALL).stream().filter(chunk -> chunk.part() == 1))
                .hasSize(1);
        run.check(KeyInterval.ALL, TimeInterval.ALL);
    }

    @Test
    void oneWrongClockDoesNotMakeTheOthersLate() throws IOException {
        Run run = new Run("ahead", settings(5 * MINUTE, MINUTE));
        Random random = new Random(SEED);
        for (long now = START; now < START + HOUR; now += 1_000) {
            run.give(new long[] {now, now, now + 400 * DAY, now}, random, now);
        }
        run.core.onSealRequest(SealedTree.Reason.REQUEST, 1);
        run.flush();

        List<ChunkDescriptor> chunks = run.chunks(KeyInterval.ALL, TimeInterval.ALL);
        assertThat(chunks).extracting(ChunkDescriptor::part).containsOnly(0, 2);
        assertThat(chunks.stream().filter(chunk -> chunk.part() == 0))
                .allMatch(chunk -> chunk.region().times().to() < START + HOUR);
        run.check(KeyInterval.ALL, TimeInterval.ALL);
    }
}
