package io.waterwheel.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.RandomRows;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SchemaFileTest {
    @Test
    void readsTheShippedSchema() {
        StreamDefinition flights = SchemaFile.read(Path.of("..", "conf", "schemas", "flights.yaml"));
        assertThat(flights.name()).isEqualTo("flights");
        assertThat(flights.format()).isEqualTo(RecordFormat.CSV);
        assertThat(flights.partitions()).isEqualTo(4);
        assertThat(flights.schema().fields()).hasSize(9);
        assertThat(flights.schema().key()).isEqualTo(new KeySpec.Position("longitude", "latitude", Box.WORLD));
        assertThat(SchemaJson.readStream(SchemaJson.writeStream(flights))).isEqualTo(flights);
    }

    @Test
    void jsonGivesBackEverySchema() {
        for (long seed = 1; seed <= 200; seed++) {
            Schema schema = RandomRows.schema(new Random(seed));
            String json = SchemaJson.write(schema);
            assertThat(SchemaJson.read(json)).as("seed %s", seed).isEqualTo(schema);
            assertThat(SchemaJson.write(SchemaJson.read(json))).isEqualTo(json);
        }
    }

    @Test
    void namesAllErrorsWithTheirLines() {
        String yaml = """
                name: "-x"
                format: cvs
                partitions: many
                colour: red
                fields:
                  - {name: t, type: timestamp}
                  - {name: 9lives, type: double}
                  - {name: v, type: real}
                  - {name: u, type: timestamp, unit: h}
                  - {name: w, type: string, unit: s, nullable: maybe}
                  - {name: t, type: long}
                key: {longitude: x}
                """;
        assertThatThrownBy(() -> SchemaFile.read("a.yaml", yaml))
                .isInstanceOfSatisfying(WaterwheelException.class, e -> {
                    assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.USER);
                    assertThat(e.code()).isEqualTo("SCHEMA_INVALID");
                })
                .hasMessage("""
                        a.yaml: line 4: unknown member 'colour' of the stream: expected [balancing, dead-letters, fields, format, indexed-records, key, log-loss, name, partitions, records, retention, time, topic]
                        a.yaml: line 2: format: expected one of [avro, block, csv, json, protobuf], got 'cvs'
                        a.yaml: line 3: partitions: expected a whole number, got 'many'
                        a.yaml: line 7: field name '9lives': expected letters, digits and underscores, not starting with a digit, at most 64
                        a.yaml: line 8: field v: type: expected one of [boolean, bytes, decimal(18, 2), double, float, int, ipv4, ipv6, long, string, timestamp, timestamp_ns, timestamp_us, uuid], got 'real'
                        a.yaml: line 9: field u: unit: expected s, ms, us or ns, got 'h'
                        a.yaml: line 10: nullable: expected true or false, got 'maybe'
                        a.yaml: line 10: field w: only a number or a timestamp has a unit
                        a.yaml: line 11: field t is declared twice
                        a.yaml: line 12: latitude of the key is missing
                        a.yaml: line 1: time of the schema is missing
                        a.yaml: line 1: stream name '-x': expected letters, digits, dots, underscores and hyphens, at most 100, first a letter or digit""");
    }

    @Test
    void namesAllFieldsThatAreUnfitForTheirRoles() {
        String fields = """
                name: x
                format: csv
                fields:
                  - {name: t, type: timestamp_us, unit: s, nullable: true}
                  - {name: lon, type: float}
                  - {name: bad, type: nothing}
                time: t
                """;
        assertThatThrownBy(() -> SchemaFile.read(
                        "a", fields + "key: {longitude: lon, latitude: lat, box: [0, 0, 0, 1]}\npartitions: 0"))
                .hasMessage("""
                        a: line 6: field bad: type: expected one of [boolean, bytes, decimal(18, 2), double, float, int, ipv4, ipv6, long, string, timestamp, timestamp_ns, timestamp_us, uuid], got 'nothing'
                        a: line 7: the time field 't' must not be nullable
                        a: line 8: the longitude field 'lon' must be of type double, it is of type float
                        a: line 8: the latitude field 'lat' is not declared
                        a: line 8: the key's box must have an area and not go over the antimeridian
                        a: line 1: partitions: expected 1 to 1000000, got 0""");
        assertThatThrownBy(() -> SchemaFile.read("a", fields + "key: {field: bad}"))
                .as("what is wrong with it has been said")
                .hasMessage("""
                        a: line 6: field bad: type: expected one of [boolean, bytes, decimal(18, 2), double, float, int, ipv4, ipv6, long, string, timestamp, timestamp_ns, timestamp_us, uuid], got 'nothing'
                        a: line 7: the time field 't' must not be nullable""");
    }

    @Test
    void refusesWhatIsNotADefinition() {
        assertThatThrownBy(() -> SchemaFile.read("a", "")).hasMessageContaining("the document is empty");
        assertThatThrownBy(() -> SchemaFile.read("a", "[1, 2]")).hasMessageContaining("expected an object");
        assertThatThrownBy(() -> SchemaFile.read("a", "name: x\nname: y"))
                .hasMessageContaining("line 2: 'name' is there twice");
        assertThatThrownBy(() -> SchemaFile.read("a", "a: [")).isInstanceOf(WaterwheelException.class);
        assertThatThrownBy(() -> SchemaJson.read("{\"fields\":[]} {}")).isInstanceOf(WaterwheelException.class);
    }
}
