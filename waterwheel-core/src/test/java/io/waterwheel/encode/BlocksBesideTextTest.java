package io.waterwheel.encode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.decode.RandomRows;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RejectedRecordException;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Topics whose records are lines or objects of other programs, and tuple blocks of appenders. */
class BlocksBesideTextTest {
    private static final List<TextEncoding> ENCODINGS = List.of(TextEncoding.values());

    private static final String YAML = """
            name: s
            format: csv
            fields:
              - {name: t, type: timestamp}
              - {name: a, type: string}
            key: {field: a}
            time: t
            records: {blocks: true}
            """;

    @Test
    void recordsOfBothKindsGiveTheirRowsInTheirOrder() throws Exception {
        for (long seed = 1; seed <= 100; seed++) {
            Random random = new Random(seed);
            Schema plain = RandomRows.schema(random);
            RecordFormat format = random.nextBoolean() ? RecordFormat.CSV : RecordFormat.JSON;
            TextEncoding encoding = ENCODINGS.get(random.nextInt(ENCODINGS.size()));
            Schema schema = new Schema(
                    plain.fields(),
                    plain.key(),
                    plain.timeField(),
                    RecordText.DEFAULT.withEncoding(encoding).withBlocks(true));
            RecordEncoder appender = new RecordEncoder(format, schema, 1 + random.nextInt(4_000));
            RecordDecoder decoder = RecordDecoder.of(format, schema);
            TupleBlock got = new TupleBlock(RowLayout.of(schema), 1);
            List<@Nullable Object[]> expected = new ArrayList<>();
            for (int r = 0; r < 60; r++) {
                @Nullable Object[] row = RandomRows.row(schema, random);
                byte[] text = encoding.ofUtf8((format == RecordFormat.CSV
                                ? TextRows.csv(Arrays.asList(row), schema.text().csv())
                                : TextRows.jsonAt(TextRows.places(schema), Arrays.asList(row)))
                        .getBytes(UTF_8));
                byte[] block = null;
                if (text != null && random.nextInt(3) == 0) {
                    block = appender.rest();
                    if (block != null) {
                        decoder.decode(ByteBuffer.wrap(block), got);
                    }
                    decoder.decode(ByteBuffer.wrap(text), got);
                } else {
                    block = appender.add(row);
                    if (block != null) {
                        decoder.decode(ByteBuffer.wrap(block), got);
                    }
                }
                expected.add(row);
            }
            byte[] last = appender.rest();
            if (last != null) {
                decoder.decode(ByteBuffer.wrap(last), got);
            }
            assertThat(got.size()).as("seed %s", seed).isEqualTo(expected.size());
            for (int r = 0; r < expected.size(); r++) {
                RandomRows.assertRow(got, r, expected.get(r), "seed " + seed);
            }
        }
    }

    @Test
    void whatBeginsAsABlockIsOne() throws Exception {
        StreamDefinition stream = SchemaFile.read("s.yaml", YAML);
        RecordDecoder decoder = RecordDecoder.of(stream.format(), stream.schema());
        TupleBlock into = new TupleBlock(RowLayout.of(stream.schema()), 1);
        decoder.decode(ByteBuffer.wrap("1,WWTB\u0001".getBytes(UTF_8)), into);
        assertThat(into.value(1, 0)).isEqualTo("WWTB\u0001");
        for (String line : List.of("WWTB,x", "WWTB", "WWTB\t1", "WWTB\n", "WWTB\0")) {
            assertThatThrownBy(() -> decoder.decode(ByteBuffer.wrap(line.getBytes(UTF_8)), into))
                    .isInstanceOf(RejectedRecordException.class)
                    .hasMessageContaining("t: ");
        }
        for (String block : List.of("WWTB\u0001", "WWTB\u0007,x")) {
            assertThatThrownBy(() -> decoder.decode(ByteBuffer.wrap(block.getBytes(UTF_8)), into))
                    .isInstanceOf(RejectedRecordException.class)
                    .hasMessageContaining("tuple block: ");
        }
        byte[] other = BlockCodec.encode(
                new TupleBlock(
                        RowLayout.of(new Schema(
                                stream.schema().fields(), stream.schema().key(), "t")),
                        0),
                false);
        other[8]++;
        assertThatThrownBy(() -> decoder.decode(ByteBuffer.wrap(other), into))
                .isInstanceOf(RejectedRecordException.class)
                .hasMessageContaining("the block was made for another schema");
        assertThat(into.size()).isEqualTo(1);
    }

    /** Of whole blocks and of values alike: two such rows may be more than Kafka takes. */
    @Test
    void aLongRowIsInARecordOfItsOwn() throws Exception {
        StreamDefinition stream = SchemaFile.read("s.yaml", YAML);
        for (boolean byValues : new boolean[] {false, true}) {
            for (long seed = 1; seed <= 50; seed++) {
                Random random = new Random(seed);
                String as = "seed " + seed + ", by values: " + byValues;
                RecordEncoder encoder = new RecordEncoder(stream.format(), stream.schema(), 1 << 10);
                List<Integer> lengths = new ArrayList<>();
                List<byte[]> records = new ArrayList<>();
                for (int row = 0; row < 60; row++) {
                    int length = random.nextInt(5) == 0 ? 900 + random.nextInt(5_000) : 1 + random.nextInt(200);
                    lengths.add(length);
                    byte[] record = byValues
                            ? encoder.add((long) row, "x".repeat(length))
                            : encoder.add(rows(stream, row, length), 1);
                    if (record != null) {
                        records.add(record);
                    }
                }
                if (encoder.waits()) {
                    records.add(encoder.rest());
                }
                assertThat(encoder.rest()).as(as).isNull();
                List<Integer> got = new ArrayList<>();
                for (byte[] record : records) {
                    TupleBlock decoded = new TupleBlock(RowLayout.of(stream.schema()), 1);
                    RecordDecoder.of(stream.format(), stream.schema()).decode(ByteBuffer.wrap(record), decoded);
                    for (int row = 0; row < decoded.size(); row++) {
                        assertThat(decoded.times()[row]).as(as).isEqualTo(got.size());
                        got.add(String.valueOf(decoded.value(1, row)).length());
                    }
                    assertThat(record.length <= 1 << 10 || decoded.size() == 1)
                            .as("%s: a record of %s bytes and %s rows", as, record.length, decoded.size())
                            .isTrue();
                }
                assertThat(got).as(as).isEqualTo(lengths);
            }
        }
    }

    /**
     * Blocks that are a record as they are go between rows that are gathered for one, and none comes before another.
     */
    @Test
    void wholeBlocksKeepTheirPlaceAmongOtherRows() throws Exception {
        StreamDefinition stream = SchemaFile.read("s.yaml", YAML);
        int whole = 0;
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            RecordEncoder encoder = new RecordEncoder(stream.format(), stream.schema(), 1 << 10);
            RecordDecoder decoder = RecordDecoder.of(stream.format(), stream.schema());
            TupleBlock got = new TupleBlock(RowLayout.of(stream.schema()), 1);
            int made = 0;
            for (int b = 0; b < 60; b++) {
                TupleBlock block = new TupleBlock(RowLayout.of(stream.schema()), 1);
                for (int rows = random.nextInt(30); rows > 0; rows--) {
                    decoder.decode(
                            ByteBuffer.wrap((made++ + "," + "x".repeat(1 + random.nextInt(40))).getBytes(UTF_8)),
                            block);
                }
                byte[] record = encoder.whole(block);
                if (record != null) {
                    whole++;
                    assertThat(record.length).as("seed %s", seed).isBetween(1 << 9, 1 << 10);
                    decoder.decode(ByteBuffer.wrap(record), got);
                }
                for (int row = 0; record == null && row < block.size(); row++) {
                    byte[] full = encoder.add(block, row);
                    if (full != null) {
                        decoder.decode(ByteBuffer.wrap(full), got);
                    }
                }
                if (encoder.waits() && random.nextInt(3) == 0) {
                    decoder.decode(ByteBuffer.wrap(encoder.rest()), got);
                }
            }
            if (encoder.waits()) {
                decoder.decode(ByteBuffer.wrap(encoder.rest()), got);
            }
            assertThat(got.size()).as("seed %s", seed).isEqualTo(made);
            for (int row = 0; row < made; row++) {
                assertThat(got.times()[row]).as("seed %s", seed).isEqualTo(row);
            }
        }
        assertThat(whole).isPositive();
    }

    /** A block of two rows, of which the second is wanted. */
    private static TupleBlock rows(StreamDefinition stream, int time, int length) throws Exception {
        TupleBlock rows = new TupleBlock(RowLayout.of(stream.schema()), 1);
        RecordDecoder decoder = RecordDecoder.of(stream.format(), stream.schema());
        decoder.decode(ByteBuffer.wrap("7,before".getBytes(UTF_8)), rows);
        decoder.decode(ByteBuffer.wrap((time + "," + "x".repeat(length)).getBytes(UTF_8)), rows);
        return rows;
    }

    @Test
    void aLineDividedByTabsIsNone() throws Exception {
        StreamDefinition stream = SchemaFile.read(
                "s.yaml",
                YAML.replace("blocks: true", "blocks: true, delimiter: tab")
                        .replace("  - {name: t, type: timestamp}\n", "")
                        .replace("type: string}\n", "type: string}\n  - {name: t, type: timestamp}\n"));
        TupleBlock into = new TupleBlock(RowLayout.of(stream.schema()), 1);
        RecordDecoder.of(stream.format(), stream.schema()).decode(ByteBuffer.wrap("WWTB\t17".getBytes(UTF_8)), into);
        assertThat(into.value(0, 0)).isEqualTo("WWTB");
    }

    @Test
    void theDefinitionIsReadAsItWasWritten() {
        StreamDefinition stream = SchemaFile.read("s.yaml", YAML);
        assertThat(stream.takesBlocks()).isTrue();
        assertThat(SchemaFile.read("s.yaml", YAML.replace("true", "false")).takesBlocks())
                .isFalse();
        assertThat(SchemaJson.read(SchemaJson.write(stream.schema()))).isEqualTo(stream.schema());
        for (String wrong : List.of(
                YAML.replace("format: csv", "format: block"),
                YAML.replace("type: string}", "type: string, from: kafka.key}"))) {
            assertThatThrownBy(() -> SchemaFile.read("s.yaml", wrong))
                    .hasMessageContaining("blocks: goes with format: csv or json");
        }
    }
}
