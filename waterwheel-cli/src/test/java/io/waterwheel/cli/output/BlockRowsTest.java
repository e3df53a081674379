package io.waterwheel.cli.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.admin.DeadLetter;
import io.waterwheel.encode.RecordEncoder;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of a record with many rows one is refused: it is shown, and not the bytes of all. */
class BlockRowsTest {
    @Test
    void theRowOfABlockIsShown() {
        Schema schema = new Schema(
                List.of(
                        new Field("at", FieldType.TIMESTAMP, false),
                        new Field("lon", FieldType.DOUBLE, false),
                        new Field("lat", FieldType.DOUBLE, false),
                        new Field("note", FieldType.STRING, true)),
                new KeySpec.Ordered("lon"),
                "at");
        RecordEncoder encoder = new RecordEncoder(RecordFormat.BLOCK, schema, 1 << 20);
        for (int row = 0; row < 3; row++) {
            assertThat(encoder.add(5L + row, row * 100.0, 1.5, row == 1 ? null : "n" + row))
                    .isNull();
        }
        byte[] block = encoder.rest();
        assertThat(block).isNotNull();
        byte[] raw = block == null ? new byte[0] : block;
        BlockRows rows = new BlockRows(schema);
        assertThat(rows.row(new DeadLetter(1, 7, 2, "outside of the box", raw.length, raw)))
                .isEqualTo("{\"at\":7,\"lon\":200.0,\"lat\":1.5,\"note\":\"n2\"}");
        // Only the first letter of a record has its value.
        assertThat(rows.row(new DeadLetter(1, 7, 1, "outside of the box", raw.length, new byte[0])))
                .isEqualTo("{\"at\":6,\"lon\":100.0,\"lat\":1.5,\"note\":null}");
        assertThat(rows.row(new DeadLetter(1, 8, 1, "", raw.length, new byte[0])))
                .isNull();
        assertThat(rows.row(new DeadLetter(1, 7, -1, "", raw.length, raw))).isNull();
        byte[] cut = Arrays.copyOf(raw, raw.length - 1);
        assertThat(rows.row(new DeadLetter(1, 9, 1, "", raw.length, cut))).isNull();
        assertThat(rows.row(new DeadLetter(1, 10, 0, "", 3, "a,b".getBytes(UTF_8))))
                .isNull();
    }
}
