package io.waterwheel.decode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.text.TextEncoding;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records that are written in other ways than RFC 4180 and plain JSON: each is taken as it is meant, or refused. */
class RecordTextTest {
    private static final String FIELDS = """
            fields:
              - {name: at, type: timestamp}
              - {name: n, type: long, nullable: true}
              - {name: x, type: double, nullable: true}
              - {name: s, type: string, nullable: true}
            key: {field: at}
            time: at
            """;

    private static Schema schema(String format, String records) {
        StreamDefinition written = SchemaFile.read(
                "s.yaml",
                "name: s\nformat: " + format + "\n" + FIELDS + (records.isEmpty() ? "" : "records: " + records));
        StreamDefinition stored = SchemaJson.readStream(SchemaJson.writeStream(written));
        assertThat(stored).isEqualTo(written);
        return stored.schema();
    }

    private static List<@Nullable Object> read(RecordFormat format, Schema schema, String record) throws Exception {
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 1);
        RecordDecoder.of(format, schema).decode(ByteBuffer.wrap(record.getBytes(UTF_8)), block);
        List<@Nullable Object> values = new ArrayList<>();
        for (int f = 0; f < schema.fields().size(); f++) {
            Object value = block.value(f, 0);
            values.add(f == 0 && value instanceof Long millis ? Instant.ofEpochMilli(millis) : value);
        }
        return values;
    }

    private static void refused(RecordFormat format, Schema schema, String record, String why) {
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 1);
        assertThatThrownBy(
                        () -> RecordDecoder.of(format, schema).decode(ByteBuffer.wrap(record.getBytes(UTF_8)), block))
                .isInstanceOf(RejectedRecordException.class)
                .hasMessageContaining(why);
        assertThat(block.size()).isZero();
    }

    @Test
    void aSpreadsheetOfEurope() throws Exception {
        Schema schema = schema(
                "csv",
                "{delimiter: ';', decimal: ',', thousands: '.', nulls: [NA, n/a], zone: Europe/Berlin,"
                        + " times: 'dd.MM.yyyy HH:mm'}");
        Instant noon = Instant.parse("2021-10-07T10:00:00Z");
        assertThat(read(RecordFormat.CSV, schema, "07.10.2021 12:00;1.234.567;-1.234,5;a,b"))
                .containsExactly(noon, 1_234_567L, -1234.5, "a,b");
        assertThat(read(RecordFormat.CSV, schema, "07.10.2021 12:00;NA;n/a;\"NA\""))
                .containsExactly(noon, null, null, "NA");
        assertThat(read(RecordFormat.CSV, schema, "2021-10-07T10:00:00Z;1234567;1234,5e1;\"a;b\""))
                .containsExactly(noon, 1_234_567L, 12345.0, "a;b");
        assertThat(read(RecordFormat.CSV, schema, "2021-10-07T12:00;;;")).containsExactly(noon, null, null, null);
        assertThat(read(RecordFormat.CSV, schema, "2021-10-07;;;"))
                .containsExactly(Instant.parse("2021-10-06T22:00:00Z"), null, null, null);
        assertThat(read(RecordFormat.CSV, schema, "2021-10-07T12:00;1;1;\"a\"\"b\""))
                .containsExactly(noon, 1L, 1.0, "a\"b");
        for (String count : List.of("1633600800000", "07.10", "44476", "-5")) {
            refused(RecordFormat.CSV, schema, count + ";;;", "at: expected a time such as dd.MM.yyyy HH:mm or an ISO");
        }
        for (String number : List.of("1.23", "12.3456", "1.234.56", ".123", "1234.567", "0.500", "-0.500")) {
            refused(RecordFormat.CSV, schema, "2021-10-07;" + number + ";;", "n: expected a number whose marks");
        }
        refused(RecordFormat.CSV, schema, "2021-10-07;;1.5;", "x: expected a number whose marks");
        refused(RecordFormat.CSV, schema, "2021-10-07,1,2,a", "at: expected a time such as");
        refused(RecordFormat.CSV, schema, "NA;1;1;a", "line lacks at: 'NA' stands for null");
        refused(RecordFormat.CSV, schema, "2021-10-07;1;1;\"a\",", "expected the delimiter ';' after");
        refused(
                RecordFormat.CSV,
                schema,
                "28.03.2021 02:30;1;1;a",
                "at: expected a time that the clocks of Europe/Berlin show; they were put forward over it");
        assertThat(read(RecordFormat.CSV, schema, "31.10.2021 02:30;;;").get(0))
                .as("the first of two")
                .isEqualTo(Instant.parse("2021-10-31T00:30:00Z"));
        refused(RecordFormat.CSV, schema, "31.02.2021 02:30;1;1;a", "expected a time such as dd.MM.yyyy HH:mm");
    }

    /**
     * A zone by its name, read as java.time reads it, in ISO 8601 and by a pattern; one of several meanings is refused.
     */
    @Test
    void zonesByTheirNames() throws Exception {
        Schema iso = schema("csv", "");
        Schema unix = schema("csv", "{times: 'EEE MMM ppd HH:mm:ss XXX yyyy'}");
        String[][] times = {
            {"2024-01-02 03:04:05 CET", "Tue Jan  2 03:04:05 CET 2024", "2024-01-02T02:04:05Z"},
            {"2024-07-02T03:04:05CET", "Tue Jul  2 03:04:05 CET 2024", "2024-07-02T02:04:05Z"},
            {"2024-07-02 03:04:05 CEST", "Tue Jul  2 03:04:05 CEST 2024", "2024-07-02T01:04:05Z"},
            {"2024-07-02 03:04:05 EST", "Tue Jul  2 03:04:05 EST 2024", "2024-07-02T08:04:05Z"},
            {"2024-01-02 03:04:05 Europe/Berlin", "Tue Jan  2 03:04:05 Europe/Berlin 2024", "2024-01-02T02:04:05Z"},
            {"2024-07-02 03:04:05 Europe/Berlin", "Tue Jul  2 03:04:05 Europe/Berlin 2024", "2024-07-02T01:04:05Z"},
            {"2024-07-02 03:04:05 Asia/Kolkata", "Tue Jul  2 03:04:05 Asia/Kolkata 2024", "2024-07-01T21:34:05Z"},
        };
        for (String[] time : times) {
            for (int form = 0; form < 2; form++) {
                assertThat(read(RecordFormat.CSV, form == 0 ? iso : unix, time[form] + ",,,")
                                .get(0))
                        .as(time[form])
                        .isEqualTo(Instant.parse(time[2]));
            }
        }
        for (String odd : List.of("CST", "IST", "Europe/Berli")) {
            String why = "at: expected a zone that has one meaning";
            refused(RecordFormat.CSV, iso, "2024-01-02 03:04:05 " + odd + ",,,", why);
            refused(RecordFormat.CSV, unix, "Tue Jan  2 03:04:05 " + odd + " 2024,,,", why);
        }
        refused(
                RecordFormat.CSV,
                iso,
                "2024-03-31 02:30 Europe/Berlin,,,",
                "at: expected a time that the clocks of Europe/Berlin show; they were put forward over it");
        Schema chicago = schema("csv", "{zone: America/Chicago}");
        assertThat(read(RecordFormat.CSV, chicago, "2024-07-02 03:04:05 CST,,,").get(0))
                .isEqualTo(Instant.parse("2024-07-02T09:04:05Z"));
        assertThat(read(RecordFormat.CSV, chicago, "2024-11-03 01:30 CDT,,,").get(0))
                .isEqualTo(Instant.parse("2024-11-03T06:30:00Z"));
        refused(
                RecordFormat.CSV,
                chicago,
                "2024-01-02 03:04:05 PST,,,",
                "at: expected a zone that has one meaning in America/Chicago, such as -06:00");
        Schema quoted = schema("csv", "{times: \"yyyy-MM-dd HH:mm:ss 'CST'\", zone: America/Chicago}");
        assertThat(read(RecordFormat.CSV, quoted, "2024-01-02 03:04:05 CST,,,").get(0))
                .isEqualTo(Instant.parse("2024-01-02T09:04:05Z"));
    }

    /** The end of a day is when the next begins; no other time is of an hour 24. */
    @Test
    void theEndOfADay() throws Exception {
        Schema iso = schema("csv", "{zone: America/Sao_Paulo}");
        Schema pattern = schema("csv", "{zone: America/Sao_Paulo, times: d.M.yyyy H:mm}");
        assertThat(read(RecordFormat.CSV, iso, "2024-02-28T24:00:00.000Z,,,").get(0))
                .isEqualTo(Instant.parse("2024-02-29T00:00:00Z"));
        assertThat(read(RecordFormat.CSV, iso, "2023-12-31 24:00 Europe/Berlin,,,")
                        .get(0))
                .isEqualTo(Instant.parse("2023-12-31T23:00:00Z"));
        // Of the day behind it the first hour was never there.
        assertThat(read(RecordFormat.CSV, iso, "2018-11-03T24:00,,,").get(0))
                .isEqualTo(Instant.parse("2018-11-04T03:00:00Z"));
        assertThat(read(RecordFormat.CSV, pattern, "31.12.2023 24:00,,,").get(0))
                .isEqualTo(Instant.parse("2024-01-01T03:00:00Z"));
        for (String none : List.of("2024-02-28T24:01Z", "2024-02-28T24:00:00.1Z", "2024-02-28T25:00Z")) {
            refused(RecordFormat.CSV, iso, none + ",,,", "at: expected ");
        }
        refused(RecordFormat.CSV, pattern, "31.12.2023 24:01,,,", "at: expected a time such as");
    }

    /** Where all values are in quotes: what can be no number and no time is null, and texts are what they say. */
    @Test
    void wordsForNullInQuotes() throws Exception {
        Schema schema = schema("csv", "{nulls: ['NULL', '-999'], thousands: ’}");
        Instant noon = Instant.parse("2021-10-07T12:00:00Z");
        String at = "\"2021-10-07T12:00:00Z\",";
        assertThat(read(RecordFormat.CSV, schema, at + "\"NULL\",\"\",\"NULL\""))
                .containsExactly(noon, null, null, "NULL");
        assertThat(read(RecordFormat.CSV, schema, at + "\"-999\",-999,\"\"")).containsExactly(noon, -999L, null, "");
        assertThat(read(RecordFormat.CSV, schema, at + "1’234,\"-1'234’567.5\",1’234"))
                .containsExactly(noon, 1234L, -1_234_567.5, "1’234");
        refused(RecordFormat.CSV, schema, "\"NULL\",1,1,a", "line lacks at: 'NULL' stands for null");
        refused(RecordFormat.CSV, schema, at + "\"NA\",1,a", "n: expected a");
        refused(RecordFormat.CSV, schema, at + "12’34,1,a", "n: expected a number whose marks");
        refused(RecordFormat.CSV, schema("csv", ""), at + "\"NULL\",1,a", "n: expected a");
    }

    /** Spaces that an escape stands before are passed over as others are, and none leaves the escape behind alone. */
    @Test
    void spacesBehindEscapes() throws Exception {
        Schema plain = schema("csv", "");
        for (String escape : List.of("^", "\\")) {
            Schema trims = schema("csv", "{spaces: trim, escape: '" + escape + "'}");
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            for (int round = 0; round < 5_000; round++) {
                StringBuilder content = new StringBuilder();
                StringBuilder written = new StringBuilder();
                boolean quoted = random.nextInt(3) == 0;
                boolean escaped = false;
                for (int c = random.nextInt(5); c >= 0; c--) {
                    char one = "5 \t -\"".charAt(random.nextInt(6));
                    content.append(one);
                    // A backslash makes others of digits.
                    boolean escapes = one == '"' || (one != '5' && random.nextBoolean());
                    escaped |= escapes;
                    written.append(escapes ? escape : "").append(one);
                }
                String value = quoted ? "\"" + written + "\"" : written.toString();
                String stripped = content.toString().strip();
                String twin = quoted || escaped ? "\"" + stripped.replace("\"", "\"\"") + "\"" : stripped;
                assertThat(readOrRefused(trims, "2021-10-07," + value + ",1,a"))
                        .as("seed %s, '%s'", seed, value)
                        .isEqualTo(readOrRefused(plain, "2021-10-07," + twin + ",1,a"));
            }
        }
    }

    /** The values; of a record that is refused none. */
    private static List<@Nullable Object> readOrRefused(Schema schema, String record) throws Exception {
        try {
            return read(RecordFormat.CSV, schema, record);
        } catch (RejectedRecordException refused) {
            return List.of();
        }
    }

    @Test
    void otherQuotes() throws Exception {
        Schema single = schema("csv", "{quote: \"'\"}");
        assertThat(read(RecordFormat.CSV, single, "2021-10-07,1,'2.5','it''s, \"so\"'")
                        .subList(1, 4))
                .containsExactly(1L, 2.5, "it's, \"so\"");
        refused(RecordFormat.CSV, single, "2021-10-07,1,2,it's", "s: a quote inside a value without quotes");
        refused(RecordFormat.CSV, single, "2021-10-07,1,2,'x", "s: the closing quote is missing");
        Schema none = schema("csv", "{delimiter: tab, quote: none, nulls: [NA]}");
        assertThat(read(RecordFormat.CSV, none, "2021-10-07\t\tNA\t\"5\" disk, \rit's\"")
                        .subList(1, 4))
                .containsExactly(null, null, "\"5\" disk, \rit's\"");
        refused(RecordFormat.CSV, none, "2021-10-07\t1\t2\ta\nb", "s: a line end inside the record");
    }

    /** As MySQL and PostgreSQL write it; other escapes stand before what stands for itself. */
    @Test
    void escapes() throws Exception {
        Schema text = schema("csv", "{delimiter: tab, quote: none, escape: '\\', nulls: ['\\N']}");
        assertThat(read(RecordFormat.CSV, text, "2021-10-07\t\\N\t\\1.5\ta\\tb\\nc\\\\N\\\td\\\ne\"")
                        .subList(1, 4))
                .containsExactly(null, 1.5, "a\tb\nc\\N\td\ne\"");
        assertThat(read(RecordFormat.CSV, text, "2021-10-07\t1\t2\t\\\\N").get(3))
                .isEqualTo("\\N");
        refused(RecordFormat.CSV, text, "2021-10-07\t1\t2\ta\\", "s: the line ends behind the escape");
        Schema quoted = schema("csv", "{escape: '\\'}");
        assertThat(read(RecordFormat.CSV, quoted, "2021-10-07,1,2,\"a \\\"b\\\", \"\"c\"\"\\\\\"")
                        .get(3))
                .isEqualTo("a \"b\", \"c\"\\");
        assertThat(read(RecordFormat.CSV, quoted, "2021-10-07,1,2,a\\,b").get(3))
                .isEqualTo("a,b");
        refused(RecordFormat.CSV, quoted, "2021-10-07,1,2,\"a\\\"", "s: the closing quote is missing");
        Schema caret = schema("csv", "{escape: '^'}");
        assertThat(read(RecordFormat.CSV, caret, "2021-10-07,1,2,^n^^^,\\n").get(3))
                .isEqualTo("n^,\\n");
        // Bytes of other characters are no signs.
        assertThat(read(RecordFormat.CSV, text, "2021-10-07\t1\t2\t\u00ff\\\u00fc")
                        .get(3))
                .isEqualTo("\u00ff\u00fc");
    }

    @Test
    void timesOfDigitsAreNoNumbers() throws Exception {
        Schema schema = schema("csv", "{times: yyyyMMddHHmmss, zone: UTC}");
        assertThat(read(RecordFormat.CSV, schema, "20211007120001,,,").get(0))
                .isEqualTo(Instant.parse("2021-10-07T12:00:01Z"));
        for (String count : List.of("1633608001000", "20211007120001.5", "2021100712000", "-5")) {
            refused(RecordFormat.CSV, schema, count + ",,,", "at: expected a time such as yyyyMMddHHmmss");
        }
        assertThat(read(RecordFormat.JSON, schema, "{\"at\":20211007120001}").get(0))
                .isEqualTo(Instant.parse("2021-10-07T12:00:01Z"));
        refused(RecordFormat.JSON, schema, "{\"at\":1633608001000}", "at: expected a time such as yyyyMMddHHmmss");
        assertThat(read(RecordFormat.CSV, schema, "2021-10-07T12:00:01Z,,,").get(0))
                .isEqualTo(Instant.parse("2021-10-07T12:00:01Z"));
    }

    @ParameterizedTest
    @CsvSource({"',',.", "';',','", "tab,.", "|,','", "' ',."})
    void numbersAreThoseOfThePlainForm(String delimiter, String decimal) throws Exception {
        Schema plain = schema("csv", "");
        Schema marked = schema("csv", "{delimiter: '" + delimiter + "', decimal: '" + decimal + "', thousands: '_'}");
        String divider = delimiter.equals("tab") ? "\t" : delimiter;
        Random random = new Random(3);
        for (int i = 0; i < 500; i++) {
            String whole = Long.toString(random.nextLong() >> random.nextInt(64));
            double number = Double.longBitsToDouble(random.nextLong());
            String x = Double.isFinite(number) ? Double.toString(number) : "NaN";
            String grouped = whole.replaceAll("(?<=\\d)(?=(\\d{3})+$)", "_");
            assertThat(read(
                            RecordFormat.CSV,
                            marked,
                            String.join(divider, "1", grouped, x.replace(".", decimal), "text")))
                    .isEqualTo(read(RecordFormat.CSV, plain, String.join(",", "1", whole, x, "text")));
        }
    }

    @Test
    void jsonAsItComes() throws Exception {
        StreamDefinition written = SchemaFile.read("s.yaml", """
                name: s
                format: json
                fields:
                  - {name: at, type: timestamp, from: $.when.ms}
                  - {name: n, type: long, nullable: true, from: "$.values[1]"}
                  - {name: x, type: double, nullable: true, from: "$['wind speed']"}
                  - {name: s, type: string, nullable: true}
                key: {field: at}
                time: at
                records: {numbers: text, decimal: ","}
                """);
        Schema schema = SchemaJson.readStream(SchemaJson.writeStream(written)).schema();
        assertThat(schema).isEqualTo(written.schema());
        assertThat(schema.text().json().unknown()).isEqualTo(RecordText.Unknown.SKIP);
        Instant first = Instant.ofEpochMilli(5);
        assertThat(read(
                        RecordFormat.JSON,
                        schema,
                        "{\"when\":{\"zone\":\"x\",\"ms\":5},\"values\":[{\"a\":[1,[2]]},7,8],"
                                + "\"wind speed\":\"1.5\",\"s\":\"a\",\"more\":{\"s\":[\"b\"]}}"))
                .containsExactly(first, 7L, 1.5, "a");
        assertThat(read(RecordFormat.JSON, schema, "{\"values\":[\"x\"],\"when\":{\"ms\":5}}"))
                .containsExactly(first, null, null, null);
        assertThat(read(RecordFormat.JSON, schema, "{\"values\":null,\"when\":{\"ms\":5},\"wind speed\":null}"))
                .containsExactly(first, null, null, null);
        refused(RecordFormat.JSON, schema, "{\"when\":5}", "'when': expected an object, got a whole number");
        refused(RecordFormat.JSON, schema, "{\"when\":{\"ms\":5},\"values\":{}}", "'values': expected an array");
        refused(RecordFormat.JSON, schema, "{\"when\":{}}", "object lacks at");
        refused(
                RecordFormat.JSON,
                schema,
                "{\"when\":{\"ms\":5},\"when\":{\"ms\":5}}",
                "at: the member is there twice");
        refused(RecordFormat.JSON, schema, "{\"when\":{\"ms\":5},\"values\":[0,\"1x\"]}", "n: expected a whole number");
        refused(
                RecordFormat.JSON,
                schema,
                "{\"more\":" + "[".repeat(100) + "]".repeat(100) + "}",
                "not a JSON object: ");
        refused(
                RecordFormat.JSON,
                schema("json", "{unknown: reject}"),
                "{\"at\":5,\"more\":1}",
                "unknown member 'more'");
        assertThat(read(RecordFormat.JSON, schema("json", ""), "{\"at\":5,\"more\":1}")
                        .get(0))
                .isEqualTo(first);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '~',
            value = {
                "{delimiter: x}#delimiter: expected one ASCII sign",
                "{delimiter: ';;'}#delimiter: expected one sign, got ';;'",
                "{decimal: ';'}#decimal: expected . or ,",
                "{decimal: ',', thousands: ','}#thousands: the decimal mark is ',', too",
                "{nulls: NA}#nulls: expected a list of words",
                "{nulls: [null]}#nulls: expected words, in quotes where YAML reads null",
                "{nulls: ['a,b']}#nulls: expected words of 1 to 64 bytes without delimiters",
                "{escape: '^', nulls: ['NA^']}#with no escape at their end, got 'NA^'",
                "{zone: Mars}#zone: expected a zone such as UTC, Europe/Berlin or +05:30, got 'Mars'",
                "{times: dd.MM.yyyy}#times: 'dd.MM.yyyy' has no zone (XXX): name the one that is meant",
                "{encoding: ebcdic}#encoding: expected utf-8, windows-1252 or latin-1, got 'ebcdic'",
                "{unknown: keep}#unknown: expected skip, reject or into FIELD, got 'keep'",
                "{quote: a}#quote: expected one ASCII sign",
                "{quote: '::'}#quote: expected one sign, got '::'",
                "{escape: ' '}#escape: expected one ASCII sign",
                "{escape: '\"'}#escape: the quote is '\"', too",
                "{quote: ','}#quote: ',' is the delimiter, too",
                "{escape: ';', delimiter: ';'}#escape: ';' is the delimiter, too",
                "{quote: _, thousands: _}#quote: '_' is the thousands mark, too",
                "{quote: '|', nulls: ['a|']}#nulls: expected words",
                "{quotes: x}#unknown member 'quotes' of records"
            })
    void saysWhatIsWrong(String records, String why) {
        assertThatThrownBy(() -> schema("csv", records))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "$.a#$.a#each needs a place of its own",
                "$.a#$.a.b#each needs a place of its own",
                "$.a[0]#$.a.b#each needs a place of its own",
                "s#x#each needs a place of its own",
                "$#x#expected a path such as $.position.lat",
                "$.a[01]#x#expected a path such as $.position.lat",
                "$..a#x#expected a path such as $.position.lat",
                "$[0]#x#expected a path such as $.position.lat"
            })
    void placesThatCannotBe(String one, String other, String why) {
        String yaml =
                "name: s\nformat: json\nfields:\n  - {name: at, type: timestamp}\n  - {name: n, type: long, from: \""
                        + one + "\"}\n  - {name: x, type: long, from: \"" + other
                        + "\"}\n  - {name: s, type: string}\nkey: {field: at}\ntime: at\n";
        assertThatThrownBy(() -> SchemaFile.read("s.yaml", yaml))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining(why);
    }

    /** Beside the JDK's own encoders; every byte, alone and in longer texts. */
    @Test
    void recordsInOtherEncodings() throws Exception {
        Charset windows = Charset.forName("windows-1252");
        Schema csv = schema("csv", "{encoding: windows-1252}");
        Schema json = schema("json", "{encoding: latin-1}");
        Random random = new Random(Long.getLong("seed", 1));
        for (int round = 0; round < 300; round++) {
            StringBuilder text = new StringBuilder();
            for (int c = random.nextInt(20); c >= 0; c--) {
                text.append("ab\u00e9\u00fc\u00df\u00a7z".charAt(random.nextInt(7)));
            }
            TupleBlock block = new TupleBlock(RowLayout.of(csv), 1);
            String written = text + "\u20ac";
            RecordDecoder.of(RecordFormat.CSV, csv)
                    .decode(
                            ByteBuffer.wrap(("1,2,3," + written).getBytes(windows))
                                    .asReadOnlyBuffer(),
                            block);
            RecordDecoder.of(RecordFormat.JSON, json)
                    .decode(
                            ByteBuffer.wrap(
                                    ("{\"at\": 1, \"s\": \"" + text + "\"}").getBytes(StandardCharsets.ISO_8859_1)),
                            block);
            assertThat(block.value(3, 0)).isEqualTo(written);
            assertThat(block.value(3, 1)).isEqualTo(text.toString());
        }
        byte[] none = "1,2,3,a?".getBytes(UTF_8);
        none[7] = (byte) 0x81;
        assertThatThrownBy(() -> RecordDecoder.of(RecordFormat.CSV, csv)
                        .decode(ByteBuffer.wrap(none), new TupleBlock(RowLayout.of(csv), 1)))
                .isInstanceOf(RejectedRecordException.class)
                .hasMessage("byte 7, 0x81, is no character of windows-1252");
        for (TextEncoding encoding : TextEncoding.values()) {
            assertThat(TextEncoding.parse(encoding.label())).isEqualTo(encoding);
            assertThat(encoding.ofUtf8("a\u00e9".getBytes(UTF_8)))
                    .isEqualTo(
                            "a\u00e9".getBytes(Charset.forName(encoding.label().replace("latin-1", "iso-8859-1"))));
        }
        assertThat(TextEncoding.LATIN_1.ofUtf8("\u20ac".getBytes(UTF_8))).isNull();
        assertThatThrownBy(() -> schema("block", "{encoding: latin-1}"))
                .hasMessageContaining("encoding: goes with records that are text");
    }
}
