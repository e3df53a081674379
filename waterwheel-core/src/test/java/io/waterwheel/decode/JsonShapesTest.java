package io.waterwheel.decode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** JSON records of several tuples, and members that are no fields. */
class JsonShapesTest {
    private static final String READINGS = """
            fields:
              - {name: at, type: timestamp_us, from: '$.readings[*].t'}
              - {name: device, type: string, from: $.device.id}
              - {name: v, type: double, nullable: true, from: '$.readings[*].value.v'}
              - {name: note, type: string, nullable: true}
              - {name: n, type: long, from: $.n}
            key: {field: n}
            time: at
            """;
    private static final String KEPT = """
            fields:
              - {name: at, type: timestamp}
              - {name: lat, type: double, nullable: true, from: $.pos.lat}
              - {name: rest, type: string, nullable: true}
            key: {field: at}
            time: at
            records: {unknown: into rest}
            """;

    /** Jackson would find the encoding out, and count characters where bytes are asked for. */
    @Test
    void textThatIsNoUtf8IsRefusedThoughItsBytesAre() {
        for (String encoding : List.of("UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE")) {
            byte[] record = "{\"x\":1,\"at\":1}".getBytes(java.nio.charset.Charset.forName(encoding));
            refused(KEPT, record, "not a JSON object: a zero byte, as text in UTF-16 has; JSON is UTF-8");
        }
    }

    private static Schema schema(String yaml) {
        StreamDefinition written = SchemaFile.read("s.yaml", "name: s\nformat: json\n" + yaml);
        assertThat(SchemaJson.readStream(SchemaJson.writeStream(written))).isEqualTo(written);
        return written.schema();
    }

    private static List<List<@Nullable Object>> rows(Schema schema, TupleBlock block) {
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

    private static List<List<@Nullable Object>> read(String yaml, String record) throws Exception {
        Schema schema = schema(yaml);
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 1);
        RecordDecoder.of(RecordFormat.JSON, schema).decode(ByteBuffer.wrap(record.getBytes(UTF_8)), block);
        return rows(schema, block);
    }

    private static void refused(String yaml, byte[] record, String why) {
        Schema schema = schema(yaml);
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 1);
        assertThatThrownBy(() -> RecordDecoder.of(RecordFormat.JSON, schema).decode(ByteBuffer.wrap(record), block))
                .isInstanceOf(RejectedRecordException.class)
                .hasMessage(why);
        assertThat(block.size()).isZero();
        assertThat(block.arenaSize()).isZero();
    }

    private static void refused(String yaml, String record, String why) {
        refused(yaml, record.getBytes(UTF_8), why);
    }

    /** Beside the rows that the records were made of; members in any order, several records in one block. */
    @Test
    void eachElementIsATuple() throws Exception {
        long seed = Long.getLong("seed", 1);
        Random random = new Random(seed);
        Schema schema = schema(READINGS);
        RecordDecoder decoder = RecordDecoder.of(RecordFormat.JSON, schema);
        for (int round = 0; round < 200; round++) {
            TupleBlock block = new TupleBlock(RowLayout.of(schema), 1);
            List<List<@Nullable Object>> expected = new ArrayList<>();
            for (int record = random.nextInt(5); record >= 0; record--) {
                String device = "d\u00e9" + random.nextInt(100);
                String note = random.nextBoolean() ? null : "n" + random.nextInt(9);
                long n = random.nextLong();
                List<String> elements = new ArrayList<>();
                for (int e = random.nextInt(6); e > 0; e--) {
                    long at = random.nextInt(1_000_000);
                    Double v = random.nextInt(4) == 0 ? null : random.nextInt(1000) / 8.0;
                    String value = v == null
                            ? List.of("\"value\": {}", "\"value\": null", "\"value\": {\"v\": null}", "\"x\": [{}]")
                                    .get(random.nextInt(4))
                            : "\"value\": {\"w\": [1], \"v\": " + v + "}";
                    elements.add(
                            random.nextBoolean()
                                    ? "{\"t\": " + at + ", " + value + "}"
                                    : "{" + value + ", \"t\": " + at + "}");
                    expected.add(Arrays.asList(at, device, v, note, n));
                }
                List<String> members = new ArrayList<>(List.of(
                        "\"readings\": [" + String.join(", ", elements) + "]",
                        "\"device\": {\"id\": \"" + device + "\", \"readings\": [1]}",
                        "\"n\": " + n,
                        "\"other\": [{\"t\": 1}]"));
                if (note != null) {
                    members.add("\"note\": \"" + note + "\"");
                }
                Collections.shuffle(members, random);
                decoder.decode(ByteBuffer.wrap(("{" + String.join(", ", members) + "}").getBytes(UTF_8)), block);
            }
            assertThat(rows(schema, block)).as("seed %s, round %s", seed, round).isEqualTo(expected);
        }
    }

    @Test
    void arraysOfScalarsAndRecordsThatAreArrays() throws Exception {
        String scalars = """
                fields:
                  - {name: at, type: timestamp}
                  - {name: x, type: int, from: '$.x[*]'}
                key: {field: x}
                time: at
                """;
        assertThat(read(scalars, "{\"x\": [3, 4], \"at\": 7}")).containsExactly(List.of(7L, 3), List.of(7L, 4));
        assertThat(read(scalars, "{\"x\": [], \"at\": 7}")).isEmpty();
        String top = """
                fields:
                  - {name: at, type: timestamp, from: '$[*].at'}
                  - {name: x, type: int, from: '$[*].p.x'}
                key: {field: x}
                time: at
                """;
        assertThat(read(top, "[{\"at\": 1, \"p\": {\"x\": 2}}, {\"p\": {\"x\": 3}, \"at\": 4}]"))
                .containsExactly(List.of(1L, 2), List.of(4L, 3));
        refused(top, "{\"at\": 1}", "expected a JSON array, got an object");
    }

    /** A record is taken whole or not at all. */
    @Test
    void oneBadElementRefusesTheRecord() {
        String good = "{\"t\": 1, \"value\": {\"v\": 2}}";
        String begin = "{\"device\": {\"id\": \"a\"}, \"n\": 1, \"readings\": [" + good + ", ";
        refused(
                READINGS,
                begin + "{\"t\": \"x\"}]}",
                "element 1: at: expected microseconds since 1970 or an ISO 8601 instant with a zone such as"
                        + " 2021-10-07T12:00:01.500Z, in the range of a timestamp_us, got 'x'");
        refused(READINGS, begin + "{}]}", "element 1: object lacks at");
        refused(READINGS, begin + "null]}", "element 1: expected a value, got null");
        refused(READINGS, begin + "7]}", "element 1: 'null': expected an object, got a whole number");
        refused(
                READINGS,
                "{\"device\": {\"id\": \"a\"}, \"n\": 1}",
                "object lacks the array whose elements are tuples");
        refused(READINGS, "{\"device\": {\"id\": \"a\"}, \"readings\": []}", "object lacks n");
        refused(
                READINGS,
                "{\"readings\": [], \"readings\": [], \"device\": {\"id\": \"a\"}, \"n\": 1}",
                "the array whose elements are tuples is there twice");
        refused(
                READINGS,
                "{\"device\": {\"id\": \"" + "x".repeat(2000) + "\"}, \"n\": 1, \"readings\": ["
                        + (good + ",").repeat(9_999) + good + "]}",
                "the array has more than 10000 elements, or their tuples more than 16777216 bytes of texts");
    }

    /** Beside the texts of the members that the records were made of. */
    @Test
    void membersThatAreNoFieldsAreKept() throws Exception {
        long seed = Long.getLong("seed", 1);
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            List<String> kept = new ArrayList<>();
            List<String> members = new ArrayList<>(List.of("\"at\" :1"));
            for (int m = random.nextInt(5); m > 0; m--) {
                String member = "\"u" + m + "\\\"\u00e9\""
                        + List.of(" : ", ":", "\n:").get(random.nextInt(3))
                        + List.of("1", "-2.50e3", "\"t\\n}\"", "[1, {\"a\": []}]", "{ }", "null", "true", "\"\"")
                                .get(random.nextInt(8));
                members.add(member);
            }
            String inside = random.nextBoolean() ? "\"alt\":[3]" : "";
            members.add("\"pos\": {\"lat\": 2.5" + (inside.isEmpty() ? "" : ", " + inside) + " }");
            Collections.shuffle(members, random);
            for (String member : members) {
                if (member.startsWith("\"u")) {
                    kept.add(member);
                } else if (member.startsWith("\"pos") && !inside.isEmpty()) {
                    kept.add("\"pos\":{" + inside + "}");
                }
            }
            String record = "{" + String.join(" , ", members) + "}";
            assertThat(read(KEPT, record))
                    .as("seed %s, round %s: %s", seed, round, record)
                    .containsExactly(
                            Arrays.asList(1L, 2.5, kept.isEmpty() ? null : "{" + String.join(",", kept) + "}"));
        }
        assertThat(read(KEPT, "{\"at\": 1, \"rest\": 5}").get(0).get(2)).isEqualTo("{\"rest\": 5}");
        refused(
                KEPT,
                "{\"at\": 1, \"a\": \"" + "x".repeat(40_000) + "\"}",
                "rest: members that are no fields take 40009 bytes, expected at most 32768");
    }

    @Test
    void overlongFormsAreRefused() {
        for (String bytes : List.of("\u00c0\u00ae", "\u00e0\u0080\u00af", "\u00ed\u00a0\u0080", "\u00ff", "\u00c3")) {
            byte[] record =
                    ("{\"at\": 1, \"x\": \"" + bytes + "\"}").getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
            refused(KEPT, record, "not a JSON object: the record is not valid UTF-8");
        }
    }

    @Test
    void schemasThatCannotBe() {
        wrong(READINGS.replace("$.n}", "'$.others[*].n'}"), "are in the elements of two arrays");
        wrong(
                READINGS.replace("$.n}", "'$.readings[0].n'}"),
                "field n is in one element of the array, field v in each");
        wrong(READINGS.replace("$.n}", "'$.readings'}"), "each needs a place of its own");
        wrong(READINGS.replace("$.n}", "'$.a[*].b[*]'}"), "with one [*]");
        wrong(KEPT.replace("into rest", "into at"), "expected a field of type string that is nullable");
        wrong(KEPT.replace("into rest", "into all"), "unknown: into all: there is no such field");
        wrong(KEPT.replace("into rest", "into"), "unknown: expected skip, reject or into FIELD, got 'into'");
        wrong(KEPT.replace("$.pos.lat", "'$.pos[0]'"), "field lat is in an array");
        wrong("format: csv\n" + KEPT, "unknown: into rest goes with format: json");
    }

    private static void wrong(String yaml, String why) {
        assertThatThrownBy(() -> SchemaFile.read(
                        "s.yaml", "name: s\n" + (yaml.startsWith("format") ? "" : "format: json\n") + yaml))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining(why);
    }
}
