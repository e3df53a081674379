package io.waterwheel.query.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Polygon;
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

    /** A plan that is made anew, and each subquery, asks for the same polygon again. */
    @Test
    void aPolygonOfManyCornersIsPreparedOnce() {
        StringBuilder corners = new StringBuilder();
        for (int c = 0; c < 500; c++) {
            double angle = 2 * Math.PI * c / 500;
            corners.append(Math.cos(angle)).append(' ').append(Math.sin(angle)).append(", ");
        }
        Polygon polygon = new Polygon("POLYGON ((" + corners + "1.0 0.0))");
        PreparedShapes.Prepared first = PreparedShapes.of(polygon, Box.WORLD);
        assertThat(PreparedShapes.of(new Polygon(polygon.wkt()), Box.WORLD)).isSameAs(first);
        assertThat(first.area().contains(0.5, 0.5)).isTrue();
        Box part = new Box(0, 0, 10, 10);
        assertThat(PreparedShapes.of(polygon, part).keys()).isNotEqualTo(first.keys());
        Polygon open = new Polygon("POLYGON ((" + corners + "2.0 0.0))");
        for (int time = 0; time < 2; time++) {
            assertThatThrownBy(() -> PreparedShapes.of(open, Box.WORLD)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
