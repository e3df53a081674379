package io.waterwheel.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys of dimensions as definitions write them. */
final class DimensionSchemaTest {
    private static final String FIELDS = """
            name: weather
            format: csv
            fields:
              - {name: date, type: timestamp}
              - {name: seen, type: timestamp}
              - {name: element, type: string}
              - {name: latitude, type: double}
              - {name: flag, type: boolean, nullable: true}
              - {name: value, type: int, nullable: true}
              - {name: host, type: ipv4}
            time: date
            """;

    @TempDir
    private Path folder;

    @Test
    void aKeyOfDimensionsIsReadAndWritten() {
        StreamDefinition weather = SchemaFile.read("a", FIELDS + """
                key:
                  dimensions:
                    - {field: element, bits: 3, bytes: 20, cuts: [SNOW, TMAX, TMIN]}
                    - {field: latitude, range: [24.5, 72]}
                    - flag
                    - {field: value, bits: 2, range: [-30, 60]}
                    - {field: host, bits: 4, range: [10.0.0.0, 10.255.255.255]}
                    - {field: seen, range: ['2016-01-01T00:00:00Z', 1483228800000]}
                """);
        KeySpec.Dimensions key = (KeySpec.Dimensions) weather.schema().key();
        assertThat(key.bits(weather.schema().byName())).containsExactly(3, 6, 2, 2, 4, 6);
        assertThat(key.order(weather.schema().byName()))
                .containsExactly(0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 4, 5, 1, 4, 5, 1, 5, 1, 5);
        assertThat(SchemaJson.readStream(SchemaJson.writeStream(weather))).isEqualTo(weather);
        List<Field> fields = weather.schema().fields();
        assertThat(new Cuts(fields.get(5)).of(key.dimensions().get(3), 2)).containsExactly(0L, 30L);
        assertThat(new Cuts(fields.get(4)).of(key.dimensions().get(2), 2)).containsExactly(1L);
        assertThat((byte[])
                        new Cuts(fields.get(2)).of(key.dimensions().get(0), 3).get(0))
                .isEqualTo(Arrays.copyOf(new byte[] {'S', 'N', 'O', 'W'}, 20));
    }

    @Test
    void sixteenBytesAreToldApartByAsMany() {
        List<String> cuts = List.of("::1", "::2");
        for (int bytes : new int[] {8, 16}) {
            Dimension dimension = new Dimension("a", 2, List.of(), cuts, bytes);
            Cuts of = new Cuts(new Field("a", FieldType.IPV6, false));
            if (bytes == 16) {
                assertThat(of.of(dimension, 2)).hasSize(2);
            } else {
                assertThatThrownBy(() -> of.of(dimension, 2))
                        .hasMessageEndingWith("'bytes: 16' tells them apart by more");
            }
        }
    }

    /** A day is the moment at which it begins, in UTC. */
    @Test
    void aDayIsATime() {
        Field seen = new Field("seen", FieldType.TIMESTAMP, false);
        assertThat(new Cuts(seen).of(new Dimension("seen", 0, List.of(), List.of("2016-01-01", "1483228800000")), 2))
                .containsExactly(1451606400000L, 1483228800000L);
        assertThat(new Cuts(seen).of(new Dimension("seen", 1, List.of("-5", "2016-01-01"), List.of()), 1))
                .hasSize(1);
        assertThatThrownBy(() -> new Cuts(seen).of(new Dimension("seen", 1, List.of("0", "2016-13-01"), List.of()), 1))
                .hasMessage("range: expected values of type timestamp, got '2016-13-01'");
    }

    @Test
    void aScheduleSaysTheOrderOfBits() {
        StreamDefinition weather = SchemaFile.read("a", FIELDS + """
                key:
                  dimensions: [{field: element, cuts: [SNOW]}, {field: latitude, range: [24, 72]}]
                  schedule: [element, latitude, latitude]
                """);
        KeySpec.Dimensions key = (KeySpec.Dimensions) weather.schema().key();
        assertThat(key.order(weather.schema().byName())).containsExactly(0, 1, 1);
        assertThat(SchemaJson.readStream(SchemaJson.writeStream(weather))).isEqualTo(weather);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "element | dimensions: expected a list of names, or of {field, bits, range or cuts}, got 'element'",
                "[] | the key: expected 2 to 8 dimensions, got 0",
                "[flag] | the key: expected 2 to 8 dimensions, got 1; a key of one is {field: NAME}",
                "[flag, longitude] | the dimension field 'longitude' is not declared",
                "[flag, flag] | dimension 'flag' is there twice",
                "[flag, date] | dimension 'date': the time is no dimension: it has its own axis",
                "[flag, {field: value, bits: 15, range: [0, 9]}] | bits: expected 1 to 14, got '15'",
                "[flag, {field: value, bits: 0, range: [0, 9]}] | bits: expected 1 to 14, got '0'",
                "[flag, {field: value, bits: 1, cuts: [5]}] | dimension 'value': 3 cells, with one for null, do not fit"
                        + " into 1 bit, expected at most 2",
                "[flag, {field: value, bits: 1}] | dimension 'value': 1 bit tells null from all values: expected 2 or more",
                "[{field: latitude, bits: 14, range: [0, 1]}, {field: host, bits: 2, range: [0.0.0.0, 9.0.0.0]}] | the"
                        + " key: expected at most 16384 cuts with those that divide ranges, got 16386; a range of B bits"
                        + " has 2^B - 1, and a text told apart by N bytes counts N / 8 times",
                "[flag, {field: element, bytes: 17, cuts: [same-prefix-a, same-prefix-b]}, {field: value, bytes: 9,"
                        + " range: [0, 9]}] | dimension 'value': bytes: only texts, and values as long, are told apart by"
                        + " their first bytes; leave it out",
                "[flag, {field: element, bytes: 65, cuts: [a]}] | bytes: expected 8 to 64, got '65'",
                "[flag, {field: element, bytes: 16, cuts: [same-prefix-long-a, same-prefix-long-b]}] | dimension"
                        + " 'element': cuts: expected values that differ in their first 16 bytes, by which cells are told"
                        + " apart, got 'same-prefix-long-b' after 'same-prefix-long-a'; 'bytes: 64' tells them apart by"
                        + " more",
                "[flag, {field: element, bits: 1, cuts: [a, b]}] | dimension 'element': 3 cells do not fit into 1 bit,"
                        + " expected at most 2",
                "[flag, {field: value, range: [9, 0]}] | dimension 'value': range: expected the lower value first, got 9"
                        + " to 0",
                "[flag, {field: value, range: [9, 9]}] | dimension 'value': range: expected the lower value first, got 9"
                        + " to 9",
                "[flag, {field: value, range: [9]}] | dimension 'value': range: expected [LO, HI], got [9]",
                "[flag, {field: value, range: 9}] | range: expected a list of values, got '9'",
                "[flag, {field: value, range: [0, 1.5]}] | dimension 'value': range: expected values of type int, got"
                        + " '1.5'",
                "[flag, {field: value, range: [0, 4000000000]}] | dimension 'value': range: expected values of type int,"
                        + " got '4000000000'",
                "[flag, {field: latitude, range: [0, NaN]}] | dimension 'latitude': range: expected finite values of"
                        + " type double, got 'NaN'",
                "[flag, {field: latitude, cuts: [1, Infinity]}] | dimension 'latitude': cuts: expected finite values of"
                        + " type double, got 'Infinity'",
                "[flag, {field: latitude, cuts: [0.0, -0.0]}] | dimension 'latitude': cuts: expected ascending values,"
                        + " got '-0.0' after '0.0'",
                "[flag, {field: element, cuts: [abcdefgh1, abcdefgh2]}] | dimension 'element': cuts: expected values"
                        + " that differ in their first 8 bytes, by which cells are told apart, got 'abcdefgh2' after"
                        + " 'abcdefgh1'; 'bytes: 64' tells them apart by more",
                "[flag, {field: element, range: [a, b]}] | dimension 'element': values of type string cannot be divided"
                        + " evenly: expected cuts, got a range",
                "[flag, {field: value, range: [0, 9], cuts: [5]}] | dimension 'value': expected range or cuts, got both",
                "[{field: flag, cuts: [true]}, {field: value, range: [0, 9]}] | dimension 'flag': a boolean has two"
                        + " cells by itself; leave out range and cuts",
                "[flag, value] | dimension 'value': expected range: [LO, HI] or cuts: [VALUE, ...]; 'stream create"
                        + " FILE.yaml --like FILE.csv' learns them from rows",
                "[flag, element] | dimension 'element': expected cuts: [VALUE, ...]; 'stream create FILE.yaml --like"
                        + " FILE.csv' learns them from rows",
                "[flag, {field: value, range: [0, 9]}], schedule: [flag, value, nothing] | schedule: expected names of"
                        + " dimensions, flag, value; got 'nothing'",
                "[flag, {field: value, range: [0, 9]}], schedule: [value] | schedule: dimension 'flag' is missing",
                "[{field: flag, bits: 3}, {field: value, range: [0, 9]}], schedule: [value, flag] | dimension 'flag':"
                        + " expected as many bits as the schedule names it, 1, got 3",
            })
    void whatIsWrongIsSaid(String dimensions, String what) {
        assertThatThrownBy(() -> SchemaFile.read("a", FIELDS + "key: {dimensions: " + dimensions + "}"))
                .isInstanceOf(WaterwheelException.class)
                .hasMessage("a: line 12: " + what);
    }

    /** Keys that are stored were made by these: they stay as they are for ever. */
    @Test
    void aRangeIsDividedEvenly() {
        Field value = new Field("value", FieldType.INT, false);
        Dimension whole = new Dimension("value", 3, List.of("-7", "100"), List.of());
        assertThat(new Cuts(value).of(whole, 3)).containsExactly(6L, 20L, 33L, 47L, 60L, 74L, 87L);
        Field latitude = new Field("latitude", FieldType.DOUBLE, true);
        Dimension degrees = new Dimension("latitude", 2, List.of("-90", "90"), List.of());
        assertThat(new Cuts(latitude).of(degrees, 2)).containsExactly(-30.000000000000007, 29.999999999999996);
    }

    @Test
    void bitsAndCutsAreBounded() {
        String dimensions = String.join(
                ", ",
                List.of("latitude", "value", "host", "seen", "element").stream()
                        .map(name -> "{field: " + name + ", bits: 14, "
                                + (name.equals("element")
                                        ? "cuts: [a, b]}"
                                        : "range: " + (name.equals("host") ? "[1.0.0.0, 9.0.0.0]}" : "[0, 99999]}")))
                        .toList());
        assertThatThrownBy(() -> SchemaFile.read("a", FIELDS + "key: {dimensions: [" + dimensions + "]}"))
                .hasMessage("a: line 12: the key: expected at most 63 bits in all dimensions, got 70");
        StringBuilder cuts = new StringBuilder("0");
        for (int cut = 1; cut <= 16381; cut++) {
            cuts.append(", ").append(cut);
        }
        KeySpec most = SchemaFile.read(
                        "a", FIELDS + "key: {dimensions: [flag, {field: latitude, cuts: [" + cuts + "]}]}")
                .schema()
                .key();
        assertThat(((KeySpec.Dimensions) most).dimensions().get(1).cuts()).hasSize(16382);
        assertThat(((KeySpec.Dimensions) most).hasLongOrManyCuts()).isTrue();
        assertThatThrownBy(() -> SchemaFile.read(
                        "a",
                        FIELDS + "key: {dimensions: [{field: value, cuts: [1, 2]}, {field: latitude, cuts: [" + cuts
                                + ", 16382]}]}"))
                .hasMessage("a: line 12: the key: expected at most 16384 cuts with those that divide ranges, got 16385;"
                        + " a range of B bits has 2^B - 1, and a text told apart by N bytes counts N / 8 times");
        String longer = IntStream.range(10_000, 12_100)
                .mapToObj(cut -> cut + "x".repeat(60))
                .collect(Collectors.joining(", "));
        assertThatThrownBy(() -> SchemaFile.read(
                        "a", FIELDS + "key: {dimensions: [flag, {field: element, bytes: 64, cuts: [" + longer + "]}]}"))
                .hasMessageStartingWith(
                        "a: line 12: the key: expected at most 16384 cuts with those that divide ranges,"
                                + " got 16800;");
        String far = IntStream.range(10_000, 12_000)
                .mapToObj(cut -> cut + "x".repeat(500))
                .collect(Collectors.joining(", "));
        assertThatThrownBy(() -> SchemaFile.read(
                        "a", FIELDS + "key: {dimensions: [flag, {field: element, cuts: [" + far + "]}]}"))
                .hasMessage("a: line 12: the key: expected cuts of at most 900000 characters as text, with those of all"
                        + " versions of the scales, got 1016000");
    }

    @Test
    void aDraftMayLeaveCellsOpen() throws Exception {
        Path file = Files.writeString(folder.resolve("a.yaml"), FIELDS + "key: {dimensions: [element, latitude]}\n");
        Schema draft = SchemaFile.readDraft(file).schema();
        assertThat(draft.key().missing(draft.byName())).startsWith("dimension 'element': expected cuts");
        assertThatThrownBy(() -> SchemaFile.read(file)).hasMessageStartingWith("a.yaml: line 12: dimension 'element'");
    }
}
