package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The newest of each text, of which many have the first eight bytes, all that a key holds, in common. */
final class LatestOfTextTest {
    private static final int SEEDS = Rounds.of(3, 10);
    private static final List<String> BEGINNINGS =
            List.of("", "abc", "shared-b", "shared-beginning-", "abc\0\0\0\0\0", "é");

    @TempDir
    Path folder;

    private record Row(String text, long time, int number) {}

    @Test
    void countsNoTwoTextsAsOne() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            FieldType type = random.nextBoolean() ? FieldType.STRING : FieldType.BYTES;
            Schema schema = new Schema(
                    List.of(
                            new Field("k", type, false),
                            new Field("t", FieldType.TIMESTAMP, false),
                            new Field("v", FieldType.INT, false)),
                    new KeySpec.Ordered("k"),
                    "t");
            int texts = 1 + random.nextInt(random.nextBoolean() ? 5 : random.nextBoolean() ? 300 : 2000);
            List<Row> rows = new ArrayList<>();
            Path at = folder.resolve("s" + seed);
            LocalStream stream = LocalStream.open(at, "s", schema, LocalSettings.DEFAULT);
            try {
                for (int round = 0; round < 12; round++) {
                    insert(stream, random, rows, round, texts);
                    if (random.nextInt(3) > 0) {
                        stream.flush();
                    }
                    if (round % 4 == 2) {
                        // Cold: nothing of it is in memory.
                        stream.flush();
                        stream.close();
                        stream = LocalStream.open(at, "s", schema, LocalSettings.DEFAULT);
                    }
                    for (int q = 0; q < 6; q++) {
                        check(stream, random, rows, type, "seed " + seed + " round " + round + " query " + q);
                    }
                }
            } finally {
                stream.close();
            }
        }
    }

    private static String text(Random random, int texts) {
        int number = random.nextInt(texts);
        return BEGINNINGS.get(number % BEGINNINGS.size()) + (number < BEGINNINGS.size() ? "" : number);
    }

    private static void insert(LocalStream stream, Random random, List<Row> rows, int round, int texts)
            throws IOException {
        int count = 1 + random.nextInt(random.nextInt(4) == 0 ? 5000 : 100);
        TupleBlock block = new TupleBlock(stream.layout(), count);
        int text = stream.layout().columnOf(0);
        int number = stream.layout().columnOf(2);
        for (int i = 0; i < count; i++) {
            // Chunks follow one another in time, but for a few stragglers.
            long time = 1000L * (random.nextInt(20) == 0 ? 0 : round) + random.nextInt(random.nextBoolean() ? 3 : 1500);
            Row row = new Row(text(random, texts), time, random.nextInt(1000));
            byte[] bytes = row.text().getBytes(StandardCharsets.UTF_8);
            block.times()[i] = time;
            LittleEndian.putLong(block.column(text), i * 8, block.addToArena(bytes, 0, bytes.length));
            LittleEndian.putInt(block.column(number), i * 4, row.number());
            rows.add(row);
        }
        block.setSize(count);
        stream.insert(block);
    }

    private static void check(LocalStream stream, Random random, List<Row> rows, FieldType type, String seed)
            throws InterruptedException {
        Row asked = rows.get(random.nextInt(rows.size()));
        int kind = random.nextInt(4);
        int perKey = 1 + random.nextInt(random.nextBoolean() ? 3 : 2000);
        int every = random.nextBoolean() ? 1 : 1 + random.nextInt(5);
        boolean withText = random.nextBoolean();
        Query query = stream.query()
                .withResult(
                        new ResultSpec.Latest(perKey, every, withText ? List.of("v", "k", "t") : List.of("t", "v")));
        List<Row> matching = new ArrayList<>(rows);
        if (kind == 1) {
            query = query.withWhere("k = " + literal(asked.text(), type));
            matching.removeIf(row -> !row.text().equals(asked.text()));
        } else if (kind == 2) {
            query = query.withWhere("k >= " + literal("shared", type) + " AND k < " + literal("shared-c", type));
            matching.removeIf(row -> !row.text().startsWith("shared"));
        } else if (kind == 3) {
            query = query.withWhere("v < 300");
            matching.removeIf(row -> row.number() >= 300);
        }
        Comparator<Row> order = Comparator.comparingLong(Row::time).reversed().thenComparing(Row::number);
        // All texts are of characters whose order is that of their bytes.
        Map<String, List<Row>> byText = new TreeMap<>();
        matching.forEach(row ->
                byText.computeIfAbsent(row.text(), text -> new ArrayList<>()).add(row));
        List<String> expected = new ArrayList<>();
        for (List<Row> ofText : byText.values()) {
            ofText.sort(order);
            for (int i = 0; i < Math.min(perKey, ofText.size()); i += every) {
                Row row = ofText.get(i);
                expected.add(row.time() + " " + row.number() + (withText ? " " + row.text() : ""));
            }
        }
        List<String> answer = new ArrayList<>();
        Verdict verdict = stream.answer(query, block -> {
            int t = withText ? 2 : 0;
            int v = withText ? 0 : 1;
            for (int row = 0; row < block.size(); row++) {
                answer.add(block.value(t, row) + " " + block.value(v, row)
                        + (withText ? " " + shown(block.value(1, row)) : ""));
            }
            return true;
        });
        assertThat(answer).as("%s: %s", seed, query).isEqualTo(expected);
        assertThat(verdict.tuples()).as(seed).isEqualTo(answer.size());
    }

    private static String shown(@Nullable Object value) {
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(value);
    }

    private static String literal(String text, FieldType type) {
        if (type == FieldType.STRING) {
            return new Expression.Text(text).toString();
        }
        StringBuilder hex = new StringBuilder("X'");
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hex.append(String.format("%02x", b));
        }
        return hex.append('\'').toString();
    }
}
