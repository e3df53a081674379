package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkRows;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.rows.PartialMerge;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What zones and Bloom filters say of a leaf, that no row matches, that all do, or what its least and greatest values
 * are, changes no answer: a chunk beside the same without them, and beside the tree that it was made of.
 */
final class LeafZonesTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("k", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false),
                    new Field("x", FieldType.LONG, true, TimestampUnit.NANOSECONDS, true),
                    new Field("d", FieldType.DOUBLE, true, TimestampUnit.NANOSECONDS, true),
                    new Field("f", FieldType.FLOAT, false),
                    new Field("i", FieldType.IPV4, true, TimestampUnit.NANOSECONDS, true),
                    new Field("b", FieldType.BOOLEAN, false),
                    new Field("s", FieldType.STRING, true, TimestampUnit.NANOSECONDS, true)),
            new KeySpec.Ordered("k"),
            "t");

    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);

    @TempDir
    Path folder;

    private long counted;
    private long outside;
    private long inVain;
    private Pruning pruned = Pruning.NOTHING;

    @Test
    void noZoneChangesAnAnswer() throws IOException {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(12, 1_000); seed++) {
            check(seed, new Random(seed));
        }
        if (first == 1) {
            assertThat(counted).isPositive();
            assertThat(outside).isPositive();
            assertThat(pruned.by(PruneReason.DICTIONARY)).isPositive();
        }
    }

    @Test
    void nullsAreKnownByZones() throws IOException {
        Random random = new Random(4);
        int rows = 4 * 2048;
        TupleBlock block = block(random, rows);
        for (int row = 0; row < rows; row++) {
            // None, some, all, none.
            boolean isNull = row / 2048 == 2 || (row / 2048 == 1 && row % 7 == 0);
            block.setNullMask(row, isNull ? 1L << LAYOUT.nullBit(2) : 0);
        }
        LocalChunkStore store = new LocalChunkStore(folder);
        TemplateTree tree = ChunkRows.write(block, SCHEMA, store, "n.chunk");
        ChunkScan chunk = new ChunkScan(store, new ChunkCache(64 << 20));
        for (String condition : List.of("x is null", "x is not null", "not (x is null)", "x is null or x = 700")) {
            boolean nulls = !condition.contains("not");
            ResultSpec count = new ResultSpec.Aggregates(List.of(Aggregate.count()), List.of(), null);
            Gather gather = Gather.of(count, LAYOUT, SCHEMA, TimeInterval.ALL, null);
            var where = ExpressionParser.parse(condition);
            ScanSpec spec = new ScanSpec(List.of(KeyInterval.ALL), TimeInterval.ALL, null, where, gather);
            counted = 0;
            outside = 0;
            assertThat(answer(spec, sink -> chunk.scan("n.chunk", LAYOUT, spec, sink), true))
                    .as(condition)
                    .isEqualTo(answer(spec, sink -> TreeScan.scan(tree, spec, sink), false));
            assertThat(outside).as("pruned: " + condition).isEqualTo(nulls ? 2 : 1);
            assertThat(counted).as("counted unread: " + condition).isEqualTo(nulls ? 1 : 2);
        }
        tree.discard();
    }

    @Test
    void aDictionaryNamesNoLeafInVain() throws IOException {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(12, 1_000); seed++) {
            Random random = new Random(seed);
            int rows = 1 + random.nextInt(30_000);
            LocalChunkStore store = new LocalChunkStore(folder);
            String file = "d" + seed + ".chunk";
            TemplateTree tree = ChunkRows.write(block(random, rows), SCHEMA, store, file);
            try (ChunkReader reader = ChunkReader.open(store.open(file), LAYOUT)) {
                assertThat(reader.directory().dictionary(2)).isNotNull();
                assertThat(reader.directory().dictionary(7)).isNotNull();
            }
            ChunkScan chunk = new ChunkScan(store, new ChunkCache(64 << 20));
            for (int q = 0; q < 40; q++) {
                String condition = named(random);
                ScanSpec spec = all(condition);
                inVain = 0;
                List<String> answer = answer(spec, sink -> chunk.scan(file, LAYOUT, spec, sink), true);
                String about = "-Dseed=" + seed + " -Dseeds=1: " + condition;
                assertThat(answer).as(about).isEqualTo(answer(spec, sink -> TreeScan.scan(tree, spec, sink), false));
                assertThat(inVain).as(about).isZero();
            }
            tree.discard();
        }
    }

    @Test
    void aDictionaryAnswersWithoutALeaf() throws IOException {
        Random random = new Random(5);
        int rows = 30_000;
        LocalChunkStore store = new LocalChunkStore(folder);
        TemplateTree tree = ChunkRows.write(block(random, rows), SCHEMA, store, "v.chunk");
        ChunkScan chunk = new ChunkScan(store, new ChunkCache(64 << 20));
        for (int q = 0; q < 60; q++) {
            ResultSpec wanted = ofValues(random, List.of("x", "s"));
            Gather gather = Gather.of(wanted, LAYOUT, SCHEMA, TimeInterval.ALL, null);
            int keys = q % 2 == 0 ? rows : 1 + random.nextInt(rows);
            List<KeyInterval> asked = List.of(new KeyInterval(0, keys - 1));
            ScanSpec spec = new ScanSpec(asked, TimeInterval.ALL, null, null, gather);
            counted = 0;
            List<String> answer = answer(spec, sink -> chunk.scan("v.chunk", LAYOUT, spec, sink), true);
            assertThat(answer)
                    .as(wanted.toString())
                    .isEqualTo(answer(spec, sink -> TreeScan.scan(tree, spec, sink), false));
            assertThat(counted).as(wanted.toString()).isEqualTo((keys + (keys == rows ? 2047 : 0)) / 2048);
        }
        tree.discard();
    }

    /**
     * To look at the sets of many values for few leaves takes longer than to read these: also where keys are implied.
     */
    @Test
    void aLargeDictionaryIsNotListedForOneLeaf() throws IOException {
        Random random = new Random(6);
        int rows = 40 * 2048;
        TupleBlock block = block(random, rows);
        for (int row = 0; row < rows; row++) {
            byte[] text = ("v" + random.nextInt(800)).getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(column(block, 7), row * 8, block.addToArena(text, 0, text.length));
            LittleEndian.putLong(column(block, 2), row * 8, row / 2048);
            block.setNullMask(row, 0);
        }
        LocalChunkStore store = new LocalChunkStore(folder);
        TemplateTree tree = ChunkRows.write(block, SCHEMA, store, "l.chunk");
        ChunkScan chunk = new ChunkScan(store, new ChunkCache(64 << 20));
        ResultSpec wanted = new ResultSpec.Aggregates(List.of(Aggregate.parse("count_distinct(s)")), List.of(), null);
        Gather gather = Gather.of(wanted, LAYOUT, SCHEMA, TimeInterval.ALL, null);
        for (boolean implied : new boolean[] {false, true}) {
            for (int leaves : new int[] {1, 40}) {
                var where = ExpressionParser.parse("x < " + leaves);
                ScanSpec spec =
                        new ScanSpec(List.of(KeyInterval.ALL), implied, null, TimeInterval.ALL, null, where, gather);
                counted = 0;
                assertThat(answer(spec, sink -> chunk.scan("l.chunk", LAYOUT, spec, sink), true))
                        .isEqualTo(answer(spec, sink -> TreeScan.scan(tree, spec, sink), false));
                assertThat(counted).as(leaves + " leaves").isEqualTo(leaves == 1 ? 0 : leaves);
            }
        }
        tree.discard();
    }

    @Test
    void aFilterRulesLeavesOutWhereThereAreTooManyValues() throws IOException {
        Random random = new Random(3);
        int rows = 9000;
        TupleBlock block = block(random, rows);
        List<String> texts = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            StringBuilder noise = new StringBuilder();
            for (int i = 0; i < 8; i++) {
                noise.append(Long.toHexString(random.nextLong()));
            }
            String text = noise.toString();
            texts.add(text);
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(column(block, 7), row * 8, block.addToArena(bytes, 0, bytes.length));
            block.setNullMask(row, 0);
        }
        LocalChunkStore store = new LocalChunkStore(folder);
        TemplateTree tree = ChunkRows.write(block, SCHEMA, store, "f.chunk");
        ChunkScan chunk = new ChunkScan(store, new ChunkCache(64 << 20));
        for (int q = 0; q < 20; q++) {
            String condition = "s in ('" + texts.get(random.nextInt(rows)) + "', 'none')";
            ScanSpec spec = all(condition);
            assertThat(answer(spec, sink -> chunk.scan("f.chunk", LAYOUT, spec, sink), true))
                    .as(condition)
                    .hasSize(1)
                    .isEqualTo(answer(spec, sink -> TreeScan.scan(tree, spec, sink), false));
        }
        assertThat(pruned.by(PruneReason.BLOOM)).isPositive();
        assertThat(pruned.by(PruneReason.DICTIONARY)).isZero();
        tree.discard();
    }

    /** All rows that match. */
    private static ScanSpec all(String condition) {
        return new ScanSpec(
                List.of(KeyInterval.ALL),
                TimeInterval.ALL,
                null,
                ExpressionParser.parse(condition),
                Gather.of(
                        new ResultSpec.Rows(NamedExpression.fields("x"), List.of(), Query.NO_LIMIT),
                        LAYOUT,
                        SCHEMA,
                        TimeInterval.ALL,
                        null));
    }

    /** What a dictionary tells exactly. */
    private static String named(Random random) {
        int a = random.nextInt(16);
        int c = a + random.nextInt(3);
        return switch (random.nextInt(9)) {
            case 0 -> "x = " + a;
            case 1 -> "x between " + a + " and " + c;
            case 2 -> "x in (" + a + ", " + (c + 2) + ", 700)";
            case 3 -> "s = 'r" + a + "x1'";
            case 4 -> "s in ('r" + a + "', 'r" + c + "x2', 'z')";
            case 5 -> "s like 'r" + a + "%'";
            case 6 -> "s like 'r" + a + "x%' or s = 'r" + c + "' or x = " + a;
            case 7 -> "s between 'r" + a + "' and 'r" + a + "x0'";
            default -> {
                List<String> many = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    many.add("'r" + a + "y" + i + "'");
                }
                yield "s in ('r" + c + "x0', " + String.join(", ", many) + ")";
            }
        };
    }

    private void check(long seed, Random random) throws IOException {
        int rows = random.nextInt(3) == 0 ? 2047 + random.nextInt(3) : 1 + random.nextInt(9000);
        LocalChunkStore store = new LocalChunkStore(folder);
        String file = "s" + seed + ".chunk";
        TemplateTree tree = ChunkRows.write(block(random, rows), SCHEMA, store, file);
        ChunkCache bare = new ChunkCache(64 << 20);
        try (ChunkReader reader = ChunkReader.open(store.open(file), LAYOUT)) {
            bare.put(file, reader.directory().withoutHints());
        }
        ChunkScan chunk = new ChunkScan(store, new ChunkCache(random.nextBoolean() ? 64 << 20 : 0));
        ChunkScan without = new ChunkScan(store, bare);
        for (int q = 0; q < 60; q++) {
            String condition = random.nextInt(6) == 0 ? null : condition(random, 2);
            ResultSpec wanted = random.nextInt(4) == 0
                    ? rows(random)
                    : random.nextInt(5) == 0
                            ? ofValues(random, List.of("x", "d", "i", "s"))
                            : new ResultSpec.Aggregates(
                                    aggregates(random),
                                    NamedExpression.fields(groups(random).toArray(String[]::new)),
                                    null);
            Gather gather = Gather.of(wanted, LAYOUT, SCHEMA, TimeInterval.ALL, null);
            ScanSpec spec = new ScanSpec(
                    keys(random),
                    random.nextBoolean() ? TimeInterval.ALL : new TimeInterval(random.nextInt(9000), 20_000),
                    null,
                    condition == null ? null : ExpressionParser.parse(condition),
                    gather);
            List<String> expected = answer(spec, sink -> without.scan(file, LAYOUT, spec, sink), false);
            String about = "-Dseed=" + seed + " -Dseeds=1: " + condition + " " + wanted;
            assertThat(answer(spec, sink -> chunk.scan(file, LAYOUT, spec, sink), true))
                    .as(about)
                    .isEqualTo(expected);
            assertThat(answer(spec, sink -> TreeScan.scan(tree, spec, sink), false))
                    .as(about)
                    .isEqualTo(expected);
        }
        tree.discard();
    }

    private interface Scan {
        long run(RowSink sink) throws IOException;
    }

    private List<String> answer(ScanSpec spec, Scan scan, boolean tallied) throws IOException {
        List<TupleBlock> parts = new ArrayList<>();
        long found = scan.run(new RowSink() {
            @Override
            public boolean accept(TupleBlock rows) {
                parts.add(rows);
                return true;
            }

            @Override
            public void scanned(ScanStatistics what) {
                counted += tallied ? what.counted() : 0;
                inVain += tallied ? what.unmatched() : 0;
                pruned = tallied ? pruned.plus(what.pruned()) : pruned;
                outside += tallied ? what.pruned().by(PruneReason.ZONE) : 0;
            }
        });
        List<String> answer = new ArrayList<>();
        PartialMerge merge = spec.gather().merge(Workspace.unhurried());
        RowSink into = rows -> {
            for (int row = 0; row < rows.size(); row++) {
                StringBuilder line = new StringBuilder();
                for (int field = 0; field < rows.layout().fields().size(); field++) {
                    Object value = rows.value(field, row);
                    line.append('|').append(value instanceof Double number ? number + 0.0 : value);
                }
                answer.add(line.toString());
            }
            return true;
        };
        for (TupleBlock part : parts) {
            merge.accept(part, into);
        }
        merge.finish(into);
        Collections.sort(answer);
        if (!spec.gather().isAggregate()) {
            // Of rows in an order, those that cannot be among the first are not looked for.
            return answer;
        }
        answer.add("found " + found);
        return answer;
    }

    private static List<Aggregate> aggregates(Random random) {
        List<String> all = new ArrayList<>(List.of("count(*)", "count(x)", "count(s)", "sum(x)", "avg(d)", "min(s)"));
        for (String field : List.of("k", "t", "x", "d", "f", "i", "b")) {
            all.add("min(" + field + ")");
            all.add("max(" + field + ")");
        }
        for (String field : List.of("x", "d", "i", "s")) {
            all.add("count_distinct(" + field + ")");
        }
        all.addAll(List.of("max(s)", "approx_count_distinct(s)", "approx_count_distinct(d)", "count_distinct(b)"));
        // Mostly what a summary, or a dictionary, is enough for.
        all.removeIf(text ->
                random.nextBoolean() || (text.matches("(sum|avg|count_distinct\\(b).*") && random.nextInt(8) > 0));
        return all.isEmpty()
                ? List.of(Aggregate.count())
                : all.stream().map(Aggregate::parse).toList();
    }

    /** What the different values of a field are enough for. */
    private static ResultSpec ofValues(Random random, List<String> fields) {
        String field = fields.get(random.nextInt(fields.size()));
        List<Aggregate> aggregates = new ArrayList<>();
        for (String function : List.of("min", "max", "count_distinct", "approx_count_distinct")) {
            if (random.nextBoolean()) {
                aggregates.add(Aggregate.parse(function + "(" + field + ")"));
            }
        }
        boolean grouped = aggregates.isEmpty() || random.nextBoolean();
        return new ResultSpec.Aggregates(aggregates, grouped ? NamedExpression.fields(field) : List.of(), null);
    }

    private static ResultSpec rows(Random random) {
        List<NamedExpression> select = NamedExpression.fields("x", "s", "d");
        if (random.nextInt(3) == 0) {
            return new ResultSpec.Rows(select, List.of(), Query.NO_LIMIT);
        }
        String field =
                SCHEMA.fields().get(random.nextInt(SCHEMA.fields().size())).name();
        return new ResultSpec.Rows(
                select,
                List.of(new Order(field, random.nextBoolean())),
                random.nextInt(random.nextBoolean() ? 20 : 1500));
    }

    private static List<String> groups(Random random) {
        return switch (random.nextInt(12)) {
            case 0 -> List.of("s");
            case 1 -> List.of("x");
            case 2 -> List.of("d");
            case 3 -> List.of("s", "x");
            default -> List.of();
        };
    }

    private static List<KeyInterval> keys(Random random) {
        long low = random.nextInt(9000);
        return random.nextBoolean()
                ? List.of(KeyInterval.ALL)
                : List.of(new KeyInterval(low, low + random.nextInt(6000)), new KeyInterval(20_000, 30_000));
    }

    private static String condition(Random random, int depth) {
        int kind = random.nextInt(depth > 0 ? 16 : 10);
        long a = random.nextInt(12);
        long c = a + random.nextInt(4);
        return switch (kind) {
            case 0 -> "x between " + a + " and " + (c + random.nextInt(8));
            case 1 -> "x in (" + a + ", " + c + ", 700)";
            case 2 -> "x = " + a + " or x = " + c;
            case 3 -> "d " + List.of("<", "<=", ">", ">=", "=", "<>").get(random.nextInt(6)) + " " + (a - 3) + ".0";
            case 4 -> "s like 'r" + a + (random.nextBoolean() ? "%'" : "_%'");
            case 5 -> "s = 'r" + a + "' or s in ('r" + c + "', 'none')";
            case 6 ->
                "k " + (random.nextBoolean() ? ">= " : "< ") + random.nextInt(9000) + " and i >= IPV4 '0.0.0." + a
                        + "'";
            case 7 -> "f <= " + a + ".5 and b = " + random.nextBoolean();
            case 8 -> ranges(random);
            case 9 ->
                List.of("k", "t", "x", "d", "f", "i", "s").get(random.nextInt(7))
                        + (random.nextBoolean() ? " is null" : " is not null");
            case 10 -> "(" + condition(random, depth - 1) + ") and (" + condition(random, depth - 1) + ")";
            case 11, 12 -> "(" + condition(random, depth - 1) + ") or (" + condition(random, depth - 1) + ")";
            case 13 -> "s > 'r" + a + "' and s <> 'r" + c + "'";
            default -> "not (" + condition(random, depth - 1) + ")";
        };
    }

    /** Of texts, so many that they are searched. */
    private static String ranges(Random random) {
        List<String> any = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String low = "r" + random.nextInt(12) + (random.nextBoolean() ? "x" + random.nextInt(3) : "");
            any.add("s between '" + low + "' and '" + low + (random.nextBoolean() ? "x1" : "") + "'");
        }
        return String.join(" or ", any.subList(0, 16 + random.nextInt(4)));
    }

    /** Regions of keys, each with its own few values, nulls and NaNs: none, some, all. */
    private static TupleBlock block(Random random, int rows) {
        TupleBlock block = new TupleBlock(LAYOUT, rows);
        int region = 0;
        int left = 0;
        int[] kinds = new int[4];
        for (int row = 0; row < rows; row++) {
            if (left-- == 0) {
                region = random.nextInt(12);
                left = 500 + random.nextInt(3000);
                Arrays.setAll(kinds, kind -> random.nextInt(4));
            }
            block.keys()[row] = row;
            block.times()[row] = (long) row + random.nextInt(50);
            LittleEndian.putLong(column(block, 2), row * 8, (long) region + (kinds[0] == 0 ? random.nextInt(3) : 0));
            double d = kinds[1] == 0 ? random.nextGaussian() : region - 3;
            d = kinds[1] == 1 && random.nextInt(3) == 0 ? Double.NaN : kinds[1] == 2 ? Double.NaN : d;
            d = d == 0 && random.nextBoolean() ? -0.0 : d;
            LittleEndian.putLong(column(block, 3), row * 8, Double.doubleToRawLongBits(d));
            float f = kinds[1] == 3 ? Float.NaN : random.nextInt(100) == 0 ? Float.POSITIVE_INFINITY : region;
            LittleEndian.putInt(column(block, 4), row * 4, Float.floatToRawIntBits(f));
            LittleEndian.putInt(column(block, 5), row * 4, kinds[2] == 0 ? random.nextInt() : region);
            column(block, 6)[row] = (byte) (kinds[2] == 1 ? 1 : kinds[2] == 2 ? 0 : random.nextInt(2));
            String written = "r" + region + (kinds[3] == 0 ? "x" + random.nextInt(3) : "");
            byte[] text = (kinds[3] == 1 && region < 4 ? "" : written).getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(column(block, 7), row * 8, block.addToArena(text, 0, text.length));
            long nulls = 0;
            for (int kind = 0; kind < 4; kind++) {
                int field = new int[] {2, 3, 5, 7}[kind];
                boolean isNull = kinds[kind] == 3 || (kinds[kind] == 2 && random.nextInt(10) == 0);
                nulls |= isNull ? 1L << LAYOUT.nullBit(field) : 0;
            }
            block.setNullMask(row, nulls);
        }
        block.setSize(rows);
        return block;
    }

    private static byte[] column(TupleBlock block, int field) {
        return block.column(LAYOUT.columnOf(field));
    }
}
