package io.waterwheel.decode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.tuple.TupleBlock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shipped flights schema against real data and the simplest parser one can write. */
class FlightLinesTest {
    @ParameterizedTest
    @CsvSource({"paris-2021-10.csv.gz,284505,0", "savan-2022-03.csv.gz,193447,128"})
    void agreesWithSplit(String file, int lines, int rejects) throws Exception {
        Path path = Path.of(System.getProperty("waterwheel.shared", "absent"), "data", "flights", file);
        Assumptions.assumeTrue(Files.exists(path), "data set absent: " + path);
        Schema schema = SchemaFile.read(Path.of("..", "conf", "schemas", "flights.yaml"))
                .schema();
        RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 16);
        List<String> text = lines(path);
        assertThat(text).hasSize(lines + 1);
        int rejected = 0;
        for (String line : text.subList(1, text.size())) {
            block.clear();
            try {
                decoder.decode(ByteBuffer.wrap(line.getBytes(UTF_8)), block);
            } catch (RejectedRecordException e) {
                assertThat(e).hasMessage("line lacks longitude");
                assertThat(line.split(",", -1)[3]).isEmpty();
                rejected++;
                continue;
            }
            String[] parts = line.split(",", -1);
            assertThat(block.value(0, 0)).isEqualTo(Long.parseLong(parts[0]));
            for (int f = 1; f < parts.length; f++) {
                Object expected = parts[f].isEmpty() ? null : f < 3 ? parts[f] : (Object) Double.parseDouble(parts[f]);
                assertThat(block.value(f, 0)).as(line).isEqualTo(expected);
            }
        }
        assertThat(rejected).isEqualTo(rejects);
    }

    private static List<String> lines(Path path) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(path));
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            return reader.lines().toList();
        }
    }
}
