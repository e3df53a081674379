package io.waterwheel.query.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.state.QuantileValues;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** States that outgrow a row of a part, or their exact form: still the same answer in every order of the parts. */
final class LargeStatesTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("k", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false),
                    new Field("x", FieldType.DOUBLE, false),
                    new Field("s", FieldType.STRING, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);
    private static final int BLOCK_ROWS = 10_000;

    private final Random random = new Random(Long.getLong("seed", 7));

    /** Blocks whose keys are these, with a double and a text that follow from the key. */
    private static List<TupleBlock> blocks(long[] keys) {
        List<TupleBlock> blocks = new ArrayList<>();
        for (int from = 0; from < keys.length; from += BLOCK_ROWS) {
            TupleBlock block = new TupleBlock(LAYOUT, BLOCK_ROWS);
            for (int row = 0; row < BLOCK_ROWS; row++) {
                long key = keys[from + row];
                block.keys()[row] = key;
                LittleEndian.putLong(
                        block.column(LAYOUT.columnOf(2)), row * 8, Double.doubleToRawLongBits(Math.exp(key / 4000.0)));
                byte[] text = ("value " + key).getBytes(StandardCharsets.UTF_8);
                LittleEndian.putLong(block.column(LAYOUT.columnOf(3)), row * 8, block.addToArena(text, 0, text.length));
            }
            block.setSize(BLOCK_ROWS);
            blocks.add(block);
        }
        return blocks;
    }

    private List<Object> answer(List<TupleBlock> blocks, String... aggregates) throws Exception {
        ResultSpec wanted = new ResultSpec.Aggregates(
                Arrays.stream(aggregates).map(Aggregate::parse).toList(),
                List.of(NamedExpression.parse("k % 2 * 0 AS nothing")),
                null);
        Gather gather = Gather.of(wanted, LAYOUT, SCHEMA, TimeInterval.ALL, null);
        List<TupleBlock> parts = new ArrayList<>();
        int[] all = IntStream.range(0, BLOCK_ROWS).toArray();
        RowCollector collector = null;
        for (TupleBlock block : blocks) {
            if (collector == null) {
                collector = gather.collector(parts::add, Workspace.unhurried());
            }
            collector.add(RowView.of(block), all, all.length);
            if (random.nextInt(3) == 0) {
                collector.finish();
                collector = null;
            }
        }
        if (collector != null) {
            collector.finish();
        }
        Collections.shuffle(parts, random);
        PartialMerge merge = gather.merge(Workspace.unhurried());
        for (TupleBlock part : parts) {
            // As they come from another worker.
            TupleBlock received = new TupleBlock(gather.partLayout(), part.size());
            byte[] sent = BlockCodec.encode(part, false);
            BlockCodec.decode(sent, 0, sent.length, received);
            merge.accept(received, block -> true);
        }
        List<Object> values = new ArrayList<>();
        merge.finish(block -> {
            for (int f = 1; f <= aggregates.length; f++) {
                values.add(block.value(f, 0));
            }
            return true;
        });
        return values;
    }

    private long[] shuffled(long[] keys) {
        for (int i = keys.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            long key = keys[i];
            keys[i] = keys[other];
            keys[other] = key;
        }
        return keys;
    }

    @Test
    void thousandsOfDifferentValuesAreCountedExactlyAndSketchedAlikeInAnyOrder() throws Exception {
        int different = 30_000;
        long[] keys = new long[90_000];
        Arrays.setAll(keys, i -> i % different);
        String[] asked = {
            "count(DISTINCT k)",
            "count(DISTINCT s)",
            "count(DISTINCT x)",
            "approx_count_distinct(k) AS a",
            "approx_count_distinct(s) AS b",
            "count(*)"
        };
        List<Object> first = answer(blocks(shuffled(keys)), asked);
        assertThat(first.subList(0, 3)).containsOnly((long) different);
        // Four times the standard error that is documented.
        assertThat((Long) first.get(3)).isCloseTo(different, within((long) (different * 4 * 0.012)));
        assertThat((Long) first.get(4)).isCloseTo(different, within((long) (different * 4 * 0.012)));
        assertThat(first.get(5)).isEqualTo(90_000L);
        assertThat(answer(blocks(shuffled(keys)), asked)).isEqualTo(first);
    }

    @Test
    void quantilesAreExactUpToTheirLimitAndThenWithinTheirError() throws Exception {
        String[] asked = {
            "median(k)",
            "quantile(k, 0.99) AS high",
            "quantile(x, 0.25) AS low",
            "quantile(x, 1) AS most",
            "quantile(-x, 0) AS least"
        };
        long[] few = new long[60_000];
        Arrays.setAll(few, i -> i - 30_000);
        assertThat(answer(blocks(shuffled(few)), asked))
                .containsExactly(
                        -1L,
                        29_399L,
                        Math.exp(-15_001 / 4000.0),
                        Math.exp(29_999 / 4000.0),
                        -Math.exp(29_999 / 4000.0));
        long[] many = new long[100_000];
        Arrays.setAll(many, i -> i - 30_000);
        List<Object> first = answer(blocks(shuffled(many)), asked);
        double[] exact = {
            19_999, 68_999, Math.exp(-5_001 / 4000.0), Math.exp(69_999 / 4000.0), -Math.exp(69_999 / 4000.0)
        };
        for (int i = 0; i < exact.length; i++) {
            double value = ((Number) first.get(i)).doubleValue();
            assertThat(value).as(asked[i]).isCloseTo(exact[i], within(Math.abs(exact[i]) * 0.002));
        }
        assertThat(answer(blocks(shuffled(many)), asked)).isEqualTo(first);
    }

    /** The middle of a range is an integer of it, and one that the field's type holds. */
    @Test
    void quantilesOfManyEqualIntegersAreThatInteger() throws Exception {
        long[] keys = new long[70_000];
        for (long key : new long[] {0, 1, 300, -300, 511, -512, 1 << 20, Long.MAX_VALUE, Long.MIN_VALUE}) {
            Arrays.fill(keys, key);
            Object median = answer(blocks(keys), "median(k)").get(0);
            assertThat(((Number) median).doubleValue())
                    .as("of " + key)
                    .isCloseTo((double) key, within(Math.abs(key) < 512 ? 0.0 : Math.abs((double) key) * 0.002));
        }
        QuantileValues ints = new QuantileValues(ValueType.INTEGER, FieldType.INT, BigDecimal.valueOf(0.5));
        Values values = new Values();
        values.longs = new long[70_000];
        Arrays.fill(values.longs, Integer.MIN_VALUE);
        ints.groups(1);
        ints.add(values, IntStream.range(0, 70_000).toArray(), 70_000, new int[70_000]);
        TupleBlock answer = new TupleBlock(RowLayout.ofFields(List.of(new Field("q", FieldType.INT, true))), 1);
        answer.setSize(1);
        answer.setNullMask(0, 0);
        assertThat(ints.writeAnswer(answer, 0, 0, 0)).isTrue();
        assertThat((Integer) answer.value(0, 0)).isNegative();
    }

    @Test
    void longTextsAreChosenAndTravel() throws Exception {
        long[] keys = new long[BLOCK_ROWS];
        Arrays.setAll(keys, i -> i);
        String wide = "'" + "w".repeat(20_000) + "' || s";
        List<TupleBlock> few = blocks(keys).subList(0, 1);
        List<Object> answer = answer(few, "arg_max(" + wide + ", " + wide + ") FILTER (WHERE k < 10) AS w");
        assertThat((String) answer.get(0)).hasSize(20_007).endsWith("value 9");
    }

    @Test
    void variancesOfNumbersOfVeryDifferentSizesAreExact() throws Exception {
        long[] keys = new long[BLOCK_ROWS];
        Arrays.setAll(keys, i -> i % 2);
        for (String other : List.of("1e-300", "1e-150", "4.9e-324")) {
            String values = "CASE WHEN k = 0 THEN 1.0 ELSE " + other + " END";
            assertThat(answer(blocks(keys), "var_pop(" + values + ") AS v", "stddev_pop(" + values + ") AS d"))
                    .as(other)
                    .containsExactly(0.25, 0.5);
        }
        assertThat(answer(blocks(keys), "stddev_pop(k * 4.9e-324) AS d", "var_pop(k * 4.9e-324) AS v"))
                .containsExactly(0.0, 0.0);
    }

    @Test
    void variancesOfHugeAndTinyNumbersAreExact() throws Exception {
        long[] keys = new long[BLOCK_ROWS];
        Arrays.setAll(keys, i -> i % 2);
        // Half of the values 0, the others a power of two: the variance of the population is a fourth of its square.
        for (int power : new int[] {500, -500, 0}) {
            String scaled = "k * " + Math.scalb(1.0, power);
            assertThat(answer(blocks(keys), "var_pop(" + scaled + ") AS v", "stddev_pop(" + scaled + ") AS d"))
                    .containsExactly(Math.scalb(0.25, 2 * power), Math.scalb(0.5, power));
        }
        String large = "1e300 + k * 0";
        assertThat(answer(blocks(keys), "var_samp(" + large + ") AS v")).containsExactly(0.0);
        assertThat(answer(blocks(keys), "stddev_pop(k * 1e300) AS d", "var_pop(k * 1e300) AS v"))
                .containsExactly(0.5e300, Double.POSITIVE_INFINITY);
    }

    @Test
    void aConstantMakesOneGroup() throws Exception {
        long[] keys = new long[BLOCK_ROWS];
        List<TupleBlock> blocks = blocks(keys);
        Gather gather = Gather.of(
                new ResultSpec.Aggregates(
                        List.of(Aggregate.count()), List.of(NamedExpression.parse("'all' AS which")), null),
                LAYOUT,
                SCHEMA,
                TimeInterval.ALL,
                null);
        List<TupleBlock> parts = new ArrayList<>();
        RowCollector collector = gather.collector(parts::add, Workspace.unhurried());
        collector.add(RowView.of(blocks.get(0)), new int[] {3, 77, 9000}, 3);
        collector.finish();
        assertThat(parts).hasSize(1);
        assertThat(parts.get(0).value(0, 0)).isEqualTo("all");
        assertThat(parts.get(0).value(1, 0)).isEqualTo(3L);
    }
}
