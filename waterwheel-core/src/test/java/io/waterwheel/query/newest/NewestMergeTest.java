package io.waterwheel.query.newest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The newest row of each key, of random parts beside a map: parts that follow each other, that overlap, whose rows
 * replace few or all of those before, and whose blocks do not come in order; with and without texts that share a key.
 */
final class NewestMergeTest {
    private static final int SEEDS = Rounds.of(12, 1000);
    private static final List<Field> FIELDS = List.of(
            new Field("text", FieldType.STRING, true),
            new Field("value", FieldType.INT, true),
            new Field("key", FieldType.LONG, false),
            new Field("time", FieldType.LONG, false));
    private static final RowLayout PART = RowLayout.ofFields(FIELDS);
    private static final RowLayout ANSWER = RowLayout.ofFields(FIELDS.subList(0, 2));
    private static final Comparator<Row> BY_KEY = Comparator.comparingLong(Row::key);

    private record Row(long key, String text, long time, int value) {}

    @Test
    void keepsTheNewestOfEach() {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            boolean texts = random.nextInt(3) == 0;
            check(random, texts, "seed " + seed + (texts ? ", by text" : ", by key"));
        }
    }

    private static void check(Random random, boolean texts, String seed) {
        Comparator<Row> group = texts ? BY_KEY.thenComparing(Row::text) : BY_KEY;
        Comparator<Row> newest = Comparator.comparingLong(Row::time)
                .reversed()
                .thenComparing(Row::text)
                .thenComparing(Row::value);
        NewestMerge merge = new NewestMerge(PART, ANSWER, order(texts), texts ? 0 : -1, null, Workspace.unhurried());
        TreeMap<Row, Row> expected = new TreeMap<>(group);
        int keys = 1 + random.nextInt(random.nextBoolean() ? 50 : 12_000);
        int parts = 1 + random.nextInt(random.nextInt(4) == 0 ? 60 : 6);
        for (int part = 0; part < parts; part++) {
            TreeMap<Row, Row> rows = new TreeMap<>(group);
            int count = 1 + random.nextInt(keys);
            int base = random.nextBoolean() ? 0 : part;
            int times = 1 + random.nextInt(3);
            for (int i = 0; i < count; i++) {
                Row row = new Row(
                        random.nextInt(keys) - keys / 2,
                        "text " + random.nextInt(3),
                        base + random.nextInt(times),
                        random.nextInt(3));
                rows.merge(row, row, (one, other) -> newest.compare(one, other) <= 0 ? one : other);
            }
            rows.values()
                    .forEach(row ->
                            expected.merge(row, row, (one, other) -> newest.compare(one, other) <= 0 ? one : other));
            List<TupleBlock> blocks = blocks(random, new ArrayList<>(rows.values()));
            if (random.nextInt(5) == 0) {
                Collections.shuffle(blocks, random);
            }
            for (TupleBlock block : blocks) {
                assertThat(merge.accept(block, unused -> false)).isTrue();
            }
            if (!texts && random.nextInt(4) == 0) {
                checkSettled(merge, expected, random, keys, seed);
            }
        }
        List<String> answer = new ArrayList<>();
        long found = merge.finish(block -> {
            assertThat(block.layout()).isEqualTo(ANSWER);
            for (int row = 0; row < block.size(); row++) {
                answer.add(block.value(0, row) + " " + block.value(1, row));
            }
            return true;
        });
        assertThat(answer)
                .as(seed)
                .isEqualTo(expected.values().stream()
                        .map(row -> row.text() + " " + (row.value() == 0 ? null : row.value()))
                        .toList());
        assertThat(found).as(seed).isEqualTo(expected.size());
    }

    private static void checkSettled(NewestMerge merge, Map<Row, Row> expected, Random random, int keys, String seed) {
        long low = (long) random.nextInt(keys) - keys / 2;
        long high = low + random.nextInt(3);
        long settled = Long.MAX_VALUE;
        for (long key = low; key <= high; key++) {
            Row newest = expected.get(new Row(key, "", 0, 0));
            settled = Math.min(settled, newest == null ? Long.MIN_VALUE : newest.time());
        }
        List<KeyInterval> asked = List.of(new KeyInterval(low, high));
        assertThat(merge.canSettle(asked)).isTrue();
        assertThat(merge.settledBefore(asked)).as("%s: %s", seed, asked).isEqualTo(settled);
        assertThat(merge.settledBefore(List.of(new KeyInterval(0, Long.MAX_VALUE))))
                .isEqualTo(Long.MIN_VALUE);
    }

    private static RowOrder order(boolean texts) {
        return texts
                ? new RowOrder(PART, new int[] {2, 0, 3, 0, 1}, new boolean[] {false, false, true, false, false})
                : new RowOrder(PART, new int[] {2, 3, 0, 1}, new boolean[] {false, true, false, false});
    }

    private static List<TupleBlock> blocks(Random random, List<Row> rows) {
        List<TupleBlock> blocks = new ArrayList<>();
        int most = 1 + random.nextInt(random.nextBoolean() ? 20 : 3000);
        for (int from = 0; from < rows.size(); from += most) {
            List<Row> some = rows.subList(from, Math.min(rows.size(), from + most));
            blocks.add(block(some));
        }
        return blocks;
    }

    private static TupleBlock block(List<Row> rows) {
        TupleBlock block = new TupleBlock(PART, rows.size());
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            byte[] text = row.text().getBytes(UTF_8);
            LittleEndian.putLong(block.column(PART.columnOf(0)), i * 8, block.addToArena(text, 0, text.length));
            LittleEndian.putInt(block.column(PART.columnOf(1)), i * 4, row.value());
            LittleEndian.putLong(block.column(PART.columnOf(2)), i * 8, row.key());
            LittleEndian.putLong(block.column(PART.columnOf(3)), i * 8, row.time());
            // The least value stands for none, which comes first as well.
            block.setNullMask(i, row.value() == 0 ? 1L << PART.nullBit(1) : 0);
        }
        block.setSize(rows.size());
        return block;
    }

    /** What no longer counts is given up, also where few rows are long, and where each part is asked about. */
    @Test
    void partsOfTheSameKeysTakeTheMemoryOfOne() {
        String text = "a".repeat(30_000);
        for (boolean settles : new boolean[] {false, true}) {
            QueryMemory most = new QueryMemory(16 << 20, 16 << 20);
            try (Reservation memory = most.open()) {
                NewestMerge merge =
                        new NewestMerge(PART, ANSWER, order(false), -1, null, new Workspace(() -> true, memory));
                for (int part = 0; part < 200; part++) {
                    List<Row> rows = new ArrayList<>();
                    for (int key = 0; key < 10; key++) {
                        rows.add(new Row(key, text, part, key));
                    }
                    merge.accept(block(rows), unused -> false);
                    if (settles) {
                        assertThat(merge.settledBefore(List.of(new KeyInterval(0, 9))))
                                .isBetween(Long.MIN_VALUE, (long) part);
                    }
                }
                assertThat(merge.finish(unused -> true)).isEqualTo(10);
            }
            assertThat(most.reserved()).isZero();
        }
    }

    /** One row more than an answer may keep, and texts of more bytes than may be held: both say what to do. */
    @Test
    void moreThanCanBeHeldIsRefused() {
        int rows = 1 << 14;
        assertTooLarge(rows, ResultSpec.MAX_KEPT_ROWS / rows + 1, "", "1000000 tuples; ask for fewer keys");
        assertTooLarge(100, 50, "a".repeat(30_000), "128 MiB of rows would have to be held");
    }

    /** Parts of other keys each, until they are refused. */
    private static void assertTooLarge(int rows, int parts, String text, String message) {
        QueryMemory most = new QueryMemory(1L << 30, 1L << 30);
        try (Reservation memory = most.open()) {
            NewestMerge merge =
                    new NewestMerge(PART, ANSWER, order(false), -1, null, new Workspace(() -> true, memory));
            assertThatThrownBy(() -> {
                        for (int part = 0; part < parts; part++) {
                            TupleBlock block = block(Collections.nCopies(rows, new Row(0, text, 0, 1)));
                            byte[] keys = block.column(PART.columnOf(2));
                            for (int row = 0; row < rows; row++) {
                                LittleEndian.putLong(keys, row * 8, (long) part * rows + row);
                            }
                            merge.accept(block, unused -> false);
                        }
                        merge.finish(unused -> true);
                    })
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(ErrorCode.RESULT_TOO_LARGE))
                            .isTrue())
                    .hasMessageContaining(message);
        }
        assertThat(most.reserved()).isZero();
    }

    @Test
    void aTextThatWasNamedHasItsTime() {
        byte[] named = "text 1".getBytes(UTF_8);
        NewestMerge merge = new NewestMerge(PART, ANSWER, order(true), 0, named, Workspace.unhurried());
        List<KeyInterval> asked = List.of(new KeyInterval(0, Long.MAX_VALUE));
        assertThat(merge.canSettle(asked)).isTrue();
        assertThat(merge.settledBefore(asked)).isEqualTo(Long.MIN_VALUE);
        for (int part = 0; part < 3; part++) {
            List<Row> rows = List.of(new Row(7, "text 0", 100, 1), new Row(7, "text 1", part, 1));
            blocks(new Random(1), rows).forEach(block -> merge.accept(block, unused -> false));
            assertThat(merge.settledBefore(asked)).isEqualTo(part);
        }
    }

    /** As rows of a leaf may lie in a chunk: then they are handed over once a key, not once a change of the key. */
    @Test
    void rowsOfALeafInAnyOrderAreOneAKey() {
        Schema schema = new Schema(
                List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        RowLayout stored = RowLayout.of(schema);
        List<Field> fields = List.of(new Field("key", FieldType.LONG, false), new Field("time", FieldType.LONG, false));
        RowLayout part = RowLayout.ofFields(fields);
        NewestRows newest = new NewestRows(
                new RowCopy(stored, new int[] {RowCopy.KEY, RowCopy.TIME}, part),
                new RowOrder(part, new int[] {0, 1}, new boolean[] {false, true}),
                null,
                Workspace.unhurried());
        List<String> handedOver = new ArrayList<>();
        RowCollector rows = newest.collector(block -> {
            for (int row = 0; row < block.size(); row++) {
                handedOver.add(block.value(0, row) + " " + block.value(1, row));
            }
            return true;
        });
        rows.comesByLeaves();
        long[][] leaves = {{1, 2, 1, 2, 1, 2}, {2, 3, 3, 4, 4, 5}, {6, 5, 6, 5, 6, 5}};
        for (long[] keys : leaves) {
            TupleBlock leaf = new TupleBlock(stored, keys.length);
            leaf.setSize(keys.length);
            int[] all = new int[keys.length];
            for (int row = 0; row < keys.length; row++) {
                leaf.keys()[row] = keys[row];
                leaf.times()[row] = row;
                all[row] = row;
            }
            rows.add(RowView.of(leaf), all, keys.length);
        }
        rows.finish();
        assertThat(handedOver).containsExactly("1 4", "2 5", "3 2", "4 4", "5 5", "6 4");
    }
}
