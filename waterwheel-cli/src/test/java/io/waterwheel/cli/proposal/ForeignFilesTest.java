package io.waterwheel.cli.proposal;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.cli.input.AppendProgress;
import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.DefinitionYaml;
import io.waterwheel.encode.RecordEncoder;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Files of banks, loggers and offices of several countries: what is proposed takes their rows, with these values. */
class ForeignFilesTest {
    /**
     * A proposal, and what it makes of the file.
     *
     * @param refused by the line that each begins in
     */
    record Taken(String yaml, StreamDefinition stream, List<List<@Nullable Object>> rows, List<String> refused) {
        List<String> fields() {
            return stream.schema().fields().stream()
                    .map(field -> field.name() + " " + field.type().schemaName())
                    .toList();
        }

        List<@Nullable Object> column(String name) {
            int f = stream.schema().indexOf(name);
            List<@Nullable Object> column = new ArrayList<>();
            rows.forEach(row -> column.add(row.get(f)));
            return column;
        }
    }

    static Taken taken(String file) throws Exception {
        return taken(file.getBytes(UTF_8), RecordFormat.CSV, FileFacts.NONE);
    }

    static Taken taken(byte[] file, RecordFormat format, FileFacts facts, String... columns) throws Exception {
        SchemaProposal proposal =
                SchemaProposal.of("f", Proposals.source("f", file), format, List.of(columns), null, facts);
        String yaml = proposal.yaml("f");
        StreamDefinition stream = SchemaFile.read("f.yaml", yaml);
        // As the catalog keeps it, and as describe writes it.
        assertThat(SchemaJson.readStream(SchemaJson.writeStream(stream))).isEqualTo(stream);
        assertThat(SchemaFile.read("f.yaml", DefinitionYaml.of(stream))).isEqualTo(stream);
        LineCheck check = new LineCheck(format, stream.schema());
        List<List<@Nullable Object>> rows = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        boolean csv = format == RecordFormat.CSV;
        List<String> named = proposal.appendColumns();
        try (InputLines lines = new InputLines(new ByteArrayInputStream(file), csv, proposal.encoding())
                .divideBy(stream.schema().text().csv())) {
            facts.leftOut(stream.schema().text(), !named.isEmpty()).of(lines);
            CsvColumns order = !csv
                    ? null
                    : named.isEmpty()
                            ? CsvColumns.of("f", lines.next(), stream.schema())
                            : CsvColumns.named("--columns", named, stream.schema());
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                byte[] ordered = order == null ? line : order.inOrder(line);
                String refusal = ordered == null ? "columns" : check.refusal(ordered);
                if (refusal == null) {
                    rows.add(Arrays.asList(check.values(0)));
                } else {
                    refused.add(lines.lineNumber() + ": " + refusal);
                }
            }
        }
        return new Taken(yaml, stream, rows, refused);
    }

    static long millis(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }

    /** A bank, a logger, the police: what was midnight before is the time that the row says. */
    @Test
    void aDayAndATimeOfDayAreOneTime() throws Exception {
        String[][] files = {
            {"Datum;Uhrzeit;Wert\n07.10.2025;14:30;3,5\n08.10.2025;9:45;4\n", "Datum_Uhrzeit", "2025-10-08T09:45:00Z"},
            {"v,time,date\n1,10:00:00,2026-11-20\n2,10:00:01.25,2026-11-21\n", "date_time", "2026-11-21T10:00:01.250Z"},
            {"date,time,v\n2026-11-20,10:00 AM,1\n2026-11-21,1:30 PM,2\n", "date_time", "2026-11-21T13:30:00Z"},
            {"DATE,HOUR,v\n20261120,10:00,1\n20261121,11:30,2\n", "DATE_HOUR", "2026-11-21T11:30:00Z"},
            {"Day,Clock,v\r\n1/31/2026,10:00:05,1\r\n2/1/2026,23:59:59,2\r\n", "Day_Clock", "2026-02-01T23:59:59Z"},
        };
        for (String[] file : files) {
            Taken taken = taken(file[0]);
            assertThat(taken.refused()).as(taken.yaml()).isEmpty();
            assertThat(taken.column(file[1]).get(1)).as(taken.yaml()).isEqualTo(millis(file[2]));
            assertThat(taken.yaml())
                    .contains("\ntime: " + file[1] + "\n", "a day and a time of day in two columns, such as ");
            // What a program appends as a tuple becomes a line, or an object, that is read as the same.
            for (RecordFormat format : List.of(RecordFormat.CSV, RecordFormat.JSON)) {
                RecordEncoder encoder =
                        new RecordEncoder(format, text(taken.stream()).schema(), 1000);
                LineCheck check = new LineCheck(format, text(taken.stream()).schema());
                for (List<@Nullable Object> row : taken.rows()) {
                    byte[] record = encoder.add(row.toArray());
                    assertThat(record).isNotNull();
                    assertThat(check.refusal(record == null ? new byte[0] : record))
                            .as("%s", new String(record == null ? new byte[0] : record, UTF_8))
                            .isNull();
                    assertThat(Arrays.asList(check.values(0))).isEqualTo(row);
                }
            }
        }
        // One that lacks either is refused, with both names; one that lacks both is too, for it has no time.
        Taken some = taken("date,time,v\n2026-11-20,10:00,1\n2026-11-21,,2\n,,3\n,11:00,4\n2026-11-22,12:00,5\n");
        assertThat(some.rows()).hasSize(2);
        assertThat(some.refused())
                .containsExactly(
                        "3: date_time: expected a day (date) and a time of day (time), got only the day",
                        "4: line lacks date_time",
                        "5: date_time: expected a day (date) and a time of day (time), got only the time of day");
        FileFacts day = new FileFacts();
        day.time = "date";
        assertThat(taken("date,time\n2026-11-20,10:00\n2026-11-21,11:00\n".getBytes(UTF_8), RecordFormat.CSV, day)
                        .fields())
                .containsExactly("date timestamp", "time string");
    }

    /** Values of a duration, or of an hour of each day, look like the time of day of a row. */
    @Test
    void columnsThatOnlyLookLikeTheTimeOfDay() throws Exception {
        Taken taken = taken("date,duration,time,v\n2026-11-20,00:05:10,14:00:00,1\n2026-11-21,00:07:10,15:00:00,2\n");
        assertThat(taken.column("date_time")).contains(millis("2026-11-21T15:00:00Z"));
        assertThat(taken.fields()).as(taken.yaml()).contains("duration string");
        assertThat(taken.yaml()).contains("; not its time of day: duration");
        taken = taken("end_time,start_time,start_date,v\n16:00,14:00,2026-11-20,1\n17:00,15:00,2026-11-21,2\n");
        assertThat(taken.column("start_date_start_time")).as(taken.yaml()).contains(millis("2026-11-21T15:00:00Z"));
        taken = taken("Datum;Laufzeit;UhrzeitBeginn\n2026-11-20;00:05;14:00\n2026-11-21;00:07;15:00\n");
        assertThat(taken.column("Datum_UhrzeitBeginn")).as(taken.yaml()).contains(millis("2026-11-21T15:00:00Z"));
        for (String names : List.of(
                "date,duration,x", "date,open,close", "day,sunrise,sunset", "date,run_time,x", "date,time_a,time_b")) {
            taken = taken(names + ",v\n2026-11-20,09:05,17:00,1\n2026-11-21,09:07,18:00,2\n");
            String[] name = names.split(",", -1);
            assertThat(taken.fields())
                    .as(taken.yaml())
                    .containsExactly(name[0] + " timestamp", name[1] + " string", name[2] + " string", "v int");
            String both = name[0] + "_" + name[1];
            assertThat(taken.yaml())
                    .contains("the time of a row is its midnight. --time-field " + both + " takes both");
            FileFacts said = new FileFacts();
            said.time = both;
            taken = taken(
                    (names + ",v\n2026-11-20,09:05,17:00,1\n2026-11-21,09:07,18:00,2\n").getBytes(UTF_8),
                    RecordFormat.CSV,
                    said);
            assertThat(taken.column(both)).as(taken.yaml()).contains(millis("2026-11-21T09:07:00Z"));
        }
        taken = taken("2026-11-20,09:05,1\n2026-11-21,09:07,2\n");
        assertThat(taken.column("c1_c2")).as(taken.yaml()).contains(millis("2026-11-21T09:07:00Z"));
    }

    /** A row may begin as a comment does, far behind the lines that show what comments begin with. */
    @Test
    void rowsThatBeginAsComments() throws Exception {
        StringBuilder rows = new StringBuilder("# exported by x\ntag,at,n\n");
        for (int row = 0; row < 3000; row++) {
            rows.append(row == 2500 ? "#news" : "k" + row % 7)
                    .append(",2026-11-20T10:00:00Z,")
                    .append(row)
                    .append('\n');
        }
        assertThatThrownBy(() -> checked(rows.toString()))
                .hasMessage(
                        "f: line 2503 begins with #, as comments do, and has as many values as rows have. Is it a row?"
                                + " --comment none says so; --comment # leaves such lines out");
        assertThat(checked(rows.toString().replace("#news,2026-11-20T10:00:00Z,2500", "# no data, from 10, to 11"))
                        .rows())
                .isEqualTo(2999);
        assertThat(checked(rows.toString().replace("#news,2026-11-20T10:00:00Z,2500", "#x"))
                        .rows())
                .isEqualTo(2999);
        // One with a value too many is rejected, with its line.
        Taken wide = taken("tag,at,n\n#a,2026-11-20,1,extra\nb,2026-11-21,2\nc,2026-11-22,3\n");
        assertThat(wide.yaml()).doesNotContain("comment:");
        assertThat(wide.refused()).hasSize(1).allMatch(why -> why.startsWith("2: line has more"));
    }

    private static ProposalCheck.Outcome checked(String file) throws Exception {
        SchemaProposal proposal = SchemaProposal.of(
                "f", Proposals.source("f", file.getBytes(UTF_8)), RecordFormat.CSV, List.of(), null, FileFacts.NONE);
        return ProposalCheck.of(
                List.of(Proposals.source("f", file.getBytes(UTF_8))),
                proposal,
                SchemaFile.read("f", proposal.yaml("f")).schema(),
                new AppendProgress(
                        new Terminal(InputStream.nullInputStream(), System.out, System.err, false), "", () -> 0, -1));
    }

    /** Footnotes, codes of countries and the like are no numbers, though they are made of digits. */
    @Test
    void labelsOfDigits() throws Exception {
        Taken taken = taken("t;a;b;c;d;e\n2025-10-07;(1);+49;(1);(€ 1);(1,50)\n2025-10-08;(2);+33;2;(€ 2);(2)\n");
        assertThat(taken.refused()).as(taken.yaml()).isEmpty();
        assertThat(taken.column("a")).containsExactly("(1)", "(2)");
        assertThat(taken.column("b")).containsExactly("+49", "+33");
        assertThat(taken.column("c")).containsExactly(-1, 2);
        assertThat(taken.column("d")).containsExactly(-1, -2);
        assertThat(taken.column("e")).containsExactly(-1.5, -2.0);
        assertThat(taken("t;a\n2025-10-07;(1)\n2025-10-08;(2)\n").yaml()).doesNotContain("parentheses");
        StringBuilder many = new StringBuilder("t,note,country\n");
        for (int row = 0; row < 40; row++) {
            many.append("2025-10-07,(")
                    .append(row)
                    .append("),+")
                    .append(row + 30)
                    .append('\n');
        }
        assertThat(taken(many.toString()).yaml()).doesNotContain("are numbers");
    }

    /** The same without blocks, so that each row is a record of text. */
    private static StreamDefinition text(StreamDefinition stream) {
        return SchemaFile.read("f", DefinitionYaml.of(stream).replace("blocks: true", "unknown: reject"));
    }

    @Test
    void aDayAndATimeOfDayOfJson() throws Exception {
        String file = """
                {"meta": {"day": "2026-11-20"}, "clock": "10:00:01", "v": 1}
                {"clock": "10:00:02", "v": 2, "meta": {"day": "2026-11-21"}}
                {"clock": "10:00:02", "v": 3}
                """;
        Taken taken = taken(file.getBytes(UTF_8), RecordFormat.JSON, FileFacts.NONE);
        assertThat(taken.yaml()).contains("from: ['$.meta.day', clock]}");
        assertThat(taken.column("meta_day_clock"))
                .containsExactly(millis("2026-11-20T10:00:01Z"), millis("2026-11-21T10:00:02Z"));
        assertThat(taken.refused()).hasSize(1).allMatch(why -> why.contains("got only the time of day"));
        LineCheck check = new LineCheck(RecordFormat.JSON, taken.stream().schema());
        assertThat(check.refusal("{\"clock\": \"10:00:02\", \"clock\": \"10:00:03\", \"v\": 3}".getBytes(UTF_8)))
                .isEqualTo("meta_day_clock: the member is there twice");
        assertThat(check.refusal(
                        "{\"meta\": {\"day\": null, \"day\": \"2026-11-20\"}, \"clock\": \"10:00\"}".getBytes(UTF_8)))
                .isEqualTo("meta_day_clock: the member is there twice");
    }

    /** A number's unit may be one that a timestamp has; a number has one minus. */
    @Test
    void unitsOfNumbers() throws Exception {
        String yaml = taken("at,took\n2026-11-20,5 s\n2026-11-21,7.5 s\n").yaml();
        for (String unit : List.of("s", "ms", "us", "ns")) {
            StreamDefinition timed = SchemaFile.read(
                    "f", yaml.replace("{name: took, type: string}", "{name: took, type: double, unit: " + unit + "}"));
            assertThat(SchemaJson.readStream(SchemaJson.writeStream(timed))).isEqualTo(timed);
            assertThat(SchemaFile.read("f", DefinitionYaml.of(timed))).isEqualTo(timed);
            LineCheck check = new LineCheck(RecordFormat.CSV, timed.schema());
            assertThat(check.refusal(("2026-11-21,7.5 " + unit).getBytes(UTF_8)))
                    .isNull();
            assertThat(Arrays.asList(check.values(0))).contains(7.5);
            assertThat(check.refusal("2026-11-21,7.5 h".getBytes(UTF_8))).isNotNull();
        }
        Taken money = taken("at;v\n2026-11-20;(€ 1,50)\n2026-11-21;-€ 2\n2026-11-22;€ 3\n2026-11-23;3 €\n");
        assertThat(money.yaml()).contains("unit: '€'", "negative: parentheses");
        assertThat(money.column("v")).containsExactly(-1.5, -2.0, 3.0, 3.0);
        LineCheck check = new LineCheck(RecordFormat.CSV, money.stream().schema());
        assertThat(check.refusal("2026-11-20;(€ 1,50)".getBytes(UTF_8))).isNull();
        for (String twice : List.of("-€(1,50)", "-(€ 1,50)", "(-€1,50)", "-€-1,50")) {
            assertThat(check.refusal(("2026-11-20;" + twice).getBytes(UTF_8)))
                    .as(twice)
                    .isNotNull();
        }
    }

    @Test
    void definitionsOfTwoColumnsAreChecked() {
        String yaml = """
                name: f
                format: csv
                fields:
                  - {name: at, type: %s, from: %s}
                  - {name: n, type: %s, unit: '%s'}
                key: {field: at}
                time: at
                """;
        assertThatThrownBy(() -> SchemaFile.read("f", yaml.formatted("timestamp", "[a, b, c]", "int", "€")))
                .hasMessageContaining("line 4: field at: from: expected a name, or a list of two");
        assertThatThrownBy(() -> SchemaFile.read("f", yaml.formatted("timestamp", "[a, a]", "int", "€")))
                .hasMessageContaining("each needs a place of its own");
        assertThatThrownBy(() -> SchemaFile.read("f", yaml.formatted("timestamp", "[a, kafka.key]", "int", "€")))
                .hasMessageContaining("both in the value of the record");
        assertThatThrownBy(() -> SchemaFile.read("f", yaml.formatted("timestamp", "[a, b]", "string", "€")))
                .hasMessageContaining("only a number or a timestamp has a unit");
        assertThatThrownBy(() -> SchemaFile.read("f", yaml.formatted("timestamp", "[a, b]", "int", "1")))
                .hasMessageContaining("field n: unit: expected a sign or word");
        assertThatThrownBy(() -> SchemaFile.read(
                        "f", yaml.formatted("timestamp", "[a, b]", "int", "€").replace("csv", "avro")))
                .hasMessageContaining("a day and a time of day in two places go with format: csv or json");
    }

    @Test
    void linesBeforeTheNamesCommentsAndTotals() throws Exception {
        StringBuilder rows = new StringBuilder("Tag;Wert;Text\n");
        for (int row = 10; row < 30; row++) {
            rows.append(row).append(".10.2025;").append(row).append(",5;a, b\n");
        }
        String bank = "Konto;DE12\n\n\"von\nbis\";1.1.2025\n" + rows + "Summe;390,0;\n";
        for (byte[] file : List.of(
                bank.getBytes(UTF_8),
                bank.replace("\n", "\r\n").getBytes(UTF_8),
                ("\uFEFF" + bank).getBytes(UTF_16LE))) {
            Taken taken = taken(file, RecordFormat.CSV, FileFacts.NONE);
            assertThat(taken.yaml())
                    .contains(
                            "  skip-lines: 4   # lines of a file before its names are left out, as it seems",
                            "# The last row (line 26) begins as a total does: --skip-last 1 leaves it out.");
            assertThat(taken.rows()).hasSize(20);
            assertThat(taken.refused()).hasSize(1).allMatch(why -> why.startsWith("26: Tag: expected a time"));
            FileFacts facts = new FileFacts();
            facts.skipLast = 1;
            assertThat(taken(file, RecordFormat.CSV, facts).refused()).isEmpty();
            assertThat(taken(file, RecordFormat.CSV, facts).rows()).isEqualTo(taken.rows());
        }
        Taken commented =
                taken("# station 7: \"Nord\n# by hand\nat,n\n2025-10-07,1\n# a gap, of an hour\n2025-10-08,2\n");
        assertThat(commented.yaml())
                .contains("  comment: '#'   # lines that begin with it are left out, such as line 1;");
        assertThat(commented.column("n")).containsExactly(1, 2);
        assertThat(commented.refused()).isEmpty();
        // Names and rows that begin so are no comments, neither is a line within a value.
        assertThat(taken("#at,n\n2025-10-07,1\n2025-10-08,2\n").yaml()).doesNotContain("comment:");
        assertThat(taken("at,n\n2025-10-07,#1\n2025-10-08,#2\n").column("n")).containsExactly("#1", "#2");
        Taken ids = taken("id,at\n#1,2025-10-07\n2,2025-10-08\n#3,2025-10-09\n");
        assertThat(ids.yaml()).doesNotContain("comment:");
        assertThat(ids.rows()).hasSize(3);
        Taken within = taken("# x\nat,s\n2025-10-07,\"a\n# b\"\n2025-10-08,c\n");
        assertThat(within.column("s")).containsExactly("a\n# b", "c");
    }

    /** Which rows are the last is seen behind comments and by quotes, wherever the lines end that are looked at. */
    @Test
    void rowsAtTheEndAreTheLastOnes() throws Exception {
        FileFacts facts = new FileFacts();
        facts.skipLast = 2;
        for (int rows : List.of(3, 997, 998, 999, 1000, 1001, 1500)) {
            StringBuilder file = new StringBuilder("# of October\nat,n,s\n");
            for (int row = 0; row < rows; row++) {
                file.append("2025-10-07,").append(row).append(row == 1 ? ",\"a\nb\"\n" : ",a\n");
            }
            file.append("Sum,of,all\n# by hand\nSum,of,them\n# end\n");
            Taken taken = taken(file.toString().getBytes(UTF_8), RecordFormat.CSV, facts);
            assertThat(taken.yaml()).as("%s rows", rows).contains("comment: '#'");
            assertThat(taken.fields()).as("%s rows", rows).containsExactly("at timestamp", "n int", "s string");
            assertThat(taken.yaml()).as("%s rows", rows).doesNotContain("will be rejected", "begins as a total");
            assertThat(taken.rows()).as("%s rows", rows).hasSize(rows);
        }
        assertThatThrownBy(() -> taken("at,n\n2025-10-07,1\n".getBytes(UTF_8), RecordFormat.CSV, facts))
                .hasMessageContaining("has no row behind its line of names");
        // A title that is filled up with delimiters looks like names.
        assertThatThrownBy(() -> taken("Report;;\n;;\nDate;Time;V\n2026-11-20;10:00;1\n"))
                .hasMessageContaining("Some names in its first line are empty: --skip-lines N leaves out lines");
    }

    /** Names can be read and typed anywhere; streams that were made before keep theirs. */
    @Test
    void lettersOfOtherAlphabets() throws Exception {
        String file = "Größe,Température,Цена,日期,Stückzahl,ΤΙΜΉ,naïve café\n1,2,3,2025-10-07,4,5,6\n";
        Taken taken = taken(file);
        assertThat(taken.stream().schema().fields().stream().map(field -> field.name()))
                .containsExactly("Groesse", "Temperature", "Tsena", "c4", "Stueckzahl", "TIMI", "naive_cafe");
        assertThat(taken.rows()).hasSize(1);
        StreamDefinition before = SchemaFile.read(
                "f", taken.yaml().replace("Stueckzahl", "St_ckzahl").replace("Groesse", "Gr_e"));
        assertThat(CsvColumns.of("f", file.lines().findFirst().orElseThrow().getBytes(UTF_8), before.schema())
                        .columns())
                .isEqualTo(7);
    }

    @Test
    void numbersWithMarksOfSeveralCountries() throws Exception {
        Taken french = taken("Date;Montant;Part\n07/10/2025;1\u202F234,50;5\u00A0%\n31/10/2025;12\u00A0000,25;7,5 %\n");
        assertThat(french.refused()).as(french.yaml()).isEmpty();
        assertThat(french.column("Montant")).containsExactly(1234.5, 12000.25);
        assertThat(french.column("Part")).as(french.yaml()).containsExactly(5.0, 7.5);
        assertThat(french.yaml()).contains("unit: '%'", "numbers without their %, which all have");
        Taken whole = taken("t;n\n2025-10-07;1\u00A0234\n2025-10-08;999\n");
        assertThat(whole.column("n")).as(whole.yaml()).containsExactly(1234, 999);
        Taken accounts = taken("t,n,m\n2025-10-07,(1.50),+5\n2025-10-08,2.25,-3\n2025-10-09,\"(1,000.00)\",0\n");
        assertThat(accounts.column("n")).as(accounts.yaml()).containsExactly(-1.5, 2.25, -1000.0);
        assertThat(accounts.column("m")).containsExactly(5, -3, 0);
        assertThat(accounts.yaml()).contains("  negative: parentheses   # (1.50) is -1.50");
        Taken money = taken("t;e;d;k\n2025-10-07;€ 12,50;$3;(€ 1,00)\n2025-10-08;€ -1,00;-$4;€ 2,00\n");
        assertThat(money.column("e")).as(money.yaml()).containsExactly(12.5, -1.0);
        assertThat(money.column("d")).containsExactly(3, -4);
        assertThat(money.column("k")).containsExactly(-1.0, 2.0);
        assertThat(money.yaml()).contains("unit: '$'");
        LineCheck check = new LineCheck(RecordFormat.CSV, money.stream().schema());
        assertThat(check.refusal("2025-10-07;$ 12,50;$3;1".getBytes(UTF_8)))
                .isEqualTo("e: expected a number whose marks stand where the schema says, alone or with € beside it,"
                        + " got '$ 12,50'");
        // Two currencies are no numbers, neither are telephones and names.
        Taken mixed = taken("t,n,p,q\n2025-10-07,€5,+4930123456,A12\n2025-10-08,$5,+4930123457,A13\n");
        assertThat(mixed.fields()).containsExactly("t timestamp", "n string", "p string", "q string");
        StringBuilder some = new StringBuilder("t,n\n");
        for (int row = 0; row < 40; row++) {
            some.append("2025-10-07,").append(row == 30 ? "£5" : "€" + row).append('\n');
        }
        assertThat(taken(some.toString()).yaml()).contains("39 of 40 are numbers with €; others: £5 (line 32)");
    }

    /** What a program appends is read as it was: no unit stands beside what is not finite. */
    @Test
    void numbersThatAreNotFiniteBesideUnits() {
        for (String mark : List.of("unit: '%'", "nullable: true")) {
            StreamDefinition stream = SchemaFile.read("f", """
                    name: f
                    format: csv
                    fields:
                      - {name: at, type: timestamp}
                      - {name: d, type: double, %s}
                      - {name: e, type: float, %s}
                    key: {field: at}
                    time: at
                    records: {negative: parentheses}
                    """.formatted(mark, mark));
            RecordEncoder encoder = new RecordEncoder(RecordFormat.CSV, stream.schema(), 1000);
            LineCheck check = new LineCheck(RecordFormat.CSV, stream.schema());
            for (double number : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -1.5}) {
                byte[] record = encoder.add(Instant.EPOCH, number, (float) number);
                assertThat(check.refusal(record == null ? new byte[0] : record)).isNull();
                assertThat(check.values(0)[1]).isEqualTo(number);
                assertThat(check.values(0)[2]).isEqualTo((float) number);
            }
            assertThat(check.refusal("2025-10-07,nano,1".getBytes(UTF_8))).startsWith("d: expected a number");
        }
    }

    @Test
    void timesOfSeveralPrograms() throws Exception {
        String[][] times = {
            {"1/31/2025 1:05:09 PM", "2025-01-31T13:05:09Z"},
            {"2025-01-31 13:05:09 UTC", "2025-01-31T13:05:09Z"},
            {"2025-01-31T13:05:09 GMT", "2025-01-31T13:05:09Z"},
            {"2025-01-31 13:05:09 +0200", "2025-01-31T11:05:09Z"},
            {"20250131", "2025-01-31T00:00:00Z"},
            {"20250131130509", "2025-01-31T13:05:09Z"},
            {"31.1.2025 7:05", "2025-01-31T07:05:00Z"},
            {"2025-01-31 13:05:09,250", "2025-01-31T13:05:09.250Z"},
        };
        for (String[] time : times) {
            Taken taken = taken("when;n\n" + time[0] + ";1\n" + time[0] + ";2\n");
            assertThat(taken.refused()).as(taken.yaml()).isEmpty();
            assertThat(taken.column("when")).as(taken.yaml()).contains(millis(time[1]));
        }
        // Whole numbers that might be days are numbers, where another column is the time.
        assertThat(taken("at,id\n2025-10-07,20250131\n2025-10-08,20250201\n").fields())
                .containsExactly("at timestamp", "id int");
    }

    /** What is money in the file's schema keeps its digits, and positions stay positions. */
    @Test
    void decimalsOfAvro() throws Exception {
        Schema schema = new Schema.Parser().parse("""
                {"type": "record", "name": "Payment", "fields": [
                  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                  {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}},
                  {"name": "in", "type": {"type": "record", "name": "In", "fields": [
                    {"name": "fee", "type": ["null",
                      {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 10}]}]}},
                  {"name": "big", "type": {"type": "bytes", "logicalType": "decimal", "precision": 50, "scale": 2}},
                  {"name": "lon", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 6}},
                  {"name": "lat", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 6}}]}
                """);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
            writer.create(schema, file);
            for (int row = 0; row < 30; row++) {
                GenericRecord record = new GenericData.Record(schema);
                record.put("at", 1_700_000_000_000L + row);
                record.put("price", decimal(1250 + row));
                GenericRecord in = new GenericData.Record(schema.getField("in").schema());
                in.put(
                        "fee",
                        row == 0 ? null : ByteBuffer.wrap(BigInteger.TEN.pow(37).toByteArray()));
                record.put("in", in);
                record.put("big", decimal(5));
                record.put("lon", decimal(2_500_000 + row));
                record.put("lat", decimal(48_500_000 + row));
                writer.append(record);
            }
        }
        Taken taken = taken(file.toByteArray(), RecordFormat.JSON, FileFacts.NONE);
        assertThat(taken.refused()).as(taken.yaml()).isEmpty();
        assertThat(taken.fields())
                .as(taken.yaml())
                .containsExactly(
                        "at timestamp",
                        "price decimal(12, 2)",
                        "in_fee decimal(38, 10)",
                        "big double",
                        "lon double",
                        "lat double");
        assertThat(taken.column("price").get(1)).isEqualTo(new BigDecimal("12.51"));
        assertThat(taken.yaml()).contains("key: {longitude: lon, latitude: lat,");
    }

    private static ByteBuffer decimal(long unscaled) {
        return ByteBuffer.wrap(BigInteger.valueOf(unscaled).toByteArray());
    }
}
