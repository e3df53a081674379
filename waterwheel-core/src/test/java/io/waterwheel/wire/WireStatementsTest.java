package io.waterwheel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.SqlParameters;
import io.waterwheel.query.Statement;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.wire.proto.Moment;
import io.waterwheel.wire.proto.Value;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Statements as messages. */
final class WireStatementsTest {
    private static final Statement STATEMENT = new Statement(
            "SELECT ?",
            Duration.ofMillis(1500),
            true,
            Map.of("orders", Map.of(0, 5L, 3, Long.MAX_VALUE)),
            SqlParameters.of(
                    Long.MIN_VALUE,
                    (short) 7,
                    -0.5,
                    new BigDecimal("1e2"),
                    new BigDecimal("0.25"),
                    "é ?",
                    "",
                    true,
                    Double.NaN,
                    Double.NEGATIVE_INFINITY,
                    new byte[] {0, -1},
                    Instant.parse("0001-01-01T00:00:00.000000001Z"),
                    null));

    @Test
    void whatIsReadIsWhatWasWritten() {
        assertThat(WireStatements.fromMessage(WireStatements.message(STATEMENT)))
                .isEqualTo(STATEMENT);
        assertThat(STATEMENT.parameters())
                .contains(new Expression.Whole(100), new Expression.Hex("00ff"), new Expression.Null());
    }

    @Test
    void refusesParametersThatAreNone() {
        assertThatThrownBy(() -> SqlParameters.of(1, List.of())).hasMessageContaining("parameter 2: expected a number");
        for (Value bad : List.of(Value.newBuilder()
                .setMoment(Moment.newBuilder().setSeconds(Long.MAX_VALUE))
                .build())) {
            assertThatThrownBy(() -> WireStatements.fromMessage(WireStatements.message(STATEMENT).toBuilder()
                            .addParameters(bad)
                            .build()))
                    .isInstanceOfSatisfying(WaterwheelException.class, failure -> assertThat(failure.code())
                            .isEqualTo(ErrorCode.BAD_QUERY.name()));
        }
    }
}
