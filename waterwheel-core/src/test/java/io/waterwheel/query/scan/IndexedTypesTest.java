package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Indexes of fields that are neither whole numbers nor texts: a chunk answers as the tree that it was made of, and of
 * each field its dictionary, or Bloom filters where there are very many values, leave leaves out.
 */
final class IndexedTypesTest {
    private static final int BYTES = 2;
    private static final int UUIDS = 3;
    private static final int IPV6 = 4;
    private static final int FLOAT = 5;
    private static final int NOISE = 6;

    private static final RowLayout LAYOUT = RowLayout.of(schema(""));

    private static final List<String> FIELDS = List.of("y", "u", "v", "f");

    /** Values that a field may have: few, or as good as another for each row. */
    private int values;

    @TempDir
    Path folder;

    /** Of one field. */
    private Pruning pruned = Pruning.NOTHING;

    /** @param indexed the one field that has an index: several would share what a chunk has for them */
    private static Schema schema(String indexed) {
        return new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("t", FieldType.TIMESTAMP, false),
                        field("y", FieldType.BYTES, indexed),
                        field("u", FieldType.UUID, indexed),
                        field("v", FieldType.IPV6, indexed),
                        field("f", FieldType.FLOAT, indexed),
                        // So long that filters are a small part of the chunk.
                        new Field("noise", FieldType.BYTES, false)),
                new KeySpec.Ordered("k"),
                "t");
    }

    private static Field field(String name, FieldType type, String indexed) {
        return new Field(name, type, true, TimestampUnit.NANOSECONDS, name.equals(indexed));
    }

    @Test
    void dictionariesChangeNoAnswer() throws IOException {
        values = 12;
        for (String field : FIELDS) {
            check(field, PruneReason.DICTIONARY);
        }
    }

    @Test
    void filtersChangeNoAnswer() throws IOException {
        values = 1 << 20;
        for (String field : FIELDS) {
            check(field, PruneReason.BLOOM);
        }
    }

    private void check(String field, PruneReason reason) throws IOException {
        Schema schema = schema(field);
        RowLayout layout = RowLayout.of(schema);
        pruned = Pruning.NOTHING;
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(2, 200); seed++) {
            Random random = new Random(seed);
            int rows = 4_000 + random.nextInt(8_000);
            TupleBlock block = block(random, layout, rows);
            TemplateTree tree = new TemplateTree(layout, Template.single(), new PagePool(1 << 26));
            tree.insert(block, 0, rows);
            LocalChunkStore store = new LocalChunkStore(folder);
            String file = field + values + "-" + seed + ".chunk";
            store.write(file, new ChunkWriter().encode(tree, schema).content());
            try (ChunkReader reader = ChunkReader.open(store.open(file), layout)) {
                assertThat(reader.directory().dictionary(schema.indexOf(field)) != null)
                        .as("seed " + seed + ", field " + field)
                        .isEqualTo(reason == PruneReason.DICTIONARY);
            }
            ChunkScan chunk = new ChunkScan(store, new ChunkCache(64 << 20));
            for (int q = 0; q < 20; q++) {
                String condition = condition(random, block, field);
                ScanSpec spec = all(condition, schema);
                assertThat(keys(sink -> chunk.scan(file, layout, spec, sink)))
                        .as("-Dseed=" + seed + " -Dseeds=1: " + condition)
                        .isEqualTo(keys(sink -> TreeScan.scan(tree, spec, sink)));
            }
            tree.discard();
        }
        assertThat(pruned.by(reason)).as(field).isPositive();
    }

    private static ScanSpec all(String condition, Schema schema) {
        ResultSpec rows = new ResultSpec.Rows(NamedExpression.fields("k"), List.of(), Query.NO_LIMIT);
        return new ScanSpec(
                List.of(KeyInterval.ALL),
                TimeInterval.ALL,
                null,
                ExpressionParser.parse(condition),
                Gather.of(rows, RowLayout.of(schema), schema, TimeInterval.ALL, null));
    }

    private interface Scan {
        long run(RowSink sink) throws IOException;
    }

    private List<Object> keys(Scan scan) throws IOException {
        List<Object> keys = new ArrayList<>();
        long found = scan.run(new RowSink() {
            @Override
            public boolean accept(TupleBlock rows) {
                for (int row = 0; row < rows.size(); row++) {
                    keys.add(rows.value(0, row));
                }
                return true;
            }

            @Override
            public void scanned(ScanStatistics what) {
                pruned = pruned.plus(what.pruned());
            }
        });
        assertThat((long) keys.size()).isEqualTo(found);
        return keys;
    }

    /** About values that occur, most of the time. */
    private String condition(Random random, TupleBlock block, String field) {
        String one = literal(random, block, field);
        String other = literal(random, block, field);
        return switch (random.nextInt(5)) {
            case 0 -> field + " = " + one;
            case 1 -> field + " in (" + one + ", " + other + ")";
            case 2 -> field + " = " + one + " or " + field + " = " + other;
            case 3 -> field + " >= " + one + " and " + field + " <= " + other;
            default -> field + " = " + one + " and not (k < " + random.nextInt(block.size()) + ")";
        };
    }

    private String literal(Random random, TupleBlock block, String field) {
        int number =
                random.nextInt(10) == 0 ? random.nextInt(values) : number(block.keys()[random.nextInt(block.size())]);
        return switch (field) {
            case "y" -> "X'" + HexFormat.of().formatHex(bytes(number)) + "'";
            case "u" -> "UUID '" + uuid(number) + "'";
            case "v" ->
                "IPV6 '2001:db8::" + Integer.toHexString(number >>> 16) + ":" + Integer.toHexString(number & 0xffff)
                        + "'";
            default -> "" + floatOf(number);
        };
    }

    /** What all fields of a row are made of: of few values each leaf has the least, the greatest and one other. */
    private int number(long key) {
        if (values > 100) {
            return (int) ((key * 0x9e3779b97f4a7c15L) >>> 44);
        }
        return key % 64 < 2 ? (int) (key % 64) * (values - 1) : (int) (1 + key / 2048 % (values - 2));
    }

    private static byte[] bytes(int number) {
        return ByteBuffer.allocate(number % 5 == 0 ? 20 : 4).putInt(number).array();
    }

    /** Of which the first half tells little apart, as that of time-ordered ones does. */
    private static UUID uuid(int number) {
        return new UUID(number % 3, 0x8000_0000_0000_0000L | number);
    }

    private static float floatOf(int number) {
        return number / 4f - 2;
    }

    private TupleBlock block(Random random, RowLayout layout, int rows) {
        TupleBlock block = new TupleBlock(layout, rows);
        boolean nulls = random.nextBoolean();
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = row;
            block.times()[row] = row;
            int number = number(row);
            UUID uuid = uuid(number);
            put(block, BYTES, row, bytes(number));
            put(
                    block,
                    UUIDS,
                    row,
                    ByteBuffer.allocate(16)
                            .putLong(uuid.getMostSignificantBits())
                            .putLong(uuid.getLeastSignificantBits())
                            .array());
            put(
                    block,
                    IPV6,
                    row,
                    ByteBuffer.allocate(16)
                            .putInt(0x20010db8)
                            .putInt(12, number)
                            .array());
            LittleEndian.putInt(column(block, FLOAT), row * 4, Float.floatToRawIntBits(floatOf(number)));
            byte[] noise = new byte[100];
            random.nextBytes(noise);
            put(block, NOISE, row, noise);
            long mask = 0;
            for (int field = BYTES; nulls && field <= FLOAT; field++) {
                mask |= random.nextInt(20) == 0 ? 1L << LAYOUT.nullBit(field) : 0;
            }
            block.setNullMask(row, mask);
        }
        block.setSize(rows);
        return block;
    }

    private static void put(TupleBlock block, int field, int row, byte[] value) {
        LittleEndian.putLong(column(block, field), row * 8, block.addToArena(value, 0, value.length));
    }

    private static byte[] column(TupleBlock block, int field) {
        return block.column(LAYOUT.columnOf(field));
    }
}
