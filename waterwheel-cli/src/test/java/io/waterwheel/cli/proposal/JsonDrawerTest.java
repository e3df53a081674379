package io.waterwheel.cli.proposal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** JSON lines as other programs write them: what is proposed takes each of them, with the values that were meant. */
class JsonDrawerTest {
    private static String yaml(String file) throws IOException {
        InputSource source = InputSource.named("-", new ByteArrayInputStream(file.getBytes(UTF_8)))
                .get(0);
        return Proposals.of("f.json", source, RecordFormat.JSON, List.of(), null)
                .yaml("f");
    }

    private static List<String> fields(String yaml) {
        return SchemaFile.read("f.yaml", yaml).schema().fields().stream()
                .map(field -> field.name() + " " + field.type().schemaName() + (field.nullable() ? "?" : ""))
                .toList();
    }

    private static List<List<@Nullable Object>> taken(String file) throws IOException {
        String yaml = yaml(file);
        Schema schema = SchemaFile.read("f.yaml", yaml).schema();
        LineCheck check = new LineCheck(RecordFormat.JSON, schema);
        List<List<@Nullable Object>> taken = new ArrayList<>();
        for (String line : file.lines().toList()) {
            assertThat(check.refusal(line.getBytes(UTF_8)))
                    .as("%s\n%s", line, yaml)
                    .isNull();
            taken.add(Arrays.asList(check.values(0)));
        }
        Alternatives.takeEach(yaml, file, RecordFormat.JSON);
        return taken;
    }

    @Test
    void nestedObjectsBecomePaths() throws Exception {
        String file = """
                {"ts": 1633608000, "device": {"id": "a-7", "pos": {"lat": 48.5, "lon": 2}}, "ok": true, "t": [1.5, 2]}
                {"ts": 1633608001, "device": {"id": "a-8", "pos": {"lat": 48, "lon": 2.25}}, "ok": false, "t": [1, 2]}
                {"ts": 1633608002, "device": {"id": "a-7", "pos": {"lat": 47.5, "lon": 2.5}}, "t": [3, 4], "more": null}
                """;
        assertThat(fields(yaml(file)))
                .containsExactly(
                        "ts timestamp",
                        "device_id string",
                        "device_pos_lat double",
                        "device_pos_lon double",
                        "ok boolean?",
                        "t_0 double",
                        "t_1 int",
                        "more string?");
        assertThat(yaml(file))
                .contains(
                        "{name: device_pos_lat, type: double, from: '$.device.pos.lat'}",
                        "{name: t_0, type: double, from: '$.t[0]'}",
                        "{name: ok, type: boolean, nullable: true}   # 1 have none",
                        "key: {longitude: device_pos_lon, latitude: device_pos_lat,",
                        "format: json");
        assertThat(taken(file).get(1)).containsExactly(1633608001000L, "a-8", 48.0, 2.25, false, 1.0, 2, null);
    }

    @Test
    void numbersInStringsAndStringsAmongNumbers() throws Exception {
        String file = """
                {"E": 1633608000123, "price": "61.50", "id": 7, "zip": "01234", "n": "12", "big": 92233720368547758080}
                {"E": 1633608000124, "price": "61.25", "id": "8b", "zip": "99999", "n": "13", "big": 1}
                """;
        assertThat(yaml(file))
                .contains(
                        "numbers: text", "numbers in strings", "1 of 2 are strings", "numbers are taken for ms since");
        assertThat(taken(file).get(0))
                .containsExactly(1633608000123L, 61.5, "7", "01234", "12", "92233720368547758080");
        assertThat(taken("{\"at\": \"2021-10-07T12:00:00Z\", \"s\": \"x\"}\n").get(0))
                .containsExactly(1633608000000L, "x");
        assertThat(yaml("{\"at\": \"2021-10-07T12:00:00Z\", \"s\": \"x\"}\n")).doesNotContain("numbers:");
    }

    @Test
    void namesThatNoFieldMayHave() throws Exception {
        String file =
                "{\"@timestamp\": \"2021-10-07 12:00:00\", \"wind speed\": 3, \"$x\": \"a\", \"a.b\": {\"c d\": 1,"
                        + " \"e']f\": 2}, \"\": 4, \"A\": 1, \"a\": 2}\n";
        assertThat(fields(yaml(file)))
                .containsExactly(
                        "_timestamp timestamp", "wind_speed int", "_x string", "a_b_c_d int", "A int", "a_2 int");
        assertThat(yaml(file))
                .contains(
                        "from: '@timestamp'}",
                        "from: 'wind speed'}",
                        "from: '$[''$x'']'}",
                        "from: '$[''a.b''][''c d'']'}",
                        "# left out: $['a.b']['e']f'] has a name that no path can say",
                        "zone: UTC   # a guess");
        assertThat(taken(file).get(0)).containsExactly(1633608000000L, 3, "a", 1, 1, 2);
    }

    @Test
    void whatIsNoFieldIsLeftOutAndSaid() throws Exception {
        String file = """
                {"t": 1633608000, "k": "a", "tags": ["x", "y"], "who": {"id": 1}, "v": 1}
                {"t": 1633608001, "k": "b", "tags": [], "who": "nobody", "v": 2}
                """;
        assertThat(fields(yaml(file))).containsExactly("t timestamp", "k string", "v int");
        assertThat(yaml(file))
                .contains(
                        "# left out: $.tags is an array of 0 to 2 elements",
                        "# left out: $.who is an object or an array in some records, and not in others");
        assertThat(taken(file)).hasSize(2);
        assertThat(yaml("{\"at\": 1633608000, \"r\": []}\n{\"at\": 1633608000, \"r\": [{\"x\": 1}]}\n"))
                .contains("$.r is an array of 0 to 1 elements; with from: $.r[*].MEMBER each is a tuple");
        assertThat(yaml(file + "no JSON\n{\"t\": 1633608002\n"))
                .contains("# 2 lines are no JSON objects, first line 3: not a JSON object:");
        assertThatThrownBy(() -> yaml("a,b\n1,2\n"))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("f.json, line 1: not a JSON object")
                .hasMessageContaining("expected a file with one JSON object a line");
        assertThatThrownBy(() -> yaml("")).hasMessageContaining("f.json is empty");
        assertThatThrownBy(() -> yaml("{\"a\": 1}\n")).hasMessageContaining("no column can be the time");
    }

    /** Random objects of one shape: each member becomes a field of its kind, and every line is a tuple. */
    @Test
    void randomObjectsAreTaken() throws Exception {
        long seed = Long.getLong("seed", 1);
        for (int round = 0; round < 40; round++) {
            Random random = new Random(seed + round);
            List<String> shape = new ArrayList<>();
            for (int f = random.nextInt(8); f >= 0; f--) {
                shape.add(List.of("int", "text", "half", "flag", "ip", "quoted", "mixed", "gap")
                        .get(random.nextInt(8)));
            }
            StringBuilder file = new StringBuilder();
            for (int line = 0; line < 50; line++) {
                StringBuilder object = new StringBuilder("{\"at\": " + (1_633_608_000_000L + line * 997L));
                for (int f = 0; f < shape.size(); f++) {
                    String value =
                            switch (shape.get(f)) {
                                case "int" -> Integer.toString(random.nextInt());
                                case "text" -> "\"w" + random.nextInt(99) + "\\u00e9\"";
                                case "half" -> Double.toString(random.nextInt(1000) / 8.0 + 0.125);
                                case "flag" -> Boolean.toString(random.nextBoolean());
                                case "ip" -> "\"10.0.0." + random.nextInt(256) + "\"";
                                case "quoted" -> "\"" + (random.nextInt(1000) + 0.5) + "\"";
                                case "mixed" -> line % 2 == 0 ? "\"n" + line + "\"" : Integer.toString(line);
                                default -> line % 3 == 0 ? "null" : "\"g\"";
                            };
                    boolean nested = f % 3 == 2;
                    object.append(", \"f").append(f).append("\": ").append(nested ? "{\"x\": " + value + "}" : value);
                }
                file.append(object).append("}\n");
            }
            assertThat(taken(file.toString())).as("seed %s", seed + round).hasSize(50);
        }
    }
}
