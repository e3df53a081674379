package io.waterwheel.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What is written is read back bit for bit, and what the directory says of leaves is what a look at all rows finds. */
final class ChunkTwinTest {
    private static final int SEEDS = Rounds.of(40, 100);
    private final ChunkWriter writer = new ChunkWriter();

    @Test
    void rowsOfAnyPatternSurviveBitForBit() throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int rows = random.nextInt(3) == 0 ? 1 + random.nextInt(20) : 1 + random.nextInt(5000);
            PatternRows rowsOf = new PatternRows(random, RandomTuples.schema(random), rows);
            BitSet indexed = new BitSet();
            for (int f = 0; f < rowsOf.layout.fields().size(); f++) {
                indexed.set(f, random.nextInt(3) == 0);
            }
            check("seed " + seed, rowsOf, writer.encode(rowsOf.tree(), null, indexed), indexed);
        }
    }

    /** What a decoder keeps for its next use is one thread's at a time, also where a damaged leaf ends one early. */
    @Test
    void severalThreadsDecodeTheSame() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + Rounds.of(3, 100); seed++) {
            String about = "-Dseed=" + seed + " -Dseeds=1";
            PatternRows rowsOf = new PatternRows(new Random(seed), RandomTuples.schema(new Random(seed)), 9000);
            byte[] bytes = ChunkRows.bytes(writer.encode(rowsOf.tree(), null, new BitSet()));
            try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), rowsOf.layout)) {
                assertThat(PatternRows.rows(ChunkRows.read(reader))).as(about).isEqualTo(rowsOf.expected());
                LeafPart[][] expected = new LeafPart[reader.directory().leaves()][];
                for (int leaf = 0; leaf < expected.length; leaf++) {
                    expected[leaf] = reader.readLeaf(leaf);
                }
                byte[] damaged = bytes.clone();
                // Its checksum is made right, so that decoding finds the damage, or takes it for other values.
                int last = expected.length - 1;
                int at = (int) reader.directory().offset(last, ChunkDirectory.TIMES);
                Arrays.fill(damaged, at + 1, at + reader.directory().length(last, ChunkDirectory.TIMES), (byte) 0x7F);
                List<Callable<Void>> threads = new ArrayList<>();
                for (int t = 0; t < 4; t++) {
                    Random order = new Random(seed * 10 + t);
                    threads.add(() -> {
                        for (int i = 0; i < 60; i++) {
                            int leaf = order.nextInt(expected.length);
                            requireSame(about + " leaf " + leaf, expected[leaf], reader.readLeaf(leaf));
                            decodeDamaged(reader.directory(), damaged, last, at);
                        }
                        return null;
                    });
                }
                runAll(threads);
            }
        }
    }

    private static void decodeDamaged(ChunkDirectory directory, byte[] damaged, int leaf, int at) {
        int length = directory.length(leaf, ChunkDirectory.TIMES);
        try (LeafDecoder decoder = new LeafDecoder("damaged")) {
            decoder.decode(directory, leaf, ChunkDirectory.TIMES, damaged, at, length, at);
        } catch (CorruptChunkException e) {
            assertThat(e).hasMessageContaining("damaged");
        }
    }

    private static void requireSame(String about, LeafPart[] expected, LeafPart[] actual) {
        for (int part = 0; part < expected.length; part++) {
            assertThat(Arrays.equals(expected[part].longs(), actual[part].longs())
                            && Arrays.equals(expected[part].asInBlock(), actual[part].asInBlock())
                            && Arrays.equals(expected[part].arena(), actual[part].arena())
                            && Arrays.equals(expected[part].codes(), actual[part].codes())
                            && Arrays.equals(expected[part].dictionary(), actual[part].dictionary()))
                    .as(about + " part " + part)
                    .isTrue();
        }
    }

    private static void runAll(List<Callable<Void>> all) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(all.size());
        try {
            for (Future<Void> done : threads.invokeAll(all)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void check(String about, PatternRows rows, EncodedChunk chunk, BitSet indexed) throws IOException {
        byte[] bytes = ChunkRows.bytes(chunk);
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), rows.layout)) {
            TupleBlock read = ChunkRows.read(reader);
            assertThat(PatternRows.rows(read)).as(about).isEqualTo(rows.expected());
            ChunkDirectory directory = reader.directory();
            int first = 0;
            for (int leaf = 0; leaf < directory.leaves(); leaf++) {
                checkLeaf(about + " leaf " + leaf, directory, leaf, read, first, indexed);
                first += directory.rows(leaf);
            }
            assertThat(first).as(about).isEqualTo(read.size());
        }
    }

    private static void checkLeaf(
            String about, ChunkDirectory directory, int leaf, TupleBlock rows, int from, BitSet indexed) {
        int to = from + directory.rows(leaf);
        long[] times = Arrays.copyOfRange(rows.times(), from, to);
        assertThat(directory.lowKey(leaf)).as(about).isEqualTo(rows.keys()[from]);
        assertThat(directory.highKey(leaf)).as(about).isEqualTo(rows.keys()[to - 1]);
        assertThat(directory.fromTime(leaf))
                .as(about)
                .isEqualTo(Arrays.stream(times).min().orElseThrow());
        assertThat(directory.toTime(leaf))
                .as(about)
                .isEqualTo(Arrays.stream(times).max().orElseThrow());
        for (long time : times) {
            assertThat(directory.mayHoldTime(leaf, time, time)).as(about).isTrue();
        }
        RowLayout layout = rows.layout();
        for (int f = 0; f < layout.fields().size(); f++) {
            if (layout.columnOf(f) >= 0) {
                checkField(about + " field " + f, directory, leaf, f, rows, from, to);
                boolean isIndexed = directory.dictionary(f) != null || directory.hasFilters(f);
                assertThat(isIndexed && !indexed.get(f)).as(about).isFalse();
            }
        }
    }

    private static void checkField(
            String about, ChunkDirectory directory, int leaf, int field, TupleBlock rows, int from, int to) {
        RowLayout layout = rows.layout();
        int column = layout.columnOf(field);
        long low = Long.MAX_VALUE;
        long high = Long.MIN_VALUE;
        int nulls = 0;
        int nans = 0;
        for (int row = from; row < to; row++) {
            if (rows.isNull(field, row)) {
                nulls++;
                continue;
            }
            long code;
            if (layout.variable(column)) {
                long reference = LittleEndian.getLong(rows.column(column), row * 8);
                int offset = TupleBlock.referenceOffset(reference);
                int length = TupleBlock.referenceLength(reference);
                code = KeyCodec.ofBytes(rows.arena(), offset, length);
                assertThat(directory.mayHold(leaf, field, rows.arena(), offset, length))
                        .as(about)
                        .isTrue();
            } else {
                Object value = rows.value(field, row);
                if (value instanceof Number number && (value instanceof Double || value instanceof Float)) {
                    code = KeyCodec.ofDouble(number.doubleValue());
                    if (Double.isNaN(number.doubleValue())) {
                        nans++;
                        assertThat(directory.mayHold(leaf, field, code))
                                .as(about)
                                .isTrue();
                        continue;
                    }
                } else if (layout.fields().get(field).type() == FieldType.IPV4) {
                    code = LittleEndian.getInt(rows.column(column), row * 4) & 0xFFFF_FFFFL;
                } else if (value instanceof BigDecimal decimal) {
                    code = decimal.unscaledValue().longValueExact();
                } else {
                    code = value instanceof Boolean is ? (is ? 1 : 0) : ((Number) value).longValue();
                }
                assertThat(directory.mayHold(leaf, field, code)).as(about).isTrue();
            }
            low = Math.min(low, code);
            high = Math.max(high, code);
        }
        boolean none = nulls + nans == to - from;
        assertThat(directory.low(leaf, field)).as(about).isEqualTo(none ? 1 : low);
        assertThat(directory.high(leaf, field)).as(about).isEqualTo(none ? 0 : high);
        assertThat(directory.nulls(leaf, field)).as(about).isEqualTo(nulls);
        assertThat(directory.nans(leaf, field)).as(about).isEqualTo(nans);
    }

    @Test
    void keysOfPositionsAreMadeOnlyWhereTheyFollow() throws IOException {
        Schema schema = RandomTuples.taxi();
        RowLayout layout = RowLayout.of(schema);
        for (long seed = 0; seed < 12; seed++) {
            Random random = new Random(seed);
            PatternRows rows = new PatternRows(random, schema, 9000);
            for (int row = 0; row < rows.block.size(); row++) {
                double lon = 115 + random.nextInt(3000) / 1000.0;
                double lat = seed % 2 == 0 ? 39 + random.nextInt(3000) / 1000.0 : 39 + random.nextDouble() * 3;
                LittleEndian.putLong(rows.block.column(1), row * 8, Double.doubleToRawLongBits(lon));
                LittleEndian.putLong(rows.block.column(2), row * 8, Double.doubleToRawLongBits(lat));
            }
            KeyMaker.of(layout, schema).fill(rows.block, 0, (index, reason) -> {
                throw new AssertionError(reason);
            });
            if (seed % 3 == 0) {
                rows.block.keys()[17] ^= 1; // of another maker: this leaf's keys must be stored
            }
            byte[] bytes = ChunkRows.bytes(new ChunkWriter().encode(rows.tree(), schema));
            try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), layout)) {
                Comparator<PatternRows.Row> byAll = PatternRows.BY_KEY_AND_TIME.thenComparing(PatternRows.Row::bits);
                assertThat(PatternRows.rows(ChunkRows.read(reader)).stream()
                                .sorted(byAll)
                                .toList())
                        .as("seed %s", seed)
                        .isEqualTo(rows.expected().stream().sorted(byAll).toList());
                int stored = 0;
                for (int leaf = 0; leaf < reader.directory().leaves(); leaf++) {
                    stored += reader.directory().makesKeys(leaf) ? 0 : 1;
                }
                assertThat(stored).as("seed %s", seed).isEqualTo(seed % 3 == 0 ? 1 : 0);
            }
        }
    }

    @Test
    void sketchesSayNoMostly() throws IOException {
        Random random = new Random(5);
        Schema schema = RandomTuples.taxi();
        PatternRows rows = new PatternRows(random, schema, 2048 * 4);
        for (int row = 0; row < rows.block.size(); row++) {
            rows.block.times()[row] = 1_000_000L + random.nextInt(20) * 50_000;
        }
        byte[] bytes = ChunkRows.bytes(writer.encode(rows.tree(), null, new BitSet()));
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), rows.layout)) {
            ChunkDirectory directory = reader.directory();
            int wrongTimes = 0;
            for (int leaf = 0; leaf < directory.leaves(); leaf++) {
                for (int slot = 0; slot < 19; slot++) {
                    long from = 1_000_000L + slot * 50_000 + 20_000;
                    wrongTimes += directory.mayHoldTime(leaf, from, from + 5_000) ? 1 : 0;
                }
            }
            assertThat(wrongTimes).isLessThan(4);
        }
    }

    @Test
    void describesAFileWithoutItsSchema() throws IOException {
        RandomTuples tuples = new RandomTuples(new Random(3), RandomTuples.taxi());
        PatternRows rows = new PatternRows(new Random(3), tuples.schema(), 5000);
        byte[] bytes = ChunkRows.bytes(writer.encode(rows.tree(), tuples.schema()));
        List<String> lines = ChunkDescription.of(ChunkRows.input("a.chunk", bytes));
        assertThat(lines)
                .anyMatch(line -> line.startsWith("file        a.chunk, " + bytes.length + " bytes, version 1"));
        assertThat(lines).anyMatch(line -> line.startsWith("rows        5000 in 3 leaves"));
        for (String name : List.of("keys  ", "times: time", "id ", "lon ", "lat ")) {
            assertThat(lines).filteredOn(line -> line.startsWith(name)).hasSizeGreaterThan(0);
        }
    }
}
