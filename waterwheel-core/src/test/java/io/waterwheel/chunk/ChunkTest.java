package io.waterwheel.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.model.Field;
import io.waterwheel.model.FieldType;
import io.waterwheel.model.KeySpec;
import io.waterwheel.model.LittleEndian;
import io.waterwheel.model.Region;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.Schema;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.model.WaterwheelException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ChunkTest {
    private record Row(long key, long time, String text) {}

    @Test
    void holdsTheTreesTuplesSortedByKeyAndTime() throws IOException {
        ChunkWriter writer = new ChunkWriter();
        PagePool pool = new PagePool(1 << 26);
        for (long seed = 0; seed < 80; seed++) {
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

    /** The example of docs/chunk-format.md. */
    @Test
    void isTheDocumentedBytes() throws IOException {
        byte[] bytes = example();
        assertThat(bytes).hasSize(224);
        assertThat(HexFormat.of().formatHex(bytes, 0, 36))
                .isEqualTo("57574348554e4b0a" + "01000000" + "00000000" + "0500000000000000" + "0700000000000000"
                        + "09000000");
        assertThat(LittleEndian.getLong(bytes, 184)).isEqualTo(36);
        assertThat(LittleEndian.getInt(bytes, 192)).isEqualTo(148);
        assertThat(HexFormat.of().formatHex(bytes, 216, 224)).isEqualTo("0a4b4e5548435757");
    }

    private static final RowLayout EXAMPLE = RowLayout.of(new Schema(
            List.of(
                    new Field("k", FieldType.LONG, false),
                    new Field("v", FieldType.INT, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t"));

    private static byte[] example() {
        TupleBlock block = new TupleBlock(EXAMPLE, 1);
        block.keys()[0] = 5;
        block.times()[0] = 7;
        LittleEndian.putInt(block.column(0), 0, 9);
        block.setSize(1);
        TemplateTree tree = new TemplateTree(EXAMPLE, Template.single(), new PagePool(1 << 20));
        tree.insert(block, 0, 1);
        return ChunkRows.bytes(new ChunkWriter().encode(tree));
    }

    /**
     * The file was written once, by the first writer of version 1: readers to come must read it, this writer make it.
     */
    @Test
    void isTheGoldenFileOfItsVersion() throws IOException {
        Schema schema = new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("name", FieldType.STRING, true),
                        new Field("speed", FieldType.FLOAT, false),
                        new Field("on", FieldType.BOOLEAN, true),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        RowLayout layout = RowLayout.of(schema);
        TupleBlock block = new TupleBlock(layout, 3);
        for (int row = 0; row < 3; row++) {
            block.keys()[row] = 30 - 10L * row;
            block.times()[row] = 1_600_000_000_000L + row;
            byte[] name = "taxi".repeat(row).getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(block.column(1), row * 8, block.addToArena(name, 0, name.length));
            LittleEndian.putInt(block.column(2), row * 4, Float.floatToRawIntBits(row * 1.5f));
            block.column(3)[row] = (byte) (row & 1);
            block.setNullMask(row, row == 0 ? 1 : 0);
        }
        block.setSize(3);
        TemplateTree tree = new TemplateTree(layout, Template.single(), new PagePool(1 << 20));
        tree.insert(block, 0, 3);
        byte[] golden;
        try (InputStream in = ChunkTest.class.getResourceAsStream("/chunk/v1/three-tuples.chunk")) {
            golden = in.readAllBytes();
        }
        assertThat(rows(golden, layout))
                .containsExactly(
                        "10@1600000000002|10|taxitaxi|3.0|false|1600000000002",
                        "20@1600000000001|20|taxi|1.5|true|1600000000001",
                        "30@1600000000000|30|null|0.0|false|1600000000000");
        assertThat(ChunkRows.bytes(new ChunkWriter().encode(tree))).isEqualTo(golden);
    }

    @Test
    void aFlippedBitGivesTheRightRowsOrTheException() throws IOException {
        RandomTuples tuples = smallTuples();
        byte[] bytes = smallChunk(tuples);
        List<String> right = rows(bytes, tuples.layout());
        int refused = 0;
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            try {
                assertThat(rows(damaged, tuples.layout())).as("bit %s", bit).isEqualTo(right);
            } catch (CorruptChunkException e) {
                refused++;
                assertThat(e.file()).isEqualTo("small");
                assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.CORRUPT);
            }
        }
        // All but the header, which holds nothing that readers use.
        assertThat(refused).isEqualTo((bytes.length - ChunkFormat.HEADER_BYTES) * 8);
    }

    @Test
    void aCutFileGivesTheException() {
        RandomTuples tuples = smallTuples();
        byte[] bytes = smallChunk(tuples);
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> rows(cut, tuples.layout()))
                    .as("length %s", length)
                    .isInstanceOf(CorruptChunkException.class);
            byte[] headless = Arrays.copyOfRange(bytes, bytes.length - length, bytes.length);
            assertThatThrownBy(() -> rows(headless, tuples.layout()))
                    .as("last %s", length)
                    .isInstanceOf(CorruptChunkException.class);
        }
    }

    @Test
    void anotherSchemasFileIsRefused() {
        byte[] bytes = example();
        RowLayout other = RowLayout.of(RandomTuples.taxi());
        assertThatThrownBy(() -> rows(bytes, other))
                .isInstanceOf(CorruptChunkException.class)
                .hasMessageContaining("chunk small is damaged: directory at offset 36")
                .hasMessageContaining("fingerprint");
    }

    private static RandomTuples smallTuples() {
        return new RandomTuples(
                new Random(3),
                new Schema(
                        List.of(
                                new Field("k", FieldType.LONG, false),
                                new Field("name", FieldType.STRING, true),
                                new Field("on", FieldType.BOOLEAN, true),
                                new Field("t", FieldType.TIMESTAMP, false)),
                        new KeySpec.Ordered("k"),
                        "t"));
    }

    private static byte[] smallChunk(RandomTuples tuples) {
        TemplateTree tree = new TemplateTree(tuples.layout(), Template.single(), new PagePool(1 << 20));
        TupleBlock block = tuples.block(12, 0);
        tree.insert(block, 0, block.size());
        return ChunkRows.bytes(new ChunkWriter().encode(tree));
    }

    private static List<String> rows(byte[] bytes, RowLayout layout) throws IOException {
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("small", bytes), layout)) {
            TupleBlock rows = ChunkRows.read(reader);
            return RandomTuples.texts(rows, 0, rows.size());
        }
    }

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
                .isLessThan(0.2);
    }

    @Test
    void aTreeWithoutTuplesIsRefused() {
        TemplateTree tree = new TemplateTree(EXAMPLE, Template.single(), new PagePool(1));
        assertThatThrownBy(() -> new ChunkWriter().encode(tree)).isInstanceOf(IllegalArgumentException.class);
        tree.discard();
        assertThatThrownBy(() -> new ChunkWriter().encode(tree)).isInstanceOf(IllegalStateException.class);
    }
}
