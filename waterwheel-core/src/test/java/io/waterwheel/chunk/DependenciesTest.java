package io.waterwheel.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waterwheel.Rounds;
import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.geo.Box;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Columns that follow from others are left out where that is exact and shorter, and read back bit for bit. */
final class DependenciesTest {
    private static final RowLayout LAYOUT = RowLayout.of(FollowingRows.SCHEMA);

    private final ChunkWriter writer = new ChunkWriter();
    private final ChunkWriter plain = new ChunkWriter(9);
    private final ChunkWriter earlier = new ChunkWriter(11);

    @Test
    void rowsAreThoseOfBruteForceAndOfTheChunkWithoutIt() throws Exception {
        int shorter = 0;
        int numbered = 0;
        for (long seed = 0; seed < Rounds.of(30, 300); seed++) {
            Random random = new Random(seed);
            TupleBlock block = rows(random, 1 + random.nextInt(9000), new int[] {0, 0, 1, 5, 300}[random.nextInt(5)]);
            BitSet indexed = new BitSet();
            for (int f = 0; f < LAYOUT.fields().size(); f++) {
                indexed.set(f, random.nextInt(3) == 0);
            }
            byte[] bytes = encode(writer, block, indexed);
            byte[] without = encode(plain, block, indexed);
            String about = "seed " + seed;
            List<PatternRows.Row> expected = PatternRows.sorted(block);
            assertThat(read(bytes)).as(about).isSortedAccordingTo(PatternRows.BY_KEY_AND_TIME);
            assertThat(PatternRows.settled(read(bytes))).as(about).isEqualTo(PatternRows.settled(expected));
            assertThat(read(without)).as(about).isEqualTo(expected);
            assertThat(bytes.length).as(about).isLessThanOrEqualTo(without.length);
            shorter += bytes.length < without.length ? 1 : 0;
            byte[] named = encode(earlier, block, indexed);
            assertThat(numbered(named)).as(about).isFalse();
            assertThat(read(named)).as(about).isEqualTo(expected);
            numbered += numbered(bytes) ? 1 : 0;
            ChunkCheck.check(ChunkRows.input("f", bytes));
        }
        assertThat(shorter).isGreaterThan(5);
        assertThat(numbered).isGreaterThan(2);
    }

    /**
     * One row takes less as it is than by the code of its number: a chunk whose last leaf has one could not be read.
     */
    @Test
    void aLastLeafMayHaveOneRow() throws IOException {
        int numbered = 0;
        for (long seed = 0; seed < 6; seed++) {
            for (int rows : new int[] {2049, 6145}) {
                TupleBlock block = rows(new Random(seed), rows, 0);
                byte[] bytes = encode(writer, block, new BitSet());
                assertThat(PatternRows.settled(read(bytes)))
                        .as("seed %d, %d rows", seed, rows)
                        .isEqualTo(PatternRows.settled(PatternRows.sorted(block)));
                numbered += numbered(bytes) ? 1 : 0;
            }
        }
        assertThat(numbered).isPositive();
    }

    private static TupleBlock rows(Random random, int rows, int strangers) {
        TupleBlock block = new RandomTuples(random, FollowingRows.SCHEMA).block(rows, 1000);
        new FollowingRows(random).fill(block, strangers);
        return block;
    }

    private static byte[] encode(ChunkWriter writer, TupleBlock block, BitSet indexed) {
        TemplateTree tree = new TemplateTree(block.layout(), Template.single(), new PagePool(1 << 26));
        tree.insert(block, 0, block.size());
        byte[] bytes = ChunkRows.bytes(writer.encode(tree, null, indexed));
        tree.discard();
        return bytes;
    }

    private static List<PatternRows.Row> read(byte[] bytes) throws IOException {
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), LAYOUT)) {
            return PatternRows.rows(ChunkRows.read(reader));
        }
    }

    /** Whether stations are numbers of the map's. */
    private static boolean numbered(byte[] bytes) throws IOException {
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), LAYOUT)) {
            return reader.directory().numbered(part("station") - ChunkFormat.FIRST_COLUMN) > 0;
        }
    }

    /** Changed numbers of values, with the right checksums, are values of the map or damage. */
    @Test
    void numbersThatNoValueHasAreDamage() throws IOException {
        Random random = new Random(2);
        byte[] bytes = null;
        while (bytes == null || !numbered(bytes)) {
            bytes = encode(writer, rows(random, 5000, 0), new BitSet());
        }
        int part = part("station");
        int damaged = 0;
        for (int round = 0; round < 100; round++) {
            byte[] forged = bytes.clone();
            int leaf = random.nextInt(2);
            try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), LAYOUT)) {
                ChunkDirectory directory = reader.directory();
                int from = (int) directory.offset(leaf, part);
                int length = directory.length(leaf, part);
                int changed = random.nextInt(random.nextBoolean() ? length : Math.min(length, 12));
                forged[from + changed] ^= (byte) (1 << random.nextInt(8));
                int section = ForgedChunks.section(forged, ChunkFormat.TAG_PARTS);
                int end = section + ChunkFormat.SECTION_CONTENT + LittleEndian.getInt(forged, section + 4);
                int behind = directory.leaves() * directory.parts() - leaf * directory.parts() - part;
                LittleEndian.putInt(forged, end - 4 * behind, ChunkFormat.checksum(forged, from, length));
            }
            ForgedChunks.sign(forged);
            try {
                assertThat(read(forged)).hasSize(5000);
            } catch (CorruptChunkException e) {
                damaged++;
            }
        }
        assertThat(damaged).isBetween(5, 99);
    }

    private static int part(String field) {
        return ChunkFormat.FIRST_COLUMN + LAYOUT.columnOf(FollowingRows.SCHEMA.indexOf(field));
    }

    /** By leaf, whether the part follows. */
    private static BitSet following(byte[] bytes, int part) throws IOException {
        BitSet following = new BitSet();
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), LAYOUT)) {
            for (int leaf = 0; leaf < reader.directory().leaves(); leaf++) {
                following.set(leaf, reader.directory().follows(leaf, part));
            }
        }
        return following;
    }

    @Test
    void oneRowThatDisagreesKeepsTheColumnOfItsLeafAlone() throws IOException {
        int rows = 4 * ChunkFormat.LEAF_ROWS;
        int lon = part("lon");
        Random random = new Random(4);
        TupleBlock block = new RandomTuples(random, FollowingRows.SCHEMA).block(rows, 1000);
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = row;
        }
        FollowingRows of = new FollowingRows(random);
        of.fill(block, 0);
        byte[] all = encode(writer, block, new BitSet());
        assertThat(following(all, lon).cardinality()).isEqualTo(4);
        assertThat(following(all, part("noise")).cardinality()).isZero();
        assertThat(following(all, part("station")).cardinality()).isZero();
        for (int row : new int[] {rows - 1, 3000}) {
            long before = LittleEndian.getLong(block.column(lon - 2), row * 8);
            // Its sign alone: 0.0 and -0.0 are two values, too.
            LittleEndian.putLong(block.column(lon - 2), row * 8, before ^ Long.MIN_VALUE);
            BitSet expected = new BitSet();
            expected.set(0, 4);
            expected.clear(row / ChunkFormat.LEAF_ROWS);
            byte[] bytes = encode(writer, block, new BitSet());
            assertThat(following(bytes, lon)).isEqualTo(expected);
            assertThat(read(bytes)).isEqualTo(PatternRows.rows(block));
            LittleEndian.putLong(block.column(lon - 2), row * 8, before);
        }
    }

    /** After some leaves columns are left out at once: what disagrees later is there all the same. */
    @Test
    void leavesThatDisagreeAfterManyThatDidNotAreWhole() throws Exception {
        // One column before its source, and two behind it, of which one is null in some rows.
        for (String field : List.of("lon", "number", "elevation")) {
            int column = part(field) - ChunkFormat.FIRST_COLUMN;
            Random random = new Random(4);
            int leaves = 20;
            int rows = leaves * ChunkFormat.LEAF_ROWS;
            TupleBlock block = new RandomTuples(random, FollowingRows.SCHEMA).block(rows, 1000);
            for (int row = 0; row < rows; row++) {
                block.keys()[row] = row;
            }
            new FollowingRows(random).fill(block, 0);
            ChunkWriter all = new ChunkWriter();
            encode(all, block, new BitSet());
            BitSet expected = new BitSet();
            expected.set(0, leaves);
            for (int stranger = 0; stranger < 3; stranger++) {
                int leaf = 11 + stranger;
                int row = leaf * ChunkFormat.LEAF_ROWS + random.nextInt(ChunkFormat.LEAF_ROWS);
                block.setNullMask(row, 0);
                FollowingRows.put(block, column, row, random.nextInt() | 1);
                expected.clear(leaf);
            }
            ChunkWriter some = new ChunkWriter();
            byte[] bytes = encode(some, block, new BitSet());
            assertThat(read(bytes).equals(PatternRows.rows(block))).as(field).isTrue();
            assertThat(following(bytes, part(field))).as(field).isEqualTo(expected);
            ChunkCheck.check(ChunkRows.input("f", bytes));
            assertThat(all.partsLeftOut()).isGreaterThan(20);
            assertThat(some.partsLeftOut()).isPositive();
            assertThat(all.secondEncodings() + some.secondEncodings()).isZero();
        }
    }

    /**
     * Columns that were left out at once, as few stations came, are written where so many come that the map is long.
     */
    @Test
    void columnsThatDoNotPayInTheEndAreWritten() throws Exception {
        Random random = new Random(3);
        int rows = 24 * ChunkFormat.LEAF_ROWS;
        TupleBlock block = new RandomTuples(random, FollowingRows.SCHEMA).block(rows, 1000);
        new FollowingRows(random).fill(block, 0);
        int number = part("number") - ChunkFormat.FIRST_COLUMN;
        int station = part("station") - ChunkFormat.FIRST_COLUMN;
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = row;
            boolean few = row < 10 * ChunkFormat.LEAF_ROWS;
            long of = few ? random.nextInt(60) : row / 4 % 512 + row / ChunkFormat.LEAF_ROWS * 512L;
            byte[] name = ("station " + Long.toString(of * 0x9e3779b97f4a7c15L, 36)).getBytes(StandardCharsets.UTF_8);
            block.setNullMask(row, 0);
            LittleEndian.putLong(block.column(station), row * 8, block.addToArena(name, 0, name.length));
            LittleEndian.putInt(block.column(number), row * 4, (int) (of * 0x9e3779b97f4a7c15L));
        }
        ChunkWriter twice = new ChunkWriter();
        byte[] bytes = encode(twice, block, new BitSet());
        assertThat(twice.secondEncodings()).isEqualTo(1);
        assertThat(following(bytes, number + ChunkFormat.FIRST_COLUMN).cardinality())
                .isZero();
        assertThat(read(bytes).equals(PatternRows.rows(block))).isTrue();
        // The next ones are not encoded twice.
        assertThat(encode(twice, block, new BitSet())).isEqualTo(bytes);
        assertThat(twice.secondEncodings()).isEqualTo(1);
    }

    /**
     * Stations whose names are shorter as numbers, but from which nothing follows: "once" does in the first leaf only.
     * What follows from devices is written all the same, and nothing of the stations.
     */
    @Test
    void numbersAreWrittenOnlyWhereAColumnFollows() throws Exception {
        for (List<String> names : List.of(List.of("station", "device"), List.of("device", "station"))) {
            Schema schema = new Schema(
                    List.of(
                            new Field("t", FieldType.TIMESTAMP, false),
                            new Field(names.get(0), FieldType.STRING, false),
                            new Field(names.get(1), FieldType.STRING, false),
                            new Field("once", FieldType.LONG, false),
                            new Field("serial", FieldType.LONG, false)),
                    new KeySpec.Ordered("t"),
                    "t");
            RowLayout layout = RowLayout.of(schema);
            Random random = new Random(1);
            int rows = 64 * ChunkFormat.LEAF_ROWS;
            TupleBlock block = new TupleBlock(layout, rows);
            for (int row = 0; row < rows; row++) {
                int leaf = row / ChunkFormat.LEAF_ROWS;
                int station = row % ChunkFormat.LEAF_ROWS / 16 + leaf % 2 * 128;
                int device = random.nextInt(8);
                block.keys()[row] = leaf;
                block.times()[row] = leaf;
                text(block, layout.columnOf(schema.indexOf("station")), row, new Random(station).nextLong());
                text(block, layout.columnOf(schema.indexOf("device")), row, new Random(-device).nextLong());
                long once = leaf == 0 ? new SplittableRandom(99L + station).nextLong() : random.nextLong();
                LittleEndian.putLong(block.column(layout.columnOf(schema.indexOf("once"))), row * 8, once);
                long serial = new Random(77L + device).nextLong();
                LittleEndian.putLong(block.column(layout.columnOf(schema.indexOf("serial"))), row * 8, serial);
            }
            block.setSize(rows);
            byte[] bytes = encode(writer, block, new BitSet());
            try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), layout)) {
                int serial = ChunkFormat.FIRST_COLUMN + layout.columnOf(schema.indexOf("serial"));
                assertThat(reader.directory().follows(5, serial)).isTrue();
                assertThat(PatternRows.settled(PatternRows.rows(ChunkRows.read(reader)))
                                .equals(PatternRows.settled(PatternRows.rows(block))))
                        .isTrue();
            }
            ChunkCheck.check(ChunkRows.input("f", bytes));
        }
    }

    private static void text(TupleBlock block, int column, int row, long of) {
        byte[] text = Long.toString(of, 36).getBytes(StandardCharsets.UTF_8);
        LittleEndian.putLong(block.column(column), row * 8, block.addToArena(text, 0, text.length));
    }

    @Test
    void keysAreMadeOfColumnsThatFollow() throws IOException {
        Schema schema = new Schema(
                List.of(
                        new Field("station", FieldType.STRING, false),
                        new Field("lon", FieldType.DOUBLE, false),
                        new Field("lat", FieldType.DOUBLE, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Position("lon", "lat", Box.WORLD),
                "t");
        RowLayout layout = RowLayout.of(schema);
        Random random = new Random(1);
        int rows = 5000;
        TupleBlock block = new TupleBlock(layout, rows);
        for (int row = 0; row < rows; row++) {
            int station = random.nextInt(100);
            byte[] name = ("station " + station).getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(block.column(0), row * 8, block.addToArena(name, 0, name.length));
            double at = 7 + station * 1e-11; // of few keys, so that each leaf has all stations
            LittleEndian.putLong(block.column(1), row * 8, Double.doubleToRawLongBits(at));
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(at * 2));
            block.times()[row] = row;
        }
        block.setSize(rows);
        KeyMaker.of(layout, schema).fill(block, 0, (index, reason) -> {
            throw new AssertionError(reason);
        });
        TemplateTree tree = new TemplateTree(layout, Template.single(), new PagePool(1 << 26));
        tree.insert(block, 0, rows);
        byte[] bytes = ChunkRows.bytes(writer.encode(tree, KeyScheme.of(schema).derived(layout), new BitSet()));
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), layout)) {
            boolean both = false;
            for (int leaf = 0; leaf < reader.directory().leaves(); leaf++) {
                both |= reader.directory().makesKeys(leaf) && reader.directory().follows(leaf, 3);
                assertThat(reader.readKeys(leaf)).isEqualTo(reader.readLeaf(leaf)[0].longs());
            }
            assertThat(both).isTrue();
            List<PatternRows.Row> expected = PatternRows.sorted(block);
            assertThat(PatternRows.rows(ChunkRows.read(reader))).isEqualTo(expected);
        }
    }

    /** A release that does not know the section names it; this one does not know the next. */
    @Test
    void aReaderThatDoesNotKnowTheSectionRefusesTheFile() throws IOException {
        byte[] bytes = encode(earlier, rows(new Random(4), 5000, 0), new BitSet());
        int section = ForgedChunks.section(bytes, ChunkFormat.TAG_DEPENDENCIES);
        LittleEndian.putInt(bytes, section, ChunkFormat.TAG_NUMBERED + 1);
        ForgedChunks.sign(bytes);
        assertThatThrownBy(() -> read(bytes))
                .isInstanceOf(CorruptChunkException.class)
                .hasMessageContaining("a section that this version knows")
                .hasMessageContaining("8000000d");
    }

    @Test
    void aChunkWithoutItHasNoSection() throws IOException {
        TupleBlock block = rows(new Random(4), 5000, 0);
        byte[] bytes = encode(plain, block, new BitSet());
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), LAYOUT)) {
            for (int part = 0; part < reader.directory().parts(); part++) {
                assertThat(reader.directory().source(part)).isEqualTo(-1);
            }
        }
        assertThat(ChunkDescription.of(ChunkRows.input("f", encode(writer, block, new BitSet()))))
                .anyMatch(line -> line.startsWith("lon ") && line.contains("follows station"));
    }

    /** Daily weather by element: a station has one position. */
    @Test
    void positionsOfStationsTakeNothing() throws Exception {
        Path file = Path.of(System.getProperty("waterwheel.shared", "../shared"), "data/ghcn/us-2016.csv.gz");
        if (!Files.exists(file)) {
            System.err.println("SKIPPED: positionsOfStationsTakeNothing needs " + file.toAbsolutePath());
        }
        assumeTrue(Files.exists(file), "no weather file");
        TupleBlock block = weather(file, 60_000);
        byte[] bytes = encode(writer, block, new BitSet());
        byte[] without = encode(plain, block, new BitSet());
        List<PatternRows.Row> expected = PatternRows.settled(PatternRows.rows(block));
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), block.layout())) {
            assertThat(PatternRows.settled(PatternRows.rows(ChunkRows.read(reader))))
                    .isEqualTo(expected);
        }
        ChunkCheck.check(ChunkRows.input("f", bytes));
        assertThat(bytes.length).isLessThan(without.length / 2);
        // A day's stations are numbers that ascend: their names take most of what is left.
        assertThat(bytes.length).isLessThan(encode(earlier, block, new BitSet()).length * 2 / 3);
        assertThat(ChunkDescription.of(ChunkRows.input("f", bytes)))
                .anyMatch(line -> line.startsWith("station ") && line.contains("numbers"));
    }

    private static TupleBlock weather(Path file, int rows) throws IOException {
        Schema schema = new Schema(
                List.of(
                        new Field("date", FieldType.TIMESTAMP, false),
                        new Field("station", FieldType.STRING, false),
                        new Field("longitude", FieldType.DOUBLE, false),
                        new Field("latitude", FieldType.DOUBLE, false),
                        new Field("elevation", FieldType.DOUBLE, true),
                        new Field("element", FieldType.STRING, false),
                        new Field("value", FieldType.INT, false)),
                new KeySpec.Ordered("element"),
                "date");
        TupleBlock block = new TupleBlock(RowLayout.of(schema), rows);
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            in.readLine();
            for (int row = 0; row < rows; row++) {
                String[] values = in.readLine().split(",", -1);
                block.times()[row] = LocalDate.parse(values[0]).toEpochDay() * 86_400_000L;
                byte[] element = values[5].getBytes(StandardCharsets.UTF_8);
                block.keys()[row] = KeyCodec.ofBytes(element, 0, element.length);
                for (int f = 1; f < 7; f++) {
                    int column = block.layout().columnOf(f);
                    if (column < 0) {
                        continue;
                    }
                    switch (schema.fields().get(f).type().kind()) {
                        case STRING -> {
                            byte[] text = values[f].getBytes(StandardCharsets.UTF_8);
                            long reference = block.addToArena(text, 0, text.length);
                            LittleEndian.putLong(block.column(column), row * 8, reference);
                        }
                        case INT -> LittleEndian.putInt(block.column(column), row * 4, Integer.parseInt(values[f]));
                        default -> {
                            boolean none = values[f].isEmpty();
                            double value = none ? 0 : Double.parseDouble(values[f]);
                            LittleEndian.putLong(block.column(column), row * 8, Double.doubleToRawLongBits(value));
                            if (none) {
                                block.setNullMask(row, 1);
                            }
                        }
                    }
                }
            }
        }
        block.setSize(rows);
        return block;
    }
}
