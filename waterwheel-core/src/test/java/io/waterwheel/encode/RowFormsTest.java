package io.waterwheel.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.decode.RandomRows;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rows in every form that an appender sends are read back by the server's decoders to the same values. */
class RowFormsTest {
    @Test
    void everyFormIsDecodedToTheSameRow() throws Exception {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            Schema plain = RandomRows.schema(random);
            Schema schema = seed % 2 == 0
                    ? plain
                    : new Schema(plain.fields(), plain.key(), plain.timeField(), text(plain, random));
            TupleBlock block = new TupleBlock(RowLayout.of(schema), 1);
            TupleBlock copies = new TupleBlock(RowLayout.of(schema), 1);
            RowWriter writer = new RowWriter(schema, block);
            RowWriter copier = new RowWriter(schema, copies);
            TupleBlock csv = new TupleBlock(RowLayout.of(schema), 1);
            TupleBlock json = new TupleBlock(RowLayout.of(schema), 1);
            RecordDecoder csvDecoder = RecordDecoder.of(RecordFormat.CSV, schema);
            RecordDecoder jsonDecoder = RecordDecoder.of(RecordFormat.JSON, schema);
            List<@Nullable Object[]> rows = new ArrayList<>();
            for (int r = 0; r < 20; r++) {
                @Nullable Object[] row = RandomRows.row(schema, random);
                rows.add(row);
                writer.append(row);
                copier.copy(block, r);
                csvDecoder.decode(
                        bytes(TextRows.csv(Arrays.asList(row), schema.text().csv())), csv);
                jsonDecoder.decode(bytes(TextRows.jsonAt(TextRows.places(schema), Arrays.asList(row))), json);
            }
            TupleBlock decoded = new TupleBlock(RowLayout.of(schema), 1);
            boolean keys = RowLayout.of(schema).hasKeyField();
            RecordDecoder.of(RecordFormat.BLOCK, schema)
                    .decode(ByteBuffer.wrap(BlockCodec.encode(copies, keys)), decoded);
            for (int r = 0; r < rows.size(); r++) {
                RandomRows.assertRow(block, r, rows.get(r), "seed " + seed + " written");
                RandomRows.assertRow(decoded, r, rows.get(r), "seed " + seed + " block");
                RandomRows.assertRow(csv, r, rows.get(r), "seed " + seed + " csv");
                RandomRows.assertRow(json, r, rows.get(r), "seed " + seed + " json");
                assertThat(writer.values(r).toArray()).as("seed %s", seed).isEqualTo(rows.get(r));
            }
        }
    }

    /** Other signs, words for null, and other places of some fields. */
    private static RecordText text(Schema schema, Random random) {
        char delimiter = ",;\t|: ".charAt(random.nextInt(6));
        char decimal = random.nextBoolean() ? '.' : ',';
        char thousands = random.nextBoolean() ? '\0' : decimal == '.' ? '_' : '.';
        Map<String, String> from = new HashMap<>();
        String[] places = random.nextBoolean()
                ? new String[] {"$.a.b", "$.a.c[1]", "$.a.c[0].d", "$['e f']", "Wind speed"}
                : new String[] {"$.a.b", "$.a.c[*].x", "$.a.c[*].y[1]", "$['e f']", "$.a.c[*].z.z"};
        for (int f = 0; f < Math.min(places.length, schema.fields().size()); f++) {
            from.put(schema.fields().get(f).name(), places[f]);
        }
        return RecordText.DEFAULT
                .withCsv(new RecordText.Csv(
                        delimiter,
                        decimal,
                        thousands,
                        List.of("NA", "x", "-1", "\\N"),
                        "\"'~".charAt(random.nextInt(3)),
                        "\0\\^".charAt(random.nextInt(3))))
                .withTimes(ZoneId.of("Europe/Berlin"), "")
                .withFrom(from);
    }

    /** Without quotes an escape holds what the signs would divide; without it such values cannot be written. */
    @Test
    void valuesWithoutQuotes() throws Exception {
        Schema schema =
                SchemaFile.read("s.yaml", """
                        name: s
                        format: csv
                        fields:
                          - {name: at, type: timestamp}
                          - {name: s, type: string, nullable: true}
                          - {name: t, type: string, nullable: true}
                        key: {field: at}
                        time: at
                        records: {delimiter: tab, quote: none, escape: '\\', nulls: ['\\N', null, '\\\\N', nt]}
                        """.replace("null,", "'null',")).schema();
        RecordText.Csv signs = schema.text().csv();
        RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
        for (String text : List.of("a\tb", "\\", "\\N", "null", "a\nb\rc", "\"", "'", "\\t", "N", " ", "\r", "\n")) {
            List<@Nullable Object> row = Arrays.asList(7L, text, text);
            TupleBlock block = new TupleBlock(RowLayout.of(schema), 1);
            decoder.decode(bytes(TextRows.csv(row, signs)), block);
            RandomRows.assertRow(block, 0, row.toArray(), "text " + text);
        }
        RecordText.Csv bare = new RecordText.Csv('\t', '.', '\0', List.of("NA"), '\0', '\0');
        for (String text : List.of("a\tb", "a\nb", "a\r", "", "NA")) {
            assertThatThrownBy(() -> TextRows.csv(List.of(text), bare))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cannot be written");
        }
        assertThatThrownBy(() -> TextRows.csv(List.of("nt"), signs)).hasMessageContaining("words that stand for null");
        assertThat(TextRows.csv(List.of("a\"b", 1.5), bare)).isEqualTo("a\"b\t1.5");
    }

    /** Behind an escape that is no backslash a line end stays one, also at the end of the line. */
    @Test
    void lineEndsBehindAnEscape() throws Exception {
        Schema schema = SchemaFile.read("s.yaml", """
                        name: s
                        format: csv
                        fields:
                          - {name: at, type: timestamp}
                          - {name: s, type: string}
                        key: {field: at}
                        time: at
                        records: {quote: none, escape: '^'}
                        """).schema();
        RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
        for (String text : List.of("a\n", "a\r", "\r\n", "a^", "a^\r", "^^\n", "\r\r")) {
            for (String end : List.of("", "\n", "\r\n", "\r")) {
                List<@Nullable Object> row = Arrays.asList(7L, text);
                TupleBlock block = new TupleBlock(RowLayout.of(schema), 1);
                decoder.decode(bytes(TextRows.csv(row, schema.text().csv()) + end), block);
                RandomRows.assertRow(block, 0, row.toArray(), "text " + text);
            }
        }
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void membersThatAreNoFieldsAreWrittenBesideTheFields() throws Exception {
        Schema schema = SchemaFile.read("s.yaml", """
                        name: s
                        format: json
                        fields:
                          - {name: at, type: timestamp}
                          - {name: lat, type: double, from: $.pos.lat}
                          - {name: rest, type: string, nullable: true}
                        key: {field: at}
                        time: at
                        records: {unknown: into rest}
                        """).schema();
        RecordDecoder decoder = RecordDecoder.of(RecordFormat.JSON, schema);
        for (String rest : Arrays.asList(null, "{\"a\":1}", "{\"pos\":{\"alt\": 3.50},\"b\":[{}]}")) {
            List<@Nullable Object> row = Arrays.asList(7L, 2.5, rest);
            TupleBlock block = new TupleBlock(RowLayout.of(schema), 1);
            decoder.decode(bytes(TextRows.jsonAt(TextRows.places(schema), row)), block);
            RandomRows.assertRow(block, 0, row.toArray(), "rest " + rest);
        }
        for (String rest : List.of("{", "[1]", "{} {}", "x")) {
            assertThatThrownBy(() -> TextRows.jsonAt(TextRows.places(schema), Arrays.asList(7L, 2.5, rest)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("expected a JSON object of members that are no fields");
        }
    }

    @Test
    void aValueThatDoesNotFitLeavesTheBlockAsItWas() {
        Schema schema = new Schema(
                List.of(
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("s", FieldType.STRING, true),
                        new Field("i", FieldType.INT, false)),
                new KeySpec.Ordered("i"),
                "t");
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 1);
        RowWriter writer = new RowWriter(schema, block);
        writer.append(new Object[] {Instant.ofEpochMilli(5), "one", 1});
        int arena = block.arenaSize();
        refused(writer, "expected 3 values, one a field of the schema, got 2", 5L, "x");
        refused(writer, "field t of type timestamp: expected a Long or an Instant, got String soon", "soon", "x", 1);
        refused(writer, "field i of type int: expected a whole number, got Double 1.5", 5L, "long", 1.5);
        refused(
                writer,
                "field i of type int: expected a whole number of 32 bits, got Long 4294967296",
                5L,
                "x",
                1L << 32);
        refused(writer, "field s of type string: expected a String, got Integer 7", 5L, 7, 1);
        refused(writer, "field t of type timestamp must have a value: it is not nullable", null, "x", 1);
        refused(writer, "field s: expected at most 32768 bytes, got 32769", 5L, "x".repeat(32769), 1);
        refused(writer, "field s: half of a surrogate pair is no character", 5L, "\uD800", 1);
        assertThat(block.size()).isEqualTo(1);
        assertThat(block.arenaSize()).isEqualTo(arena);
        assertThat(block.value(1, 0)).isEqualTo("one");
        assertThat(block.keys()[0]).isEqualTo(1);
        assertThat(block.times()[0]).isEqualTo(5);
    }

    @Test
    void uuidsAreTakenAsObjectsAndAsText() {
        Schema schema = new Schema(
                List.of(
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("id", FieldType.UUID, false),
                        new Field("host", FieldType.IPV6, true)),
                new KeySpec.Ordered("id"),
                "t");
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 1);
        RowWriter writer = new RowWriter(schema, block);
        String id = "fedcba98-7654-3210-fedc-ba9876543210";
        writer.append(new Object[] {1L, UUID.fromString(id), "2001:DB8:0:0::1"});
        writer.append(new @Nullable Object[] {2L, id, null});
        for (int row = 0; row < 2; row++) {
            assertThat(block.value(1, row)).isEqualTo(id);
        }
        assertThat(block.value(2, 0)).isEqualTo("2001:db8::1");
        refused(writer, "field id of type uuid: expected a UUID, or a String with one, got String 7", 3L, "7", null);
        refused(
                writer,
                "field host of type ipv6: expected a String with an IPv6 address, got String 10.0.0.1",
                3L,
                id,
                "10.0.0.1");
    }

    private static void refused(RowWriter writer, String message, @Nullable Object... values) {
        assertThatThrownBy(() -> writer.append(values))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
