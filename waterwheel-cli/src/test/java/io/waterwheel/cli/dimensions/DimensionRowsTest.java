package io.waterwheel.cli.dimensions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DimensionRowsTest {
    private static final String DRAFT = """
            name: d
            format: json
            fields:
              - {name: at, type: timestamp}
              - {name: x, type: int, from: %s}
              - {name: k, type: string}
            key: {dimensions: [x, {field: k, bits: 2}]}
            time: at
            """;

    /** The same rows tell the same cells, as CSV, as JSON and in UTF-16. */
    @Test
    void everyFormOfTheRowsTellsTheSame(@TempDir Path folder) throws Exception {
        StringBuilder csv = new StringBuilder("at,x,k\n");
        StringBuilder json = new StringBuilder();
        for (int i = 0; i < 2000; i++) {
            int x = i * 7919 % 1000;
            csv.append(i).append(',').append(x).append(",k").append(i % 4).append('\n');
            json.append("{\"k\": \"k")
                    .append(i % 4)
                    .append("\", \"p\": {\"x\": ")
                    .append(x)
                    .append("}, \"at\": ");
            json.append(i).append("}\n");
        }
        Schema flat = draft(folder, "x");
        Schema nested = draft(folder, "$.p.x");
        Schema ofCsv = DimensionRows.complete(flat, "f.csv", in(csv, false), RecordFormat.CSV, List.of(), null);
        Schema ofWide = DimensionRows.complete(
                flat, "f.csv", in(csv, true), RecordFormat.CSV, List.of(), FileEncoding.UTF_16LE);
        Schema ofJson = DimensionRows.complete(nested, "f.json", in(json, false), RecordFormat.JSON, List.of(), null);
        assertThat(ofCsv.key().missing(ofCsv.byName())).isNull();
        assertThat(ofWide.key()).isEqualTo(ofCsv.key());
        assertThat(ofJson.key()).isEqualTo(ofCsv.key());
    }

    private static Schema draft(Path folder, String from) throws Exception {
        return SchemaFile.readDraft(Files.writeString(folder.resolve("d.yaml"), DRAFT.formatted(from)))
                .schema();
    }

    private static ByteArrayInputStream in(StringBuilder text, boolean wide) {
        return new ByteArrayInputStream(text.toString().getBytes(wide ? StandardCharsets.UTF_16LE : UTF_8));
    }
}
