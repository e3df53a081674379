package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.geo.Box;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KeyMakerTest {
    private static final Schema POSITION = new Schema(
            List.of(
                    new Field("id", FieldType.INT, false),
                    new Field("lon", FieldType.DOUBLE, false),
                    new Field("lat", FieldType.DOUBLE, false),
                    new Field("time", FieldType.TIMESTAMP, false)),
            new KeySpec.Position("lon", "lat", new Box(0, 0, 10, 10)),
            "time");

    @Test
    void rowsWithoutAKeyAreReportedAndRemovedAndTheOthersMoveUp() {
        RowLayout layout = RowLayout.of(POSITION);
        TupleBlock block = new TupleBlock(layout, 16);
        double[][] positions = {
            {1, 1}, {2, 2}, {Double.NaN, 1}, {3, 3}, {1, Double.POSITIVE_INFINITY}, {10, 10}, {10.001, 5}, {0, 0}
        };
        for (int row = 0; row < positions.length; row++) {
            block.times()[row] = 1000L + row;
            LittleEndian.putInt(block.column(0), row * 4, row);
            LittleEndian.putLong(block.column(1), row * 8, Double.doubleToRawLongBits(positions[row][0]));
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(positions[row][1]));
        }
        block.keys()[0] = -77; // a row of an earlier record
        block.setSize(positions.length);
        List<String> refused = new ArrayList<>();

        int removed =
                KeyMaker.of(layout, POSITION).fill(block, 1, (index, reason) -> refused.add(index + " " + reason));

        assertThat(removed).isEqualTo(3);
        assertThat(refused)
                .containsExactly(
                        "1 field 'lon': expected a number from 0.0 to 10.0 (the key's domain), got NaN",
                        "3 field 'lat': expected a number from 0.0 to 10.0 (the key's domain), got Infinity",
                        "5 field 'lon': expected a number from 0.0 to 10.0 (the key's domain), got 10.001");
        assertThat(block.size()).isEqualTo(5);
        assertThat(block.keys()[0]).isEqualTo(-77);
        int[] left = {1, 3, 5, 7};
        ZOrder zOrder = new ZOrder(new Box(0, 0, 10, 10));
        for (int i = 0; i < left.length; i++) {
            int row = 1 + i;
            assertThat(block.value(0, row)).isEqualTo(left[i]);
            assertThat(block.value(3, row)).isEqualTo(1000L + left[i]);
            assertThat(block.keys()[row]).isEqualTo(zOrder.code(positions[left[i]][0], positions[left[i]][1]));
        }
    }

    @Test
    void aTimeThatIsTheKeyAsWellIsCopied() {
        Schema schema =
                new Schema(List.of(new Field("time", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("time"), "time");
        RowLayout layout = RowLayout.of(schema);
        TupleBlock block = new TupleBlock(layout, 2);
        block.times()[0] = 5;
        block.times()[1] = 6;
        block.setSize(2);
        assertThat(KeyMaker.of(layout, schema).fill(block, 0, (index, reason) -> {}))
                .isZero();
        assertThat(block.keys()).containsExactly(5, 6);
    }

    @Test
    void theDomainIsThatOfTheKeysType() {
        assertThat(KeyScheme.of(POSITION).domain()).isEqualTo(new KeyInterval(0, (1L << 62) - 1));
        assertThat(KeyScheme.of(new Schema(POSITION.fields(), new KeySpec.Ordered("id"), "time"))
                        .domain())
                .isEqualTo(new KeyInterval(Integer.MIN_VALUE, Integer.MAX_VALUE));
        assertThat(KeyScheme.of(new Schema(POSITION.fields(), new KeySpec.Ordered("time"), "time"))
                        .domain())
                .isEqualTo(KeyInterval.ALL);
    }
}
