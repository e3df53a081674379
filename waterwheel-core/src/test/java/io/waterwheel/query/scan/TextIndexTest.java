package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.waterwheel.Rounds;
import io.waterwheel.chunk.ChunkCheck;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.chunk.TextIndex;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.PruneReason;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A text index leaves no row out: conditions on text beside the tree that the chunk was made of, and each part of each
 * text beside the leaves that have it. It takes no more than it may, and helps where words differ.
 */
final class TextIndexTest {
    private static final Schema SCHEMA = schema(Field.Index.TEXT);
    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);
    private static final int TEXT = 2;
    private static final int ROWS_A_LEAF = 2048;

    @TempDir
    Path folder;

    private long pruned;
    private long texts;
    private long read;

    private static Schema schema(Field.Index index) {
        return new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("s", FieldType.STRING, true, TimestampUnit.NANOSECONDS, index)),
                new KeySpec.Ordered("k"),
                "t");
    }

    @Test
    void conditionsOnTextHaveTheRowsOfAScan() throws IOException {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(16, 1_000); seed++) {
            check(seed);
        }
        if (first == 1) {
            assertThat(pruned).isPositive();
            assertThat(texts).isPositive();
        }
    }

    private void check(long seed) throws IOException {
        Random random = new Random(seed);
        int rows = random.nextInt(4) == 0 ? 1 + random.nextInt(50) : 1 + random.nextInt(12 * ROWS_A_LEAF);
        List<String> words = new ArrayList<>();
        for (int w = 0; w < 1 + random.nextInt(300); w++) {
            words.add(word(random));
        }
        List<String> values = values(random, rows, words);
        TemplateTree tree = tree(values);
        EncodedChunk chunk = new ChunkWriter().encode(tree, SCHEMA);
        long plain = new ChunkWriter().encode(tree, schema(Field.Index.VALUES)).bytes();
        String about = "-Dseed=" + seed + " -Dseeds=1";
        // The section, and the field's number.
        assertThat(chunk.bytes() - plain).as(about).isLessThanOrEqualTo(Math.max(1024, plain / 10) + 12);
        LocalChunkStore store = new LocalChunkStore(folder);
        String file = "t" + seed + ".chunk";
        store.write(file, chunk.content());
        assertThatCode(() -> ChunkCheck.check(store.open(file))).as(about).doesNotThrowAnyException();
        try (ChunkReader reader = ChunkReader.open(store.open(file), LAYOUT)) {
            TextIndex index = reader.directory().text(TEXT);
            if (index != null) {
                texts++;
                for (int q = 0; q < 60; q++) {
                    checkPart(about, index, part(random, values), values);
                }
            }
        }
        ChunkScan scan = new ChunkScan(store, new ChunkCache(64 << 20));
        for (int q = 0; q < 25; q++) {
            String condition = condition(random, values);
            ScanSpec spec = spec(condition);
            assertThat(answer(sink -> scan.scan(file, LAYOUT, spec, sink), true))
                    .as(about + ": " + condition)
                    .isEqualTo(answer(sink -> TreeScan.scan(tree, spec, sink), false));
        }
        tree.discard();
    }

    private static void checkPart(String about, TextIndex index, String part, List<String> values) {
        BitSet leaves = index.leaves(part.getBytes(StandardCharsets.UTF_8));
        for (int row = 0; leaves != null && row < values.size(); row++) {
            String value = values.get(row);
            if (value != null && value.contains(part)) {
                assertThat(leaves.get(row / ROWS_A_LEAF))
                        .as(about + ": " + part)
                        .isTrue();
            }
        }
    }

    /**
     * Values are told apart up to the middle of a leaf, up to the end, or up to a dictionary; then they are not cut.
     */
    @Test
    void textIsCutOnceItCanHaveNoDictionary() throws IOException {
        Random random = new Random(7);
        int[] lengths = {400, 40, 4};
        for (int length : lengths) {
            List<String> values = new ArrayList<>();
            for (int row = 0; row < 3 * ROWS_A_LEAF; row++) {
                StringBuilder text = new StringBuilder();
                while (text.length() < length) {
                    text.append(
                            length == 4 ? "GET" + random.nextInt(9) : Integer.toString(random.nextInt(1 << 28), 36));
                }
                values.add(text.toString());
            }
            TemplateTree tree = tree(values);
            LocalChunkStore store = new LocalChunkStore(folder);
            String file = "c" + length + ".chunk";
            store.write(file, new ChunkWriter().encode(tree, SCHEMA).content());
            assertThatCode(() -> ChunkCheck.check(store.open(file))).doesNotThrowAnyException();
            try (ChunkReader reader = ChunkReader.open(store.open(file), LAYOUT)) {
                assertThat(reader.directory().dictionary(TEXT) == null).isEqualTo(length > 4);
                TextIndex index = reader.directory().text(TEXT);
                assertThat(index == null).isEqualTo(length == 4);
                for (int q = 0; index != null && q < 200; q++) {
                    checkPart("length " + length, index, part(random, values), values);
                }
            }
            tree.discard();
        }
    }

    /** Where each leaf has a word of its own, that leaf alone is read, for a part of it and for all of it. */
    @Test
    void aWordOfOneLeafHasThatLeafReadAlone() throws IOException {
        int leaves = 20;
        List<String> values = new ArrayList<>();
        for (int row = 0; row < leaves * ROWS_A_LEAF; row++) {
            char own = (char) ('A' + row / ROWS_A_LEAF);
            values.add("GET /item/" + row + (row % 100 == 0 ? " by x" + own + "y" + own + "z" : ""));
        }
        TemplateTree tree = tree(values);
        LocalChunkStore store = new LocalChunkStore(folder);
        store.write("w.chunk", new ChunkWriter().encode(tree, SCHEMA).content());
        ChunkScan scan = new ChunkScan(store, new ChunkCache(64 << 20));
        for (String condition :
                List.of("s like '%xCyC%'", "s like '%GET%xCy_%'", "s like '%CyCz'", "s = 'GET /item/4100 by xCyCz'")) {
            ScanSpec spec = spec(condition);
            read = 0;
            assertThat(answer(sink -> scan.scan("w.chunk", LAYOUT, spec, sink), true))
                    .as(condition)
                    .isEqualTo(answer(sink -> TreeScan.scan(tree, spec, sink), false));
            assertThat(read).as(condition).isEqualTo(1);
        }
        tree.discard();
    }

    /** A dictionary is searched for what stands inside values, within a bound, whatever the condition asks. */
    @Test
    void thousandsOfPartsAreNotAllSearched() throws IOException {
        List<String> values = new ArrayList<>();
        for (int row = 0; row < 2 * ROWS_A_LEAF; row++) {
            values.add("value " + (row < ROWS_A_LEAF ? "first" : "second") + row % 90);
        }
        TemplateTree tree = tree(values);
        LocalChunkStore store = new LocalChunkStore(folder);
        store.write("d.chunk", new ChunkWriter().encode(tree, SCHEMA).content());
        ChunkScan scan = new ChunkScan(store, new ChunkCache(64 << 20));
        List<String> likes = new ArrayList<>(Collections.nCopies(3000, "s like '%val%'"));
        for (String last : List.of("s like '%second%'", "s like 'value se%d7%'")) {
            ScanSpec few = spec("s like '%val%' and " + last);
            read = 0;
            List<String> expected = answer(sink -> scan.scan("d.chunk", LAYOUT, few, sink), true);
            assertThat(read).as(last).isEqualTo(1);
            ScanSpec many = spec(String.join(" and ", likes) + " and " + last);
            assertThat(answer(sink -> scan.scan("d.chunk", LAYOUT, many, sink), false))
                    .as(last)
                    .isEqualTo(expected);
        }
        SearchBudget budget = new SearchBudget();
        assertThat(budget.take(4 << 20)).isTrue();
        assertThat(budget.take(1)).isFalse();
        tree.discard();
    }

    /** Of text like random there are too many trigrams: it has no index, and its answers. */
    @Test
    void textWithoutWordsHasNoIndex() throws IOException {
        Random random = new Random(5);
        List<String> values = new ArrayList<>();
        for (int row = 0; row < 3 * ROWS_A_LEAF; row++) {
            StringBuilder noise = new StringBuilder();
            for (int c = 0; c < 60; c++) {
                noise.append((char) ('!' + random.nextInt(90)));
            }
            values.add(noise.toString());
        }
        TemplateTree tree = tree(values);
        LocalChunkStore store = new LocalChunkStore(folder);
        store.write("n.chunk", new ChunkWriter().encode(tree, SCHEMA).content());
        try (ChunkReader reader = ChunkReader.open(store.open("n.chunk"), LAYOUT)) {
            assertThat(reader.directory().text(TEXT)).isNull();
        }
        tree.discard();
    }

    private static String word(Random random) {
        String letters = random.nextInt(3) == 0 ? "äöü€日𝄞" : "abcdefghij_%";
        StringBuilder word = new StringBuilder();
        for (int c = 0; c < 1 + random.nextInt(9); c++) {
            int at = letters.offsetByCodePoints(0, random.nextInt(letters.codePointCount(0, letters.length())));
            word.appendCodePoint(letters.codePointAt(at));
        }
        return word.toString();
    }

    /** Regions of keys, each with its own words; some nulls and empty text. */
    private static List<String> values(Random random, int rows, List<String> words) {
        List<String> values = new ArrayList<>();
        List<String> own = List.of();
        for (int row = 0; row < rows; row++) {
            if (row % (500 + rows / 6) == 0) {
                own = new ArrayList<>(words);
                Collections.shuffle(own, random);
                own = own.subList(0, 1 + random.nextInt(Math.min(own.size(), 12)));
            }
            StringBuilder value = new StringBuilder();
            for (int w = random.nextInt(5); w > 0; w--) {
                value.append(own.get(random.nextInt(own.size()))).append(' ');
            }
            values.add(random.nextInt(20) == 0 ? null : value.toString());
        }
        return values;
    }

    /** A part of a value, or something else. */
    private static String part(Random random, List<String> values) {
        String value = values.get(random.nextInt(values.size()));
        if (value == null || value.isEmpty() || random.nextInt(10) == 0) {
            return word(random);
        }
        int length = value.codePointCount(0, value.length());
        int from = random.nextInt(length);
        int to = from + 1 + random.nextInt(Math.min(10, length - from));
        return value.substring(value.offsetByCodePoints(0, from), value.offsetByCodePoints(0, to));
    }

    private static String condition(Random random, List<String> values) {
        String part = pattern(random, part(random, values));
        return switch (random.nextInt(8)) {
            case 0 -> "s like '" + part + "%' escape '!'";
            case 1 -> "s like '%" + part + "' escape '!'";
            case 2 -> "s like '%" + part + "%" + pattern(random, part(random, values)) + "%' escape '!'";
            case 3 -> "s not like '%" + part + "%' escape '!'";
            case 4 -> "s = '" + text(random, values) + "'";
            case 5 -> "s in ('" + text(random, values) + "', '" + text(random, values) + "')";
            case 6 ->
                "s like '%" + part + "%' escape '!' or s like '%" + pattern(random, part(random, values))
                        + "%' escape '!'";
            default -> "s like '%" + part + "%' escape '!' and k > " + random.nextInt(values.size());
        };
    }

    private static String text(Random random, List<String> values) {
        String value = values.get(random.nextInt(values.size()));
        return value == null ? "none" : value;
    }

    /** As it is, some characters in place of which any may stand. */
    private static String pattern(Random random, String part) {
        StringBuilder pattern = new StringBuilder();
        part.codePoints().forEach(c -> {
            if (random.nextInt(8) == 0) {
                pattern.append('_');
            } else {
                pattern.append(c == '_' || c == '%' ? "!" : "").appendCodePoint(c);
            }
        });
        return pattern.toString();
    }

    private static TemplateTree tree(List<String> values) {
        TupleBlock block = new TupleBlock(LAYOUT, values.size());
        for (int row = 0; row < values.size(); row++) {
            block.keys()[row] = row;
            block.times()[row] = row;
            String value = values.get(row);
            byte[] text = (value == null ? "" : value).getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(block.column(LAYOUT.columnOf(TEXT)), row * 8, block.addToArena(text, 0, text.length));
            block.setNullMask(row, value == null ? 1L << LAYOUT.nullBit(TEXT) : 0);
        }
        block.setSize(values.size());
        TemplateTree tree = new TemplateTree(LAYOUT, Template.single(), new PagePool(1 << 27));
        tree.insert(block, 0, values.size());
        return tree;
    }

    private static ScanSpec spec(String condition) {
        return new ScanSpec(
                List.of(KeyInterval.ALL),
                TimeInterval.ALL,
                null,
                ExpressionParser.parse(condition),
                Gather.of(
                        new ResultSpec.Rows(List.of(), List.of(), Query.NO_LIMIT),
                        LAYOUT,
                        SCHEMA,
                        TimeInterval.ALL,
                        null));
    }

    private interface Scan {
        long run(RowSink sink) throws IOException;
    }

    private List<String> answer(Scan scan, boolean tallied) throws IOException {
        List<String> rows = new ArrayList<>();
        scan.run(new RowSink() {
            @Override
            public boolean accept(TupleBlock block) {
                for (int row = 0; row < block.size(); row++) {
                    rows.add(block.value(0, row) + " " + block.value(TEXT, row));
                }
                return true;
            }

            @Override
            public void scanned(ScanStatistics what) {
                pruned += tallied ? what.pruned().by(PruneReason.TEXT) : 0;
                read += tallied ? what.read() : 0;
            }
        });
        Collections.sort(rows);
        return rows;
    }
}
