package io.waterwheel.query.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.query.Query;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TimeInterval;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ResolvedQueryTest {
    private static final StreamInfo STREAM = new StreamInfo(
            "s",
            1,
            new Schema(
                    List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Ordered("k"),
                    "t"),
            RecordFormat.CSV,
            "s",
            1,
            1);

    @Test
    void saysWhatTheStreamHasNot() {
        assertThatThrownBy(() -> ResolvedQuery.of(Query.of("s").withSelect(List.of("speed")), STREAM))
                .isInstanceOf(WaterwheelException.class)
                .hasMessage("there is no field 'speed'; there are [k, t]");
        assertThatThrownBy(() -> ResolvedQuery.of(Query.of("s").withShape(Box.WORLD), STREAM))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("has no position for a key");
    }

    /** Nobody asked for an end: of nanoseconds the greatest is one, in the year 2262. */
    @Test
    void aConditionOnTheTimeLeavesTheOtherSideOpen() {
        Schema schema = new Schema(
                List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP_NS, false)),
                new KeySpec.Ordered("k"),
                "t");
        StreamInfo nanos = new StreamInfo("s", 1, schema, RecordFormat.CSV, "s", 1, 1);
        Expression where = Expression.parse("t >= TIMESTAMP '2021-01-01 00:00:00Z'");
        assertThat(ResolvedQuery.of(Query.of("s").withWhere(where), nanos)
                        .spec()
                        .times())
                .isEqualTo(new TimeInterval(1_609_459_200_000L, Long.MAX_VALUE));
    }
}
