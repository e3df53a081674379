package io.waterwheel.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import org.junit.jupiter.api.Test;

class LineCheckTest {
    /** Lines of an answer, which counts milliseconds, are no lines of a file that counts seconds. */
    @Test
    void aTimeInAnotherUnitIsNoFarYear() {
        Schema schema = SchemaFile.read("f", """
                name: s
                format: csv
                fields: [{name: at, type: timestamp, unit: s}, {name: id, type: string}]
                key: {field: id}
                time: at
                """).schema();
        LineCheck check = new LineCheck(RecordFormat.CSV, schema);
        assertThat(check.refusal("1700000000,a".getBytes(UTF_8))).isNull();
        assertThat(check.refusal("1700000000000,a".getBytes(UTF_8)))
                .startsWith("at: expected seconds since 1970")
                .contains("+55840-11-08T22:13:20Z");
        assertThat(check.tuples().size()).isZero();
        assertThat(check.refusal("-99999999999,a".getBytes(UTF_8))).contains("-1199");
    }
}
