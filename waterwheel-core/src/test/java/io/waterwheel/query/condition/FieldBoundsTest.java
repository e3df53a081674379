package io.waterwheel.query.condition;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class FieldBoundsTest {
    @Test
    void constantsAreComputedOnce() {
        TupleBlock block = new SmallRows(new Random(1), false).block(1);
        ColumnNode node = new ExpressionCompiler(block.layout()).compile(Expression.parse("k > 1 + 2 * 3"));
        assertThat(node).isInstanceOf(FieldBounds.class);
        assertThat(((FieldBounds) node).bounds()).isEqualTo(new Bounds(8, Long.MAX_VALUE, false));
        ColumnNode between = new ExpressionCompiler(block.layout()).compile(Expression.parse("k BETWEEN 2.5 AND 7"));
        assertThat(((FieldBounds) between).bounds()).isEqualTo(new Bounds(3, 7, false));
    }

    /** Rows that follow each other are tested in loops of their own, beside their nulls. */
    @Test
    void rowsInARangeAreKeptAsEachAlone() {
        Random random = new Random(Long.getLong("seed", 1));
        Schema schema = new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("whole", FieldType.LONG, true),
                        new Field("small", FieldType.INT, true),
                        new Field("number", FieldType.DOUBLE, true)),
                new KeySpec.Ordered("k"),
                "t");
        RowLayout layout = RowLayout.of(schema);
        long[] ends = {Long.MIN_VALUE, Integer.MIN_VALUE, -3, 0, 2, Integer.MAX_VALUE, Long.MAX_VALUE};
        String[] relations = {"<", "<=", "=", "<>", ">=", ">"};
        for (int round = 0; round < 500; round++) {
            int rows = 1 + random.nextInt(300);
            TupleBlock block = new TupleBlock(layout, rows);
            int oneInNull = 1 + random.nextInt(30);
            for (int row = 0; row < rows; row++) {
                long value = random.nextBoolean() ? random.nextInt(-4, 4) : ends[random.nextInt(ends.length)];
                LittleEndian.putLong(block.column(layout.columnOf(2)), row * 8, value);
                LittleEndian.putInt(block.column(layout.columnOf(3)), row * 4, (int) value);
                LittleEndian.putLong(block.column(layout.columnOf(4)), row * 8, Double.doubleToRawLongBits(value));
                block.setNullMask(row, random.nextInt(oneInNull) == 0 ? random.nextInt(8) : 0);
            }
            block.setSize(rows);
            for (String field : List.of("whole", "small", "number")) {
                String text = field + " " + relations[random.nextInt(relations.length)] + " "
                        + (random.nextBoolean() ? random.nextInt(-4, 4) : Integer.MAX_VALUE);
                ColumnNode node = new ExpressionCompiler(layout).compile(Expression.parse(text));
                RowView view = RowView.of(block);
                int first = random.nextInt(rows);
                int count = 1 + random.nextInt(rows - first);
                List<Integer> each = new ArrayList<>();
                for (int row = first; row < first + count; row++) {
                    // A selection of one row before a far one is no range, and no more is it looked at whole.
                    int[] apart = row == 0 ? new int[] {0} : new int[] {0, row};
                    int kept = node.keep(view, apart, apart.length);
                    if (kept > 0 && apart[kept - 1] == row) {
                        each.add(row);
                    }
                }
                int[] selected = IntStream.range(first, first + count).toArray();
                int kept = node.keep(view, selected, count);
                assertThat(Arrays.stream(selected).limit(kept).boxed().toList())
                        .as("%s, rows %s to %s of %s, round %s", text, first, first + count, rows, round)
                        .isEqualTo(each);
            }
        }
    }
}
