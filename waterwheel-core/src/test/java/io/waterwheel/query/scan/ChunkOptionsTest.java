package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.geo.Box;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sequences of queries over several chunks: whatever the cache holds or forgets, however ranges are read, whether zones
 * and sketches are looked at or not, the rows are those of a scan of all.
 */
final class ChunkOptionsTest {
    private static final int SEEDS = Rounds.of(1, 5);
    private static final int QUERIES = 25;

    @TempDir
    Path folder;

    /** Reads in short pieces, one range after the other. */
    private record PlainInput(ChunkStore.Input input) implements ChunkStore.Input {
        @Override
        public String name() {
            return input.name();
        }

        @Override
        public long size() {
            return input.size();
        }

        @Override
        public void read(long position, byte[] target, int offset, int length) throws IOException {
            for (int i = 0; i < length; i += 1000) {
                input.read(position + i, target, offset + i, Math.min(1000, length - i));
            }
        }

        @Override
        public void readVectored(long[] positions, int[] lengths, byte[] target) throws IOException {
            int end = Arrays.stream(lengths).sum();
            for (int i = positions.length - 1; i >= 0; i--) {
                end -= lengths[i];
                read(positions[i], target, end, lengths[i]);
            }
        }

        @Override
        public void close() throws IOException {
            input.close();
        }
    }

    /** Reads each range by itself, whole file behind whole file: the plain way. */
    private record PlainStore(ChunkStore store) implements ChunkStore {
        @Override
        public void write(String name, List<ByteBuffer> content) throws IOException {
            store.write(name, content);
        }

        @Override
        public Input open(String name) throws IOException {
            return new PlainInput(store.open(name));
        }

        @Override
        public void forEach(String prefix, Consumer<StoredFile> visitor) throws IOException {
            store.forEach(prefix, visitor);
        }

        @Override
        public void delete(String name) throws IOException {
            store.delete(name);
        }

        @Override
        public List<String> hosts(String name) throws IOException {
            return store.hosts(name);
        }

        @Override
        public void close() throws IOException {
            store.close();
        }
    }

    @Test
    void noOptionChangesAnAnswer() throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            check(seed, random, new RandomTuples(random), null);
        }
    }

    @Test
    void noOptionChangesAnAnswerAboutPositions() throws IOException {
        for (long seed = 1000; seed < 1000 + SEEDS; seed++) {
            Random random = new Random(seed);
            RandomTuples tuples = new RandomTuples(random, RandomTuples.taxi());
            check(seed, random, tuples, ((KeySpec.Position) tuples.schema().key()).domain());
        }
    }

    private void check(long seed, Random random, RandomTuples tuples, Box domain) throws IOException {
        RowLayout layout = tuples.layout();
        LocalChunkStore local = new LocalChunkStore(folder);
        List<BruteForce> rows = new ArrayList<>();
        List<String> files = new ArrayList<>();
        for (int c = 0; c < 3; c++) {
            TemplateTree tree = new TemplateTree(layout, Template.single(), new PagePool(1 << 26));
            // The rows of the first stand by id within leaves.
            boolean isArranged = domain != null && c == 0;
            TupleBlock block = tuples.block(isArranged ? 9000 : 1 + random.nextInt(6000), c * 3000L);
            if (isArranged) {
                drive(block, tuples.schema(), domain, random);
            } else if (domain != null) {
                ScanTest.scatter(block, tuples.schema(), domain, random);
            }
            tree.insert(block, 0, block.size());
            rows.add(new BruteForce());
            rows.get(c).add(block);
            files.add("s" + seed + "/" + c + ".chunk");
            local.write(
                    files.get(c),
                    new ChunkWriter().encode(tree, tuples.schema()).content());
            tree.discard();
            try (ChunkReader reader = ChunkReader.open(local.open(files.get(c)), layout)) {
                assertThat(reader.directory().isSorted(0)).isEqualTo(!isArranged);
            }
        }
        ChunkCache large = new ChunkCache(64 << 20);
        ChunkCache tiny = new ChunkCache(20_000);
        List<ChunkScan> scans = List.of(
                new ChunkScan(local, large),
                new ChunkScan(local, tiny),
                new ChunkScan(local, new ChunkCache(0)),
                new ChunkScan(new PlainStore(local), new ChunkCache(0)),
                new ChunkScan(local, withoutHints(local, files, layout)));
        for (int q = 0; q < QUERIES; q++) {
            int c = random.nextInt(files.size());
            String file = files.get(c);
            ScanSpec spec = domain == null
                    ? rows.get(c).spec(random, null, layout.fields().size())
                    : ScanTest.boxSpec(rows.get(c), random, domain);
            for (int s = 0; s < scans.size(); s++) {
                ChunkScan scan = scans.get(s);
                rows.get(c)
                        .check(
                                "seed " + seed + " query " + q + " scan " + s,
                                (asked, sink) -> scan.scan(file, layout, asked, sink),
                                spec,
                                random);
            }
        }
        assertThat(tiny.bytes()).isLessThanOrEqualTo(20_000);
    }

    /** Seven taxis on a grid, which drive through each other. */
    private static void drive(TupleBlock block, Schema schema, Box domain, Random random) {
        for (int row = 0; row < block.size(); row++) {
            int taxi = random.nextInt(7);
            double at = (row / 50 + taxi * 40) % 300 / 100.0;
            block.times()[row] = row * 2L;
            LittleEndian.putInt(block.column(0), row * 4, taxi);
            LittleEndian.putLong(block.column(1), row * 8, Double.doubleToRawLongBits(domain.west() + at));
            double latitude = domain.south() + (at + random.nextInt(30) / 100.0) % 3;
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(latitude));
        }
        KeyMaker.of(block.layout(), schema).fill(block, 0, (index, reason) -> {
            throw new AssertionError(reason);
        });
    }

    private static ChunkCache withoutHints(ChunkStore store, List<String> files, RowLayout layout) throws IOException {
        ChunkCache cache = new ChunkCache(64 << 20);
        for (String file : files) {
            try (ChunkReader reader = ChunkReader.open(store.open(file), layout)) {
                cache.put(file, reader.directory().withoutHints());
            }
        }
        return cache;
    }
}
