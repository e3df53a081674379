package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.FollowingRows;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.geo.Box;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.Area;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.ZOrder;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Query;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.result.GatherCount;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ScanTest {
    @TempDir
    Path folder;

    @Test
    void treeAndChunkAnswerAsBruteForceDoes() throws IOException {
        for (long seed = 0; seed < Rounds.of(4, 40); seed++) {
            Random random = new Random(seed);
            check(seed, random, new RandomTuples(random), null, block -> {});
        }
    }

    @Test
    void boxesAreAnsweredExactly() throws IOException {
        for (long seed = 100; seed < 100 + Rounds.of(2, 10); seed++) {
            Random random = new Random(seed);
            RandomTuples tuples = new RandomTuples(random, RandomTuples.taxi());
            check(seed, random, tuples, ((KeySpec.Position) tuples.schema().key()).domain(), block -> {});
        }
    }

    @Test
    void columnsThatFollowFromOthersAreAnsweredExactly() throws IOException {
        for (long seed = 200; seed < 200 + Rounds.of(3, 40); seed++) {
            Random random = new Random(seed);
            FollowingRows following = new FollowingRows(random);
            int strangers = random.nextInt(3) == 0 ? 1 : 0;
            RandomTuples tuples = new RandomTuples(random, FollowingRows.SCHEMA);
            check(seed, random, tuples, null, block -> following.fill(block, strangers));
        }
    }

    private void check(long seed, Random random, RandomTuples tuples, Box domain, Consumer<TupleBlock> change)
            throws IOException {
        PagePool pool = new PagePool(1 << 26);
        TemplateTree tree = new TemplateTree(tuples.layout(), Template.single(), pool);
        BruteForce rows = new BruteForce();
        for (int b = 0; b < 1 + random.nextInt(8); b++) {
            TupleBlock block = tuples.block(1 + random.nextInt(4000), b * 1000L);
            if (domain != null) {
                scatter(block, tuples.schema(), domain, random);
            }
            change.accept(block);
            tree.insert(block, 0, block.size());
            rows.add(block);
        }
        LocalChunkStore store = new LocalChunkStore(folder);
        String file = "s/" + seed + ".chunk";
        store.write(file, new ChunkWriter().encode(tree, tuples.schema()).content());
        ChunkCache cache = new ChunkCache(32 << 20);
        ChunkScan cached = new ChunkScan(store, cache);
        for (int q = 0; q < 12; q++) {
            ScanSpec spec = domain == null
                    ? rows.spec(random, null, tuples.schema().fields().size())
                    : boxSpec(rows, random, domain);
            String about = "seed " + seed + " query " + q + " ";
            ChunkScan cold = new ChunkScan(store, new ChunkCache(q % 2 == 0 ? 0 : 10_000));
            rows.check(about + "tree", (s, sink) -> TreeScan.scan(tree, s, sink), spec, random);
            rows.check(about + "cold", (s, sink) -> cold.scan(file, tuples.layout(), s, sink), spec, random);
            rows.check(about + "cached", (s, sink) -> cached.scan(file, tuples.layout(), s, sink), spec, random);
            if (q % 4 == 0) {
                long pieceBytes = new Random(seed * 100 + q).nextInt(200_000) + 1L;
                Pieces pieces = new Pieces(q % 8 == 0 ? cold : cached, file, pieceBytes);
                assertThat(BruteForce.collect((s, sink) -> pieces.scan(tuples, s, sink), spec))
                        .as(about + "in pieces of " + pieceBytes)
                        .isEqualTo(rows.answer(spec));
                pieces.checkStatistics(about, tuples, spec);
            }
        }
        assertThat(cache.bytes()).isBetween(1L, 32L << 20);
        tree.discard();
        assertThatThrownBy(() -> TreeScan.scan(tree, ScanSpec.all(tuples.layout()), block -> true))
                .isInstanceOf(TreeGoneException.class);
    }

    /** Reads a chunk piece by piece. */
    private record Pieces(ChunkScan scan, String file, long bytes) {
        long scan(RandomTuples tuples, ScanSpec spec, RowSink sink) throws IOException {
            long found = 0;
            int[] next = {0};
            while (next[0] >= 0) {
                Subquery.Piece piece = new Subquery.Piece(next[0], bytes);
                next[0] = -1;
                long[] given = {0};
                found += scan.scan(file, tuples.layout(), spec, piece, new RowSink() {
                    @Override
                    public boolean accept(TupleBlock rows) {
                        given[0] += rows.allocatedBytes();
                        return sink.accept(rows);
                    }

                    @Override
                    public void scanned(ScanStatistics what) {
                        sink.scanned(what);
                    }

                    @Override
                    public void pausedAt(int leaf) {
                        assertThat(leaf).isGreaterThan(piece.fromLeaf());
                        next[0] = leaf;
                    }
                });
                assertThat(next[0] < 0 || given[0] >= bytes).isTrue();
            }
            return found;
        }

        /** Each leaf is looked at once, and counts once. */
        void checkStatistics(String about, RandomTuples tuples, ScanSpec spec) throws IOException {
            ScanStatistics whole = sum(sink -> scan.scan(file, tuples.layout(), spec, sink));
            ScanStatistics sum = sum(sink -> scan(tuples, spec, sink));
            assertThat(sum.leaves()).as(about).isEqualTo(whole.leaves());
            assertThat(sum.pruned()).as(about).isEqualTo(whole.pruned());
            assertThat(sum.read()).as(about).isEqualTo(whole.read());
            assertThat(sum.tuples()).as(about).isEqualTo(whole.tuples());
        }

        private interface Reading {
            long into(RowSink sink) throws IOException;
        }

        private static ScanStatistics sum(Reading reading) throws IOException {
            ScanStatistics[] sum = {ScanStatistics.NOTHING};
            reading.into(new RowSink() {
                @Override
                public boolean accept(TupleBlock rows) {
                    return true;
                }

                @Override
                public void scanned(ScanStatistics what) {
                    sum[0] = sum[0].plus(what);
                }
            });
            return sum[0];
        }
    }

    @Test
    void readsNoLeafWhenNobodyWantsRowsAnyMore() throws IOException {
        Random random = new Random(1);
        RandomTuples tuples = new RandomTuples(random);
        TemplateTree tree = new TemplateTree(tuples.layout(), Template.single(), new PagePool(1 << 26));
        for (int b = 0; b < 30; b++) {
            tree.insert(tuples.block(1000, b * 1000L), 0, 1000);
        }
        LocalChunkStore store = new LocalChunkStore(folder);
        store.write("c", new ChunkWriter().encode(tree, tuples.schema()).content());
        // Half of the time, so that leaves must be looked at to count.
        TimeInterval all = tree.region().times();
        TimeInterval half = new TimeInterval(all.from(), all.from() + (all.to() - all.from()) / 2);
        ScanSpec spec = ScanSpec.rows(
                        tuples.layout(), List.of(KeyInterval.ALL), half, null, new int[] {0}, Query.NO_LIMIT)
                .counting();
        ChunkScan chunks = new ChunkScan(store, new ChunkCache(0));
        for (boolean chunk : new boolean[] {false, true}) {
            int[] asked = {0};
            RowSink impatient = new RowSink() {
                @Override
                public boolean accept(TupleBlock rows) {
                    throw new AssertionError("a count hands over no rows");
                }

                @Override
                public boolean wanted() {
                    asked[0]++;
                    return false;
                }
            };
            long found =
                    chunk ? chunks.scan("c", tuples.layout(), spec, impatient) : TreeScan.scan(tree, spec, impatient);
            assertThat(asked[0]).isEqualTo(1);
            assertThat(found).isZero();
        }
        tree.discard();
    }

    static void scatter(TupleBlock block, Schema schema, Box domain, Random random) {
        for (int row = 0; row < block.size(); row++) {
            double lon = domain.west() + random.nextDouble() * 3;
            double lat = domain.south() + random.nextDouble() * 3;
            LittleEndian.putLong(block.column(1), row * 8, Double.doubleToRawLongBits(lon));
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(lat));
        }
        int removed = KeyMaker.of(block.layout(), schema).fill(block, 0, (index, reason) -> {
            throw new AssertionError(reason);
        });
        assertThat(removed).isZero();
    }

    static ScanSpec boxSpec(BruteForce rows, Random random, Box domain) {
        double lon = domain.west() + random.nextDouble() * 3;
        double lat = domain.south() + random.nextDouble() * 3;
        double size = random.nextBoolean() ? 0.1 : 2;
        Box box = new Box(lon, lat, lon + random.nextDouble() * size, lat + random.nextDouble() * size);
        ScanSpec any = rows.spec(random, new ScanSpec.AreaTest(Area.of(box), 1, 2), 4);
        List<KeyInterval> keys = Area.of(box).intervals(new ZOrder(domain), 64);
        return new ScanSpec(keys, any.times(), any.area(), null, any.gather());
    }

    @Test
    void aWarmCacheAnswersWithoutTheFile() throws IOException {
        RandomTuples tuples = new RandomTuples(new Random(2), RandomTuples.taxi());
        LocalChunkStore store = chunk(tuples);
        ChunkCache cache = new ChunkCache(32 << 20);
        ChunkScan scan = new ChunkScan(store, cache);
        ScanSpec all = ScanSpec.all(tuples.layout());
        assertThat(scan.scan("a.chunk", tuples.layout(), all, rows -> true)).isEqualTo(10_000);
        long misses = cache.misses();
        store.delete("a.chunk");
        assertThat(scan.scan("a.chunk", tuples.layout(), all, rows -> true)).isEqualTo(10_000);
        assertThat(cache.misses()).isEqualTo(misses);
    }

    @Test
    void saysWhatItLookedAt() throws IOException {
        RandomTuples tuples = new RandomTuples(new Random(2), RandomTuples.taxi());
        LocalChunkStore store = chunk(tuples);
        ChunkCache cache = new ChunkCache(32 << 20);
        ChunkScan scan = new ChunkScan(store, cache);
        int leaves;
        long low;
        try (ChunkReader reader = ChunkReader.open(store.open("a.chunk"))) {
            leaves = reader.directory().leaves();
            low = reader.directory().lowKey(leaves - 1);
        }
        assertThat(leaves).isGreaterThan(2);
        ScanSpec all = ScanSpec.all(tuples.layout());

        ScanStatistics cold = scanned(scan, tuples, all);
        assertThat(cold.leaves()).isEqualTo(leaves);
        assertThat(cold.read()).isEqualTo(leaves);
        assertThat(cold.tuples()).isEqualTo(10_000);
        assertThat(cold.parts().cached()).isZero();
        assertThat(cold.parts().read()).isPositive();
        assertThat(cold.parts().bytesRead()).isBetween(1L, Files.size(folder.resolve("a.chunk")));

        ScanStatistics warm = scanned(scan, tuples, all);
        assertThat(warm.parts().cached()).isGreaterThanOrEqualTo(cold.parts().read());
        assertThat(warm.parts().read()).isZero();
        assertThat(warm.parts().bytesRead()).isZero();

        ScanStatistics last = scanned(
                scan,
                tuples,
                ScanSpec.rows(
                        tuples.layout(),
                        List.of(new KeyInterval(low, Long.MAX_VALUE)),
                        TimeInterval.ALL,
                        null,
                        new int[] {0},
                        Query.NO_LIMIT));
        assertThat(last.pruned().by(PruneReason.KEY)).isBetween(1L, leaves - 1L);
        assertThat(last.pruned().by(PruneReason.KEY) + last.read()).isEqualTo(leaves);

        ScanStatistics never = scanned(
                scan,
                tuples,
                ScanSpec.rows(
                        tuples.layout(),
                        List.of(KeyInterval.ALL),
                        new TimeInterval(Long.MIN_VALUE, Long.MIN_VALUE + 1),
                        null,
                        new int[] {0},
                        Query.NO_LIMIT));
        assertThat(never.pruned().by(PruneReason.TIME)).isEqualTo(leaves);
        assertThat(scanned(scan, tuples, all.counting()).counted()).isEqualTo(leaves);
    }

    private static ScanStatistics scanned(ChunkScan scan, RandomTuples tuples, ScanSpec spec) throws IOException {
        ScanStatistics[] said = {ScanStatistics.NOTHING};
        scan.scan("a.chunk", tuples.layout(), spec, new RowSink() {
            @Override
            public boolean accept(TupleBlock rows) {
                return true;
            }

            @Override
            public void scanned(ScanStatistics what) {
                said[0] = said[0].plus(what);
            }
        });
        return said[0];
    }

    @Test
    void aDamagedPartIsAnErrorOnlyWhereItIsTouched() throws IOException {
        RandomTuples tuples = new RandomTuples(new Random(2), RandomTuples.taxi());
        LocalChunkStore store = chunk(tuples);
        Path file = folder.resolve("a.chunk");
        byte[] bytes = Files.readAllBytes(file);
        long offset;
        try (ChunkReader reader = ChunkReader.open(store.open("a.chunk"))) {
            offset = reader.directory().offset(0, reader.directory().part(0));
        }
        bytes[(int) offset + 5] ^= 1;
        Files.write(file, bytes);
        ChunkScan scan = new ChunkScan(store, new ChunkCache(1 << 20));
        ScanSpec touching = ScanSpec.all(tuples.layout());
        assertThatThrownBy(() -> scan.scan("a.chunk", tuples.layout(), touching, rows -> true))
                .isInstanceOf(CorruptChunkException.class)
                .hasMessageContaining("chunk a.chunk is damaged: leaf 0, column 0 at offset " + offset);
        ScanSpec other = ScanSpec.rows(
                tuples.layout(), touching.keys(), TimeInterval.ALL, null, new int[] {1, 2}, Query.NO_LIMIT);
        assertThat(scan.scan("a.chunk", tuples.layout(), other, rows -> true)).isEqualTo(10_000);
    }

    @Test
    void aFileThatIsNotThereIsNamed() throws IOException {
        RandomTuples tuples = new RandomTuples(new Random(2), RandomTuples.taxi());
        LocalChunkStore store = chunk(tuples);
        Files.delete(folder.resolve("a.chunk"));
        ChunkScan scan = new ChunkScan(store, new ChunkCache(1 << 20));
        assertThatThrownBy(() -> scan.scan("a.chunk", tuples.layout(), ScanSpec.all(tuples.layout()), rows -> true))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "there is no such file in the chunk store: see that the store's disk is mounted");
    }

    private LocalChunkStore chunk(RandomTuples tuples) throws IOException {
        TemplateTree tree = new TemplateTree(tuples.layout(), Template.single(), new PagePool(1 << 26));
        tree.insert(tuples.block(10_000, 0), 0, 10_000);
        LocalChunkStore store = new LocalChunkStore(folder);
        store.write("a.chunk", new ChunkWriter().encode(tree).content());
        return store;
    }

    @Test
    void intervalsThatOverlapAreRefused() {
        assertThatThrownBy(() -> new ScanSpec(
                        List.of(new KeyInterval(0, 5), new KeyInterval(5, 9)),
                        TimeInterval.ALL,
                        null,
                        null,
                        new GatherCount()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sorted disjoint");
    }
}
