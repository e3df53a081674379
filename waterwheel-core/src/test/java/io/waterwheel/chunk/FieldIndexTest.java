package io.waterwheel.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.chunk.encoding.BloomBits;
import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Dictionaries name exactly the leaves that have a value, filters none too few, and neither takes too much. */
final class FieldIndexTest {
    private final ChunkWriter writer = new ChunkWriter();

    @Test
    void aDictionaryHasTheValuesAndLeavesOfTheRows() throws Exception {
        int dictionaries = 0;
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + Rounds.of(60, 600); seed++) {
            Random random = new Random(seed);
            int rows = random.nextInt(3) == 0 ? 1 + random.nextInt(20) : 1 + random.nextInt(9000);
            PatternRows rowsOf = new PatternRows(random, RandomTuples.schema(random), rows);
            BitSet all = new BitSet();
            all.set(0, rowsOf.layout.fields().size());
            byte[] bytes = ChunkRows.bytes(writer.encode(rowsOf.tree(), null, all));
            byte[] plain = ChunkRows.bytes(writer.encode(rowsOf.tree(), null, new BitSet()));
            String about = "-Dseed=" + seed + " -Dseeds=1";
            int most = Math.max(1024 + 2 * (ChunkFormat.SECTION_CONTENT + 2) + 4 * all.length(), plain.length / 33);
            assertThat(bytes.length - plain.length).as(about).isLessThanOrEqualTo(most);
            // A false alarm would have a good chunk set aside.
            ChunkCheck.check(ChunkRows.input(about, bytes));
            try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), rowsOf.layout)) {
                TupleBlock read = ChunkRows.read(reader);
                assertThat(PatternRows.rows(read)).as(about).isEqualTo(rowsOf.expected());
                for (int field = 0; field < all.length(); field++) {
                    LeafDictionary dictionary = reader.directory().dictionary(field);
                    if (dictionary != null) {
                        dictionaries++;
                        check(about + " field " + field, dictionary, expected(reader.directory(), read, field));
                    }
                }
            }
        }
        assertThat(dictionaries).isPositive();
    }

    /** By value, the leaves that have it. */
    private static SortedMap<byte[], BitSet> expected(ChunkDirectory directory, TupleBlock rows, int field) {
        RowLayout layout = rows.layout();
        int column = layout.columnOf(field);
        TreeMap<byte[], BitSet> leaves = new TreeMap<>(Arrays::compareUnsigned);
        int from = 0;
        for (int leaf = 0; leaf < directory.leaves(); leaf++) {
            for (int row = from; row < from + directory.rows(leaf); row++) {
                if (!rows.isNull(field, row)) {
                    leaves.computeIfAbsent(value(rows, field, column, row), value -> new BitSet())
                            .set(leaf);
                }
            }
            from += directory.rows(leaf);
        }
        return leaves;
    }

    /** Text as it is, a code so that its bytes are in its order. */
    private static byte[] value(TupleBlock rows, int field, int column, int row) {
        if (rows.layout().variable(column)) {
            long reference = LittleEndian.getLong(rows.column(column), row * 8);
            int from = TupleBlock.referenceOffset(reference);
            return Arrays.copyOfRange(rows.arena(), from, from + TupleBlock.referenceLength(reference));
        }
        Object value = rows.value(field, row);
        if (value instanceof Double || value instanceof Float) {
            double number = ((Number) value).doubleValue();
            return bytes(Double.isNaN(number) ? BloomBits.NAN : KeyCodec.ofDouble(number));
        } else if (rows.layout().fields().get(field).type() == FieldType.IPV4) {
            return bytes(LittleEndian.getInt(rows.column(column), row * 4) & 0xFFFF_FFFFL);
        }
        if (value instanceof BigDecimal decimal) {
            return bytes(decimal.unscaledValue().longValueExact());
        }
        return bytes(value instanceof Boolean is ? (is ? 1 : 0) : ((Number) value).longValue());
    }

    private static byte[] bytes(long code) {
        byte[] bytes = new byte[8];
        LittleEndian.putLong(bytes, 0, Long.reverseBytes(code ^ Long.MIN_VALUE));
        return bytes;
    }

    private static void check(String about, LeafDictionary dictionary, SortedMap<byte[], BitSet> expected) {
        assertThat(dictionary.size()).as(about).isEqualTo(expected.size());
        int number = 0;
        for (var each : expected.entrySet()) {
            byte[] value = dictionary.variable() ? dictionary.text(number) : bytes(dictionary.code(number));
            assertThat(value).as(about).isEqualTo(each.getKey());
            BitSet leaves = new BitSet();
            dictionary.leaves(number, number + 1, leaves);
            assertThat(leaves).as(about + " value " + number).isEqualTo(each.getValue());
            int from = dictionary.variable()
                    ? dictionary.firstFrom(each.getKey())
                    : dictionary.firstFrom(dictionary.code(number));
            int to = dictionary.variable()
                    ? dictionary.firstAbove(each.getKey())
                    : dictionary.firstAbove(dictionary.code(number));
            assertThat(from).as(about).isEqualTo(number);
            assertThat(to).as(about).isEqualTo(number + 1);
            number++;
        }
    }

    private static Schema wide() {
        return new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("id", FieldType.LONG, false, TimestampUnit.NANOSECONDS, true),
                        new Field("noise", FieldType.BYTES, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
    }

    /** Rows with as many ids as asked for, even ones, and that many bytes that no index is kept of. */
    private byte[] wide(int rows, int ids, int noise) {
        TupleBlock block = new TupleBlock(RowLayout.of(wide()), rows);
        Random random = new Random(9);
        byte[] bytes = new byte[noise];
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = row;
            block.times()[row] = row;
            LittleEndian.putLong(block.column(0), row * 8, 2L * random.nextInt(ids));
            random.nextBytes(bytes);
            LittleEndian.putLong(block.column(1), row * 8, block.addToArena(bytes, 0, bytes.length));
        }
        block.setSize(rows);
        var tree = new io.waterwheel.index.TemplateTree(
                block.layout(), io.waterwheel.index.Template.single(), new io.waterwheel.index.PagePool(1 << 26));
        tree.insert(block, 0, rows);
        return ChunkRows.bytes(writer.encode(tree, wide()));
    }

    private record Filters(boolean dictionary, boolean filters, double wrong, String described) {}

    private static Filters look(byte[] bytes) throws IOException {
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", bytes), RowLayout.of(wide()))) {
            ChunkDirectory directory = reader.directory();
            int wrong = 0;
            int asked = 0;
            for (int leaf = 0; leaf < directory.leaves(); leaf++) {
                for (int odd = 1; odd < 100_000; odd += 98) {
                    asked++;
                    wrong += directory.filterMayHold(leaf, 1, odd) ? 1 : 0;
                }
            }
            return new Filters(
                    directory.dictionary(1) != null,
                    directory.hasFilters(1),
                    wrong / (double) asked,
                    ChunkDescription.of(ChunkRows.input("f", bytes)).toString());
        }
    }

    @Test
    void theFormFitsTheValuesAndTheFile() throws IOException {
        Filters few = look(wide(8192, 200, 100));
        assertThat(few.dictionary).isTrue();
        assertThat(few.filters).isFalse();
        assertThat(few.described).contains("index       id: dictionary of 200 values");
        Filters many = look(wide(8192, 1 << 20, 100));
        assertThat(many.dictionary).isFalse();
        assertThat(many.filters).isTrue();
        assertThat(many.wrong).isLessThan(0.05);
        assertThat(many.described).contains("index       id: Bloom filters, ");
        // Folded once, twice, and left out.
        assertThat(look(wide(8192, 1 << 20, 25)).wrong).isBetween(0.05, 0.2);
        assertThat(look(wide(8192, 1 << 20, 8)).wrong).isBetween(0.2, 0.6);
        Filters none = look(wide(8192, 1 << 20, 0));
        assertThat(none.filters).isFalse();
        assertThat(none.described).contains("index       id: left out, as it would take more than 3 % of the file");
    }

    @Test
    void aCheckComparesIndexesWithTheRows() throws Exception {
        byte[] whole = wide(5000, 40, 20);
        byte[] filtered = wide(8192, 1 << 20, 100);
        ChunkCheck.check(ChunkRows.input("f", whole));
        ChunkCheck.check(ChunkRows.input("f", filtered));
        int[] section = section(whole, ChunkFormat.TAG_DICTIONARIES);
        int wrong = 0;
        for (int at = section[0]; at < section[1]; at++) {
            byte[] forged = whole.clone();
            forged[at] ^= 2;
            ForgedChunks.sign(forged);
            try {
                ChunkCheck.check(ChunkRows.input("f", forged));
                // Only bits that mean nothing may change unseen.
                try (ChunkReader reader = ChunkReader.open(ChunkRows.input("f", forged), RowLayout.of(wide()))) {
                    LeafDictionary dictionary = reader.directory().dictionary(1);
                    assertThat(dictionary).isNotNull();
                    check("byte " + at, dictionary, expected(reader.directory(), ChunkRows.read(reader), 1));
                }
            } catch (CorruptChunkException e) {
                wrong++;
            }
        }
        assertThat(wrong).isGreaterThan((section[1] - section[0]) * 9 / 10);
        section = section(filtered, ChunkFormat.TAG_BLOOMS);
        Arrays.fill(filtered, section[1] - 160, section[1], (byte) 0);
        ForgedChunks.sign(filtered);
        assertThatThrownBy(() -> ChunkCheck.check(ChunkRows.input("f", filtered)))
                .isInstanceOf(CorruptChunkException.class)
                .hasMessageContaining("index of field 'id'");
    }

    /** Where a section's content begins and ends. */
    private static int[] section(byte[] bytes, int tag) {
        int at = ForgedChunks.section(bytes, tag);
        int from = at + ChunkFormat.SECTION_CONTENT;
        return new int[] {from, from + LittleEndian.getInt(bytes, at + ChunkFormat.SECTION_LENGTH)};
    }
}
