package io.waterwheel.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.waterwheel.GoldenFiles;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.key.DerivedKeys;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.KeyScheme;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The bytes of version 1: those of docs/chunk-format.md, and the golden files, which this reader must read, and this
 * writer make most of.
 */
final class ChunkFormatTest {
    private static final Path DOCUMENT = Path.of("../docs/chunk-format.md");

    /** What a library compressed, and what the first writer gave filters where this one makes dictionaries. */
    private static final Set<String> OTHER_BYTES =
            Set.of("compressed", "text-and-nulls", "positions", "unsorted", "numbered");

    private record Sample(RowLayout layout, TupleBlock rows, EncodedChunk chunk) {}

    private static Sample sample(String name) {
        return switch (name) {
            case "three-tuples" -> threeTuples();
            case "text-and-nulls" -> textAndNulls();
            case "positions" -> positions();
            case "dimensions" -> dimensions(1, "", 0);
            case "later-scales" -> dimensions(2, "", 0);
            case "long-cuts" -> dimensions(1, "https://example.org/", 24);
            case "dictionaries" -> dictionaries();
            case "unsorted" -> unsorted();
            case "numbered" -> numbered();
            case "filters" -> filters();
            case "dependencies" -> encoded(stationSchema(), stationRows(stationSchema(), 800), new BitSet());
            case "integers" -> patterns(2434, 70);
            case "floats" -> patterns(147, 70);
            default -> patterns(1632, 200); // "compressed"
        };
    }

    private static Sample threeTuples() {
        Schema schema = new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("v", FieldType.INT, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 3);
        for (int row = 0; row < 3; row++) {
            block.keys()[row] = row < 2 ? 5 : 7;
            block.times()[row] = 1000L * (row + 1);
            LittleEndian.putInt(block.column(0), row * 4, 90 + row);
        }
        block.setSize(3);
        return encoded(schema, block, new BitSet());
    }

    private static Sample textAndNulls() {
        Schema schema = new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("name", FieldType.STRING, true),
                        new Field("speed", FieldType.FLOAT, false),
                        new Field("on", FieldType.BOOLEAN, true),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 3);
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
        BitSet indexed = new BitSet();
        indexed.set(1);
        return encoded(schema, block, indexed);
    }

    /** Three taxis that drive through each other: their rows stand by taxi. */
    private static Sample unsorted() {
        Schema schema = RandomTuples.taxi();
        Random random = new Random(1);
        int rows = 8400;
        TupleBlock block = new TupleBlock(RowLayout.of(schema), rows);
        for (int row = 0; row < rows; row++) {
            int taxi = random.nextInt(3);
            double at = (row + taxi * 2800) % rows / 1e4;
            block.times()[row] = 1_600_000_000_000L + row * 250L;
            LittleEndian.putInt(block.column(0), row * 4, taxi);
            LittleEndian.putLong(block.column(1), row * 8, Double.doubleToRawLongBits(116 + at));
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(39 + at));
        }
        block.setSize(rows);
        KeyMaker.of(block.layout(), schema).fill(block, 0, (index, reason) -> {
            throw new AssertionError(reason);
        });
        return encoded(schema, block, new BitSet());
    }

    private static Sample positions() {
        Schema schema = RandomTuples.taxi();
        Random random = new Random(1);
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 40);
        for (int row = 0; row < 40; row++) {
            block.times()[row] = 1_600_000_000_000L + row * 250L;
            LittleEndian.putInt(block.column(0), row * 4, row % 4);
            double longitude = row % 2 == 0 ? 116 + random.nextInt(100_000) / 1e5 : 116 + random.nextDouble();
            LittleEndian.putLong(block.column(1), row * 8, Double.doubleToRawLongBits(longitude));
            double latitude = 39 + random.nextInt(100_000) / 1e5;
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(latitude));
        }
        block.setSize(40);
        KeyMaker.of(block.layout(), schema).fill(block, 0, (index, reason) -> {
            throw new AssertionError(reason);
        });
        BitSet indexed = new BitSet();
        indexed.set(0);
        return encoded(schema, block, indexed);
    }

    /**
     * Keys of three dimensions.
     *
     * @param scales the version of the scales by which keys are made, of two
     * @param beginning of all texts
     * @param bytes by which these are told apart
     */
    private static Sample dimensions(int scales, String beginning, int bytes) {
        KeySpec.Dimensions key = new KeySpec.Dimensions(
                List.of(
                        new Dimension("kind", 0, List.of(), List.of(beginning + "b", beginning + "c"), bytes),
                        new Dimension("height", 3, List.of("0", "80"), List.of()),
                        new Dimension("count", 3, List.of("-10", "10"), List.of())),
                List.of());
        Schema schema = new Schema(
                List.of(
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("kind", FieldType.STRING, true),
                        new Field("height", FieldType.DOUBLE, false),
                        new Field("count", FieldType.INT, true)),
                key.withScales(List.of(
                        new Dimension("kind", 2, List.of(), List.of(beginning + "c", beginning + "d"), bytes),
                        new Dimension("height", 3, List.of("60", "100"), List.of()),
                        new Dimension("count", 3, List.of(), List.of("-5", "0", "7")))),
                "t");
        Random random = new Random(1);
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 40);
        for (int row = 0; row < 40; row++) {
            block.times()[row] = 1_600_000_000_000L + row * 250L;
            block.setNullMask(row, random.nextInt(8) == 0 ? 1 + random.nextInt(3) : 0);
            byte[] kind = (beginning + (char) ('a' + random.nextInt(4))).getBytes(StandardCharsets.UTF_8);
            int length = block.isNull(1, row) ? 0 : kind.length;
            LittleEndian.putLong(block.column(1), row * 8, block.addToArena(kind, 0, length));
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(random.nextInt(1000) / 10.0));
            LittleEndian.putInt(block.column(3), row * 4, random.nextInt(30) - 15);
        }
        block.setSize(40);
        KeyScheme.of(schema).maker(block.layout(), scales).fill(block, 0, (index, reason) -> {
            throw new AssertionError(reason);
        });
        return encoded(block, KeyScheme.of(schema).derived(block.layout(), block.keys()[0]), new BitSet());
    }

    private static Sample dictionaries() {
        Schema schema = new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("name", FieldType.STRING, true),
                        new Field("x", FieldType.DOUBLE, true),
                        new Field("on", FieldType.BOOLEAN, false),
                        new Field("a", FieldType.IPV4, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        Random random = new Random(1);
        int rows = 4200;
        TupleBlock block = new TupleBlock(RowLayout.of(schema), rows);
        double[] numbers = {0.0, -0.0, Double.NaN, Double.NEGATIVE_INFINITY, 1.5};
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = row;
            block.times()[row] = 1_600_000_000_000L + row * 250L;
            byte[] name = ("runway " + (row / 300 + random.nextInt(3))).getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(block.column(1), row * 8, block.addToArena(name, 0, name.length));
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(numbers[row / 1000]));
            block.column(3)[row] = (byte) (row / 4000);
            LittleEndian.putInt(block.column(4), row * 4, 0xC0A8_0000 + row / 100);
            block.setNullMask(row, row % 50 == 0 ? 3 : 0);
        }
        block.setSize(rows);
        BitSet indexed = new BitSet();
        indexed.set(1, 5);
        return encoded(schema, block, indexed);
    }

    private static Sample filters() {
        Schema schema = new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("name", FieldType.BYTES, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        Random random = new Random(1);
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 40);
        for (int row = 0; row < 40; row++) {
            block.keys()[row] = row;
            block.times()[row] = row;
            byte[] name = new byte[60]; // a dictionary of them would take too much
            random.nextBytes(name);
            LittleEndian.putLong(block.column(0), row * 8, block.addToArena(name, 0, name.length));
        }
        block.setSize(40);
        BitSet indexed = new BitSet();
        indexed.set(1);
        return encoded(schema, block, indexed);
    }

    static Schema stationSchema() {
        return new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("x", FieldType.DOUBLE, true),
                        new Field("station", FieldType.STRING, true),
                        new Field("height", FieldType.FLOAT, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
    }

    /** Nine stations, of which each has one x and one height. */
    static TupleBlock stationRows(Schema schema, int rows) {
        Random random = new Random(1);
        double[] x = {-0.0, 0.0, Double.NaN, 1e300, 0.1, 116.25, random.nextDouble(), random.nextDouble(), -7};
        TupleBlock block = new TupleBlock(RowLayout.of(schema), rows);
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = row;
            block.times()[row] = 1_600_000_000_000L + row * 250L;
            int station = random.nextInt(x.length);
            byte[] name = (station == 0 ? "" : "st" + station).getBytes(StandardCharsets.UTF_8);
            // Bit 0 is of x, bit 1 of the station.
            block.setNullMask(row, (random.nextInt(20) == 0 ? 1 : 0) + (station == 0 ? 2 : 0));
            LittleEndian.putLong(block.column(1), row * 8, Double.doubleToRawLongBits(x[station]));
            LittleEndian.putLong(block.column(2), row * 8, block.addToArena(name, 0, name.length));
            LittleEndian.putInt(block.column(3), row * 4, Float.floatToRawIntBits(1 / (station + 1f)));
        }
        block.setSize(rows);
        return block;
    }

    /** Sixty stations, of which most tell each hour how high they are. */
    private static Sample numbered() {
        Schema schema = stationSchema();
        Random random = new Random(1);
        int rows = 6000;
        TupleBlock block = new TupleBlock(RowLayout.of(schema), rows);
        int station = 0;
        for (int row = 0; row < rows; row++) {
            station += random.nextInt(8) == 0 ? 2 : 1;
            byte[] name = ("station " + Integer.toString(station % 60 * 7919, 36)).getBytes(StandardCharsets.UTF_8);
            block.keys()[row] = 1;
            block.times()[row] = 1_600_000_000_000L + station / 60 * 3_600_000L;
            LittleEndian.putLong(block.column(1), row * 8, Double.doubleToRawLongBits(Math.sqrt(station % 60)));
            LittleEndian.putLong(block.column(2), row * 8, block.addToArena(name, 0, name.length));
            LittleEndian.putInt(block.column(3), row * 4, Float.floatToRawIntBits(1 / (station % 60 + 1f)));
        }
        block.setSize(rows);
        return encoded(schema, block, new BitSet());
    }

    private static Sample patterns(long seed, int rows) {
        Schema schema = new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("i", FieldType.INT, false),
                        new Field("l", FieldType.LONG, true),
                        new Field("f", FieldType.FLOAT, false),
                        new Field("d", FieldType.DOUBLE, true),
                        new Field("b", FieldType.BOOLEAN, false),
                        new Field("u", FieldType.TIMESTAMP_US, true),
                        new Field("a", FieldType.IPV4, false),
                        new Field("s", FieldType.STRING, true),
                        new Field("y", FieldType.BYTES, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        return encoded(schema, new PatternRows(new Random(seed), schema, rows).block, new BitSet());
    }

    private static Sample encoded(Schema schema, TupleBlock block, BitSet indexed) {
        return encoded(block, KeyScheme.of(schema).derived(block.layout()), indexed);
    }

    private static Sample encoded(TupleBlock block, @Nullable DerivedKeys keys, BitSet indexed) {
        io.waterwheel.index.TemplateTree tree = new io.waterwheel.index.TemplateTree(
                block.layout(), io.waterwheel.index.Template.single(), new io.waterwheel.index.PagePool(1 << 20));
        tree.insert(block, 0, block.size());
        EncodedChunk chunk = new ChunkWriter().encode(tree, keys, indexed);
        return new Sample(block.layout(), block, chunk);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "three-tuples",
                "text-and-nulls",
                "positions",
                "dimensions",
                "later-scales",
                "long-cuts",
                "dictionaries",
                "filters",
                "integers",
                "floats",
                "compressed",
                "dependencies",
                "unsorted",
                "numbered"
            })
    void theWriterMakesAndTheReaderReadsTheGoldenFile(String name) throws IOException {
        Sample sample = sample(name);
        byte[] written = ChunkRows.bytes(sample.chunk);
        byte[] golden = GoldenFiles.read("chunk/v1/" + name + ".chunk", written);
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input(name, golden), sample.layout)) {
            List<PatternRows.Row> expected = PatternRows.sorted(sample.rows);
            List<PatternRows.Row> inFile = PatternRows.rows(ChunkRows.read(reader));
            boolean isUnsorted = false;
            List<PatternRows.Row> read = new ArrayList<>();
            int at = 0;
            for (int leaf = 0; leaf < reader.directory().leaves(); leaf++) {
                // Each leaf has the rows that it would have if all were sorted.
                List<PatternRows.Row> rows =
                        inFile.subList(at, at += reader.directory().rows(leaf));
                isUnsorted |= !reader.directory().isSorted(leaf);
                read.addAll(reader.directory().isSorted(leaf) ? rows : PatternRows.sorted(rows));
            }
            assertThat(read).isSortedAccordingTo(PatternRows.BY_KEY_AND_TIME);
            assertThat(PatternRows.settled(read)).isEqualTo(PatternRows.settled(expected));
            assertThat(isUnsorted).isEqualTo(name.equals("unsorted"));
        }
        if (!OTHER_BYTES.contains(name)) {
            assertThat(HexFormat.of().formatHex(written))
                    .isEqualTo(HexFormat.of().formatHex(golden));
        }
    }

    @Test
    void theDocumentedExampleIsWhatTheWriterMakes() throws IOException {
        assumeThat(DOCUMENT).exists();
        String document = Files.readString(DOCUMENT);
        int from = document.indexOf("```\n", document.indexOf("<!-- example -->")) + 4;
        String example = document.substring(from, document.indexOf("```", from));
        assertThat(example).isEqualTo(hex(ChunkRows.bytes(threeTuples().chunk)));
    }

    /** 16 bytes a line, the offset before them. */
    private static String hex(byte[] bytes) {
        StringBuilder lines = new StringBuilder();
        for (int from = 0; from < bytes.length; from += 16) {
            int to = Math.min(bytes.length, from + 16);
            lines.append(String.format("%04x  ", from))
                    .append(HexFormat.ofDelimiter(" ").formatHex(bytes, from, to))
                    .append('\n');
        }
        return lines.toString();
    }
}
