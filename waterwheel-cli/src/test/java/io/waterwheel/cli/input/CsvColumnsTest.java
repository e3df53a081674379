package io.waterwheel.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CsvColumnsTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("t", FieldType.TIMESTAMP, false),
                    new Field("k", FieldType.LONG, false),
                    new Field("note", FieldType.STRING, true),
                    new Field("x", FieldType.DOUBLE, true)),
            new KeySpec.Ordered("k"),
            "t");

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void bringsColumnsIntoTheSchemasOrder() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            List<Integer> order = new ArrayList<>(List.of(0, 1, 2, 3));
            Collections.shuffle(order, random);
            if (random.nextBoolean()) {
                order.remove((Integer) (2 + random.nextInt(2))); // a nullable field may be left out
            }
            List<String> values = List.of("1", "-7", "\"a,\"\"b\"\"\"", "2.5");
            StringBuilder header = new StringBuilder();
            StringBuilder line = new StringBuilder();
            for (int f : order) {
                header.append(header.length() > 0 ? "," : "")
                        .append(SCHEMA.fields().get(f).name());
                line.append(line.length() > 0 ? "," : "").append(values.get(f));
            }
            List<String> expected = new ArrayList<>(values);
            for (int f = 0; f < 4; f++) {
                if (!order.contains(f)) {
                    expected.set(f, "");
                }
            }
            CsvColumns columns = CsvColumns.of("f.csv", bytes(header.toString()), SCHEMA);
            assertThat(columns.inOrder(bytes(line.toString())))
                    .as("seed %s: %s", seed, header)
                    .isEqualTo(bytes(String.join(",", expected)));
        }
    }

    /** Within a line it is a character, where the schema says that there are no quotes. */
    @Test
    void aCarriageReturnThatComesLastIsNotTheLinesEnd() {
        Schema ofThree = new Schema(SCHEMA.fields().subList(0, 3), SCHEMA.key(), "t");
        CsvColumns columns = CsvColumns.of("f.csv", bytes("note,k,t"), ofThree);
        assertThat(columns.inOrder(bytes("a\r,4,3"))).isEqualTo(bytes("3,4,a\r\r\n"));
        assertThat(columns.inOrder(bytes("a,4,3"))).isEqualTo(bytes("3,4,a"));
    }

    @Test
    void aLineOfAnotherWidthCannotBeReordered() {
        CsvColumns columns = CsvColumns.of("f.csv", bytes("k,t"), SCHEMA);
        assertThat(columns.inOrder(bytes("1"))).isNull();
        assertThat(columns.inOrder(bytes("1,2,3"))).isNull();
        assertThat(columns.inOrder(bytes("1,2"))).isEqualTo(bytes("2,1,,"));
    }

    @Test
    void aQuoteInsideACellDividesLikeTheDecoder() {
        CsvColumns columns = CsvColumns.of("f.csv", bytes("k,t"), SCHEMA);
        assertThat(columns.inOrder(bytes("5\",1"))).isEqualTo(bytes("1,5\",,"));
        assertThat(columns.inOrder(bytes("\"5,\"\",\",1"))).isEqualTo(bytes("1,\"5,\"\",\",,"));
    }

    @Test
    void aFirstLineThatDoesNotFitSaysWhy() {
        refused(
                "t,k,y",
                "f.csv: the first line names 'y', which is no field of the stream; its fields are [t, k, note, x];"
                        + " --skip-unknown passes over such columns, as - does in --columns");
        assertThatThrownBy(() -> CsvColumns.ofBody(bytes("t,k,y"), SCHEMA))
                .hasMessage("the body: the first line names 'y', which is no field of the stream; its fields are"
                        + " [t, k, note, x]; leave such columns out");
        assertThatThrownBy(() -> CsvColumns.ofBody(bytes("1,2"), SCHEMA))
                .hasMessageEndingWith("; is there no line of names? Say so with text/csv; header=absent");
        refused("t,note", "f.csv: the first line lacks 'k', which every tuple must have");
        refused("t,k,t", "f.csv: the first line names 't' twice");
        assertThatThrownBy(() -> CsvColumns.of("f.csv", null, SCHEMA))
                .hasMessage("f.csv: is empty; expected a first line that names the fields");
        assertThat(CsvColumns.of("f.csv", bytes("\"t\", k"), SCHEMA).columns()).isEqualTo(2);
    }

    /** A day or a time of day may be called as the field that they make, or as another field of another column. */
    @Test
    void columnsOfATimeMayBeCalledAsFieldsAre() {
        String yaml = """
                name: f
                format: csv
                fields:
                  - {name: %s, type: string, from: booked, nullable: true}
                  - {name: %s, type: timestamp, from: [date, time]}
                  - {name: v, type: int}
                key: {field: v}
                time: %s
                """;
        // By a file, and by a body of HTTP.
        for (String other : List.of("date", "time", "note")) {
            for (String time : List.of("at", "time", "date")) {
                if (other.equals(time)) {
                    continue;
                }
                Schema schema =
                        SchemaFile.read("f", yaml.formatted(other, time, time)).schema();
                byte[] header = bytes("booked,v,time,date");
                byte[] line = bytes("2020-01-01,1,10:00,2026-11-20");
                byte[] ordered = bytes("2020-01-01,2026-11-20,10:00,1");
                assertThat(CsvColumns.of("f.csv", header, schema).inOrder(line)).isEqualTo(ordered);
                assertThat(CsvColumns.ofBody(header, schema).inOrder(line)).isEqualTo(ordered);
                // Without the column that may be absent.
                assertThat(CsvColumns.of("f.csv", bytes("date,time,v"), schema).inOrder(bytes("2026-11-20,10:00,1")))
                        .isEqualTo(bytes(",2026-11-20,10:00,1"));
                assertThat(CsvColumns.named("--columns", List.of("date", "time", "v"), schema)
                                .inOrder(bytes("2026-11-20,10:00,1")))
                        .isEqualTo(bytes(",2026-11-20,10:00,1"));
                assertThatThrownBy(() -> CsvColumns.of("f.csv", bytes("booked,v,time,date,date"), schema))
                        .hasMessage("f.csv: the first line names 'date' twice");
                assertThatThrownBy(() -> CsvColumns.of("f.csv", bytes("booked,v,date"), schema))
                        .hasMessage("f.csv: the first line lacks 'time', which every tuple must have");
                assertThatThrownBy(() -> CsvColumns.of("f.csv", bytes("booked,v,time,date,w"), schema))
                        .hasMessageContaining("names 'w', which is no field of the stream");
            }
        }
    }

    @Test
    void columnsThatAreNoFieldArePassedOverWhereSomebodySaysSo() {
        CsvColumns columns = CsvColumns.of("f.csv", bytes("a,k,b,t,c"), SCHEMA, true);
        assertThat(columns.inOrder(bytes("1,7,2,2021-10-07,3"))).isEqualTo(bytes("2021-10-07,7,,"));
        assertThatThrownBy(() -> CsvColumns.of("f.csv", bytes("1,2,3"), SCHEMA, true))
                .hasMessageContaining("is there no line of names?");
        assertThatThrownBy(() -> CsvColumns.of("f.csv", bytes("a,t"), SCHEMA, true))
                .hasMessageContaining("lacks 'k'");
    }

    private static void refused(String header, String message) {
        assertThatThrownBy(() -> CsvColumns.of("f.csv", bytes(header), SCHEMA))
                .isInstanceOf(WaterwheelException.class)
                .hasMessage(message);
    }
}
