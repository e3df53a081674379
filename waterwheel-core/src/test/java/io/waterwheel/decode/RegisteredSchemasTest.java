package io.waterwheel.decode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.TextFormat;
import io.waterwheel.Waiting;
import io.waterwheel.decode.avro.AvroFieldTypes;
import io.waterwheel.decode.avro.AvroSchemas;
import io.waterwheel.decode.protobuf.ProtobufJson;
import io.waterwheel.decode.protobuf.RegisteredTypes;
import io.waterwheel.decode.registry.SchemaRegistry;
import io.waterwheel.decode.registry.TestRegistry;
import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.decode.typed.SchemaAwaitedException;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Schemas that are hard to read, as a registry has them: each is taken right, or refused in one sentence. */
final class RegisteredSchemasTest {
    private final TestRegistry server = new TestRegistry();
    private final WriterSchemas registry = new SchemaRegistry(server.address()).waiting(Duration.ofSeconds(50));

    @AfterEach
    void close() {
        server.close();
    }

    /** @param v what the field v is; written in YAML */
    private StreamDefinition stream(String format, String v) {
        return SchemaFile.read("s.yaml", """
                name: s
                format: %s
                fields:
                  - {name: at, type: timestamp, from: kafka.timestamp}
                  - {name: v, %s}
                key: {field: at}
                time: at
                records: {registry: '%s'}
                """.formatted(format, v, server.address()));
    }

    private static byte[] framed(int id, byte[] places, byte[] record) {
        return ByteBuffer.allocate(5 + places.length + record.length)
                .put((byte) 0)
                .putInt(id)
                .put(places)
                .put(record)
                .array();
    }

    /** The values of v, or the reason of the refusal. */
    private String read(StreamDefinition stream, byte[] record) {
        TupleBlock block = new TupleBlock(RowLayout.of(stream.schema()), 0);
        try {
            RecordDecoder.of(stream.format(), stream.schema(), registry)
                    .decode(ByteBuffer.wrap(record), RecordFacts.UNWRITTEN, block);
        } catch (RejectedRecordException e) {
            assertThat(block.size()).isZero();
            return "refused: " + e.getMessage();
        }
        List<String> values = new ArrayList<>();
        for (int row = 0; row < block.size(); row++) {
            values.add(String.valueOf(block.value(1, row)));
        }
        return String.join(" ", values);
    }

    private static final String RECORD = "{'type': 'record', 'name': 'R', 'fields': [{'name': 'v', 'type': %s}]}";

    private void avro(String v, String schema, String datum, String expected) throws Exception {
        String text = (schema.startsWith("{'type': 'record'") ? schema : RECORD.formatted(schema)).replace('\'', '"');
        Schema writer = new Schema.Parser().parse(text);
        Object value = new GenericDatumReader<>(writer)
                .read(null, DecoderFactory.get().jsonDecoder(writer, datum.replace('\'', '"')));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder out = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<>(writer).write(value, out);
        out.flush();
        int id = ids++;
        server.register(id, "AVRO", text);
        String got = read(stream("avro", v), framed(id, new byte[0], bytes.toByteArray()));
        assertOutcome(got, expected, text);
    }

    private int ids = 1;

    private static void assertOutcome(String got, String expected, String schema) {
        if (expected.startsWith("refused: ")) {
            assertThat(got).as("%s", schema).startsWith("refused: ").contains(expected.substring("refused: ".length()));
            assertThat(got).doesNotContain("\n").hasSizeLessThan(700);
        } else {
            assertThat(got).as("%s", schema).isEqualTo(expected);
        }
    }

    @Test
    void decimalsOfAvro() throws Exception {
        String cents = "{'type': 'bytes', 'logicalType': 'decimal', 'precision': 6, 'scale': 2}";
        avro("type: 'decimal(18, 2)'", cents, "{'v': '\\u0001\\u0002'}", "2.58");
        avro("type: 'decimal(38, 4)'", cents, "{'v': '\\u00ff\\u00fe'}", "-0.0200");
        avro("type: 'decimal(18, 1)'", cents, "{'v': '\\u0001\\u0002'}", "refused: v");
        avro("type: 'decimal(2, 2)'", cents, "{'v': '\\u0001\\u0002'}", "refused: v");
        avro("type: 'decimal(9, 3)'", "'long'", "{'v': -12}", "-12.000");
        avro("type: 'decimal(9, 3)'", "'double'", "{'v': 1.5}", "refused: ");
    }

    @Test
    void twentyFiveSchemasOfAvro() throws Exception {
        String n = "nullable: true, ";
        avro(n + "type: long", "['null', 'long']", "{'v': null}", "null");
        avro("type: long", "['null', 'int', 'long']", "{'v': {'int': 7}}", "7");
        avro("type: long", "['null', 'long']", "{'v': null}", "refused: v");
        avro("type: long", "['string', 'long']", "{'v': {'long': 8}}", "8");
        avro("type: long", "['string', 'long']", "{'v': {'string': '8'}}", "refused: v");
        avro("type: double", "['int', 'float', 'double', 'long']", "{'v': {'float': 1.5}}", "1.5");
        avro("type: string", "{'type': 'enum', 'name': 'E', 'symbols': ['A', 'B']}", "{'v': 'B'}", "B");
        avro(
                "type: string",
                "['null', {'type': 'enum', 'name': 'a.b.E', 'symbols': ['A', 'B'], 'default': 'A'}]",
                "{'v': {'a.b.E': 'A'}}",
                "A");
        avro("type: int", "{'type': 'enum', 'name': 'E', 'symbols': ['A']}", "{'v': 'A'}", "refused: v");
        avro(
                "type: long, from: $.v.v.x",
                "{'type': 'record', 'name': 'L', 'fields': [{'name': 'x', 'type': 'long'}, {'name': 'v',"
                        + " 'type': ['null', 'L']}]}",
                "{'x': 1, 'v': {'L': {'x': 2, 'v': {'L': {'x': 3, 'v': null}}}}}",
                "3");
        avro(
                "type: timestamp",
                "{'type': 'long', 'logicalType': 'timestamp-micros'}",
                "{'v': 1633608000000999}",
                "1633608000000");
        avro(
                "type: timestamp_ns",
                "{'type': 'long', 'logicalType': 'timestamp-nanos'}",
                "{'v': 1633608000000000999}",
                "1633608000000000999");
        avro("type: timestamp", "{'type': 'int', 'logicalType': 'date'}", "{'v': 1}", "86400000");
        avro("type: string", "{'type': 'int', 'logicalType': 'time-millis'}", "{'v': 3661001}", "01:01:01.001");
        avro(
                "type: timestamp",
                "{'type': 'long', 'logicalType': 'local-timestamp-millis'}",
                "{'v': 1}",
                "refused: zone");
        avro(
                "type: string",
                "{'type': 'bytes', 'logicalType': 'decimal', 'precision': 6, 'scale': 2}",
                "{'v': '\\u0001\\u0002'}",
                "2.58");
        avro(
                "type: long",
                "{'type': 'fixed', 'name': 'F', 'size': 2, 'logicalType': 'decimal', 'precision': 4," + " 'scale': 1}",
                "{'v': '\\u0001\\u0002'}",
                "refused: v");
        avro(
                "type: uuid",
                "{'type': 'string', 'logicalType': 'uuid'}",
                "{'v': '123e4567-e89b-12d3-a456-426614174000'}",
                "123e4567-e89b-12d3-a456-426614174000");
        avro("type: long", "{'type': 'long', 'logicalType': 'no-such-type'}", "{'v': 9}", "9");
        avro("type: int, from: '$.v[1]'", "{'type': 'array', 'items': 'int'}", "{'v': [4, 5, 6]}", "5");
        avro(
                "type: int, from: '$.v[*]'",
                "{'type': 'array', 'items': ['null', 'int']}",
                "{'v': [{'int': 4}, {'int': 5}]}",
                "4 5");
        avro("type: string, from: $.v.a", "{'type': 'map', 'values': 'string'}", "{'v': {'b': 'x', 'a': 'y'}}", "y");
        avro(
                "type: string, from: $.v.k.w",
                "{'type': 'map', 'values': {'type': 'record', 'name': 'W', 'namespace': 'x.y', 'fields': ["
                        + "{'name': 'w', 'type': ['string', 'null'], 'default': 'd'}]}}",
                "{'v': {'k': {'w': {'string': 'deep'}}}}",
                "deep");
        avro("type: int", "'long'", "{'v': 3000000000}", "refused: v");
        avro("type: float", "'double'", "{'v': 1e300}", "refused: v");
        assertThat(ids).isEqualTo(26);
    }

    /** What a record's schema lacks, or has in another order, while producers of both generations write. */
    @Test
    void generationsOfAvroSideBySide() throws Exception {
        String n = "nullable: true, type: long";
        avro(n, "{'type': 'record', 'name': 'R', 'fields': [{'name': 'w', 'type': 'string'}]}", "{'w': 'x'}", "null");
        avro(
                n,
                "{'type': 'record', 'name': 'R', 'fields': [{'name': 'w', 'type': 'string'}, {'name': 'v', 'type':"
                        + " 'int', 'default': 5}]}",
                "{'w': 'x', 'v': 6}",
                "6");
        avro(
                "type: long",
                "{'type': 'record', 'name': 'R', 'fields': [{'name': 'w', 'type': 'string'}]}",
                "{'w': 'x'}",
                "refused: has no value for v");
    }

    @Test
    void anAvroSchemaThatRefersToOthers() throws Exception {
        String place = "{\"type\": \"record\", \"name\": \"geo.Place\", \"fields\": [{\"name\": \"city\", \"type\":"
                + " \"geo.City\"}]}";
        String city = "{\"type\": \"record\", \"name\": \"City\", \"namespace\": \"geo\", \"fields\": [{\"name\":"
                + " \"name\", \"type\": \"string\"}, {\"name\": \"v\", \"type\": \"long\"}]}";
        String trip = "{\"type\": \"record\", \"name\": \"Trip\", \"namespace\": \"rides\", \"fields\": [{\"name\":"
                + " \"from\", \"type\": \"geo.Place\"}, {\"name\": \"to\", \"type\": [\"null\", \"geo.City\"]}]}";
        server.subject("city of/x", 3, "AVRO", city, List.of());
        server.subject("place", 1, "AVRO", place, List.of(TestRegistry.reference("geo.City", "city of/x", 3)));
        List<Map<String, Object>> both = List.of(
                TestRegistry.reference("geo.Place", "place", 1), TestRegistry.reference("geo.City", "city of/x", 3));
        server.register(1, "AVRO", trip, both);
        Schema.Parser parser = new Schema.Parser();
        parser.parse(city);
        parser.parse(place);
        Schema writer = parser.parse(trip);
        Object value =
                new GenericDatumReader<>(writer).read(null, DecoderFactory.get().jsonDecoder(writer, """
                {"from": {"city": {"name": "Tegel", "v": 41}}, "to": {"geo.City": {"name": "Dahlem", "v": 42}}}"""));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder out = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<>(writer).write(value, out);
        out.flush();
        byte[] record = framed(1, new byte[0], bytes.toByteArray());
        assertThat(read(stream("avro", "type: long, from: $.from.city.v"), record))
                .isEqualTo("41");
        assertThat(read(stream("avro", "type: string, from: $.to.name"), record))
                .isEqualTo("Dahlem");
        // The schema, and each that it refers to, once.
        assertThat(server.questions()).isEqualTo(3);
        server.register(2, "AVRO", trip, List.of());
        assertThat(read(stream("avro", "type: string, from: $.to.name"), framed(2, new byte[0], bytes.toByteArray())))
                .contains("there is no type 'geo.Place'");
        server.subject("again", 1, "AVRO", city.replace("\"v\"", "\"other\""), List.of());
        server.register(
                4,
                "AVRO",
                trip,
                List.of(
                        TestRegistry.reference("geo.Place", "place", 1),
                        TestRegistry.reference("geo.City", "again", 1)));
        assertThat(read(stream("avro", "type: string, from: $.to.name"), framed(4, new byte[0], bytes.toByteArray())))
                .as("of two by one name the first is meant")
                .isEqualTo("Dahlem");
        server.subject("ring", 1, "AVRO", city, List.of(TestRegistry.reference("ring", "ring", 1)));
        server.register(3, "AVRO", trip, List.of(TestRegistry.reference("ring", "ring", 1)));
        assertThat(read(stream("avro", "type: string, from: $.to.name"), framed(3, new byte[0], bytes.toByteArray())))
                .contains("schema 3 of the registry is of type avro with references that go round in a circle");
    }

    /** What a schema refers to is asked for until it is there: its lack is an outage, and no word on the record. */
    @Test
    void whatASchemaRefersToIsAwaited() throws Exception {
        server.register(1, "AVRO", "\"x.T\"", List.of(TestRegistry.reference("x.T", "t", 1)));
        SchemaRegistry asked = new SchemaRegistry(server.address());
        Waiting.until("it is told of the lack", () -> {
            try {
                throw new AssertionError(
                        "answered: " + asked.waiting(Duration.ofMillis(300)).get(1));
            } catch (SchemaAwaitedException e) {
                return String.valueOf(e.getMessage())
                        .contains("what it refers to as x.T, version 1 of subject t,: it answered with status 404");
            }
        });
        server.subject("t", 1, "AVRO", "{\"type\": \"fixed\", \"name\": \"x.T\", \"size\": 4}", List.of());
        assertThat(asked.waiting(Duration.ofSeconds(50)).get(1).references()).hasSize(1);
        for (int i = 0; i < 300; i++) {
            server.subject("c" + i, 1, "AVRO", "\"int\"", List.of(TestRegistry.reference("c", "c" + (i + 1), 1)));
        }
        server.register(2, "AVRO", "\"int\"", List.of(TestRegistry.reference("c", "c0", 1)));
        assertThat(asked.waiting(Duration.ofSeconds(50)).get(2).type()).isEqualTo("AVRO with more than 200 references");
    }

    /** @param message in the library's text form; empty where the schema cannot be read */
    private void protobuf(String v, String source, int[] places, String message, String expected) throws Exception {
        int id = ids++;
        server.register(id, "PROTOBUF", source);
        byte[] record = {8, 1};
        ByteArrayOutputStream place = new ByteArrayOutputStream();
        if (places.length == 0) {
            place.write(0);
        } else {
            place.write(2 * places.length);
            for (int one : places) {
                place.write(2 * one);
            }
        }
        if (!message.isEmpty()) {
            Descriptor type = RegisteredTypes.type(new RegisteredSchema("PROTOBUF", source), places);
            DynamicMessage.Builder built = DynamicMessage.newBuilder(type);
            TextFormat.merge(message, built);
            record = built.build().toByteArray();
        }
        String got = read(stream("protobuf", v), framed(id, place.toByteArray(), record));
        assertOutcome(got, expected, source);
    }

    private static final int[] FIRST = {};
    private static final String P3 = "syntax = \"proto3\"; ";

    @Test
    void thirtyThreeFilesOfProtobuf() throws Exception {
        String n = "nullable: true, ";
        protobuf("type: long", P3 + "message M { int64 v = 1; }", FIRST, "v: 7", "7");
        protobuf("type: long", "message M { optional int64 v = 1 [default = 5]; }", FIRST, "v: 8", "8");
        protobuf(
                n + "type: long",
                "message M { optional int64 v = 1 [default = 5]; optional int32 w = 2; }",
                FIRST,
                "w: 1",
                "null");
        protobuf("type: long", P3 + "message M { int64 v = 1; int32 w = 2; }", FIRST, "w: 1", "0");
        protobuf(n + "type: long", P3 + "message M { optional int64 v = 1; int32 w = 2; }", FIRST, "w: 1", "null");
        protobuf("type: string", P3 + "enum E { A = 0; B = 5; } message M { E v = 1; }", FIRST, "v: B", "B");
        protobuf(
                "type: int",
                P3 + "message M { enum E { option allow_alias = true; A = 0; B = -3; C = -3; } E v = 1; }",
                FIRST,
                "v: C",
                "-3");
        protobuf(
                "type: string",
                P3 + "package a.b; message M { a.b.N v = 1; } message N { string s = 1; }",
                FIRST,
                "v { s: 'x' }",
                "refused: v");
        protobuf(
                "type: string, from: $.v.s",
                P3 + "package a.b; message M { .a.b.N v = 1; } message N { string s = 1; }",
                FIRST,
                "v { s: 'x' }",
                "x");
        protobuf(
                "type: string, from: $.v.s",
                P3 + "message N { int32 wrong = 1; } message M { message N { string s = 1; } N v = 1; }",
                new int[] {1},
                "v { s: 'inner' }",
                "inner");
        protobuf(
                "type: long",
                P3 + "message M { message N { message O { fixed64 v = 9; } } }",
                new int[] {0, 0, 0},
                "v: 10",
                "10");
        protobuf(
                n + "type: long", P3 + "message M { oneof o { int64 v = 1; string s = 2; } }", FIRST, "s: 'x'", "null");
        protobuf(
                "type: int, from: $.v.k",
                P3 + "message M { map<string, sint32> v = 3; }",
                FIRST,
                "v { key: 'k' value: -4 } v { key: 'l' value: 5 }",
                "-4");
        protobuf(
                "type: int, from: '$.v[*]'",
                P3 + "message M { repeated int32 v = 4 [packed = false]; }",
                FIRST,
                "v: 1 v: 2 v: 3",
                "1 2 3");
        protobuf(
                "type: double, from: '$.v[*].d'",
                P3 + "message M { repeated N v = 4; message N { double d = 1; } }",
                FIRST,
                "v { d: 1.5 } v { d: 2.5 }",
                "1.5 2.5");
        protobuf(
                "type: timestamp",
                P3 + "import \"google/protobuf/timestamp.proto\"; message M { google.protobuf.Timestamp v = 1; }",
                FIRST,
                "v { seconds: 5 nanos: 6000000 }",
                "5006");
        protobuf(
                n + "type: long",
                P3 + "import public 'google/protobuf/wrappers.proto';\n// message M {\n"
                        + "message M /* } */ { google.protobuf.Int64Value v = 0x1; ; }",
                FIRST,
                "v { value: 3 }",
                "3");
        protobuf(
                "type: long, from: $.v.v",
                P3 + "message M { M v_ = 2; L v = 1; message L { L v_ = 1; int64 v = 2; } }",
                FIRST,
                "v { v: 6 }",
                "6");
        protobuf(
                "type: int",
                "message M { required int32 v = 1; optional group G = 2 { optional int32 a = 1; }"
                        + " extensions 100 to max; } extend M { optional int32 x = 100; }",
                FIRST,
                "v: 2 G { a: 9 }",
                "2");
        protobuf(
                "type: string, from: $.v",
                P3 + "option (o) = { a: \"};\" }; message M { reserved 2, 4 to 9;"
                        + " reserved \"x\"; string v = 1 [(a.b) = { c: [1, {d: ']'}] }, deprecated = true]; }",
                FIRST,
                "v: 'ok'",
                "ok");
        // A file of options alone that the registry does not have.
        protobuf(
                "type: long",
                P3 + "import \"confluent/meta.proto\"; message M { int64 v = 1 [(confluent.field_meta) ="
                        + " {doc: 'x'}]; confluent.type.Decimal d = 2; }",
                FIRST,
                "v: 4",
                "4");
        // Places count the messages that the file declares, not what maps and groups make up.
        String maps = P3 + "message M { map<string, int32> m = 1; message A { int64 v = 1; } message B { int64 v = 1;"
                + " int64 b = 2; } }";
        protobuf("type: long", maps, new int[] {0, 0}, "v: 5", "5");
        protobuf("type: long, from: $.b", maps, new int[] {0, 1}, "v: 5 b: 6", "6");
        protobuf("type: long", maps, new int[] {0, 2}, "", "refused: no message at the place [0, 2]");
        protobuf(
                "type: long",
                "message M { optional group G = 1 { optional int32 v = 1; } message A { optional int64" + " v = 1; } }",
                new int[] {0, 0},
                "v: 6",
                "6");
        // As a registry writes a map that came as a descriptor.
        protobuf(
                "type: int, from: $.v.k",
                P3 + "package p; message M { repeated .p.M.VEntry v = 1; message VEntry {"
                        + " option map_entry = true; string key = 1; int32 value = 2; } message A { int64 v = 1; } }",
                FIRST,
                "v { key: 'k' value: 4 }",
                "4");
        protobuf(
                "type: long",
                P3 + "message M { message VEntry { option map_entry = true; string key = 1; int32 value"
                        + " = 2; } repeated VEntry m = 1; message A { int64 v = 1; } }",
                new int[] {0, 1},
                "v: 7",
                "7");
        protobuf(
                n + "type: double, from: $.pos.latitude",
                P3 + "import \"google/type/latlng.proto\"; message M {" + " google.type.LatLng pos = 1; int32 w = 2; }",
                FIRST,
                "w: 1",
                "refused: pos is of type google.type.LatLng, whose file the registry's schema does not refer to");
        protobuf("type: string", P3 + "message M { string w = 1; }", FIRST, "w: 'x'", "refused: has no v");
        protobuf(
                "type: long", P3 + "message M { int64 v = 1; }", new int[] {1}, "", "refused: no message at the place");
        protobuf("type: long", "edition = \"2023\"; message M { int64 v = 1; }", FIRST, "", "refused: edition");
        protobuf(
                "type: long",
                P3 + "message M { int64 v = ; }",
                FIRST,
                "",
                "refused: line 1: expected a whole number, got ';'");
        protobuf("type: long", P3 + "message M { int64 v = 1; int64 w = 1; }", FIRST, "", "refused: 1");
        assertThat(ids).isEqualTo(34);
    }

    @Test
    void aProtobufFileThatImportsOthers() throws Exception {
        server.subject("units", 1, "PROTOBUF", P3 + "package u; enum Unit { KM = 0; MILE = 1; }", List.of());
        server.subject(
                "way",
                2,
                "PROTOBUF",
                P3 + "package w; import \"u.proto\"; message Way { double far = 1; u.Unit" + " unit = 2; }",
                List.of(TestRegistry.reference("u.proto", "units", 1)));
        String source = P3 + "import \"dir/way.proto\"; message M { w.Way way = 1; }";
        server.register(1, "PROTOBUF", source, List.of(TestRegistry.reference("dir/way.proto", "way", 2)));
        Descriptor type = RegisteredTypes.type(registry.get(1), FIRST);
        DynamicMessage.Builder built = DynamicMessage.newBuilder(type);
        TextFormat.merge("way { far: 2.5 unit: MILE }", built);
        byte[] record = framed(1, new byte[] {0}, built.build().toByteArray());
        assertThat(read(stream("protobuf", "type: double, from: $.way.far"), record))
                .isEqualTo("2.5");
        assertThat(read(stream("protobuf", "type: string, from: $.way.unit"), record))
                .isEqualTo("MILE");
    }

    /** Records may name any place: the source is parsed once, and what is not there is not kept. */
    @Test
    void placesThatRecordsMakeUpCostLittle() {
        StringBuilder source = new StringBuilder(P3);
        for (int i = 0; i < 20_000; i++) {
            source.append("message M").append(i).append(" { int64 v = 1; }\n");
        }
        server.register(1, "PROTOBUF", source.toString());
        StreamDefinition stream = stream("protobuf", "type: long");
        RecordDecoder decoder = RecordDecoder.of(stream.format(), stream.schema(), registry);
        TupleBlock block = new TupleBlock(RowLayout.of(stream.schema()), 0);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < 3_000; i++) {
            byte[] place = {2, (byte) (0x80 | i), (byte) (0x80 | (i >> 7)), (byte) 0x80, 8};
            byte[] record = framed(1, i % 2 == 0 ? new byte[] {2, (byte) (2 * (i % 60))} : place, new byte[] {8, 3});
            try {
                decoder.decode(ByteBuffer.wrap(record), RecordFacts.UNWRITTEN, block);
            } catch (RejectedRecordException e) {
                assertThat(i % 2).as("%s", e.getMessage()).isOne();
            }
        }
        assertThat(block.size()).isEqualTo(1_500);
        // Parsing it anew for each would take minutes.
        assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - begin)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void whatIsNoRecordOfARegistryIsRefused() {
        server.register(1, "PROTOBUF", P3 + "message M { int64 v = 1; }");
        server.register(2, "AVRO", "\"long\"");
        StreamDefinition stream = stream("protobuf", "type: long");
        assertThat(read(stream, new byte[] {8, 1}))
                .contains("expected a zero byte, the four bytes of a schema's number");
        assertThat(read(stream, framed(1, new byte[0], new byte[0]))).contains("expected a zero byte");
        assertThat(read(stream, framed(1, new byte[] {(byte) 0x80}, new byte[0])))
                .contains("it ends within a value");
        assertThat(read(stream, framed(1, new byte[] {(byte) 0xFF, 1}, new byte[0])))
                .contains("refused: ");
        assertThat(read(stream, framed(1, new byte[] {1}, new byte[] {8, 1}))).contains("names a message -1 deep");
        assertThat(read(stream, framed(2, new byte[] {0}, new byte[] {8, 1})))
                .contains("schema 2 of the registry is of type avro, not protobuf");
        assertThat(read(stream, framed(-5, new byte[] {0}, new byte[] {8, 1}))).contains("at most 2147483647");
        assertThat(read(stream, framed(1, new byte[] {0}, new byte[] {8, 3}))).isEqualTo("3");
        assertThat(read(stream, framed(1, new byte[] {2, 0}, new byte[] {8, 3})))
                .isEqualTo("3");
        // Damaged sources are refused too, whatever they hold.
        String source =
                P3 + "message M { reserved 2; oneof o { int64 v = 1; } map<string, int32> m = 3; enum E { A = 0; } }";
        for (int end = 0; end < source.length(); end++) {
            int id = 100 + end;
            server.register(id, "PROTOBUF", source.substring(0, end));
            assertThat(read(stream, framed(id, new byte[] {0}, new byte[] {8, 3})))
                    .startsWith("refused: ");
        }
    }

    /** Types that hold themselves, several times and in arrays: looked at for a proposal, they have no end. */
    @Test
    void typesWithinThemselvesAreLookedAtToABound() {
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            for (String members : List.of(
                    "string name = 1; repeated Node children = 2;",
                    "string name = 1; Node left = 2; Node right = 3; int64 n = 4;")) {
                ProtobufJson messages = new ProtobufJson(
                        new RegisteredSchema("PROTOBUF", "syntax = \"proto3\"; message Node { " + members + " }"));
                Map<String, FieldType> types = new HashMap<>();
                for (int record = 0; record < 1_000; record++) {
                    assertThat(new String(messages.json(new byte[] {0, 0x0A, 1, 'x'}, 0, types), UTF_8))
                            .contains("\"name\":\"x\"");
                }
                assertThat(types.size()).isLessThanOrEqualTo(2_000);
            }
            assertThat(AvroFieldTypes.of(AvroSchemas.parse("""
                            {"type": "record", "name": "N", "fields": [
                              {"name": "name", "type": "string"},
                              {"name": "a", "type": {"type": "array", "items": "N"}},
                              {"name": "b", "type": {"type": "array", "items": "N"}}]}"""))).isEmpty();
        });
    }
}
