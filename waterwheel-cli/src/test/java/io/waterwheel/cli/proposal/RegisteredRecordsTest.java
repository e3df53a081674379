package io.waterwheel.cli.proposal;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.schema.FieldType;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RegisteredRecordsTest {
    private static RegisteredSchema schema(int precision, int scale) {
        return new RegisteredSchema("AVRO", """
                {"type": "record", "name": "Pay", "fields": [{"name": "fee", "type":
                  {"type": "bytes", "logicalType": "decimal", "precision": %s, "scale": %s}}]}""".formatted(precision, scale));
    }

    private static byte[] record(int id) {
        return new byte[] {0, 0, 0, 0, (byte) id, 2, 7};
    }

    /** Two generations of a schema: a double would round what either keeps. */
    @Test
    void decimalsOfTwoSchemasBecomeOneThatHoldsBoth() throws Exception {
        Map<Integer, RegisteredSchema> schemas = Map.of(1, schema(12, 2), 2, schema(15, 3), 3, schema(38, 0));
        RegisteredRecords records = new RegisteredRecords(schemas::get);
        byte[] unused = records.json(record(1));
        assertThat(records.types()).containsValue(FieldType.decimal(12, 2));
        unused = records.json(record(2));
        assertThat(records.types()).containsValue(FieldType.decimal(15, 3));
        unused = records.json(record(1));
        assertThat(records.types()).containsValue(FieldType.decimal(15, 3));
        unused = records.json(record(3));
        assertThat(records.types()).isEmpty();
    }
}
