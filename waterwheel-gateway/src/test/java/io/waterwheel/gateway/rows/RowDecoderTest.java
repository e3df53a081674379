package io.waterwheel.gateway.rows;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.decode.BlockCodec;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.TupleBlock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rows of bodies, against the lines that the command line appends. */
final class RowDecoderTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("note", FieldType.STRING, true)),
            new KeySpec.Ordered("id"),
            "at");

    private static StreamDefinition stream(RecordFormat format) {
        return new StreamDefinition("s", "t", format, 4, SCHEMA);
    }

    private static PushBudget.Lease lease() {
        return new PushBudget(64 << 20, "rows").lease();
    }

    private static PushedRows decode(RecordFormat stream, RecordFormat body, boolean keepBad, String text) {
        return new RowDecoder(stream(stream), body, keepBad, lease())
                .decode(text.getBytes(UTF_8), RowDecoder.Header.SEEN);
    }

    /** The signs of the schema divide bodies too; a stray quote spoils its own line and none after it. */
    @Test
    void signsOfTheSchema() {
        Schema schema = new Schema(
                SCHEMA.fields(),
                SCHEMA.key(),
                SCHEMA.timeField(),
                RecordText.DEFAULT.withCsv(new RecordText.Csv(';', '.', '\0', List.of("\\N"), '\'', '\\')));
        String body = "note;id;at\n'a;\\'\nb';1;5\nit's;2;5\nc\\\nd;3;5\n\\N;4;5\n";
        PushedRows rows = new RowDecoder(
                        new StreamDefinition("s", "t", RecordFormat.BLOCK, 4, schema), RecordFormat.CSV, true, lease())
                .decode(body.getBytes(UTF_8), RowDecoder.Header.SEEN);
        assertThat(rows.rejected()).isEqualTo(1);
        assertThat(rows.rows()).isEqualTo(3);
        List<@Nullable Object> notes = new ArrayList<>();
        for (int row = 0; row < 3; row++) {
            notes.add(rows.tuples().value(2, row));
        }
        assertThat(notes).containsExactly("a;'\nb", "c\nd", null);
        PushedRows stray = decode(RecordFormat.BLOCK, RecordFormat.CSV, true, "1,5,a \"\n2,5,b\n");
        assertThat(stray.rows()).isEqualTo(1);
    }

    /** A first line as the file has it that the schema was made for: its names are those that {@code from} says. */
    @Test
    void namesOfTheFileAreAHeader() {
        StreamDefinition wind = SchemaFile.read("wind.yaml", """
                name: wind
                format: csv
                fields:
                  - {name: at, type: timestamp, from: Zeit}
                  - {name: station, type: string}
                  - {name: speed, type: double, nullable: true, from: Wind (m/s)}
                key: {field: station}
                time: at
                records: {delimiter: ';', decimal: ',', times: 'dd.MM.yyyy HH:mm', zone: UTC, blocks: true}
                """);
        for (String names : List.of("Wind (m/s);station;Zeit", "speed;station;Zeit", "speed;station;at")) {
            PushedRows rows = new RowDecoder(wind, RecordFormat.CSV, true, lease())
                    .decode((names + "\n3,5;Tegel;07.10.2021 14:30\n").getBytes(UTF_8), RowDecoder.Header.SEEN);
            assertThat(rows.rejected()).as(names).isZero();
            assertThat(rows.tuples().value(1, 0)).isEqualTo("Tegel");
            assertThat(rows.tuples().value(2, 0)).isEqualTo(3.5);
        }
        PushedRows other = new RowDecoder(wind, RecordFormat.CSV, true, lease())
                .decode("Wind;station;Zeit\n".getBytes(UTF_8), RowDecoder.Header.SEEN);
        assertThat(other.rejected()).isEqualTo(1);
    }

    /** The same where the stream was made from the file, and its names were made those of fields; blanks are a row. */
    @Test
    void namesOfWhichFieldsWereMadeAreAHeader() {
        StreamDefinition trips = SchemaFile.read("trips.yaml", """
                name: trips
                format: csv
                fields:
                  - {name: Start_date, type: timestamp}
                  - {name: Stueckzahl, type: long}
                  - {name: c3, type: string, nullable: true}
                key: {field: Stueckzahl}
                time: Start_date
                """);
        PushedRows rows = new RowDecoder(trips, RecordFormat.CSV, true, lease())
                .decode(
                        "Start date,St\u00fcckzahl,c3\n2021-10-07T14:30:00Z,5,x\n".getBytes(UTF_8),
                        RowDecoder.Header.SEEN);
        assertThat(rows.rejected()).isZero();
        assertThat(rows.rows()).isEqualTo(1);
        // By its place alone nothing is a name: a text of other letters is a value.
        PushedRows chinese = new RowDecoder(trips, RecordFormat.CSV, true, lease())
                .decode("Start date,St\u00fcckzahl,\u5730\n".getBytes(UTF_8), RowDecoder.Header.SEEN);
        assertThat(chinese.rejected()).isEqualTo(1);
        PushedRows blanks = new RowDecoder(trips, RecordFormat.CSV, true, lease())
                .decode(",,\n".getBytes(UTF_8), RowDecoder.Header.SEEN);
        assertThat(blanks.rejected()).isEqualTo(1);
        StreamDefinition timed = SchemaFile.read("timed.yaml", """
                name: timed
                format: csv
                fields:
                  - {name: c1, type: string}
                  - {name: note, type: string}
                  - {name: at, type: timestamp, from: kafka.timestamp}
                key: {field: c1}
                time: at
                """);
        PushedRows texts = new RowDecoder(timed, RecordFormat.CSV, true, lease())
                .decode("\u6771\u4eac,Note\n\u5927\u962a,note \n".getBytes(UTF_8), RowDecoder.Header.SEEN);
        assertThat(texts.rejected()).isZero();
        assertThat(texts.rows()).isEqualTo(2);
        StreamDefinition counted = SchemaFile.read("counted.yaml", """
                name: counted
                format: csv
                fields:
                  - {name: _0, type: timestamp, unit: s}
                  - {name: _1, type: long}
                  - {name: _2, type: long}
                key: {field: _1}
                time: _0
                """);
        PushedRows numbers = new RowDecoder(counted, RecordFormat.CSV, true, lease())
                .decode("0,2,1\n1,7,8\n".getBytes(UTF_8), RowDecoder.Header.SEEN);
        assertThat(numbers.rows()).isEqualTo(2);
        byte[] wide = ("2021-10-07T14:30:00Z" + ",0".repeat(30_000) + "\n").getBytes(UTF_8);
        PushedRows zeros = new RowDecoder(trips, RecordFormat.CSV, true, lease()).decode(wide, RowDecoder.Header.SEEN);
        assertThat(zeros.rejected()).isEqualTo(1);
    }

    @Test
    void takesAndRefusesWhatTheCommandLineDoes() throws IOException {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        for (RecordFormat format : List.of(RecordFormat.CSV, RecordFormat.JSON)) {
            StringBuilder body = new StringBuilder(random.nextBoolean() ? "\uFEFF" : "");
            for (int r = 0; r < 400; r++) {
                body.append(line(format, random)).append(random.nextInt(3) == 0 ? "\r\n" : "\n");
            }
            List<List<@Nullable Object>> expected = new ArrayList<>();
            List<Integer> refused = new ArrayList<>();
            LineCheck check = new LineCheck(format, SCHEMA);
            try (InputLines lines = new InputLines(
                    new ByteArrayInputStream(body.toString().getBytes(UTF_8)), format == RecordFormat.CSV)) {
                for (byte[] line = lines.next(); line != null; line = lines.next()) {
                    if (check.refusal(line) == null) {
                        expected.add(Arrays.asList(check.values(0)));
                    } else {
                        refused.add((int) lines.lineNumber());
                    }
                }
            }
            PushedRows rows = decode(RecordFormat.BLOCK, format, false, body.toString());
            assertThat(rows.rows())
                    .as("seed %s", seed)
                    .isEqualTo(expected.size())
                    .isPositive();
            assertThat(rows.rejected()).as("seed %s", seed).isEqualTo(refused.size());
            assertThat(rows.reasons().stream().map(PushedRows.Reason::line))
                    .as("seed %s", seed)
                    .isEqualTo(refused.subList(0, Math.min(refused.size(), PushedRows.MOST_REASONS)));
            for (int r = 0; r < expected.size(); r++) {
                for (int f = 0; f < 3; f++) {
                    assertThat(rows.tuples().value(f, r))
                            .as("seed %s row %s", seed, r)
                            .isEqualTo(expected.get(r).get(f));
                }
            }
            PushedRows asLines = decode(format, format, false, body.toString());
            assertThat(asLines.rows()).isEqualTo(expected.size());
            assertThat(asLines.records()).hasSize(expected.size());
            assertThat(asLines.tuples().size()).isZero();
        }
    }

    private static String line(RecordFormat format, Random random) {
        String note = List.of("", "plain", "with space", "a,b", "two\nlines", "say \"x\"")
                .get(random.nextInt(6));
        String id = random.nextInt(9) == 0 ? "x" : Integer.toString(random.nextInt(1000));
        if (random.nextInt(20) == 0) {
            return "";
        }
        if (format == RecordFormat.JSON) {
            return "{\"id\": " + id + ", \"at\": 5, \"note\": \""
                    + note.replace("\"", "\\\"").replace("\n", "\\n") + "\"}";
        }
        return id + ",7," + (note.matches("\\w*") ? note : "\"" + note.replace("\"", "\"\"") + "\"");
    }

    /** A body that is one array has the rows of its lines: where they lie in it, with the lines that they begin in. */
    @Test
    void aBodyMayBeOneArray() {
        for (RecordFormat stream : List.of(RecordFormat.BLOCK, RecordFormat.JSON)) {
            String array = " [\n{\"id\": 1, \"at\": 5,\n \"note\": \"a]}\\\",\"},\r\n 7, {\"id\": 2, \"at\": 6}\n]\n";
            PushedRows rows = decode(stream, RecordFormat.JSON, false, array);
            assertThat(rows.rows()).isEqualTo(2);
            assertThat(rows.reasons().stream().map(PushedRows.Reason::line)).containsExactly(4);
            if (stream == RecordFormat.BLOCK) {
                assertThat(rows.tuples().value(2, 0)).isEqualTo("a]}\",");
            } else {
                assertThat(rows.records()).noneMatch(record -> new String(record, UTF_8).contains("\n"));
            }
            assertThat(decode(stream, RecordFormat.JSON, false, "[]").rows()).isZero();
        }
        for (String damaged :
                List.of("[", "[{\"id\": 1", "[{\"id\": 1, \"at\": 5}", "[1,]", "[,1]", "[1 2]", "[1] x", "[}]")) {
            assertThatThrownBy(() -> decode(RecordFormat.BLOCK, RecordFormat.JSON, false, damaged))
                    .as(damaged)
                    .hasMessageContaining("the body is no JSON array of rows");
        }
        assertThatThrownBy(() -> decode(RecordFormat.BLOCK, RecordFormat.JSON, false, "[}]"))
                .hasMessageContaining("expected an element");
    }

    /** Of a body that is lines, a first one that begins as an array spoils itself alone. */
    @Test
    void linesMayBeginAsAnArray() {
        byte[] body = "[ERROR] disk\n{\"id\": 1, \"at\": 5}\n[{\"id\": 2, \"at\": 6}]\n".getBytes(UTF_8);
        PushedRows rows = new RowDecoder(stream(RecordFormat.BLOCK), RecordFormat.JSON, true, lease())
                .linesOnly(true)
                .decode(body, RowDecoder.Header.SEEN);
        assertThat(rows.rows()).isEqualTo(1);
        assertThat(rows.reasons().stream().map(PushedRows.Reason::line)).containsExactly(1, 3);
    }

    @Test
    void elementsOfAnArrayHaveNumbers() {
        String body = "[{\"id\": \"x\"}, {\"id\": 1, \"at\": 5},{\"id\": 2},\n{\"id\": true}]";
        PushedRows rows = decode(RecordFormat.BLOCK, RecordFormat.JSON, false, body);
        assertThat(rows.reasons().stream().map(PushedRows.Reason::element)).containsExactly(1, 3, 4);
        assertThat(rows.reasons().stream().map(PushedRows.Reason::line)).containsExactly(1, 1, 2);
    }

    /** Answers count milliseconds; what comes in by this schema counts seconds. */
    @Test
    void aTimeInAnotherUnitIsNoFarYear() {
        Schema seconds = new Schema(
                List.of(
                        new Field("id", FieldType.LONG, false),
                        new Field("at", FieldType.TIMESTAMP, false, TimestampUnit.SECONDS, Field.Index.NONE)),
                new KeySpec.Ordered("id"),
                "at");
        for (RecordFormat format : List.of(RecordFormat.BLOCK, RecordFormat.CSV)) {
            PushedRows rows = new RowDecoder(
                            new StreamDefinition("s", "t", format, 4, seconds), RecordFormat.CSV, false, lease())
                    .decode(
                            "1,1700000000\n2,1700000000000\n3,253402300799.5\n4,253402300800\n5,2024-01-01\n"
                                    .getBytes(UTF_8),
                            RowDecoder.Header.ABSENT);
            assertThat(rows.rows()).isEqualTo(3);
            assertThat(rows.reasons().stream().map(PushedRows.Reason::line)).containsExactly(2, 4);
            assertThat(rows.reasons().get(0).field()).isEqualTo("at");
            assertThat(rows.reasons().get(0).reason())
                    .isEqualTo("at: expected seconds since 1970, the unit in the schema, of the years 0 to 9999, got"
                            + " 1700000000000, which is +55840-11-08T22:13:20Z; answers in CSV and JSON count"
                            + " milliseconds");
        }
        // As a dead letter it would become a tuple of the stream.
        RowDecoder keeping = new RowDecoder(
                new StreamDefinition("s", "t", RecordFormat.CSV, 4, seconds), RecordFormat.CSV, true, lease());
        assertThatThrownBy(() -> keeping.decode("2,1700000000000\n".getBytes(UTF_8), RowDecoder.Header.ABSENT))
                .hasMessageContaining("line 1 is no row of this body (at: expected seconds since 1970,")
                .hasMessageEndingWith("and the stream would take rows of it: leave it out");
        // Without a unit of its own a field takes what its type holds.
        assertThat(decode(RecordFormat.BLOCK, RecordFormat.CSV, false, "1,1700000000000000,a\n")
                        .rows())
                .isEqualTo(1);
    }

    /**
     * What the schema says of files holds for bodies where it can do no harm: comments, but no lines that are skipped.
     */
    @Test
    void commentsOfBodiesAreLeftOut() {
        Schema schema = new Schema(
                SCHEMA.fields(),
                SCHEMA.key(),
                SCHEMA.timeField(),
                RecordText.DEFAULT.withExport(new RecordText.Export(Map.of(), Map.of(), false, 1, '#', false)));
        PushedRows rows = new RowDecoder(
                        new StreamDefinition("s", "t", RecordFormat.BLOCK, 4, schema), RecordFormat.CSV, true, lease())
                .decode("# \"quote\n1,5,a\n#\n2,5,\"b\n# c\"\nx\n".getBytes(UTF_8), RowDecoder.Header.SEEN);
        assertThat(rows.rows()).isEqualTo(2);
        assertThat(rows.tuples().value(2, 1)).isEqualTo("b\n# c");
        assertThat(rows.reasons().get(0).line()).isEqualTo(6);
    }

    @Test
    void aFirstLineOfNamesGivesTheOrder() {
        PushedRows rows = decode(RecordFormat.BLOCK, RecordFormat.CSV, false, "at,id\n5,1\n6,2,3\n");
        assertThat(rows.rows()).isEqualTo(1);
        assertThat(rows.tuples().value(0, 0)).isEqualTo(1L);
        assertThat(rows.tuples().value(2, 0)).isNull();
        assertThat(rows.reasons()).hasSize(1);
        assertThat(rows.reasons().get(0).line()).isEqualTo(3);
        assertThatThrownBy(() -> new RowDecoder(stream(RecordFormat.BLOCK), RecordFormat.CSV, false, lease())
                        .decode("id,when\n1,5".getBytes(UTF_8), RowDecoder.Header.PRESENT))
                .hasMessageContaining("'when', which is no field");
        assertThat(new RowDecoder(stream(RecordFormat.BLOCK), RecordFormat.CSV, false, lease())
                        .decode("id,at\n1,5,".getBytes(UTF_8), RowDecoder.Header.ABSENT)
                        .rejected())
                .isEqualTo(1);
    }

    @Test
    void badRowsNameTheirFieldAndAreKeptAsTheyCame() {
        PushedRows rows = decode(RecordFormat.CSV, RecordFormat.CSV, true, "1,5,a\nx,6,b\n2,7,c\n");
        assertThat(rows.rows()).isEqualTo(2);
        assertThat(rows.reasons().get(0).field()).isEqualTo("id");
        assertThat(rows.reasons().get(0).line()).isEqualTo(2);
        assertThat(rows.records().stream().map(record -> new String(record, UTF_8)))
                .containsExactly("1,5,a", "x,6,b", "2,7,c");
    }

    @Test
    void takesABlockAndRefusesADamagedOne() {
        TupleBlock block = decode(RecordFormat.BLOCK, RecordFormat.CSV, false, "1,5,a\n2,6,b\n")
                .tuples();
        byte[] bytes = BlockCodec.encode(block, true);
        RowDecoder decoder = new RowDecoder(stream(RecordFormat.BLOCK), RecordFormat.BLOCK, false, lease());
        assertThat(decoder.decode(bytes, RowDecoder.Header.SEEN).rows()).isEqualTo(2);
        bytes[0] ^= 1;
        PushedRows damaged = new RowDecoder(stream(RecordFormat.BLOCK), RecordFormat.BLOCK, false, lease())
                .decode(bytes, RowDecoder.Header.SEEN);
        assertThat(damaged.rows()).isZero();
        assertThat(damaged.rejected()).isEqualTo(1);
    }

    @Test
    void aRowThatKafkaWouldNotTakeIsRefused() {
        assertThatThrownBy(() -> decode(
                        RecordFormat.CSV, RecordFormat.CSV, false, "1,5," + "x".repeat(PushedRows.MOST_ROW_BYTES)))
                .hasMessageContaining("line 1 has ");
        // Before it is looked at as a line of names.
        for (RowDecoder.Header header : RowDecoder.Header.values()) {
            byte[] commas = ",".repeat(PushedRows.MOST_ROW_BYTES + 1).getBytes(UTF_8);
            assertThatThrownBy(() -> new RowDecoder(stream(RecordFormat.CSV), RecordFormat.CSV, false, lease())
                            .decode(commas, header))
                    .hasMessageContaining("line 1 has ");
        }
        byte[] names = ",".repeat(RowDecoder.MOST_HEADER_BYTES + 1).getBytes(UTF_8);
        assertThatThrownBy(() -> new RowDecoder(stream(RecordFormat.CSV), RecordFormat.CSV, false, lease())
                        .decode(names, RowDecoder.Header.PRESENT))
                .hasMessageContaining("the first line, of names, has ");
    }

    @Test
    void aDeadLetterThatKafkaWouldNotTakeIsRefused() {
        byte[] damaged = new byte[PushedRows.MOST_ROW_BYTES + 1];
        assertThatThrownBy(() -> new RowDecoder(stream(RecordFormat.BLOCK), RecordFormat.BLOCK, true, lease())
                        .decode(damaged, RowDecoder.Header.SEEN))
                .hasMessageContaining("a block that is to become a dead letter (")
                .hasMessageContaining("has " + damaged.length + " bytes");
    }

    @Test
    void whatTheRowsTakeIsLeasedBeforeItIsHeld() {
        List<Field> fields = new ArrayList<>(SCHEMA.fields());
        for (int f = 0; f < 60; f++) {
            fields.add(new Field("wide" + f, FieldType.DOUBLE, true));
        }
        StreamDefinition wide = new StreamDefinition(
                "s", "t", RecordFormat.BLOCK, 4, new Schema(fields, new KeySpec.Ordered("id"), "at"));
        byte[] body = "{\"id\":1,\"at\":2}\n".repeat(5_000).getBytes(UTF_8);
        PushBudget budget = new PushBudget(64 << 20, "rows");
        PushBudget.Lease lease = budget.lease();
        TupleBlock tuples = new RowDecoder(wide, RecordFormat.JSON, false, lease)
                .decode(body, RowDecoder.Header.SEEN)
                .tuples();
        assertThat(tuples.size()).isEqualTo(5_000);
        assertThat(budget.taken()).isBetween(tuples.allocatedBytes() * 9 / 10, tuples.allocatedBytes());
        lease.close();
        byte[] block = BlockCodec.encode(tuples, true);
        assertThat(new RowDecoder(wide, RecordFormat.BLOCK, false, lease)
                        .decode(block, RowDecoder.Header.SEEN)
                        .rows())
                .isEqualTo(5_000);
        assertThat(budget.taken()).isBetween((long) block.length, 3L * block.length);
        lease.close();
        assertThat(budget.taken()).isZero();
        assertThatThrownBy(() -> new RowDecoder(wide, RecordFormat.JSON, false, new PushBudget(1 << 20, "rows").lease())
                        .decode(body, RowDecoder.Header.SEEN))
                .hasMessageContaining("these rows alone would take more than the 1048576 bytes");
        byte[] lines = "1,5,a\n".repeat(1_000).getBytes(UTF_8);
        new RowDecoder(stream(RecordFormat.CSV), RecordFormat.CSV, false, lease).decode(lines, RowDecoder.Header.SEEN);
        assertThat(budget.taken()).isGreaterThanOrEqualTo(1_000L * (32 + 5));
    }
}
