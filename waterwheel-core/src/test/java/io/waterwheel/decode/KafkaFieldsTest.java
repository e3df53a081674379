package io.waterwheel.decode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.text.KafkaFields;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Fields that are of Kafka, not of the record's value. */
final class KafkaFieldsTest {
    private static final String FIELDS = """
              - {name: at, type: TIME, from: kafka.timestamp}
              - {name: v, type: double}
              - {name: who, type: string, nullable: true, from: kafka.key}
              - {name: trace, type: uuid, nullable: true, from: kafka.headers.trace-id}
              - {name: retry, type: int, nullable: true, from: kafka.headers.retry}
              - {name: place, type: int, from: kafka.partition}
              - {name: nr, type: long, from: kafka.offset}
            key: {field: nr}
            time: at
            """;

    private record Facts(
            int partition,
            long offset,
            long timestamp,
            @Nullable ByteBuffer key,
            @Nullable ByteBuffer trace,
            @Nullable ByteBuffer retry)
            implements RecordFacts {
        @Override
        public @Nullable ByteBuffer header(String name) {
            return name.equals("retry") ? retry : trace;
        }
    }

    private static @Nullable ByteBuffer bytes(@Nullable String text) {
        return text == null ? null : ByteBuffer.wrap(text.getBytes(UTF_8)).asReadOnlyBuffer();
    }

    private static StreamDefinition definition(String format, String fields) {
        StreamDefinition written = SchemaFile.read("s.yaml", "name: s\nformat: " + format + "\nfields:\n" + fields);
        assertThat(SchemaJson.readStream(SchemaJson.writeStream(written))).isEqualTo(written);
        return written;
    }

    private static List<List<@Nullable Object>> rows(StreamDefinition stream, String record, RecordFacts facts)
            throws RejectedRecordException {
        Schema schema = stream.schema();
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 0);
        RecordDecoder.of(stream.format(), schema).decode(ByteBuffer.wrap(record.getBytes(UTF_8)), facts, block);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int row = 0; row < block.size(); row++) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int f = 0; f < schema.fields().size(); f++) {
                values.add(block.value(f, row));
            }
            rows.add(values);
        }
        return rows;
    }

    @Test
    void theyAreBesideTheValueInEachTextFormat() throws Exception {
        String trace = "123e4567-e89b-12d3-a456-426614174000";
        Facts facts = new Facts(3, 77, 1_633_608_000_123L, bytes("a-7"), bytes(trace), bytes("2"));
        List<@Nullable Object> row = Arrays.asList(1_633_608_000_123L, 1.5, "a-7", trace, 2, 3, 77L);
        String fields = FIELDS.replace("TIME", "timestamp");
        assertThat(rows(definition("csv", fields), "1.5", facts)).containsExactly(row);
        assertThat(rows(definition("json", fields), "{\"v\": 1.5, \"place\": 9}", facts))
                .as("a member of the field's name is another one")
                .containsExactly(row);
        List<@Nullable Object> empty = Arrays.asList(0L, 2.0, null, null, null, 0, 0L);
        assertThat(rows(definition("csv", fields), "2", RecordFacts.UNWRITTEN)).containsExactly(empty);
    }

    @Test
    void eachTupleOfARecordHasThem() throws Exception {
        String fields = FIELDS.replace("TIME", "timestamp_ns").replace("{name: v, type: double}", """
                {name: v, type: double, from: '$.values[*]'}""");
        Facts facts = new Facts(1, 5, 1_000, null, null, null);
        assertThat(rows(definition("json", fields), "{\"values\": [1, 2]}", facts))
                .containsExactly(
                        Arrays.asList(1_000_000_000L, 1.0, null, null, null, 1, 5L),
                        Arrays.asList(1_000_000_000L, 2.0, null, null, null, 1, 5L));
    }

    /** The twin makes the values by Java's own parsers. */
    @Test
    void randomKeysHeadersAndPlacesBecomeTheirValues() throws Exception {
        Random random = new Random(7);
        StreamDefinition stream = definition("csv", FIELDS.replace("TIME", "timestamp_us"));
        for (int i = 0; i < 500; i++) {
            String key = random.nextInt(3) == 0 ? null : "\u00e9" + "x".repeat(random.nextInt(30));
            String retry = random.nextInt(3) == 0 ? null : Integer.toString(random.nextInt());
            long millis = random.nextLong() & ((1L << 50) - 1);
            Facts facts = new Facts(random.nextInt(100), i, millis, bytes(key), null, bytes(retry));
            assertThat(rows(stream, "0", facts))
                    .containsExactly(Arrays.asList(
                            millis * 1_000,
                            0.0,
                            key,
                            null,
                            retry == null ? null : Integer.valueOf(retry),
                            facts.partition(),
                            (long) i));
        }
    }

    @Test
    void whatDoesNotFitRefusesTheRecordWithTheReason() {
        String fields = FIELDS.replace("TIME", "timestamp_ns");
        StreamDefinition stream = definition("csv", fields);
        refused(stream, new Facts(0, 0, 1, bytes("k"), bytes("no uuid"), null), "got 'no uuid' (header trace-id)");
        refused(stream, new Facts(0, 0, 1, null, null, bytes("")), "retry: expected a whole number of 32 bits, got ''");
        refused(stream, new Facts(0, 0, -1, null, null, null), "at: the record has no time");
        refused(
                stream,
                new Facts(0, 0, Long.MAX_VALUE / 1000, null, null, null),
                "milliseconds are outside of the range of a timestamp_ns");
        refused(
                stream,
                new Facts(0, 0, 1, ByteBuffer.wrap(new byte[] {(byte) 0xC0}), null, null),
                "who: is not valid UTF-8 (key)");
        refused(
                stream,
                new Facts(0, 0, 1, ByteBuffer.allocate(TupleBlock.MAX_VALUE_BYTES + 1), null, null),
                "who: expected at most 32768 bytes, got 32769 (key)");
        StreamDefinition needed = definition("csv", fields.replace("type: string, nullable: true", "type: bytes"));
        refused(needed, RecordFacts.UNWRITTEN, "who: the record has no key");
    }

    private static void refused(StreamDefinition stream, RecordFacts facts, String why) {
        assertThatThrownBy(() -> rows(stream, "0", facts))
                .isInstanceOf(RejectedRecordException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aDefinitionThatCannotBeIsRefused() {
        wrong("json", "{name: k, type: string, from: kafka.kee}", "kafka.headers.NAME, got 'kafka.kee'");
        wrong("json", "{name: k, type: string, from: kafka.headers.}", "got 'kafka.headers.'");
        wrong("csv", "{name: k, type: int, from: kafka.offset}", "k is of type int, kafka.offset takes long");
        wrong("csv", "{name: k, type: double, from: kafka.timestamp}", "kafka.timestamp takes long or timestamp");
        wrong("block", "{name: k, type: string, from: kafka.key}", "not with format: block");
        wrong(
                "csv",
                "{name: k, type: string, from: kafka.key}\n  - {name: l, type: string, from: kafka.key}",
                "each needs a place of its own");
    }

    private static void wrong(String format, String field, String why) {
        assertThatThrownBy(() -> definition(
                        format, "  - {name: at, type: timestamp}\n  - " + field + "\nkey: {field: at}\ntime: at\n"))
                .hasMessageContaining(why);
    }

    @Test
    void onlyWhatFieldsTakeIsWanted() {
        assertThat(definition("csv", FIELDS.replace("TIME", "timestamp"))
                        .schema()
                        .text()
                        .kafka())
                .isEqualTo(new KafkaFields(true, true, List.of("retry", "trace-id")));
        assertThat(KafkaFields.of(List.of("x", "$.kafka.key", "$['kafka.key']")))
                .isEqualTo(KafkaFields.NONE);
    }
}
