package io.waterwheel.sql.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.expression.Expression;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NarrowedTest {
    private static final Expression ID = new Expression.FieldValue("id");
    private static final Expression TRUTH = new Expression.Truth(true);
    private static final Expression IN = new Expression.In(ID, values(2), false);

    /** Conditions that look like those that narrow are among the planned ones. */
    private static final List<@Nullable Expression> PLANNED = Arrays.asList(
            null,
            TRUTH,
            IN,
            new Expression.Truth(false),
            new Expression.And(List.of(TRUTH, IN)),
            new Expression.And(List.of(IN, IN)),
            new Expression.And(List.of(TRUTH, IN, TRUTH)));

    private static List<Expression.Literal> values(int count) {
        List<Expression.Literal> values = new ArrayList<>();
        LongStream.range(0, count).forEach(value -> values.add(new Expression.Whole(value)));
        return values;
    }

    @Test
    void tellsOfEachNarrowingHowManyValuesItHas() {
        for (Expression planned : PLANNED) {
            assertThat(Narrowed.counts(planned, planned)).isEmpty();
            for (List<Integer> counts :
                    List.of(List.of(3), List.of(0), List.of(1, 4), List.of(0, 5), List.of(7, 0, 6))) {
                Expression where = planned;
                for (int count : counts) {
                    where = Narrowed.where(where, ID, values(count));
                }
                assertThat(Narrowed.counts(planned, where)).as("of %s", where).isEqualTo(counts);
            }
        }
    }

    /** In whatever order its values are. */
    @Test
    void saysNothingTwice() {
        for (Expression planned : PLANNED) {
            if (planned == null || !planned.toString().contains("IN")) {
                continue;
            }
            List<Expression.Literal> same = values(2);
            Collections.reverse(same);
            assertThat(Narrowed.where(planned, ID, same)).isEqualTo(planned);
            for (Expression other : List.of(
                    Narrowed.where(planned, ID, values(1)),
                    Narrowed.where(planned, new Expression.FieldValue("n"), same),
                    Narrowed.where(new Expression.In(ID, same, true), ID, same))) {
                assertThat(Narrowed.counts(planned, other)).as("%s", other).isNotEmpty();
            }
        }
    }
}
