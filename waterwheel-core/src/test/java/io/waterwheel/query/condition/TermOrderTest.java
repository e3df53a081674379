package io.waterwheel.query.condition;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class TermOrderTest {
    private static final RowLayout LAYOUT = RowLayout.ofFields(List.of(
            new Field("a", FieldType.LONG, true),
            new Field("b", FieldType.LONG, true),
            new Field("c", FieldType.LONG, false)));

    private static ColumnNode[] terms(String... conditions) {
        return Arrays.stream(conditions)
                .map(text -> new ExpressionCompiler(LAYOUT).compile(Expression.parse(text)))
                .toArray(ColumnNode[]::new);
    }

    /** Notes for each term, in its first place, what share of the rows it keeps wherever it stands. */
    private static TermOrder judged(ColumnNode[] terms, int... keptOfHundred) {
        TermOrder order = new TermOrder(terms);
        for (int turn = 0; turn < 40; turn++) {
            order.judge();
            int left = 1000;
            for (int place = 0; place < terms.length; place++) {
                int term = Arrays.asList(terms).indexOf(order.term(place));
                int kept = left * keptOfHundred[term] / 100;
                order.note(place, left, kept);
                left = kept;
            }
        }
        return order;
    }

    private static List<ColumnNode> places(TermOrder order, int count) {
        return IntStream.range(0, count).mapToObj(order::term).toList();
    }

    @Test
    void theTermThatLeavesOutMostForItsWorkComesFirst() {
        ColumnNode[] terms = terms("a IN (1, 2)", "b > 3", "c IN (5, 6)");
        assertThat(places(judged(terms, 90, 50, 1), 3)).containsExactly(terms[1], terms[2], terms[0]);
        assertThat(places(judged(terms, 50, 99, 60), 3)).containsExactly(terms[0], terms[2], terms[1]);
    }

    /** Else an overflow would be met in rows that the term before had left out, or would not be met any longer. */
    @Test
    void noTermPassesOneThatCanFail() {
        ColumnNode[] terms = terms("a IN (1, 2)", "b < 9", "a * b > 5", "c = 7", "b IN (1, 2)");
        List<ColumnNode> places = places(judged(terms, 99, 98, 97, 96, 1), 5);
        assertThat(places.subList(0, 2)).containsExactlyInAnyOrder(terms[0], terms[1]);
        assertThat(places.subList(2, 5)).containsExactly(terms[2], terms[4], terms[3]);
    }

    @Test
    void rowsThatAreKeptDoNotDependOnTheOrder() {
        long seed = Long.getLong("seed", 5);
        Random random = new Random(seed);
        ColumnNode all = new ExpressionCompiler(LAYOUT)
                .compile(Expression.parse("a > 10 AND b IN (1, 2, 3) AND c BETWEEN 5 AND 60 AND a < b * 90"
                        + " AND a IN (11, 12, 17, 30) AND c <> 7"));
        int kept = 0;
        for (int leaf = 0; leaf < 40; leaf++) {
            // What keeps most rows changes from leaf to leaf.
            int most = leaf < 20 ? 40 : 20;
            TupleBlock block = new TupleBlock(LAYOUT, 2048);
            for (int row = 0; row < 2048; row++) {
                for (int f = 0; f < 3; f++) {
                    long value = random.nextInt(f == 1 ? 60 - most : most + f * 30);
                    LittleEndian.putLong(block.column(LAYOUT.columnOf(f)), row * 8, value);
                }
                block.setNullMask(row, random.nextInt(10) == 0 ? random.nextInt(4) : 0);
            }
            block.setSize(2048);
            int[] expected = IntStream.range(0, 2048)
                    .filter(row -> !block.isNull(0, row) && !block.isNull(1, row))
                    .filter(row -> {
                        long a = LittleEndian.getLong(block.column(LAYOUT.columnOf(0)), row * 8);
                        long b = LittleEndian.getLong(block.column(LAYOUT.columnOf(1)), row * 8);
                        long c = LittleEndian.getLong(block.column(LAYOUT.columnOf(2)), row * 8);
                        return a > 10
                                && b >= 1
                                && b <= 3
                                && c >= 5
                                && c <= 60
                                && a < b * 90
                                && c != 7
                                && List.of(11L, 12L, 17L, 30L).contains(a);
                    })
                    .toArray();
            int[] selected = IntStream.range(0, 2048).toArray();
            int count = all.keep(RowView.of(block), selected, 2048);
            assertThat(Arrays.copyOf(selected, count)).as("-Dseed=%d", seed).isEqualTo(expected);
            kept += count;
        }
        assertThat(kept).isGreaterThan(100);
    }
}
