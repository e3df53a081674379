package io.waterwheel.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ChunkTest {
    private record Row(long key, long time, String text) {}

    @Test
    void holdsTheTreesTuplesSortedByKeyAndTime() throws IOException {
        ChunkWriter writer = new ChunkWriter();
        PagePool pool = new PagePool(1 << 26);
        for (long seed = 0; seed < 25; seed++) {
            Random random = new Random(seed);
            RandomTuples tuples = new RandomTuples(random);
            Template template =
                    seed % 3 == 0 ? Template.single() : Template.of(new long[] {0, 40, 42, 43, 1000, 100_000});
            TemplateTree tree = new TemplateTree(tuples.layout(), template, pool);
            List<Row> expected = new ArrayList<>();
            int blocks = random.nextInt(5) + 1;
            for (int b = 0; b < blocks; b++) {
                TupleBlock block = tuples.block(1 + random.nextInt(3000), b * 500L);
                tree.insert(block, 0, block.size());
                for (int row = 0; row < block.size(); row++) {
                    expected.add(new Row(block.keys()[row], block.times()[row], RandomTuples.text(block, row)));
                }
            }
            expected.sort(Comparator.comparingLong(Row::key).thenComparingLong(Row::time));
            EncodedChunk chunk = writer.encode(tree);
            byte[] bytes = ChunkRows.bytes(chunk);
            assertThat(chunk.tuples()).as("seed %s", seed).isEqualTo(expected.size());
            assertThat(chunk.bytes()).as("seed %s", seed).isEqualTo(bytes.length);
            assertThat(chunk.region()).as("seed %s", seed).isEqualTo(tree.region());
            try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), tuples.layout())) {
                assertThat(reader.directory().region()).isEqualTo(chunk.region());
                assertThat(reader.directory().rows()).isEqualTo(chunk.tuples());
                TupleBlock rows = ChunkRows.read(reader);
                assertThat(RandomTuples.texts(rows, 0, rows.size()))
                        .as("seed %s", seed)
                        .isEqualTo(expected.stream().map(Row::text).toList());
                checkLeafRanges(reader.directory(), rows);
            }
            tree.discard();
        }
        assertThat(pool.usedBytes()).isZero();
    }

    private static void checkLeafRanges(ChunkDirectory directory, TupleBlock rows) {
        int row = 0;
        for (int leaf = 0; leaf < directory.leaves(); leaf++) {
            int end = row + directory.rows(leaf);
            long[] times = Arrays.copyOfRange(rows.times(), row, end);
            assertThat(directory.lowKey(leaf)).isEqualTo(rows.keys()[row]);
            assertThat(directory.highKey(leaf)).isEqualTo(rows.keys()[end - 1]);
            assertThat(directory.fromTime(leaf))
                    .isEqualTo(Arrays.stream(times).min().orElseThrow());
            assertThat(directory.toTime(leaf))
                    .isEqualTo(Arrays.stream(times).max().orElseThrow());
            row = end;
        }
    }

    @Test
    void dividesItsKeysEvenlyForTheNextTree() {
        RandomTuples tuples = new RandomTuples(new Random(4), RandomTuples.taxi());
        TemplateTree tree = new TemplateTree(tuples.layout(), Template.single(), new PagePool(1 << 26));
        TupleBlock block = tuples.block(50_000, 0);
        Random keys = new Random(5);
        for (int row = 0; row < block.size(); row++) {
            block.keys()[row] = (long) (keys.nextGaussian() * 1e12);
        }
        tree.insert(block, 0, block.size());
        EncodedChunk chunk = new ChunkWriter().encode(tree);
        long[] sorted = block.keys().clone();
        Arrays.sort(sorted);
        assertThat(chunk.nextTemplate()).isEqualTo(Template.divide(sorted, sorted.length, TemplateTree.LEAVES));
    }

    /** A leaf is read in ranges of 8 MiB at most, which touch and do not overlap. */
    @Test
    void readsALeafOfManyLargeValues() throws IOException {
        RowLayout layout = RowLayout.of(new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("a", FieldType.BYTES, false),
                        new Field("b", FieldType.BYTES, false),
                        new Field("c", FieldType.BYTES, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t"));
        Random random = new Random(8);
        TupleBlock block = new TupleBlock(layout, 2048);
        block.setSize(2048);
        for (int row = 0; row < 2048; row++) {
            block.keys()[row] = row;
            for (int column = 0; column < layout.columns(); column++) {
                byte[] value = new byte[layout.variable(column) ? 3_000 : 0];
                random.nextBytes(value);
                if (value.length > 0) {
                    LittleEndian.putLong(block.column(column), row * 8, block.addToArena(value, 0, value.length));
                }
            }
        }
        TemplateTree tree = new TemplateTree(layout, Template.single(), new PagePool(1 << 26));
        tree.insert(block, 0, 2048);
        byte[] bytes = ChunkRows.bytes(new ChunkWriter().encode(tree));
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), layout)) {
            TupleBlock rows = ChunkRows.read(reader);
            assertThat(RandomTuples.texts(rows, 0, 2048)).isEqualTo(RandomTuples.texts(block, 0, 2048));
        }
    }

    private static final RowLayout EXAMPLE = RowLayout.of(new Schema(
            List.of(
                    new Field("k", FieldType.LONG, false),
                    new Field("v", FieldType.INT, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t"));

    /** Bytes a tuple, of which some belong to each chunk: JDK 17 makes 0.12, JDK 25 0.24. An object takes 16. */
    @Test
    void encodesWithoutGarbage() {
        RandomTuples tuples = new RandomTuples(new Random(7), RandomTuples.taxi());
        PagePool pool = new PagePool(64 << 20);
        Random keys = new Random(8);
        TupleBlock block = tuples.block(100_000, 0);
        for (int row = 0; row < block.size(); row++) {
            block.keys()[row] = keys.nextLong() >>> 2;
        }
        TemplateTree tree = new TemplateTree(tuples.layout(), Template.single(), pool);
        tree.insert(block, 0, block.size());
        ChunkWriter writer = new ChunkWriter();
        Region region = writer.encode(tree).region();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        for (int round = 0; round < 5; round++) {
            assertThat(writer.encode(tree).region()).isEqualTo(region);
        }
        assertThat((threads.getThreadAllocatedBytes(thread) - before) / 500_000.0)
                .isLessThan(0.5);
    }

    @Test
    void aTreeWithoutTuplesIsRefused() {
        TemplateTree tree = new TemplateTree(EXAMPLE, Template.single(), new PagePool(1));
        assertThatThrownBy(() -> new ChunkWriter().encode(tree)).isInstanceOf(IllegalArgumentException.class);
        tree.discard();
        assertThatThrownBy(() -> new ChunkWriter().encode(tree)).isInstanceOf(IllegalStateException.class);
    }
}
