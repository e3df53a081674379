package io.waterwheel.query.plan;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.query.Query;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
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
                .hasMessage("there is no field 'speed'; did you mean 'k'? There are [k, t]");
        assertThatThrownBy(() -> ResolvedQuery.of(Query.of("s").withShape(Box.WORLD), STREAM))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("has no position for a key");
    }
}
