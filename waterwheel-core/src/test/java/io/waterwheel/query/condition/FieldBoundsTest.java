package io.waterwheel.query.condition;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.tuple.TupleBlock;
import java.util.Random;
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
}
