package io.waterwheel.cli.proposal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waterwheel.cli.dimensions.DimensionRows;
import io.waterwheel.cli.input.AppendProgress;
import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.cli.input.RecordsSource;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.TimestampUnit;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is proposed can be created as it is, and takes the file that it was made of. */
class SchemaProposalTest {
    private static Schema proposed(String csv, String... columns) throws IOException {
        String yaml = Proposals.of("f.csv", new ByteArrayInputStream(csv.getBytes(UTF_8)), List.of(columns))
                .yaml("f");
        Alternatives.takeEach(yaml, csv, RecordFormat.CSV, columns);
        return SchemaFile.read("f.yaml", yaml).schema();
    }

    /** Of a topic, of which nobody knows what comes, fields may be null, and each can still become the key. */
    @Test
    void alternativesOfRecordsAreTaken() throws Exception {
        StringBuilder rows = new StringBuilder();
        for (int row = 0; row < 200; row++) {
            rows.append("{\"at\": ")
                    .append(1_633_608_000_000L + row)
                    .append(", \"lon\": 2.5, \"lat\": ")
                    .append(48 + row / 256.0)
                    .append(", \"id\": \"n")
                    .append(row % 7)
                    .append("\", \"kind\": \"k")
                    .append(row % 3)
                    .append("\", \"speed\": ")
                    .append(row)
                    .append("}\n");
        }
        for (String file : List.of(rows.toString(), rows.toString().replace("lon", "x"))) {
            String yaml = SchemaProposal.ofRecords(
                            new RecordsSource(
                                    "topic t",
                                    file.lines()
                                            .map(line -> line.getBytes(UTF_8))
                                            .toList()),
                            RecordFormat.JSON,
                            List.of(),
                            FileFacts.NONE,
                            KafkaColumns.NONE,
                            RegisteredRecords.Known.NOTHING)
                    .yaml("f");
            assertThat(yaml)
                    .contains("take its 'nullable: true' away then", "create it with --like FILE\n")
                    .doesNotContain("--like topic");
            assertThat(Alternatives.takeAll(yaml, file, RecordFormat.JSON, List.of()))
                    .as(yaml)
                    .isGreaterThan(1);
        }
    }

    /** Records that leave their time and what they are about to Kafka. */
    @Test
    void whatKafkaHasIsProposedWhereValuesLackIt() throws Exception {
        List<byte[]> keys = new ArrayList<>();
        List<Instant> times = new ArrayList<>();
        StringBuilder rows = new StringBuilder();
        for (int row = 0; row < 50; row++) {
            keys.add(("d-" + row % 7).getBytes(UTF_8));
            times.add(Instant.ofEpochMilli(1_633_608_000_000L + row));
            rows.append("{\"v\": ").append(row).append(", \"kafka_key\": 1}\n");
        }
        String file = rows.toString();
        KafkaColumns all = KafkaColumns.of(50, keys, times);
        String yaml = ofRecords(file, all);
        assertThat(yaml)
                .contains(
                        "{name: kafka_timestamp, type: timestamp, from: kafka.timestamp}\n",
                        "{name: kafka_key_2, type: string, from: kafka.key}\n",
                        "key: {field: kafka_key_2}",
                        "time: kafka_timestamp\n");
        assertThat(Alternatives.takeAll(yaml, file, RecordFormat.JSON, List.of(), all.facts()))
                .isPositive();
        // Some have no key, or none that is text.
        assertThat(ofRecords(file, KafkaColumns.of(50, keys.subList(0, 49), times)))
                .contains("time: kafka_timestamp\n")
                .doesNotContain("kafka.key");
        keys.set(7, new byte[] {0, 0, 0, 7});
        assertThat(ofRecords(file, KafkaColumns.of(50, keys, times))).doesNotContain("kafka.key");
        assertThatThrownBy(() -> ofRecords(file, KafkaColumns.of(50, keys, times.subList(0, 49))))
                .hasMessageContaining("no column can be the time");
        // Values that have both: Kafka's are named, and each is a field when it is written so.
        String own = file.replace("{\"v", "{\"at\": 1633608000000, \"device\": \"x-1\", \"v")
                .replaceFirst("x-1", "x-2");
        String both = ofRecords(own, all);
        assertThat(both)
                .contains(
                        "time: at\n",
                        "key: {field: device}",
                        "# Fields of what Kafka has beside the value: {name: kafka_timestamp, type: timestamp, from:"
                                + " kafka.timestamp} and {name: kafka_key_2, type: string, from: kafka.key}\n");
        String field = "{name: kafka_timestamp, type: timestamp, from: kafka.timestamp}";
        assertThat(SchemaFile.read("f", both.replace("key: {field: d", "  - " + field + "\nkey: {field: d"))
                        .schema()
                        .fields())
                .extracting(one -> one.name())
                .contains("kafka_timestamp");
    }

    /** What Kafka has stands back behind what all values have, and keys are never taken for times by a guess. */
    @Test
    void whenKafkasTimeAndKeyAreTaken() throws Exception {
        List<byte[]> days = new ArrayList<>();
        List<byte[]> names = new ArrayList<>();
        List<Instant> times = new ArrayList<>();
        StringBuilder some = new StringBuilder();
        StringBuilder seconds = new StringBuilder();
        StringBuilder csv = new StringBuilder();
        for (int row = 0; row < 40; row++) {
            days.add(("2021-10-" + (10 + row % 9)).getBytes(UTF_8));
            names.add(("n" + row % 5).getBytes(UTF_8));
            times.add(Instant.ofEpochMilli(1_633_608_000_000L + row));
            some.append("{\"v\": 1").append(row == 9 ? ", \"error_time\": \"2022-07-13T00:00:00Z\"}\n" : "}\n");
            seconds.append("{\"ts\": ").append(1_633_608_000L + row).append(", \"v\": 1}\n");
            csv.append(row == 7 ? "NA" : "d" + row % 3)
                    .append(",")
                    .append(row)
                    .append(",x")
                    .append(row)
                    .append('\n');
        }
        assertThat(ofRecords(seconds.toString(), KafkaColumns.of(40, days, times)))
                .contains("time: ts\n", "key: {field: ts}");
        assertThat(ofRecords(some.toString(), KafkaColumns.of(40, names, times)))
                .contains("time: kafka_timestamp   # not all records have error_time\n", "key: {field: kafka_key}");
        FileFacts facts = new FileFacts();
        facts.nulls = List.of("NA");
        assertThat(ofLines(csv.toString(), facts, KafkaColumns.of(40, names, times)))
                .contains(
                        "key: {field: kafka_key}", "time: kafka_timestamp\n", "{name: device, type: string, nullable");
        facts.time = "kafka.key";
        assertThat(ofLines(csv.toString(), facts, KafkaColumns.of(40, days, times)))
                .contains("time: kafka_key\n", "{name: kafka_key, type: timestamp, from: kafka.key}");
    }

    private static String ofLines(String csv, FileFacts facts, KafkaColumns kafka) throws IOException {
        RecordsSource records = new RecordsSource(
                "topic t", csv.lines().map(line -> line.getBytes(UTF_8)).toList());
        return SchemaProposal.ofRecords(
                        records,
                        RecordFormat.CSV,
                        List.of("device", "n", "note"),
                        facts,
                        kafka,
                        RegisteredRecords.Known.NOTHING)
                .yaml("f");
    }

    private static String ofRecords(String file, KafkaColumns kafka) throws IOException {
        RecordsSource records = new RecordsSource(
                "topic t", file.lines().map(line -> line.getBytes(UTF_8)).toList());
        return SchemaProposal.ofRecords(
                        records, RecordFormat.JSON, List.of(), FileFacts.NONE, kafka, RegisteredRecords.Known.NOTHING)
                .yaml("f");
    }

    @ParameterizedTest
    @CsvSource({
        "nasa/http-1995-08-01.csv.gz, host, 0",
        "zeek/wrccdc-2018-03.csv.gz, orig_h, 1",
        "ghcn/us-2016.csv.gz, longitude+latitude, 0",
        "flights/paris-2021-10.csv.gz, longitude+latitude, 0",
        "flights/savan-2022-03.csv.gz, longitude+latitude, 128"
    })
    void realFilesAreTakenButForRowsThatAreNoTuples(String name, String key, long rejected) throws Exception {
        Path file = Path.of(System.getProperty("waterwheel.shared", "../../shared"), "data", name);
        assumeTrue(
                Files.exists(file),
                () -> "SKIPPED: no " + file.toAbsolutePath().normalize()
                        + "; set -Dwaterwheel.shared to the folder that holds data/");
        String yaml;
        try (InputStream in = Files.newInputStream(file)) {
            yaml = Proposals.of(name, in, List.of()).yaml("s");
        }
        Schema schema = SchemaFile.read("proposal", yaml).schema();
        assertThat(
                        schema.key() instanceof KeySpec.Ordered ordered
                                ? ordered.field()
                                : ((KeySpec.Position) schema.key()).longitude() + "+"
                                        + ((KeySpec.Position) schema.key()).latitude())
                .as(yaml)
                .isEqualTo(key);
        LineCheck check = new LineCheck(RecordFormat.CSV, schema);
        long refused = 0;
        String first = "";
        try (InputLines lines = new InputLines(Files.newInputStream(file), true)) {
            CsvColumns columns = CsvColumns.of(name, lines.next(), schema);
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                byte[] ordered = columns.inOrder(line);
                String why = ordered == null ? "columns" : check.refusal(ordered);
                if (why != null) {
                    refused++;
                    first = first.isEmpty() ? why : first;
                }
            }
        }
        assertThat(refused).as("%s\n%s", yaml, first).isEqualTo(rejected);
    }

    @Test
    void typesUnitsAndNames() throws Exception {
        Schema schema = proposed("""
                Start Time,device id,temp,on,zip,ip,big,seen
                1633608000.5,a,1.5,true,007,10.0.0.1,99999999999,2021-10-07T12:00:00Z
                1633608001,b,-2,false,010,10.0.0.2,3,2021-10-07T12:00:00.123456Z
                """);
        assertThat(schema.fields().stream().map(f -> f.name() + ":" + f.type().schemaName()))
                .containsExactly(
                        "Start_Time:double",
                        "device_id:string",
                        "temp:double",
                        "on:boolean",
                        "zip:string",
                        "ip:ipv4",
                        "big:long",
                        "seen:timestamp_us");
        assertThat(schema.timeField()).isEqualTo("seen");
        Schema ids = proposed("""
                ts,status,device_id,peer
                1633608000,up,123e4567-e89b-12d3-a456-426614174000,a
                1633608001,down,123E4567-E89B-12D3-A456-426614174001,b
                """);
        assertThat(ids.fields().get(2).type()).isEqualTo(FieldType.UUID);
        assertThat(ids.key()).isEqualTo(new KeySpec.Ordered("device_id"));
        Schema hosts = proposed("ts,host\n1633608000,2001:db8::1\n1633608001,::ffff:10.0.0.1\n");
        assertThat(hosts.fields().get(1).type()).isEqualTo(FieldType.IPV6);
        Schema epoch = proposed("ts,host\n1633608000.123456,a\n1633608001,b\n");
        assertThat(epoch.fields().get(0).type()).isEqualTo(FieldType.TIMESTAMP_US);
        assertThat(epoch.fields().get(0).unit()).isEqualTo(TimestampUnit.SECONDS);
        Schema days = proposed("day,n\n2016-01-01,1\n2016-01-02,\n");
        assertThat(days.fields().get(0).type()).isEqualTo(FieldType.TIMESTAMP);
        assertThat(days.fields().get(1).nullable()).isTrue();
    }

    @Test
    void filesWithoutNames() throws Exception {
        assertThat(proposed("1633608000000,a\n1633608000001,b\n").fields().stream()
                        .map(f -> f.name()))
                .containsExactly("c1", "c2");
        Schema named = proposed("1633608000000,a,5\n1633608000001,b,5\n", "at", "-", "n");
        assertThat(named.fields().stream().map(f -> f.name())).containsExactly("at", "n");
        assertThatThrownBy(() -> proposed("a,b\n1,2\n"))
                .hasMessageContaining("no column can be the time")
                .hasMessageNotContaining("first line");
        // A name that reads as a value; what the message says works.
        String rows = "1,2021-10-07 12:00:00,false\n2,2021-10-07 12:00:01,true\n";
        assertThatThrownBy(() -> proposed("id,when,true\n" + rows))
                .hasMessageContaining("no column can be the time")
                .hasMessageContaining("if it names the columns, say so by --skip-lines 1 --columns id,when,true");
        assertThatThrownBy(() -> proposed("id,,when,true\n" + rows.replace(",2021", ",7,2021")))
                .hasMessageContaining("--skip-lines 1 --columns id,c2,when,true");
        assertThat(proposed(rows, "id", "when", "true").fields().stream().map(f -> f.name()))
                .containsExactly("id", "when", "true");
    }

    @Test
    void numbersThatADoubleWouldChangeStayTexts() throws Exception {
        Schema schema = proposed("""
                at,id,n,x,some
                1633608000000,18446744073709551615,9223372036854775807,NaN,1
                1633608000001,18446744073709551614,-9223372036854775808,1,2.5
                """);
        assertThat(schema.fields().stream().map(f -> f.type().schemaName()))
                .containsExactly("timestamp", "string", "long", "double", "double");
        assertThat(Proposals.of(
                                "f.csv",
                                new ByteArrayInputStream(
                                        "at,n\n1633608000,9007199254740993\n1633608001,1.5\n".getBytes(UTF_8)),
                                List.of())
                        .yaml("f"))
                .contains("{name: n, type: 'decimal(17, 1)'}   # 1 have more digits than a double");
        assertThatThrownBy(() -> proposed("a,b\nNaN,x\nNaN,y\n")).hasMessageContaining("no column can be the time");
    }

    /** A double takes them all; who needs each digit must know that it does not keep them. */
    @Test
    void digitsBeyondThoseOfADoubleAreRemarked() throws Exception {
        String csv = "at,n\n2025-10-07,257584767748741787.22\n2025-10-08,-0.125\n2025-10-09,1.5e3\n";
        assertThat(yaml(csv))
                .contains("{name: n, type: 'decimal(21, 3)'}   # 1 have more digits than a double, which would round"
                        + " them\n");
        assertThat(yaml(csv.replace(",", ";").replace(".", ","))).contains("{name: n, type: 'decimal(21, 3)'}");
        Schema exact = SchemaFile.read("f", yaml(csv)).schema();
        LineCheck check = new LineCheck(RecordFormat.CSV, exact);
        for (String line : csv.lines().skip(1).toList()) {
            assertThat(check.refusal(line.getBytes(UTF_8))).as(line).isNull();
        }
        String json = "{\"at\":\"2025-10-07\",\"n\":10036256783732693.60,\"s\":\"12345678901234567.25\"}\n";
        assertThat(ofRecords(json.repeat(3), KafkaColumns.NONE))
                .contains("# 3 have more digits than a double, which rounds them; 'decimal(19, 2)' keeps them\n")
                .contains("# numbers in strings; 3 have more digits than a double");
        // To the last bit, or as programs write a double: these are doubles.
        for (String of : List.of("28.72739410400390625", "0.30000000000000004", "1.7976931348623157E308", "0.100")) {
            assertThat(yaml("at,n\n2025-10-07," + of + "\n2025-10-08,1.5\n"))
                    .as(of)
                    .contains("{name: n, type: double}\n");
        }
        String longest = "9".repeat(38) + ".5";
        assertThat(yaml("at,n\n2025-10-07," + longest + "\n2025-10-08,1.5\n")).contains("rounds them; string keeps");
        assertThat(yaml(csv.replace("-0.125", "NaN"))).contains("rounds them; string keeps them");
    }

    @Test
    void whatIsProposedIsWhatAppendTakes() throws Exception {
        String[] headers = {
            "Start date,Start-date,k",
            "at,id,ID",
            ",at,k",
            "at,k,k",
            "at,\"a,b\",k",
            "at," + "x".repeat(64) + "," + "x".repeat(64),
            " , ,at"
        };
        for (String header : headers) {
            String csv =
                    header + "\n1633608000000,1633608000000,1633608000000\n1633608000001,1633608000001,1633608000001\n";
            Schema schema = proposed(csv);
            assertThat(schema.fields()).as(header).hasSize(3);
            byte[] row = "1,2,3".getBytes(UTF_8);
            assertThat(CsvColumns.of("f.csv", header.getBytes(UTF_8), schema).inOrder(row))
                    .as(header)
                    .isEqualTo(row);
        }
        assertThat(proposed("1633608000000,a\"b\n1633608000001,c\n").fields()).hasSize(2);
        assertThatThrownBy(() -> proposed("1633608000000,a\n", "t", "t")).hasMessage("--columns names 't' twice");
    }

    /** A day and its time of day in two columns, of no one form: the stream's time would be midnight, which is said. */
    @Test
    void aTimeOfDayBesideADayIsRemarked() throws Exception {
        String file = "Datum;Uhrzeit;Wert\n07.10.2025;14:30;3\n08.10.2025;9:45:10 pm;4\n";
        assertThat(yaml(file))
                .contains("# looks like the time of day of Datum", "\ntime: Datum\n")
                .doesNotContain("key: {field: Uhrzeit}");
        assertThat(yaml("at,shift,v\n2026-11-20T01:02:03Z,10:00,1\n2026-11-21T01:02:03Z,11:00,2\n"))
                .doesNotContain("time of day");
    }

    /** 17.487 pieces are many in a file with semicolons, and few elsewhere; either is said to be a guess. */
    @Test
    void pointsBetweenThousandsAreSeenOrRemarked() throws Exception {
        String file = "Tag;Pieces;Share\n07.10.2025;17.487;1,5\n08.10.2025;516;2\n09.10.2025;1.204;0,75\n";
        assertThat(yaml(file))
                .contains("{name: Pieces, type: int}   # a guess: is 2 times the mark one between thousands?")
                .contains("{name: Share, type: double}", "decimal: ','", "thousands: '.'");
        assertThat(yaml("Datum;Aufrufe;Quote\n01.01.2026 00:00;315.203;5,7%\n01.01.2026 00:07;1.500;8,9%\n"))
                .contains("{name: Aufrufe, type: int}   # a guess: is 2 times the mark one between thousands?");
        assertThat(yaml(file.replace(",", ".")))
                .contains("{name: Pieces, type: double}   # a guess: is the point of 2");
        // Four digits without a mark, or a zero before it: these are decimals, and nothing is to be said.
        for (String other : List.of("5160", "0.516", "5.16")) {
            assertThat(yaml("at;n\n07.10.2025;17.487\n08.10.2025;" + other + "\n"))
                    .contains("{name: n, type: double}\n");
        }
        // All have it: decimals, unless semicolons and the days are those of a country with decimal commas.
        String all = "at;n;note\n07.10.2025;17.487;Sensor 1,2\n08.10.2025;18.125;\n";
        for (String one : List.of(all, all.replaceAll(";[^;]*\n", "\n"))) {
            assertThat(yaml(one))
                    .contains(
                            "# To decide: whether points are decimal marks or stand between thousands cannot be told (n:"
                                    + " 17.487 (line 2), 18.125 (line 3)): days with points and the delimiter ; speak for"
                                    + " thousands, decimals as such for the point. Say by --decimal . or --thousands . which they are.")
                    .contains("{name: n, type: double}\n");
            assertThat(yaml(one.replace(';', '\t'))).contains("{name: n, type: double}\n");
            assertThat(yaml(one.replaceAll("(..)\\.(..)\\.(2025)", "$3-$2-$1"))).contains("{name: n, type: double}\n");
        }
        // Another column has points that are decimal marks.
        assertThat(yaml("at;n;m\n07.10.2025;17.487;0.5\n08.10.2025;18.125;1\n")).contains("{name: n, type: double}\n");
        assertThat(yaml("at;lon;lat\n07.10.2025;17.487;48.125\n08.10.2025;18.125;48.126\n"))
                .contains("{name: lon, type: double}\n");
        FileFacts facts = new FileFacts();
        for (char decimal : new char[] {'.', ','}) {
            facts.decimal = decimal;
            facts.thousands = decimal == '.' ? null : Character.valueOf('.');
            ForeignFilesTest.Taken taken = ForeignFilesTest.taken(all.getBytes(UTF_8), RecordFormat.CSV, facts);
            assertThat(taken.yaml()).doesNotContain("To decide");
            assertThat(taken.column("n")).startsWith(decimal == '.' ? (Object) 17.487 : (Object) 17487);
        }
        assertThat(yaml("at,n\n2025-10-07,17.487\n2025-10-08,516\n"))
                .contains("{name: n, type: double}   # a guess: is the point of 1 one between thousands? Then append"
                        + " with --thousands . --decimal ,");
    }

    /** A number of JSON is what it is, and options of CSV are refused for it. */
    @Test
    void pointsOfJsonAreNoMarksBetweenThousands() throws Exception {
        assertThat(ofRecords(
                        "{\"at\":\"2025-10-07\",\"t\":17.487}\n{\"at\":\"2025-10-08\",\"t\":516}\n", KafkaColumns.NONE))
                .contains("{name: t, type: double")
                .doesNotContain("thousands");
    }

    /** What banks and loggers write before and below the names. */
    @Test
    void linesThatAreNoRowsAreNamed() throws Exception {
        StringBuilder rows = new StringBuilder("Tag;Wert;Text\n");
        for (int row = 0; row < 40; row++) {
            rows.append("07.10.2025;").append(row).append(",5;a, b\n");
        }
        String unnamed = rows.substring(rows.indexOf("\n") + 1);
        assertThatThrownBy(() -> yaml("Umsätze\n" + unnamed))
                .hasMessage("f.csv: line 2 is the first with the 3 values that most lines have, and names no columns."
                        + " Leave out what stands before it, and name them: --skip-lines 1 --columns NAME,NAME,...");
        assertThatThrownBy(() -> proposed("Umsätze\n" + unnamed, "day", "v", "-"))
                .hasMessageEndingWith("Leave out what stands before it: --skip-lines 1 --columns day,v,-");
        StringBuilder units = new StringBuilder("time\ttemp\ns\tdegC\n");
        for (int row = 0; row < 40; row++) {
            units.append(1_700_000_000 + row).append("\t").append(row).append(".5\n");
        }
        assertThat(yaml(units.toString()))
                .contains(
                        "# line 2 seems to be units (s, degC) and no row: it will be rejected.",
                        "{name: temp, type: double}");
    }

    /** A delimiter behind each row, or R's row numbers: the names are not what is to be left out. */
    @Test
    void rowsWithOneValueMoreThanNamesKeepTheNames() {
        assertThatThrownBy(() -> yaml("at,b,c\n" + "2025-10-07,2,3,\n".repeat(5)))
                .hasMessage("f.csv: each row has one value more than line 1 has names. Name all columns, in the place"
                        + " of line 1: --skip-lines 1 --columns at,b,c,-");
        assertThatThrownBy(() -> yaml("\"at\",\"b c\",\"d\"\n" + "\"1\",2025-10-07,2,3\n".repeat(5)))
                .hasMessageContaining(" one value more than line 1 has names")
                .hasMessageEndingWith("--skip-lines 1 --columns row,at,b_c,d");
    }

    /**
     * What nearly all rows lack, or have the same value in, divides nothing; no bit is for nulls where there are none.
     */
    @Test
    void dimensionsAreFieldsThatDivideTheRows() throws Exception {
        StringBuilder csv = new StringBuilder("at,host,answer,flag,same,share,size\n");
        for (int row = 0; row < 1000; row++) {
            csv.append("2021-10-07T12:00:00.").append("%03d".formatted(row));
            csv.append("Z,h").append(row % 4).append(',').append(row % 8 + 200);
            csv.append(row % 500 == 0 ? ",G" + row % 3 : ",").append(row % 100 == 0 ? ",b" : ",a");
            csv.append(row % 10 == 0 ? "," : ",s" + row % 3)
                    .append(',')
                    .append(row * row)
                    .append('\n');
        }
        assertThat(yaml(csv.toString()))
                .contains("# key: {dimensions: [{field: host, bits: 2}, {field: answer, bits: 3}, {field: share, bits:"
                        + " 2}, size]}");
    }

    /** A field of as many values as its bits number, and numbers most of which are one, would crowd at once. */
    @Test
    void whatWouldCrowdIsNoDimension() throws Exception {
        StringBuilder csv = new StringBuilder("at,host,eight,seven,pair,rain,size\n");
        for (int row = 0; row < 2000; row++) {
            csv.append(1_633_608_000_000L + row).append(",h").append(row % 3);
            csv.append(",e").append(row % 10 < 8 ? 0 : row / 10 % 8);
            csv.append(",s").append(row % 10 < 8 ? 0 : row / 10 % 7);
            csv.append(",p").append(row % 25 < 2 ? 1 : 0);
            csv.append(',').append(row % 10 < 9 ? 0 : row);
            csv.append(',').append(row % 10 < 5 ? 0 : row).append('\n');
        }
        assertThat(yaml(csv.toString()))
                .contains("# key: {dimensions: [{field: host, bits: 2}, {field: seven, bits: 3}, {field: pair, bits:"
                        + " 1}, size]}");
    }

    /** In quotes, nothing is a text, which is a value as others are. */
    @Test
    void emptyTextsAreValuesOfADimension() throws Exception {
        StringBuilder csv = new StringBuilder("at,host,kind,flag,spaces,mark,size\n");
        for (int row = 0; row < 1000; row++) {
            csv.append(1_633_608_000_000L + row).append(",h").append(row % 3);
            csv.append(row % 5 == 0 ? ",\"\"" : ",\"k" + row % 4 + "\"");
            csv.append(row % 500 == 0 ? ",\"f" + row / 500 + "\"" : ",\"\"");
            csv.append(row % 500 == 0 ? ",s" + row / 500 : ",   ");
            csv.append(row % 500 == 0 ? ",\"m" + row / 500 + "\"" : ",\"NA\"");
            csv.append(',').append(row * row).append('\n');
        }
        assertThat(yaml(csv.toString()))
                .contains("# key: {dimensions: [{field: host, bits: 2}, {field: kind, bits: 3}, size]}");
    }

    /** A field that may be null has a cell for it, though none of the rows that were looked at lacks it. */
    @Test
    void dimensionsHaveACellForNullsOfRowsBehind(@TempDir Path folder) throws Exception {
        StringBuilder csv = new StringBuilder("at,host,state,answer,unit\n");
        for (int row = 0; row < 100_100; row++) {
            csv.append(1_633_608_000_000L + row).append(",h").append(row % 3);
            csv.append(',')
                    .append(row < 100_000 ? "s" + row % 2 : "")
                    .append(',')
                    .append(row % 8 + 200);
            csv.append(row % 10 == 0 ? ",NA\n" : "," + row % 4 + " kg\n");
        }
        InputSource file = Proposals.source("f.csv", csv.toString().getBytes(UTF_8));
        SchemaProposal proposal = Proposals.of("f.csv", file, RecordFormat.CSV, List.of(), null);
        String unknown = proposal.yaml("f");
        // Each field but the key may be null in rows that were not looked at.
        assertThat(unknown)
                .contains("# key: {dimensions: [{field: host, bits: 2}, {field: state, bits: 2}, {field: answer, bits:"
                        + " 4}, {field: unit, bits: 3}]}");
        Schema schema = SchemaFile.read("f.yaml", unknown).schema();
        proposal.knows(ProposalCheck.of(
                List.of(file),
                proposal,
                schema,
                new AppendProgress(
                        new Terminal(InputStream.nullInputStream(), System.out, System.err, false), "", () -> 0, -1)));
        String known = proposal.yaml("f");
        assertThat(known)
                .contains("# key: {dimensions: [{field: host, bits: 2}, {field: state, bits: 2}, {field: answer, bits:"
                        + " 3}, {field: unit, bits: 3}]}");
        for (String yaml : List.of(unknown, known)) {
            Schema draft = SchemaFile.readDraft(Files.writeString(
                            folder.resolve("f.yaml"),
                            yaml.replaceAll("(?m)^key: .*", "").replaceAll("(?m)^# (key: \\{dim)", "$1")))
                    .schema();
            Schema learned = DimensionRows.complete(draft, "f.csv", file.open(), RecordFormat.CSV, List.of(), null);
            assertThat(learned.key().missing(learned.byName())).isNull();
        }
    }

    private static String yaml(String csv) throws IOException {
        return Proposals.of("f.csv", new ByteArrayInputStream(csv.getBytes(UTF_8)), List.of())
                .yaml("f");
    }

    @Test
    void wordsForNothingAreKnownOrNamed() throws Exception {
        for (String word : List.of("n/a", "#N/A", "#NV", "<NA>", "--", "NaT")) {
            assertThat(yaml("at,n\n2025-10-07," + word + "\n2025-10-08,516\n"))
                    .as(word)
                    .contains("{name: n, type: int, nullable: true}   # 1 are " + word + ", taken for nothing\n");
        }
        StringBuilder csv = new StringBuilder("at,n\n");
        for (int row = 0; row < 40; row++) {
            csv.append("2025-10-07,").append(row % 4 == 0 ? "leer" : row).append('\n');
        }
        assertThat(yaml(csv.toString())).contains("30 of 40 are numbers; others: leer (line 2)");
    }

    /** The same value is one, however often it comes: only where others do too are they not all that there are. */
    @Test
    void outliersWithControlCharactersAreCountedOnce() {
        Outliers others = new Outliers();
        for (int row = 1; row <= 9; row++) {
            others.add("n/a", RowPlace.line(row));
            others.add("a\tb", RowPlace.line(row));
            others.add("", RowPlace.line(row));
        }
        assertThat(others.areAll()).isTrue();
        assertThat(others.text()).isEqualTo("n/a (line 1), a?b (line 1),  (line 1)");
        others.add("else", RowPlace.line(10));
        assertThat(others.areAll()).isFalse();
    }

    /** A day has fewer digits than a moment: of two that all rows have the moment is the time. */
    @Test
    void theTimeIsAMomentRatherThanADay() throws Exception {
        assertThat(yaml("day,began\n2025-10-07,2025-10-07T12:00:01Z\n2025-10-08,2025-10-08T12:00:01Z\n"))
                .contains("time: began\n");
        for (String days : List.of("07.10.25\n31.12.25", "07/10/25\n31/12/25", "10/07/25\n12/31/25")) {
            assertThat(proposed("at\n" + days + "\n").text().times()).as(days).endsWith("yy");
        }
    }

    /** What most rows lack is no key: they would be rejected. */
    @Test
    void aPlaceThatFewRowsHaveIsNotTheKey() throws Exception {
        StringBuilder csv = new StringBuilder("at,device,lon,lat\n");
        for (int row = 0; row < 100; row++) {
            csv.append("2025-10-07T12:00:01Z,d").append(row % 7).append(row % 10 == 0 ? ",2.5,48.5\n" : ",,\n");
        }
        assertThat(yaml(csv.toString())).contains("\nkey: {field: device}");
        assertThat(yaml(csv.toString().replace(",,\n", ",2.25,48.25\n"))).contains("\nkey: {longitude: lon");
        // Where nothing else can be the key, the time is.
        assertThat(yaml(csv.toString().replaceAll(",d(evice|[0-9])", "")))
                .contains("\nkey: {field: at}", "# No key of lon and lat: 90 rows lack them, and would be rejected.\n");
    }

    @Test
    void aFileOfNamesAloneHasNoRows() {
        assertThatThrownBy(() -> proposed("at,x\n")).hasMessageContaining("f.csv has no row behind its line of names");
    }

    /** A row without a time is rejected: of two times the one that all rows have is it, whatever stands first. */
    @Test
    void theTimeIsOneThatAllRowsHave() throws Exception {
        for (String names : List.of("deleted_time,event_time,n", "event_time,deleted_time,n")) {
            boolean gapFirst = names.startsWith("deleted");
            StringBuilder csv = new StringBuilder(names).append('\n');
            StringBuilder json = new StringBuilder();
            for (int row = 0; row < 40; row++) {
                String event = "2021-10-07T12:00:" + (10 + row) + "Z";
                String deleted = row % 2 == 0 ? "" : event;
                csv.append(gapFirst ? deleted + "," + event : event + "," + deleted)
                        .append(',')
                        .append(1_000_000_000 + row)
                        .append('\n');
                String gap = row % 2 == 0 ? "null" : "\"" + event + "\"";
                json.append(
                        gapFirst
                                ? "{\"deleted_time\": " + gap + ", \"event_time\": \"" + event + "\", \"n\": 1}\n"
                                : "{\"event_time\": \"" + event + "\", \"deleted_time\": " + gap + ", \"n\": 1}\n");
            }
            assertThat(Proposals.of(
                                    "f.csv",
                                    new ByteArrayInputStream(csv.toString().getBytes(UTF_8)),
                                    List.of())
                            .yaml("f"))
                    .contains("time: event_time\n")
                    .contains("{name: deleted_time, type: timestamp, nullable: true}");
            List<Instant> times = Collections.nCopies(40, Instant.ofEpochMilli(1_633_608_000_000L));
            assertThat(ofRecords(json.toString(), KafkaColumns.of(40, List.of(), times)))
                    .contains("time: event_time\n")
                    .doesNotContain("not all records have");
        }
        // Numbers that only might be times take nothing from a column of times.
        String csv = "when,uid\n2021-10-07,1000000001\n,1000000002\n2021-10-08,1000000003\n";
        assertThat(Proposals.of("f.csv", new ByteArrayInputStream(csv.getBytes(UTF_8)), List.of())
                        .yaml("f"))
                .contains("time: when\n");
        // Those of milliseconds are hardly others by chance, nor are those that are called so.
        assertThat(yaml("created,due,v\n1617633495949,2021-03-31,1\n1617767847219,,2\n"))
                .contains("time: created\n", "{name: due, type: timestamp, nullable: true}");
        assertThat(yaml("due,timestamp\n2021-03-31,1617633495\n,1617767847\n")).contains("time: timestamp\n");
        assertThat(yaml("due,timestamp\n2021-03-31,1617633495\n2021-04-01,1617767847\n"))
                .contains("time: due\n");
    }
}
