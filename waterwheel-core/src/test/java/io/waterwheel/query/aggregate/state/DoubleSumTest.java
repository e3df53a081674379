package io.waterwheel.query.aggregate.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.query.column.Values;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Leaf by leaf, of one group and of many, beside sums to which each value is added by itself. */
final class DoubleSumTest {
    private static final RowLayout PART =
            RowLayout.ofFields(List.of(new Field("s", FieldType.BYTES, false), new Field("n", FieldType.LONG, false)));
    private static final RowLayout ANSWER = RowLayout.ofFields(List.of(new Field("s", FieldType.DOUBLE, true)));

    @Test
    void isTheExactSumHoweverValuesAreDivided() {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(300, 30_000); seed++) {
            Random random = new Random(seed);
            int groups = random.nextBoolean() ? 1 : 1 + random.nextInt(random.nextBoolean() ? 20 : 3000);
            DoubleSum sum = sum(groups);
            List<DoubleSum> merged = new ArrayList<>();
            ExactSum[] expected = new ExactSum[groups];
            Arrays.setAll(expected, group -> new ExactSum());
            boolean[] any = new boolean[groups];
            for (int leaf = random.nextInt(6); leaf >= 0; leaf--) {
                int rows = 1 + random.nextInt(random.nextBoolean() ? 70 : 2100);
                Values values = values(random, rows);
                int[] groupOf = random.ints(rows, 0, groups).toArray();
                int kept = random.nextInt(3);
                int[] selected = IntStream.range(random.nextInt(rows), rows)
                        .filter(row -> kept == 0 || random.nextInt(kept + 1) > 0)
                        .toArray();
                if (groups == 1) {
                    sum.addToGroup(values, selected, selected.length, groupOf, 0);
                } else {
                    sum.add(values, selected, selected.length, groupOf);
                }
                for (int row : selected) {
                    if (!values.anyNull || !values.nulls[row]) {
                        expected[groupOf[row]].add(values.doubles[row]);
                        any[groupOf[row]] = true;
                    }
                }
                if (random.nextInt(3) == 0) {
                    sum = merged(List.of(sum), groups);
                } else if (random.nextInt(3) == 0) {
                    merged.add(sum);
                    sum = sum(groups);
                }
            }
            if (!merged.isEmpty()) {
                merged.add(sum);
                sum = merged(merged, groups);
            }
            long before = sum.bytes();
            for (int group = 0; group < groups; group++) {
                TupleBlock answer = new TupleBlock(ANSWER, 1);
                assertThat(sum.writeAnswer(answer, 0, 0, group)).isEqualTo(any[group]);
                if (any[group]) {
                    assertThat((Double) LittleEndian.getDouble(answer.column(ANSWER.columnOf(0)), 0))
                            .as("-Dseed=%d -Dseeds=1, group %d of %d", seed, group, groups)
                            .isEqualTo((Double) (expected[group].value() + 0.0));
                }
            }
            // What is pending is counted before it is in the exact sums.
            assertThat(sum.bytes()).as("-Dseed=%d -Dseeds=1", seed).isLessThanOrEqualTo(before);
        }
    }

    private static DoubleSum sum(int groups) {
        DoubleSum sum = new DoubleSum(false);
        sum.groups(groups);
        return sum;
    }

    /** A sum of the parts that others write. */
    private static DoubleSum merged(List<DoubleSum> sums, int groups) {
        DoubleSum merged = sum(groups);
        for (DoubleSum sum : sums) {
            TupleBlock part = new TupleBlock(PART, groups);
            for (int group = 0; group < groups; group++) {
                sum.writePart(part, group, 0, group);
            }
            part.setSize(groups);
            merged.merge(part, 0, IntStream.range(0, groups).toArray());
        }
        return merged;
    }

    private static Values values(Random random, int rows) {
        Values values = new Values();
        values.doubles = new double[rows];
        values.nulls = new boolean[rows];
        int kind = random.nextInt(8);
        int scale = random.nextInt(2000) - 1000;
        for (int row = 0; row < rows; row++) {
            values.nulls[row] = random.nextInt(4) == 0;
            values.doubles[row] = switch (kind) {
                case 0 -> random.nextGaussian();
                case 1 -> Double.longBitsToDouble(random.nextLong() & 0xBFEF_FFFF_FFFF_FFFFL);
                case 2 -> random.nextInt(100_000) / 100.0;
                case 3 -> Math.scalb(random.nextDouble() - 0.5, scale);
                case 4 -> Math.scalb(random.nextDouble() - 0.5, random.nextInt(80) - 40);
                case 5 -> random.nextBoolean() ? 1e16 : row % 2 == 0 ? 1 : -1e16;
                case 6 -> row % 50 == 3 ? special(random) : random.nextInt(3) - 1.0;
                default -> random.nextBoolean() ? 0.0 : -0.0;
            };
        }
        values.anyNull = random.nextBoolean();
        return values;
    }

    private static double special(Random random) {
        double[] specials = {
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            Double.MIN_VALUE,
            -Double.MIN_NORMAL,
            Double.MAX_VALUE,
            -Double.MAX_VALUE
        };
        return specials[random.nextInt(specials.length)];
    }
}
