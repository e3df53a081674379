package io.waterwheel.query.aggregate.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sums and extremes of rows of one group, with gaps between the rows and without, beside a look at each value. */
final class OneGroupTest {
    private static final RowLayout ANSWER = RowLayout.ofFields(List.of(new Field("a", FieldType.LONG, true)));
    private static final RowLayout PART = RowLayout.ofFields(List.of(
            new Field("h", FieldType.LONG, false),
            new Field("l", FieldType.LONG, false),
            new Field("n", FieldType.LONG, false)));

    @Test
    void rowsOfOneGroupAreTakenAsOneByOne() {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(500, 50_000); seed++) {
            Random random = new Random(seed);
            WholeSum sum = new WholeSum("sum", false);
            ExtremeNumber least = new ExtremeNumber(ValueType.INTEGER, false);
            ExtremeNumber greatest = new ExtremeNumber(ValueType.INTEGER, true);
            ExtremeNumber leastDouble = new ExtremeNumber(ValueType.DOUBLE, false);
            ExtremeNumber greatestDouble = new ExtremeNumber(ValueType.DOUBLE, true);
            List<AggregateState> states = List.of(sum, least, greatest, leastDouble, greatestDouble);
            states.forEach(state -> state.groups(1));
            BigInteger expectedSum = BigInteger.ZERO;
            long count = 0;
            Long[] extremes = new Long[4];
            for (int leaf = random.nextInt(4); leaf >= 0; leaf--) {
                int rows = 1 + random.nextInt(random.nextBoolean() ? 10 : 2100);
                Values values = values(random, rows);
                int gaps = random.nextInt(3);
                int[] selected = IntStream.range(random.nextInt(rows), rows)
                        .filter(row -> gaps == 0 || random.nextInt(gaps + 1) > 0)
                        .toArray();
                states.forEach(state -> state.addToGroup(values, selected, selected.length, new int[rows], 0));
                for (int row : selected) {
                    if (values.anyNull && values.nulls[row]) {
                        continue;
                    }
                    long whole = values.longs[row];
                    long bits = OrderedBits.of(values.doubles[row]);
                    expectedSum = expectedSum.add(BigInteger.valueOf(whole));
                    count++;
                    extremes[0] = extremes[0] == null ? whole : Math.min(extremes[0], whole);
                    extremes[1] = extremes[1] == null ? whole : Math.max(extremes[1], whole);
                    extremes[2] = extremes[2] == null ? bits : Math.min(extremes[2], bits);
                    extremes[3] = extremes[3] == null ? bits : Math.max(extremes[3], bits);
                }
            }
            String about = "-Dseed=" + seed + " -Dseeds=1";
            TupleBlock part = new TupleBlock(PART, 1);
            sum.writePart(part, 0, 0, 0);
            BigInteger found = BigInteger.valueOf(AggregateState.getLong(part, 0, 0))
                    .shiftLeft(32)
                    .add(BigInteger.valueOf(AggregateState.getLong(part, 1, 0)));
            assertThat(found).as(about).isEqualTo(expectedSum);
            assertThat(AggregateState.getLong(part, 2, 0)).as(about).isEqualTo(count);
            for (int s = 1; s < states.size(); s++) {
                assertThat(answer(states.get(s))).as(about + ", " + s).isEqualTo(extremes[s - 1]);
            }
        }
    }

    private static @Nullable Long answer(AggregateState extreme) {
        TupleBlock part = new TupleBlock(ANSWER, 1);
        part.setNullMask(0, 0);
        extreme.writePart(part, 0, 0, 0);
        return part.isNull(0, 0) ? null : LittleEndian.getLong(part.column(ANSWER.columnOf(0)), 0);
    }

    private static Values values(Random random, int rows) {
        Values values = new Values();
        values.longs = new long[rows];
        values.doubles = new double[rows];
        values.nulls = new boolean[rows];
        values.anyNull = random.nextBoolean();
        int nulls = random.nextInt(3);
        int shift = random.nextInt(64);
        boolean special = random.nextBoolean();
        boolean noNumbers = random.nextInt(4) == 0;
        values.zeroNulls = random.nextBoolean();
        for (int row = 0; row < rows; row++) {
            values.nulls[row] = nulls == 2 || (nulls == 1 && random.nextInt(5) == 0);
            values.longs[row] = random.nextLong() >> shift;
            values.doubles[row] = random.nextGaussian();
            if (special) {
                double[] some = {Double.NaN, 0.0, -0.0, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
                values.doubles[row] = noNumbers ? Double.NaN : some[random.nextInt(some.length)];
            }
            if (values.zeroNulls && values.nulls[row]) {
                values.longs[row] = 0;
                values.doubles[row] = 0;
            }
        }
        return values;
    }
}
