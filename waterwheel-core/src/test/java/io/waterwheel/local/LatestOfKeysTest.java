package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The newest of each of many keys, in a tree of many leaves and in chunks: with times that are equal, late, or finer
 * than a millisecond, and with texts and nulls.
 */
final class LatestOfKeysTest {
    private static final int SEEDS = Rounds.of(8, 100);
    private static final List<String> FIELDS = List.of("k", "t", "n", "s", "v");

    @TempDir
    Path folder;

    private record Row(
            long key,
            long time,
            int number,
            @Nullable String text,
            @Nullable Double value) {
        Comparable<?> of(String field) {
            return switch (field) {
                case "k" -> key;
                case "t" -> time;
                case "n" -> number;
                case "s" -> text;
                default -> value;
            };
        }

        String shown(List<String> fields) {
            return fields.stream()
                    .map(field -> String.valueOf(of(field)))
                    .toList()
                    .toString();
        }
    }

    @Test
    void findsTheNewestOfEach() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            FieldType time = random.nextBoolean() ? FieldType.TIMESTAMP : FieldType.TIMESTAMP_US;
            Schema schema = new Schema(
                    List.of(
                            new Field("k", random.nextBoolean() ? FieldType.LONG : FieldType.INT, false),
                            new Field("t", time, false),
                            new Field("n", FieldType.INT, false),
                            new Field("s", FieldType.STRING, true),
                            new Field("v", FieldType.DOUBLE, true)),
                    new KeySpec.Ordered("k"),
                    "t");
            int keys = random.nextInt(2) == 0 ? 1 + random.nextInt(20) : 1 + random.nextInt(4000);
            List<Row> rows = new ArrayList<>();
            Path at = folder.resolve("s" + seed);
            try (LocalStream stream = LocalStream.open(at, "s", schema, LocalSettings.DEFAULT)) {
                for (int round = 0; round < 4; round++) {
                    // The template of the second tree on is learnt from the one before: leaves of different keys.
                    insert(stream, random, rows, round, keys);
                    for (int q = 0; q < 4; q++) {
                        // Questions note which rows of a leaf are older than others; more come behind these.
                        if (q > 0 && random.nextBoolean()) {
                            insert(stream, random, rows, round, keys);
                        }
                        check(stream, random, rows, "seed " + seed + " round " + round + " query " + q);
                    }
                    if (random.nextInt(3) > 0) {
                        stream.flush();
                    }
                }
            }
        }
    }

    private static void insert(LocalStream stream, Random random, List<Row> rows, int round, int keys)
            throws IOException {
        int count = random.nextInt(3) == 0 ? 1 + random.nextInt(100) : 4000 + random.nextInt(4000);
        RowLayout layout = stream.layout();
        boolean micros = stream.layout().fields().get(1).type() == FieldType.TIMESTAMP_US;
        // Where there are few, many rows of a key have the same.
        int times = random.nextBoolean() ? 3 : 100_000;
        TupleBlock block = new TupleBlock(layout, count);
        for (int i = 0; i < count; i++) {
            Row row = new Row(
                    random.nextInt(keys) - keys / 2,
                    1000L * (random.nextInt(20) == 0 ? 0 : round) + random.nextInt(times),
                    random.nextInt(3),
                    random.nextInt(4) == 0 ? null : "text " + random.nextInt(random.nextInt(50) == 0 ? 1 << 30 : 4),
                    random.nextInt(4) == 0 ? null : random.nextInt(3) / 2.0);
            putKey(block, i, row.key());
            if (micros) {
                LittleEndian.putLong(block.column(layout.columnOf(1)), i * 8, row.time());
            } else {
                block.times()[i] = row.time();
            }
            LittleEndian.putInt(block.column(layout.columnOf(2)), i * 4, row.number());
            long nulls = 0;
            if (row.text() == null) {
                nulls |= 1L << layout.nullBit(3);
                LittleEndian.putLong(block.column(layout.columnOf(3)), i * 8, 0);
            } else {
                byte[] bytes = row.text().getBytes(StandardCharsets.UTF_8);
                LittleEndian.putLong(block.column(layout.columnOf(3)), i * 8, block.addToArena(bytes, 0, bytes.length));
            }
            if (row.value() == null) {
                nulls |= 1L << layout.nullBit(4);
            }
            double value = row.value() == null ? 0 : row.value();
            LittleEndian.putLong(block.column(layout.columnOf(4)), i * 8, Double.doubleToRawLongBits(value));
            block.setNullMask(i, nulls);
            rows.add(row);
        }
        block.setSize(count);
        stream.insert(block);
    }

    private static void putKey(TupleBlock block, int row, long key) {
        int column = block.layout().columnOf(0);
        if (column == RowLayout.KEY) {
            block.keys()[row] = key;
        } else if (block.layout().fields().get(0).type() == FieldType.INT) {
            LittleEndian.putInt(block.column(column), row * 4, (int) key);
        } else {
            LittleEndian.putLong(block.column(column), row * 8, key);
        }
    }

    private static void check(LocalStream stream, Random random, List<Row> rows, String seed)
            throws InterruptedException {
        int perKey = random.nextInt(3) > 0 ? 1 : 1 + random.nextInt(random.nextBoolean() ? 3 : 500);
        List<String> select = new ArrayList<>(FIELDS);
        Collections.shuffle(select, random);
        select = select.subList(0, 1 + random.nextInt(select.size()));
        Query query = stream.query().withResult(new ResultSpec.Latest(perKey, select));
        List<Row> matching = new ArrayList<>(rows);
        int kind = random.nextInt(5);
        if (kind == 1) {
            query = query.withWhere("n < 2");
            matching.removeIf(row -> row.number() >= 2);
        } else if (kind == 2) {
            Row asked = rows.get(random.nextInt(rows.size()));
            long high = asked.key() + random.nextInt(2000);
            query = query.withKeys(List.of(new KeyInterval(asked.key(), high)));
            matching.removeIf(row -> row.key() < asked.key() || row.key() > high);
        } else if (kind == 3 && stream.layout().fields().get(1).type() == FieldType.TIMESTAMP) {
            // What is older than another row may be the newest of these.
            long to = rows.get(random.nextInt(rows.size())).time();
            query = query.withTimes(new TimeInterval(random.nextBoolean() ? Long.MIN_VALUE : to - 1000, to));
            long from = query.times().from();
            matching.removeIf(row -> row.time() < from || row.time() > to);
        }
        TreeMap<Long, List<Row>> byKey = new TreeMap<>();
        matching.forEach(row ->
                byKey.computeIfAbsent(row.key(), key -> new ArrayList<>()).add(row));
        Comparator<Row> order = Comparator.comparingLong(Row::time).reversed();
        for (String field : select) {
            order = order.thenComparing((left, right) -> compare(left.of(field), right.of(field)));
        }
        List<String> expected = new ArrayList<>();
        for (List<Row> ofKey : byKey.values()) {
            ofKey.sort(order);
            for (Row row : ofKey.subList(0, Math.min(perKey, ofKey.size()))) {
                expected.add(row.shown(select));
            }
        }
        List<String> answer = new ArrayList<>();
        Verdict verdict = stream.answer(query, block -> {
            for (int row = 0; row < block.size(); row++) {
                List<String> values = new ArrayList<>();
                for (int f = 0; f < block.layout().fields().size(); f++) {
                    values.add(String.valueOf(block.value(f, row)));
                }
                answer.add(values.toString());
            }
            return true;
        });
        assertThat(answer).as("%s: %s", seed, query).isEqualTo(expected);
        assertThat(verdict.tuples()).as(seed).isEqualTo(expected.size());
    }

    /** Null comes first. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static int compare(@Nullable Comparable left, @Nullable Comparable right) {
        if (left == null || right == null) {
            return Boolean.compare(left != null, right != null);
        }
        return left.compareTo(right);
    }
}
