package io.waterwheel.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.decode.typed.SchemaAwaitedException;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Avro's logical types, arrays, maps, schemas of several writers, and what is refused. */
final class AvroShapesTest {
    private static StreamDefinition definition(String records, String... fields) {
        StringBuilder yaml = new StringBuilder("name: s\nformat: avro\nfields:\n");
        for (String field : fields) {
            yaml.append("  - {").append(field).append("}\n");
        }
        yaml.append("key: {field: at}\ntime: at\nrecords: {").append(records).append("}\n");
        StreamDefinition written = SchemaFile.read("s.yaml", yaml.toString());
        assertThat(SchemaJson.readStream(SchemaJson.writeStream(written))).isEqualTo(written);
        return written;
    }

    private static String schema(String... members) {
        return "{\"type\": \"record\", \"name\": \"R\", \"fields\": [" + String.join(", ", members) + "]}";
    }

    private static String member(String name, String type) {
        return "{\"name\": \"" + name + "\", \"type\": " + type + "}";
    }

    private static String logical(String name, String type, String logical) {
        return member(name, "{\"type\": \"" + type + "\", \"logicalType\": \"" + logical + "\"}");
    }

    private static GenericRecord record(String schema, Object... values) {
        GenericRecord record = new GenericData.Record(parse(schema));
        for (int i = 0; i < values.length; i++) {
            record.put(i, values[i]);
        }
        return record;
    }

    private static org.apache.avro.Schema parse(String schema) {
        return new org.apache.avro.Schema.Parser().parse(schema);
    }

    private static byte[] bytes(GenericRecord record) throws IOException {
        return AvroTwinTest.written(record.getSchema(), record, false);
    }

    private static byte[] framed(int id, GenericRecord record) throws IOException {
        byte[] value = bytes(record);
        return ByteBuffer.allocate(5 + value.length)
                .put((byte) 0)
                .putInt(id)
                .put(value)
                .array();
    }

    private static RecordDecoder decoder(StreamDefinition stream) {
        return RecordDecoder.of(stream.format(), stream.schema());
    }

    private static List<List<@Nullable Object>> rows(StreamDefinition stream, RecordDecoder decoder, byte[] record)
            throws RejectedRecordException {
        Schema schema = stream.schema();
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 0);
        decoder.decode(ByteBuffer.wrap(record).asReadOnlyBuffer(), block);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int row = 0; row < block.size(); row++) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int f = 0; f < schema.fields().size(); f++) {
                values.add(block.value(f, row));
            }
            rows.add(values);
        }
        return rows;
    }

    private static String quoted(String json) {
        return "'" + json + "'";
    }

    private static final String AT = "name: at, type: timestamp";

    @Test
    void logicalTypesBecomeTimesNumbersAndTexts() throws Exception {
        String avro = schema(
                logical("at", "long", "timestamp-micros"),
                logical("ns", "long", "timestamp-nanos"),
                member("plain", "\"long\""),
                logical("day", "int", "date"),
                logical("daytext", "int", "date"),
                logical("tod", "int", "time-millis"),
                logical("todn", "long", "time-micros"),
                logical("local", "long", "local-timestamp-millis"),
                logical("id", "string", "uuid"),
                member("money", "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 20, \"scale\": 2}"),
                member("price", "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 9, \"scale\": 3}"),
                member("ip", "{\"type\": \"fixed\", \"name\": \"Ip\", \"size\": 4}"));
        StreamDefinition stream = definition(
                "schema: " + quoted(avro) + ", zone: Europe/Berlin",
                AT,
                "name: ns, type: timestamp_us",
                "name: plain, type: timestamp, unit: s",
                "name: day, type: timestamp",
                "name: daytext, type: string",
                "name: tod, type: string",
                "name: todn, type: long",
                "name: local, type: timestamp",
                "name: id, type: uuid",
                "name: money, type: string",
                "name: price, type: double",
                "name: ip, type: ipv4");
        byte[] record = bytes(record(
                avro,
                -1L,
                1_633_608_000_123_456_789L,
                1_633_608_000L,
                18_907,
                18_907,
                3_600_001,
                5L,
                1_633_608_000_000L,
                "123e4567-e89b-12d3-a456-426614174000",
                ByteBuffer.wrap(
                        new BigDecimal("-12345678901234.50").unscaledValue().toByteArray()),
                ByteBuffer.wrap(new BigDecimal("0.123").unscaledValue().toByteArray()),
                new GenericData.Fixed(
                        parse("{\"type\": \"fixed\", \"name\": \"Ip\", \"size\": 4}"),
                        new byte[] {(byte) 192, 0, 2, 1})));
        assertThat(rows(stream, decoder(stream), record).get(0))
                .containsExactly(
                        -1L,
                        1_633_608_000_123_456L,
                        1_633_608_000_000L,
                        1_633_557_600_000L,
                        "2021-10-07",
                        "01:00:00.001",
                        5L,
                        1_633_600_800_000L,
                        "123e4567-e89b-12d3-a456-426614174000",
                        "-12345678901234.50",
                        0.123,
                        "192.0.2.1");
    }

    /** The twin is BigDecimal. */
    @Test
    void decimalsOfAnyScaleAreTheNearestDouble() throws Exception {
        Random random = new Random(3);
        for (int round = 0; round < 50; round++) {
            int scale = random.nextInt(30);
            String avro = schema(
                    member("at", "\"long\""),
                    member(
                            "x",
                            "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 40, \"scale\": " + scale
                                    + "}"));
            StreamDefinition stream = definition("schema: " + quoted(avro), AT, "name: x, type: double");
            RecordDecoder decoder = decoder(stream);
            for (int i = 0; i < 20; i++) {
                java.math.BigInteger unscaled = new java.math.BigInteger(random.nextInt(100), random);
                unscaled = random.nextBoolean() ? unscaled.negate() : unscaled;
                byte[] record = bytes(record(avro, 1L, ByteBuffer.wrap(unscaled.toByteArray())));
                assertThat(rows(stream, decoder, record).get(0).get(1))
                        .isEqualTo(new BigDecimal(unscaled, scale).doubleValue());
            }
        }
    }

    @Test
    void eachElementOfAnArrayIsATuple() throws Exception {
        String reading = schema(member("at", "\"long\""), member("v", "[\"null\", \"double\"]"))
                .replace("\"R\"", "\"Reading\"");
        String avro = schema(
                member("readings", "{\"type\": \"array\", \"items\": " + reading + "}"),
                member("device", "\"string\""));
        StreamDefinition stream = definition(
                "schema: " + quoted(avro),
                "name: at, type: timestamp, from: '$.readings[*].at'",
                "name: device, type: string",
                "name: v, type: double, nullable: true, from: '$.readings[*].v'");
        RecordDecoder decoder = decoder(stream);
        org.apache.avro.Schema items = parse(avro).getField("readings").schema();
        List<GenericRecord> readings =
                List.of(record(reading, 1L, 2.5), record(reading, 2L, null), record(reading, 3L, -1.0));
        byte[] record = bytes(record(avro, new GenericData.Array<>(items, readings), "a-7"));
        assertThat(rows(stream, decoder, record))
                .containsExactly(
                        Arrays.asList(1L, "a-7", 2.5), Arrays.asList(2L, "a-7", null), Arrays.asList(3L, "a-7", -1.0));
        assertThat(rows(stream, decoder, bytes(record(avro, new GenericData.Array<>(items, List.of()), "a-7"))))
                .isEmpty();
        byte[] longer = Arrays.copyOf(record, record.length + 1);
        assertThatThrownBy(() -> rows(stream, decoder, longer)).hasMessageContaining("1 bytes are left over behind it");
    }

    @Test
    void anArrayOfNothingsIsNoWayToTakeTime() throws Exception {
        String avro =
                schema(member("at", "\"long\""), member("nothings", "{\"type\": \"array\", \"items\": \"null\"}"));
        StreamDefinition stream = definition("schema: " + quoted(avro), AT);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        encoder.writeLong(7);
        encoder.writeLong(1L << 50);
        encoder.writeLong(0);
        encoder.flush();
        assertThatThrownBy(() -> rows(stream, decoder(stream), out.toByteArray()))
                .isInstanceOf(RejectedRecordException.class)
                .hasMessageContaining("more elements than its bytes can hold");
    }

    @Test
    @Timeout(120)
    void recordsWithoutAByteAreNoWayToTakeTime() {
        StringBuilder members = new StringBuilder(member("at", "\"long\""));
        for (int level = 0; level < 40; level++) {
            String inner = level == 0 ? "\"null\"" : "\"R" + (level - 1) + "\"";
            members.append(", ")
                    .append(member(
                            "m" + level,
                            "{\"type\": \"record\", \"name\": \"R" + level + "\", \"fields\": [" + member("x", inner)
                                    + ", " + member("y", inner) + "]}"));
        }
        StreamDefinition stream = definition("schema: " + quoted(schema(members.toString())), AT);
        assertThatThrownBy(() -> rows(stream, decoder(stream), new byte[] {14}))
                .isInstanceOf(RejectedRecordException.class)
                .hasMessageContaining("more elements than its bytes can hold");
    }

    @Test
    void aDecimalBeyondTheRangeIsRefused() throws Exception {
        String avro = schema(
                member("at", "\"long\""),
                member("x", "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 60}"));
        StreamDefinition stream = definition("schema: " + quoted(avro), AT, "name: x, type: float");
        byte[] large = bytes(record(
                avro, 1L, ByteBuffer.wrap(java.math.BigInteger.TEN.pow(50).toByteArray())));
        refused(stream, decoder(stream), large, "x: expected a value in the range of type float");
    }

    /** The values of a key that is there again and again stay in the block. */
    @Test
    void aMapThatRepeatsAKeyCannotGrowWithoutBound() throws Exception {
        String avro = schema(
                member("at", "\"long\""),
                member(
                        "m",
                        "{\"type\": \"map\", \"values\": {\"type\": \"bytes\", \"logicalType\": \"decimal\","
                                + " \"precision\": 1000, \"scale\": 1000}}"));
        StreamDefinition stream =
                definition("schema: " + quoted(avro), AT, "name: x, type: string, nullable: true, from: $.m.k");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        encoder.writeLong(1);
        encoder.writeLong(30_000);
        for (int i = 0; i < 30_000; i++) {
            encoder.writeString("k");
            encoder.writeBytes(new byte[] {1});
        }
        encoder.writeLong(0);
        encoder.flush();
        refused(stream, decoder(stream), out.toByteArray(), "the texts of the record take more than 16777216 bytes");
    }

    @Test
    void aTypeThatHoldsItselfIsPassedOverAndBoundedInDepth() throws Exception {
        String avro = schema(
                member(
                        "tree",
                        "{\"type\": \"record\", \"name\": \"T\", \"fields\": [{\"name\": \"next\", \"type\": [\"null\","
                                + " \"T\"]}]}"),
                member("at", "\"long\""));
        StreamDefinition stream = definition("schema: " + quoted(avro), AT);
        byte[] deep = new byte[100];
        Arrays.fill(deep, (byte) 2);
        assertThatThrownBy(() -> rows(stream, decoder(stream), deep))
                .hasMessageContaining("more than 64 within each other");
        byte[] shallow = {2, 2, 0, 14};
        assertThat(rows(stream, decoder(stream), shallow)).containsExactly(List.of(7L));
    }

    /** Two generations of producers write side by side; each record brings the number of its own schema along. */
    @Test
    void recordsOfSeveralSchemasAreReadByTheNamesOfTheirFields() throws Exception {
        String first = schema(member("at", "\"long\""), member("speed", "\"int\""), member("old", "\"string\""));
        String second = schema(
                member("id", "\"string\""),
                member("speed", "[\"null\", \"double\", \"string\"]"),
                logical("at", "long", "timestamp-micros"));
        Map<Integer, RegisteredSchema> known = Map.of(
                1, new RegisteredSchema("AVRO", first),
                2, new RegisteredSchema("AVRO", second),
                3, new RegisteredSchema("PROTOBUF", "syntax"),
                4, new RegisteredSchema("AVRO", "{\"type\": \"long\"}"),
                5, new RegisteredSchema("AVRO", "no JSON"));
        WriterSchemas registry = id -> {
            if (id == 6) {
                throw new SchemaAwaitedException("away");
            }
            RegisteredSchema schema = known.get(id);
            if (schema == null) {
                throw new MalformedException("the registry has no schema " + id);
            }
            return schema;
        };
        StreamDefinition stream =
                definition("registry: http://127.0.0.1:8081", AT, "name: speed, type: double, nullable: true");
        RecordDecoder decoder = RecordDecoder.of(stream.format(), stream.schema(), registry);
        Random random = new Random(5);
        for (int i = 0; i < 200; i++) {
            if (random.nextBoolean()) {
                assertThat(rows(stream, decoder, framed(1, record(first, (long) i, i, "x"))))
                        .containsExactly(Arrays.asList((long) i, (double) i));
            } else {
                Double speed = random.nextBoolean() ? null : 1.5 * i;
                assertThat(rows(stream, decoder, framed(2, record(second, "x", speed, i * 1000L))))
                        .containsExactly(Arrays.asList((long) i, speed));
            }
        }
        refused(stream, decoder, framed(2, record(second, "x", "fast", 1L)), "speed of type double cannot be text");
        GenericRecord any = record(first, 1L, 2, "x");
        refused(stream, decoder, framed(3, any), "schema 3 of the registry is of type protobuf, not avro");
        refused(stream, decoder, framed(4, any), "schema 4: the Avro schema the schema: expected a record or a map");
        refused(stream, decoder, framed(5, any), "schema 5 of the registry is not an Avro schema");
        refused(stream, decoder, framed(7, any), "the registry has no schema 7");
        refused(stream, decoder, framed(-2, any), "the record names schema 4294967294");
        refused(stream, decoder, bytes(any), "expected a zero byte and the four bytes of a schema's number");
        assertThatThrownBy(() -> rows(stream, decoder, framed(6, any))).isInstanceOf(SchemaAwaitedException.class);
        assertThat(rows(stream, decoder, framed(1, any))).hasSize(1);
    }

    private static void refused(StreamDefinition stream, RecordDecoder decoder, byte[] record, String why) {
        assertThatThrownBy(() -> rows(stream, decoder, record))
                .isInstanceOf(RejectedRecordException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aDefinitionThatCannotBeIsRefused() {
        String avro = schema(member("at", "\"long\""), member("who", "\"string\""));
        wrong("schema: " + quoted(avro), "the Avro schema has no value for who2", AT, "name: who2, type: string");
        wrong(
                "schema: " + quoted(avro),
                "field who of type long cannot be text, but with records: {numbers: text}",
                AT,
                "name: who, type: long");
        wrong("schema: '{}'", "not an Avro schema: there is no type ''", AT);
        wrong("schema: '\"int\" 3'", "not an Avro schema: Trailing token", AT);
        wrong("zone: UTC", "format: avro needs schema-file (or schema), or registry", AT);
        wrong("registry: 'ftp://x'", "registry: expected an address such as", AT);
        wrong("registry: 'http://user:word@x'", "without a user", AT);
        wrong(
                "registry: 'http://x', schema: " + quoted(avro),
                "expected one of a schema, a registry and a descriptor",
                AT);
        wrong("schema-file: x.avsc", "a file can be named in a file only", AT);
        String local = schema(logical("at", "long", "local-timestamp-millis"));
        wrong("schema: " + quoted(local), "no zone says what the clocks mean", AT);
    }

    private static void wrong(String records, String why, String... fields) {
        assertThatThrownBy(() -> decoder(definition(records, fields))).hasMessageContaining(why);
    }

    @TempDir
    Path folder;

    @Test
    void aSchemaFileBesideTheDefinitionIsReadIntoIt() throws Exception {
        String avro = schema(member("at", "\"long\""));
        Files.writeString(folder.resolve("s.avsc"), avro);
        Path file = Files.writeString(folder.resolve("s.yaml"), """
                name: s
                format: avro
                fields: [{name: at, type: timestamp}]
                key: {field: at}
                time: at
                records: {schema-file: s.avsc}
                """);
        assertThat(SchemaFile.read(file).schema().text().types().schema()).isEqualTo(avro);
        Files.delete(folder.resolve("s.avsc"));
        assertThatThrownBy(() -> SchemaFile.read(file)).hasMessageContaining("records: there is no file");
    }
}
