package io.waterwheel.cli.dimensions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.schema.Dimension;
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

    /** Half of the lines are longer than a kilobyte, and have other values. */
    @Test
    void longLinesTellAsMuch(@TempDir Path folder) throws Exception {
        StringBuilder csv = new StringBuilder("at,x,k,more\n");
        for (int i = 0; i < 2000; i++) {
            csv.append(i).append(',').append(i).append(",k").append(i % 2);
            csv.append(',').append("m".repeat(i % 2 * 2000)).append('\n');
        }
        Schema schema = DimensionRows.complete(
                draft(folder, "x"), "f.csv", in(csv, false), RecordFormat.CSV, List.of("at", "x", "k", "-"), null);
        assertThat(schema.key().dimensional().dimensions().get(1).cuts()).containsExactly("k1");
    }

    /** Where lines are long, fewer are kept; which ones is by chance, and the same each time. */
    @Test
    void theSampleTakesABoundedPartOfTheHeap() throws Exception {
        StringBuilder csv = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            csv.append(i).append(",").append("m".repeat(i % 7 * 100)).append('\n');
        }
        List<byte[]> sample = DimensionRows.sample(new InputLines(in(csv, false), true), null, 100_000);
        assertThat(sample.stream().mapToLong(line -> line.length).sum()).isBetween(50_000L, 100_000L);
        assertThat(sample).doesNotHaveDuplicates();
        double mean = sample.stream()
                .mapToInt(line -> {
                    String text = new String(line, UTF_8);
                    return Integer.parseInt(text.substring(0, text.indexOf(',')));
                })
                .average()
                .orElseThrow();
        assertThat(mean).isBetween(1200.0, 1800.0);
        assertThat(DimensionRows.sample(new InputLines(in(csv, false), true), null, 100_000))
                .containsExactlyElementsOf(sample);
        assertThat(DimensionRows.sample(new InputLines(in(csv, false), true), null, 10_000_000))
                .hasSize(3000);
    }

    /** A range is divided anew where the rows of a file crowd in it, as where those of the stream do. */
    @Test
    void aRangeInWhichTheRowsCrowdIsDividedAnew(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(
                folder.resolve("d.yaml"),
                DRAFT.formatted("x")
                        .replace("[x, {field: k, bits: 2}]", "[{field: x, range: [%s]}, {field: k, cuts: [k1, k2]}]"));
        StringBuilder csv = new StringBuilder("at,x,k\n");
        for (int i = 0; i < 2000; i++) {
            csv.append(i).append(',').append(i).append(",k1\n");
        }
        for (String range : List.of("0, 1000000", "0, 2500")) {
            Schema schema = SchemaFile.read(Files.writeString(
                            folder.resolve("e.yaml"), Files.readString(file).formatted(range)))
                    .schema();
            List<Dimension> learned =
                    RescalingPage.learned("s", schema, Path.of("f.csv"), in(csv, false), RecordFormat.CSV);
            assertThat(learned.get(0).range().isEmpty()).isEqualTo(range.length() > 8);
            assertThat(learned.get(0).cuts()).hasSize(range.length() > 8 ? 63 : 0);
            assertThat(learned.get(1).cuts()).as("all rows have one value").containsExactly("k1", "k2");
        }
    }

    private static Schema draft(Path folder, String from) throws Exception {
        return SchemaFile.readDraft(Files.writeString(folder.resolve("d.yaml"), DRAFT.formatted(from)))
                .schema();
    }

    private static ByteArrayInputStream in(StringBuilder text, boolean wide) {
        return new ByteArrayInputStream(text.toString().getBytes(wide ? StandardCharsets.UTF_16LE : UTF_8));
    }
}
