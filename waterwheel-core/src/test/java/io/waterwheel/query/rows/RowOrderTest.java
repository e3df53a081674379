package io.waterwheel.query.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.column.Workspace;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RowOrderTest {
    private static final FieldType[] TYPES = {
        FieldType.INT,
        FieldType.LONG,
        FieldType.FLOAT,
        FieldType.DOUBLE,
        FieldType.BOOLEAN,
        FieldType.IPV4,
        FieldType.STRING
    };
    private static final double[] NUMBERS = {
        Double.NaN, Double.NEGATIVE_INFINITY, -1.5, -0.0, 0.0, 1.5, Double.POSITIVE_INFINITY
    };
    private static final long[] INTEGERS = {
        Long.MIN_VALUE, Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE, Long.MAX_VALUE
    };
    private static final String[] TEXTS = {"", "a", "station", "station a", "station b", "\uffff"};

    /** By its comparisons, whatever the fields, also those of which all rows have the same value, or none. */
    @Test
    void sortsAsItCompares() {
        long seed = Long.getLong("seed", 1);
        for (int step = 0; step < 400; step++) {
            Random random = new Random(seed * 1_000_003 + step);
            TupleBlock block = block(random, 1 + random.nextInt(step % 20 == 0 ? 10_000 : 60));
            RowOrder order = order(random, block.layout());
            int[] rows = some(random, block.size());
            if (random.nextInt(3) == 0) {
                sortRuns(random, order, block, rows);
            }
            List<Integer> expected = new ArrayList<>(Arrays.stream(rows).boxed().toList());
            expected.sort((left, right) -> order.compare(block, left, right));
            Workspace workspace = Workspace.unhurried();
            order.sort(block, rows, rows.length, workspace);
            assertThat(rows)
                    .as(
                            "seed %s step %s: %s rows of %s",
                            seed, step, rows.length, block.layout().fields())
                    .containsExactly(
                            expected.stream().mapToInt(Integer::intValue).toArray());
            assertThat(workspace.memory().held()).isZero();
        }
    }

    /** Puts the rows into runs that are in order, as parts are that were put one behind the other. */
    private static void sortRuns(Random random, RowOrder order, TupleBlock block, int[] rows) {
        List<Integer> all = new ArrayList<>(Arrays.stream(rows).boxed().toList());
        int runs = 1 + random.nextInt(random.nextBoolean() ? 5 : 100);
        for (int run = 0; run < runs; run++) {
            all.subList(rows.length * run / runs, rows.length * (run + 1) / runs)
                    .sort((left, right) -> order.compare(block, left, right));
        }
        Arrays.setAll(rows, all::get);
    }

    /** All rows, or some of them, in any order. */
    private static int[] some(Random random, int size) {
        List<Integer> rows = new ArrayList<>(IntStream.range(0, size).boxed().toList());
        if (random.nextBoolean()) {
            Collections.shuffle(rows, random);
        }
        return rows.stream()
                .limit(1 + random.nextInt(size))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private static RowOrder order(Random random, RowLayout layout) {
        List<Integer> fields = new ArrayList<>(
                IntStream.range(0, layout.fields().size()).boxed().toList());
        Collections.shuffle(fields, random);
        int[] by = fields.stream()
                .limit(1 + random.nextInt(fields.size()))
                .mapToInt(Integer::intValue)
                .toArray();
        boolean[] descending = new boolean[by.length];
        for (int i = 0; i < by.length; i++) {
            descending[i] = random.nextBoolean();
        }
        return new RowOrder(layout, by, descending);
    }

    private static TupleBlock block(Random random, int rows) {
        List<Field> fields = new ArrayList<>();
        for (int f = 0; f <= random.nextInt(5); f++) {
            fields.add(new Field("f" + f, TYPES[random.nextInt(TYPES.length)], random.nextBoolean()));
        }
        RowLayout layout = RowLayout.ofFields(fields);
        TupleBlock block = new TupleBlock(layout, rows);
        for (int row = 0; row < rows && layout.nullMaskColumn() >= 0; row++) {
            block.setNullMask(row, 0);
        }
        for (int f = 0; f < fields.size(); f++) {
            int bound = random.nextInt(3) == 0 ? 1 : 7;
            int same = random.nextInt(7);
            boolean nulls = layout.nullBit(f) >= 0 && random.nextBoolean();
            for (int row = 0; row < rows; row++) {
                put(block, f, row, (same + random.nextInt(bound)) % 7);
                if (nulls && random.nextInt(3) == 0) {
                    block.setNullMask(row, block.nullMask(row) | 1L << layout.nullBit(f));
                }
            }
        }
        block.setSize(rows);
        return block;
    }

    private static void put(TupleBlock block, int field, int row, int value) {
        byte[] column = block.column(block.layout().columnOf(field));
        switch (block.layout().fields().get(field).type().physical()) {
            case INT32, UINT32 -> LittleEndian.putInt(column, row * 4, (int) INTEGERS[value]);
            case INT64 -> LittleEndian.putLong(column, row * 8, INTEGERS[value]);
            case FLOAT32 -> LittleEndian.putInt(column, row * 4, Float.floatToRawIntBits((float) NUMBERS[value]));
            case FLOAT64 -> LittleEndian.putLong(column, row * 8, Double.doubleToRawLongBits(NUMBERS[value]));
            case BOOLEAN -> column[row] = (byte) (value & 1);
            case VARIABLE -> {
                byte[] text = TEXTS[value % TEXTS.length].getBytes(StandardCharsets.UTF_8);
                LittleEndian.putLong(column, row * 8, block.addToArena(text, 0, text.length));
            }
        }
    }
}
