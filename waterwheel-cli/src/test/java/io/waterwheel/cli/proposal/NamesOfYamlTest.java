package io.waterwheel.cli.proposal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.input.InputSource;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of columns and members that YAML takes for something else than text. */
class NamesOfYamlTest {
    @ParameterizedTest
    @ValueSource(strings = {"null", "NULL", "Null", "true", "TRUE", "false", "yes", "No", "on", "OFF", "y", "_", "_1"})
    void areNamesInAProposal(String name) throws Exception {
        String json = "{\"time\": \"2024-01-01T00:00:0%d.5Z\", \"id\": \"a%1$d\", \"x\": 1.5}\n";
        String rows = json.formatted(1) + json.formatted(2) + json.formatted(3);
        for (String instead : List.of("time", "id", "x")) {
            Schema schema = proposed(RecordFormat.JSON, rows.replace("\"" + instead, "\"" + name));
            assertThat(schema.fields()).extracting(Field::name).contains(name);
            assertThat(schema.timeField()).isEqualTo(instead.equals("time") ? name : "time");
            assertThat(schema.key()).isEqualTo(new KeySpec.Ordered(instead.equals("id") ? name : "id"));
        }
        if (!name.matches("(?i)true|false")) {
            // In a first line these are values.
            String csv = "time,id,%s\n2024-01-01T00:00:00Z,a,1\n2024-01-01T00:00:01Z,b,2\n";
            Schema schema = proposed(RecordFormat.CSV, csv.formatted(name));
            assertThat(schema.fields()).extracting(Field::name).contains(name);
        }
    }

    private static Schema proposed(RecordFormat format, String file) throws Exception {
        InputSource source = Proposals.source("file", file.getBytes(UTF_8));
        SchemaProposal proposal = Proposals.of("file", source, format, List.of(), null);
        return SchemaFile.read("proposal", proposal.yaml("null")).schema();
    }
}
