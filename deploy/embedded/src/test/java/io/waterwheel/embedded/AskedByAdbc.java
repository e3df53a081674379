package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A whole server, asked by Python's ADBC driver as it is: what adbc.py expects. */
final class AskedByAdbc {
    private static final int ROWS = 100_000;
    private static final Instant FIRST = Instant.parse("2026-11-25T10:00:00Z");
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("small", FieldType.INT, true),
                    new Field("number", FieldType.DOUBLE, true),
                    new Field("yes", FieldType.BOOLEAN, true),
                    new Field("nanos", FieldType.TIMESTAMP_NS, true),
                    new Field("address", FieldType.IPV4, true),
                    new Field("note", FieldType.STRING, true),
                    new Field("raw", FieldType.BYTES, true)),
            new KeySpec.Ordered("id"),
            "at");

    private AskedByAdbc() {}

    static void ask(WaterwheelClient client, String url, Path folder) throws Exception {
        Python python = Python.with("pyarrow", "adbc_driver_flightsql.dbapi");
        client.createStream(new StreamDefinition("by_adbc", "by_adbc", RecordFormat.BLOCK, 1, SCHEMA));
        Map<Integer, Long> written;
        try (Appender appender = client.appender("by_adbc")) {
            for (long id = 1; id <= ROWS; id++) {
                boolean nothing = id % 10 == 0;
                appender.append(
                        id,
                        FIRST.plusMillis(id),
                        nothing ? null : (int) id,
                        nothing ? null : id * 0.5,
                        nothing ? null : id % 2 == 0,
                        nothing ? null : FIRST.plusNanos(id),
                        nothing ? null : "10.0.0." + id % 256,
                        nothing ? null : "row " + id % 100,
                        nothing ? null : new byte[] {(byte) id, 0});
            }
            written = appender.flush();
        }
        Path script = folder.resolve("adbc.py");
        try (InputStream source =
                Objects.requireNonNull(AskedByAdbc.class.getResourceAsStream("/io/waterwheel/embedded/adbc.py"))) {
            Files.copy(source, script);
        }
        String said = python.run(
                folder.resolve("adbc.log"),
                Map.of(),
                script.toString(),
                url.replace("grpc://", "grpc+tcp://"),
                Integer.toString(ROWS),
                "by_adbc:0:" + written.get(0));
        assertThat(said.lines()).contains("all as expected");
        client.drop("by_adbc");
    }
}
