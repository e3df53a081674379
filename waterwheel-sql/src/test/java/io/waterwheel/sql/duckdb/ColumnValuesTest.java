package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The values of a column beside a sorted set of the same. */
final class ColumnValuesTest {
    private static final List<Field> FIELDS =
            List.of(new Field("short", FieldType.INT, true), new Field("long", FieldType.LONG, false));

    @Test
    void hasEachValueOnce() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int most = 1 + random.nextInt(300);
            ColumnValues shorts = new ColumnValues(0, most);
            ColumnValues longs = new ColumnValues(1, most);
            TreeSet<Long> ofShorts = new TreeSet<>();
            TreeSet<Long> ofLongs = new TreeSet<>();
            int different = 1 + random.nextInt(400);
            for (int blocks = random.nextInt(4); blocks > 0; blocks--) {
                TupleBlock block = new TupleBlock(RowLayout.ofFields(FIELDS), 300);
                for (int row = 0; row < 300; row++) {
                    int one = random.nextInt(different) - different / 2;
                    // Some that differ in their upper bits alone.
                    long other = (long) (random.nextInt(different) - 3) << (random.nextInt(2) * 40);
                    LittleEndian.putInt(block.column(block.layout().columnOf(0)), row * 4, one);
                    LittleEndian.putLong(block.column(block.layout().columnOf(1)), row * 8, other);
                    ofLongs.add(other);
                    if (random.nextInt(5) == 0) {
                        block.setNullMask(row, 1L << block.layout().nullBit(0));
                    } else {
                        ofShorts.add((long) one);
                    }
                }
                block.setSize(300);
                shorts.add(block);
                longs.add(block);
            }
            requireSame(shorts, ofShorts, most, seed);
            requireSame(longs, ofLongs, most, seed);
        }
    }

    private static void requireSame(ColumnValues values, SortedSet<Long> expected, int most, long seed) {
        assertThat(values.tooMany()).as("seed %s", seed).isEqualTo(expected.size() > most);
        if (!values.tooMany()) {
            assertThat(values.literals())
                    .as("seed %s", seed)
                    .isEqualTo(expected.stream().map(Expression.Whole::new).toList());
        }
    }
}
