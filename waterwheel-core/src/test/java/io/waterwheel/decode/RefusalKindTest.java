package io.waterwheel.decode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.List;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;

/** Each way in which a record is none of a stream is counted as what it is. */
final class RefusalKindTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("note", FieldType.STRING, true)),
            new KeySpec.Ordered("id"),
            "at");

    private static RefusalKind kind(RecordFormat format, String record) {
        return kind(format, record.getBytes(UTF_8));
    }

    private static RefusalKind kind(RecordFormat format, byte[] record) {
        RejectedRecordException refused = ThrowableAssert.catchThrowableOfType(
                RejectedRecordException.class, () -> RecordDecoder.of(format, SCHEMA)
                        .decode(ByteBuffer.wrap(record), new TupleBlock(RowLayout.of(SCHEMA), 4)));
        return refused.kind();
    }

    @Test
    void linesOfCsv() {
        assertThat(kind(RecordFormat.CSV, "")).isEqualTo(RefusalKind.FORM);
        assertThat(kind(RecordFormat.CSV, "1,2,\"open")).isEqualTo(RefusalKind.FORM);
        assertThat(kind(RecordFormat.CSV, "id,at,note")).isEqualTo(RefusalKind.FORM);
        assertThat(kind(RecordFormat.CSV, "1")).isEqualTo(RefusalKind.FIELDS);
        assertThat(kind(RecordFormat.CSV, "1,2,n,more")).isEqualTo(RefusalKind.FIELDS);
        assertThat(kind(RecordFormat.CSV, "x,2,n")).isEqualTo(RefusalKind.VALUE);
        assertThat(kind(RecordFormat.CSV, "1,2," + "n".repeat(1 << 17))).isEqualTo(RefusalKind.SIZE);
        assertThat(kind(RecordFormat.CSV, new byte[] {'1', ',', '2', ',', (byte) 0xff}))
                .isEqualTo(RefusalKind.TEXT);
    }

    @Test
    void objectsOfJson() {
        assertThat(kind(RecordFormat.JSON, "{")).isEqualTo(RefusalKind.FORM);
        assertThat(kind(RecordFormat.JSON, "[]")).isEqualTo(RefusalKind.FORM);
        assertThat(kind(RecordFormat.JSON, "{\"id\": 1}")).isEqualTo(RefusalKind.FIELDS);
        assertThat(kind(RecordFormat.JSON, "{\"id\": 1, \"id\": 1, \"at\": 2}")).isEqualTo(RefusalKind.FIELDS);
        assertThat(kind(RecordFormat.JSON, "{\"id\": \"x\", \"at\": 2}")).isEqualTo(RefusalKind.VALUE);
        assertThat(kind(RecordFormat.JSON, "{\"id\": 1, \"at\": 2, \"note\": \"\\ud800\"}"))
                .isEqualTo(RefusalKind.TEXT);
    }

    @Test
    void blocks() {
        assertThat(kind(RecordFormat.BLOCK, "")).isEqualTo(RefusalKind.FORM);
        assertThat(kind(RecordFormat.BLOCK, "no block")).isEqualTo(RefusalKind.FORM);
    }
}
