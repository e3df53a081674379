package io.waterwheel.query.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.DoubleSum;
import io.waterwheel.query.aggregate.state.WholeSum;
import io.waterwheel.query.column.Values;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What aggregates take is known, so that it can be bounded. */
final class AggregateBytesTest {
    private static final int GROUPS = 100_000;

    @Test
    void everyStateCountsItsArrays() {
        AggregateState count = AggregateFunctions.of("count").state(null, "n");
        count.groups(GROUPS);
        assertThat(count.bytes()).isGreaterThanOrEqualTo(8L * GROUPS);
        AggregateState sum = new WholeSum("sum(x)", false);
        sum.groups(GROUPS);
        assertThat(sum.bytes()).isGreaterThanOrEqualTo(24L * GROUPS);
    }

    @Test
    void sumsOfDoublesCountTheirDigits() {
        DoubleSum sums = new DoubleSum(false);
        sums.groups(1_000);
        long empty = sums.bytes();
        Values values = new Values();
        Random random = new Random(1);
        int rows = 1_000;
        values.doubles = new double[rows];
        int[] selected = new int[rows];
        int[] groupOf = new int[rows];
        for (int row = 0; row < rows; row++) {
            selected[row] = row;
            groupOf[row] = 1 + random.nextInt(999);
        }
        for (int round = 0; round < 2; round++) {
            for (int row = 0; row < rows; row++) {
                values.doubles[row] = round == 0 ? 1e-300 : 1e300;
            }
            sums.add(values, selected, rows, groupOf);
        }
        long groups = Arrays.stream(groupOf).distinct().count();
        // From 2^-1000 to 2^1000 are over sixty digits of 32 bits; they are counted before they are there.
        assertThat(sums.bytes() - empty).isGreaterThan(groups * 60 * 8);
        sums.writeAnswer(
                new TupleBlock(RowLayout.ofFields(List.of(new Field("s", FieldType.DOUBLE, true))), 1), 0, 0, 0);
        assertThat(sums.bytes() - empty).isBetween(groups * 60 * 8, groups * 70 * 8);
    }
}
