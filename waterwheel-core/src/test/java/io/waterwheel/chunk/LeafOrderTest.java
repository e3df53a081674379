package io.waterwheel.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.geo.Box;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Leaves whose rows stand in another order than that of keys have the rows of those that do not, in fewer bytes. */
final class LeafOrderTest {
    private static final Comparator<PatternRows.Row> BITS =
            PatternRows.BY_KEY_AND_TIME.thenComparing(PatternRows.Row::bits);

    private final ChunkWriter plain = new ChunkWriter(10);

    private static Schema schema(KeySpec key) {
        return new Schema(
                List.of(
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("plane", FieldType.STRING, true),
                        new Field("lon", FieldType.DOUBLE, false),
                        new Field("lat", FieldType.DOUBLE, false),
                        new Field("height", FieldType.INT, true),
                        new Field("number", FieldType.LONG, false),
                        new Field("weight", FieldType.FLOAT, false)),
                key,
                "t");
    }

    private static Schema schema(Random random) {
        KeySpec.Dimensions key = new KeySpec.Dimensions(
                List.of(
                        new Dimension("lon", 6, List.of("0", "3"), List.of()),
                        new Dimension("lat", 6, List.of("0", "3"), List.of()),
                        new Dimension("height", 4, List.of("0", "900"), List.of())),
                List.of());
        return switch (random.nextInt(3)) {
            case 0 -> schema(new KeySpec.Position("lon", "lat", Box.WORLD));
            case 1 -> schema(key);
            default ->
                schema(key.withScales(List.of(
                        new Dimension("lon", 6, List.of("1", "2"), List.of()),
                        new Dimension("lat", 6, List.of("1", "2"), List.of()),
                        new Dimension("height", 4, List.of("0", "100"), List.of()))));
        };
    }

    /** Planes that fly through each other, in the order of times. A number and a weight go with the plane. */
    private static TupleBlock flights(Schema schema, Random random, int planes, int rows) {
        TupleBlock block = new TupleBlock(RowLayout.of(schema), rows);
        double[] lon = random.doubles(planes, 0, 3).toArray();
        double[] lat = random.doubles(planes, 0, 3).toArray();
        for (int row = 0; row < rows; row++) {
            int plane = random.nextInt(planes);
            lon[plane] = Math.rint((lon[plane] + random.nextDouble() / 50) % 3 * 1000) / 1000;
            lat[plane] = Math.rint((lat[plane] + random.nextDouble() / 50) % 3 * 1000) / 1000;
            byte[] name = ("plane " + plane % (planes - 1)).getBytes(StandardCharsets.UTF_8);
            block.times()[row] = 1000L * row - (random.nextInt(50) == 0 ? 90_000 : 0);
            block.setNullMask(row, random.nextInt(30) == 0 ? 1 + random.nextInt(3) : 0);
            LittleEndian.putLong(
                    block.column(1), row * 8, block.isNull(1, row) ? 0 : block.addToArena(name, 0, name.length));
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(lon[plane]));
            LittleEndian.putLong(block.column(3), row * 8, Double.doubleToRawLongBits(lat[plane]));
            LittleEndian.putInt(block.column(4), row * 4, plane * 7 % 900);
            int weight = block.layout().columnOf(6);
            LittleEndian.putInt(block.column(weight), row * 4, Float.floatToRawIntBits(1f / plane));
            if (weight > 5) {
                LittleEndian.putLong(block.column(5), row * 8, plane * 1_000_003L);
            }
        }
        block.setSize(rows);
        return block;
    }

    private static void fillKeys(TupleBlock block, Schema schema) {
        int refused = KeyMaker.of(block.layout(), schema).fill(block, 0, (row, reason) -> {});
        assertThat(refused).isZero();
    }

    private static byte[] encode(ChunkWriter writer, TupleBlock block, Schema schema) {
        TemplateTree tree = new TemplateTree(block.layout(), Template.single(), new PagePool(1 << 26));
        tree.insert(block, 0, block.size());
        byte[] bytes = ChunkRows.bytes(writer.encode(tree, schema));
        tree.discard();
        return bytes;
    }

    /** By leaf, its rows, sorted by all that they hold. */
    private static List<List<PatternRows.Row>> leaves(byte[] bytes, RowLayout layout) throws IOException {
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), layout)) {
            List<PatternRows.Row> all = PatternRows.rows(ChunkRows.read(reader));
            List<List<PatternRows.Row>> leaves = new ArrayList<>();
            int at = 0;
            for (int leaf = 0; leaf < reader.directory().leaves(); leaf++) {
                List<PatternRows.Row> rows =
                        all.subList(at, at += reader.directory().rows(leaf));
                assertThat(reader.directory().isSorted(leaf)).isEqualTo(isSorted(rows));
                assertThat(reader.directory().withoutHints().isSorted(leaf)).isEqualTo(isSorted(rows));
                leaves.add(rows.stream().sorted(BITS).toList());
            }
            return leaves;
        }
    }

    private static boolean isSorted(List<PatternRows.Row> rows) {
        boolean sorted = true;
        for (int i = 1; i < rows.size(); i++) {
            PatternRows.Row one = rows.get(i - 1);
            PatternRows.Row next = rows.get(i);
            sorted &= one.key() < next.key() || (one.key() == next.key() && one.time() <= next.time());
        }
        return sorted;
    }

    private static int unsorted(byte[] bytes, RowLayout layout) throws IOException {
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), layout)) {
            int unsorted = 0;
            for (int leaf = 0; leaf < reader.directory().leaves(); leaf++) {
                unsorted += reader.directory().isSorted(leaf) ? 0 : 1;
            }
            return unsorted;
        }
    }

    @Test
    void leavesHaveTheRowsOfSortedOnes() throws Exception {
        int arranged = 0;
        int stored = 0;
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + Rounds.of(12, 300); seed++) {
            Random random = new Random(seed);
            Schema schema = schema(random);
            TupleBlock block = flights(schema, random, 2 + random.nextInt(400), 1 + random.nextInt(20_000));
            fillKeys(block, schema);
            if (random.nextInt(4) == 0) {
                // As if some were made by other scales, or damaged: such a leaf stores its keys, in order.
                block.keys()[random.nextInt(block.size())]++;
                stored++;
            }
            byte[] bytes = encode(new ChunkWriter(), block, schema);
            byte[] sorted = encode(plain, block, schema);
            String about = "-Dseed=" + seed + " -Dseeds=1";
            assertThat(unsorted(sorted, block.layout())).as(about).isZero();
            assertThat(leaves(bytes, block.layout()).equals(leaves(sorted, block.layout())))
                    .as(about)
                    .isTrue();
            ChunkCheck.check(ChunkRows.input("f", bytes));
            if (unsorted(bytes, block.layout()) > 0) {
                arranged++;
                assertThat(bytes.length).as(about).isLessThan(sorted.length);
            }
        }
        assertThat(arranged).isGreaterThan(2);
        assertThat(stored).isPositive();
    }

    @Test
    void chunksAfterTheFirstAreOrdered() throws Exception {
        Random random = new Random(5);
        Schema schema = schema(new KeySpec.Position("lon", "lat", Box.WORLD));
        ChunkWriter writer = new ChunkWriter();
        for (int chunk = 0; chunk < 20; chunk++) {
            // Also those that are too small to try orders out.
            TupleBlock block = flights(schema, random, 30, chunk % 3 == 1 ? 2500 : 9000);
            fillKeys(block, schema);
            assertThat(unsorted(encode(writer, block, schema), block.layout()))
                    .as("chunk " + chunk)
                    .isPositive();
        }
    }

    @Test
    void chunksOfArrangedRowsHaveThem() throws Exception {
        for (int kind = 0; kind < 3; kind++) {
            Random random = new Random(kind);
            Schema schema = schema(random);
            TupleBlock block = flights(schema, random, 30, 9000);
            fillKeys(block, schema);
            byte[] bytes = encode(new ChunkWriter(), block, schema);
            assertThat(unsorted(bytes, block.layout())).isPositive();
            // As merges do: read whole, and written anew.
            try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), block.layout())) {
                byte[] merged = encode(new ChunkWriter(), ChunkRows.read(reader), schema);
                assertThat(leaves(merged, block.layout()).equals(leaves(bytes, block.layout())))
                        .isTrue();
            }
        }
    }

    /** An order that was right once is looked at again. */
    @Test
    void whatStandsStillIsNotLarger() throws Exception {
        Random random = new Random(6);
        Schema schema = schema(new KeySpec.Position("lon", "lat", Box.WORLD));
        ChunkWriter writer = new ChunkWriter();
        long bytes = 0;
        long sorted = 0;
        for (int chunk = 0; chunk < 20; chunk++) {
            boolean moves = chunk < 2;
            TupleBlock block = moves ? flights(schema, random, 30, 40_000) : parked(schema, random, 300, 40_000);
            fillKeys(block, schema);
            byte[] arranged = encode(writer, block, schema);
            assertThat(unsorted(arranged, block.layout()) > 0 || !moves).isTrue();
            bytes += arranged.length;
            sorted += encode(plain, block, schema).length;
        }
        assertThat(bytes).isLessThan(sorted + sorted / 20);
    }

    /** Planes of the same name, one per place, so that the order of places tells more than a name or the time. */
    private static TupleBlock parked(Schema schema, Random random, int planes, int rows) {
        TupleBlock block = flights(schema, random, planes, rows);
        for (int row = 0; row < rows; row++) {
            int plane = random.nextInt(planes);
            byte[] name = ("plane " + plane * 31 % 7).getBytes(StandardCharsets.UTF_8);
            block.setNullMask(row, 0);
            LittleEndian.putLong(block.column(1), row * 8, block.addToArena(name, 0, name.length));
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(plane * 7 % planes / 100.0));
            LittleEndian.putLong(block.column(3), row * 8, Double.doubleToRawLongBits(plane * 11 % planes / 100.0));
            LittleEndian.putInt(block.column(4), row * 4, plane);
            LittleEndian.putLong(block.column(5), row * 8, plane * 1_000_003L);
            LittleEndian.putInt(block.column(6), row * 4, Float.floatToRawIntBits(1f / plane));
        }
        return block;
    }

    @Test
    void rowsOfOneKeyAreNamedWhereTheirTimesGoBack() throws Exception {
        Schema schema = schema(new KeySpec.Dimensions(
                List.of(
                        new Dimension("lon", 1, List.of(), List.of("50")),
                        new Dimension("lat", 1, List.of(), List.of("50"))),
                List.of()));
        TupleBlock block = flights(schema, new Random(1), 30, 9000);
        fillKeys(block, schema);
        byte[] bytes = encode(new ChunkWriter(), block, schema);
        assertThat(leaves(bytes, block.layout()).equals(leaves(encode(plain, block, schema), block.layout())))
                .isTrue();
        assertThat(unsorted(bytes, block.layout())).isPositive();
    }

    @Test
    void aFileThatHidesTheOrderIsFoundByACheck() throws Exception {
        Schema schema = schema(new KeySpec.Position("lon", "lat", Box.WORLD));
        TupleBlock block = flights(schema, new Random(1), 30, 9000);
        // All of one place: by halves any order of keys is right, but not of times.
        for (int row = 0; row < block.size(); row++) {
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(7));
            LittleEndian.putLong(block.column(3), row * 8, Double.doubleToRawLongBits(7));
        }
        fillKeys(block, schema);
        byte[] bytes = encode(new ChunkWriter(), block, schema);
        ChunkCheck.check(ChunkRows.input("f", bytes));
        bytes[ForgedChunks.section(bytes, ChunkFormat.TAG_UNSORTED) + 8] = 0;
        ForgedChunks.sign(bytes);
        assertThatThrownBy(() -> ChunkCheck.check(ChunkRows.input("f", bytes)))
                .isInstanceOf(CorruptChunkException.class)
                .hasMessageContaining("rows by key and time");
    }

    @Test
    void keysOfOneFieldStaySorted() throws Exception {
        Schema schema = schema(new KeySpec.Ordered("number"));
        TupleBlock block = flights(schema, new Random(1), 30, 9000);
        for (int row = 0; row < block.size(); row++) {
            block.keys()[row] = row % 5;
        }
        byte[] bytes = encode(new ChunkWriter(), block, schema);
        assertThat(unsorted(bytes, block.layout())).isZero();
        assertThat(bytes).isEqualTo(encode(plain, block, schema));
    }

    @Test
    void aLeafWhoseColumnsMakeOtherKeysIsDamage() throws Exception {
        Schema schema = schema(new KeySpec.Position("lon", "lat", Box.WORLD));
        TupleBlock block = flights(schema, new Random(1), 30, 9000);
        fillKeys(block, schema);
        byte[] bytes = encode(new ChunkWriter(), block, schema);
        // A bit too few: the leaf is taken for a sorted one, whose first and last key must be the lowest and highest.
        int section = ForgedChunks.section(bytes, ChunkFormat.TAG_UNSORTED);
        bytes[section + 8] = 0;
        ForgedChunks.sign(bytes);
        assertThatThrownBy(() -> leaves(bytes, block.layout()))
                .isInstanceOf(CorruptChunkException.class)
                .hasMessageContaining("columns that make keys from");
        // A byte too many.
        byte[] longer = encode(new ChunkWriter(), block, schema);
        LittleEndian.putInt(longer, ForgedChunks.section(longer, ChunkFormat.TAG_UNSORTED) + 4, 2);
        ForgedChunks.sign(longer);
        assertThatThrownBy(() -> leaves(longer, block.layout())).isInstanceOf(CorruptChunkException.class);
    }

    @Test
    void aReaderThatDoesNotKnowTheSectionRefusesTheFile() throws Exception {
        Schema schema = schema(new KeySpec.Position("lon", "lat", Box.WORLD));
        TupleBlock block = flights(schema, new Random(1), 30, 9000);
        fillKeys(block, schema);
        byte[] bytes = encode(new ChunkWriter(), block, schema);
        LittleEndian.putInt(bytes, ForgedChunks.section(bytes, ChunkFormat.TAG_UNSORTED), ChunkFormat.TAG_NUMBERED + 1);
        ForgedChunks.sign(bytes);
        assertThatThrownBy(() -> leaves(bytes, block.layout()))
                .isInstanceOf(CorruptChunkException.class)
                .hasMessageContaining("a section that this version knows");
    }
}
