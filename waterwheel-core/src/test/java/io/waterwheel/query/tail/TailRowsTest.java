package io.waterwheel.query.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.decode.BlockCodec;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.compile.RowInterpreter;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.RandomExpressions;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rows of records beside an interpreter that takes one row at a time. */
final class TailRowsTest {
    @Test
    void keepsTheRowsThatAnInterpreterKeeps() {
        long first = Long.getLong("seed", 0);
        int kept = 0;
        for (long seed = first; seed < first + Rounds.of(300, 20_000); seed++) {
            kept += compare(seed);
        }
        assertThat(kept).isGreaterThan(1_000);
    }

    private static int compare(long seed) {
        Random random = new Random(seed);
        SmallRows small = new SmallRows(random, true);
        Expression where = random.nextInt(4) == 0
                ? null
                : new RandomExpressions(random, small.schema().fields(), false).condition(1 + random.nextInt(3));
        ExpressionTypes types = new ExpressionTypes(small.schema().fields());
        int fields = small.schema().fields().size();
        try {
            TailRows rows = new TailRows(small.schema(), RecordFormat.BLOCK, where);
            int all = 0;
            for (int batch = 0; batch < 3; batch++) {
                LostRange lost = new LostRange(0, 2, 4, "retention");
                boolean loses = random.nextBoolean();
                List<TupleBlock> blocks = new ArrayList<>();
                int begun = random.nextInt(8);
                int passed = random.nextInt(60);
                rows.passFirst(begun % 2, begun, passed);
                rows.passFirst(1 - begun % 2, 0, 0);
                for (int position = 0; position < 1 + random.nextInt(8); position++) {
                    TupleBlock block = canonical(small.block(1 + random.nextInt(50)));
                    blocks.add(block);
                    rows.add(
                            position % 2,
                            position,
                            ByteBuffer.wrap(
                                    BlockCodec.encode(block, block.layout().hasKeyField())),
                            RecordFacts.UNWRITTEN);
                    rows.add(position % 2, position, ByteBuffer.wrap(new byte[] {1, 2, 3}), RecordFacts.UNWRITTEN);
                }
                long horizon = random.nextBoolean()
                        ? Retention.NO_HORIZON
                        : blocks.get(0).times()[0];
                Map<Integer, Long> below = Map.of(0, (long) random.nextInt(9), 1, (long) random.nextInt(9));
                List<List<@Nullable Object>> expected = new ArrayList<>();
                for (int position = 0; position < blocks.size(); position++) {
                    boolean gone = position >= below.getOrDefault(position % 2, 0L)
                            || (loses && position % 2 == 0 && lost.contains(position));
                    expect(
                            expected,
                            blocks.get(position),
                            position,
                            position == begun ? passed : 0,
                            types,
                            where,
                            gone ? Long.MAX_VALUE : horizon);
                }
                rows.settle(loses ? List.of(lost) : List.of(), horizon, below);
                List<List<@Nullable Object>> actual = new ArrayList<>();
                for (int row = 0; row < rows.size(); row++) {
                    List<@Nullable Object> values = new ArrayList<>();
                    values.add((long) rows.partition(row));
                    values.add(rows.position(row));
                    values.add((long) rows.index(row));
                    for (int field = 0; field < fields; field++) {
                        values.add(shown(rows.value(field, row)));
                    }
                    actual.add(values);
                }
                assertThat(actual)
                        .as("seed %s, batch %s: %s", seed, batch, where)
                        .isEqualTo(expected);
                all += rows.size();
                rows.clear();
                assertThat(rows.size()).isZero();
            }
            return all;
        } catch (WaterwheelException | ArithmeticException e) {
            // In an order of their own: the interpreter's row may come before the engine's.
            assertThat(e instanceof ArithmeticException
                            || ((WaterwheelException) e).code().equals("INTEGER_OVERFLOW"))
                    .as("seed %s: %s", seed, e)
                    .isTrue();
            return 0;
        }
    }

    /** As records must be: nothing stands where a null is. */
    private static TupleBlock canonical(TupleBlock block) {
        RowLayout layout = block.layout();
        for (int field = 0; field < layout.fields().size(); field++) {
            int column = layout.columnOf(field);
            for (int row = 0; column >= 0 && row < block.size(); row++) {
                if (block.isNull(field, row)) {
                    int width = layout.width(column);
                    Arrays.fill(block.column(column), row * width, (row + 1) * width, (byte) 0);
                }
            }
        }
        return block;
    }

    private static void expect(
            List<List<@Nullable Object>> expected,
            TupleBlock block,
            long position,
            int passed,
            ExpressionTypes types,
            @Nullable Expression where,
            long horizon) {
        for (int row = 0; row < block.size(); row++) {
            boolean matches = where == null
                    || Boolean.TRUE.equals(new RowInterpreter(types, SmallRows.row(block, row)).value(where));
            if (matches && row >= passed && block.times()[row] >= horizon) {
                List<@Nullable Object> values = new ArrayList<>();
                values.add(position % 2);
                values.add(position);
                values.add((long) row);
                for (int field = 0; field < block.layout().fields().size(); field++) {
                    values.add(shown(block.value(field, row)));
                }
                expected.add(values);
            }
        }
    }

    private static @Nullable Object shown(@Nullable Object value) {
        return value instanceof byte[] bytes ? Arrays.toString(bytes) : value;
    }

    @Test
    void refusesWhatIsNoCondition() {
        SmallRows small = new SmallRows(new Random(1), false);
        for (String text : List.of("k", "no_such_field > 1", "t + 1 > 2")) {
            assertThatThrownBy(() -> new TailRows(small.schema(), RecordFormat.CSV, ExpressionParser.parse(text)))
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.kind())
                            .isEqualTo(WaterwheelException.Kind.USER));
        }
    }
}
