package io.waterwheel.cli.input;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.waterwheel.Rounds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Files that Avro's own library writes, beside the values that it was given. */
class AvroFileTest {
    private static final long FIRST = Long.getLong("seed", System.nanoTime());
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    private static final List<CodecFactory> CODECS = List.of(
            CodecFactory.nullCodec(),
            CodecFactory.deflateCodec(6),
            CodecFactory.snappyCodec(),
            CodecFactory.zstandardCodec(3));

    private static final String TYPES = """
            {"type": "record", "name": "Everything", "namespace": "a.b", "fields": [
              {"name": "flag", "type": "boolean"},
              {"name": "i", "type": "int"},
              {"name": "l", "type": ["null", "long"]},
              {"name": "f", "type": "float"},
              {"name": "d", "type": "double"},
              {"name": "text", "type": "string"},
              {"name": "raw", "type": "bytes"},
              {"name": "four", "type": {"type": "fixed", "name": "Four", "size": 4}},
              {"name": "id", "type": {"type": "fixed", "name": "Id", "size": 16, "logicalType": "uuid"}},
              {"name": "colour", "type": {"type": "enum", "name": "Colour", "symbols": ["RED", "GREEN"]}},
              {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 9}},
              {"name": "day", "type": {"type": "int", "logicalType": "date"}},
              {"name": "clock", "type": {"type": "long", "logicalType": "time-micros"}},
              {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
              {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-millis"}},
              {"name": "tags", "type": {"type": "map", "values": "int"}},
              {"name": "within", "type": {"type": "array", "items": ["string", "double", {"type": "record", "name": "In",
                "fields": [{"name": "x", "type": "int"}, {"name": "more", "type": ["null", "In"]}]}]}}]}
            """;

    /** A record as the library takes it, and what its line must say. */
    private record Pair(GenericRecord record, Map<String, Object> line) {}

    private static Pair pair(Schema schema, SplittableRandom random) {
        GenericRecord record = new GenericData.Record(schema);
        Map<String, Object> line = new HashMap<>();
        put(record, line, "flag", random.nextBoolean());
        put(record, line, "i", random.nextInt());
        put(record, line, "l", random.nextInt(3) == 0 ? null : random.nextLong());
        put(record, line, "f", Float.intBitsToFloat(random.nextInt() & 0x7EFFFFFF));
        put(record, line, "d", random.nextDouble() * Math.pow(10, random.nextInt(-300, 300)));
        put(
                record,
                line,
                "text",
                List.of("", "a \"b\"\n\\c", "K\u00f6ln \ud83d\ude80", "\u0000\t")
                        .get(random.nextInt(4)));
        byte[] raw = new byte[random.nextInt(9)];
        random.nextBytes(raw);
        record.put("raw", ByteBuffer.wrap(raw));
        line.put("raw", Base64.getEncoder().encodeToString(raw));
        byte[] four = new byte[4];
        random.nextBytes(four);
        record.put("four", new GenericData.Fixed(schema.getField("four").schema(), four));
        line.put("four", Base64.getEncoder().encodeToString(four));
        UUID id = new UUID(random.nextLong(), random.nextLong());
        ByteBuffer sixteen = ByteBuffer.allocate(16);
        sixteen.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        record.put("id", new GenericData.Fixed(schema.getField("id").schema(), sixteen.array()));
        line.put("id", id.toString());
        String colour = random.nextBoolean() ? "RED" : "GREEN";
        record.put(
                "colour", new GenericData.EnumSymbol(schema.getField("colour").schema(), colour));
        line.put("colour", colour);
        BigInteger unscaled =
                new BigInteger(100, new java.util.Random(random.nextLong())).subtract(BigInteger.TWO.pow(99));
        record.put("price", ByteBuffer.wrap(unscaled.toByteArray()));
        line.put("price", new BigDecimal(unscaled, 9));
        int day = random.nextInt(-100_000, 100_000);
        record.put("day", day);
        line.put("day", LocalDate.ofEpochDay(day).toString());
        long micros = random.nextLong(86_400_000_000L);
        record.put("clock", micros);
        line.put("clock", DateTimeFormatter.ISO_LOCAL_TIME.format(LocalTime.ofNanoOfDay(micros * 1000)));
        long at = random.nextLong(-4_000_000_000_000_000L, 4_000_000_000_000_000L);
        record.put("at", at);
        line.put(
                "at",
                Instant.EPOCH.plus(at, java.time.temporal.ChronoUnit.MICROS).toString());
        record.put("local", 1_633_617_000_000L);
        line.put("local", "2021-10-07T14:30:00");
        put(record, line, "tags", Map.of("a", random.nextInt(), "\u00fc \"", 2));
        Schema in =
                schema.getField("within").schema().getElementType().getTypes().get(2);
        GenericRecord inner = new GenericData.Record(in);
        inner.put("x", 1);
        GenericRecord outer = new GenericData.Record(in);
        outer.put("x", 2);
        outer.put("more", inner);
        record.put("within", List.of("s", 0.5, outer));
        Map<String, Object> nothing = new HashMap<>();
        nothing.put("x", 1);
        nothing.put("more", null);
        line.put("within", List.of("s", 0.5, Map.of("x", 2, "more", nothing)));
        return new Pair(record, line);
    }

    private static void put(GenericRecord record, Map<String, Object> line, String name, Object value) {
        record.put(name, value);
        line.put(name, value);
    }

    private static byte[] file(Schema schema, CodecFactory codec, List<GenericRecord> records) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
            writer.setCodec(codec)
                    .setSyncInterval(1000)
                    .setMeta("made.by", "a test")
                    .create(schema, out);
            for (GenericRecord record : records) {
                writer.append(record);
            }
        }
        return out.toByteArray();
    }

    private static List<String> lines(byte[] file) throws IOException {
        List<String> lines = new ArrayList<>();
        addLines(file, lines);
        return lines;
    }

    private static void addLines(byte[] file, List<String> lines) throws IOException {
        try (InputLines in = new InputLines(new ByteArrayInputStream(file), false)) {
            for (byte[] line = in.next(); line != null; line = in.next()) {
                lines.add(new String(line, UTF_8));
                assertThat(in.lineNumber()).isEqualTo(lines.size());
            }
        }
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    /** Numbers by their values: the library's line and ours differ in how they write them. */
    private static void same(JsonNode got, Object expected) {
        if (expected instanceof Map<?, ?> map) {
            assertThat(got.size()).isEqualTo(map.size());
            map.forEach((name, value) -> same(got.get((String) name), value));
        } else if (expected instanceof List<?> list) {
            assertThat(got.size()).isEqualTo(list.size());
            for (int i = 0; i < list.size(); i++) {
                same(got.get(i), list.get(i));
            }
        } else if (expected instanceof Float number) {
            assertThat(got.floatValue()).isEqualTo(number);
        } else if (expected instanceof Double number) {
            assertThat(got.doubleValue()).isEqualTo(number);
        } else if (expected instanceof BigDecimal number) {
            assertThat(got.decimalValue()).isEqualByComparingTo(number);
        } else if (expected instanceof Number number) {
            assertThat(got.isIntegralNumber()).isTrue();
            assertThat(got.longValue()).isEqualTo(number.longValue());
        } else if (expected instanceof Boolean flag) {
            assertThat(got.isBoolean() && got.booleanValue() == flag).isTrue();
        } else if (expected == null) {
            assertThat(got.isNull()).isTrue();
        } else {
            assertThat(got.isTextual()).isTrue();
            assertThat(got.textValue()).isEqualTo(expected);
        }
    }

    @Test
    void everyTypeAndCodec() throws IOException {
        Schema schema = new Schema.Parser().parse(TYPES);
        for (long seed = FIRST; seed < FIRST + Rounds.of(3, 200); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Pair> pairs = new ArrayList<>();
            for (int i = random.nextInt(200); i >= 0; i--) {
                pairs.add(pair(schema, random));
            }
            List<GenericRecord> records = pairs.stream().map(Pair::record).toList();
            for (CodecFactory codec : CODECS) {
                byte[] file = file(schema, codec, records);
                List<String> lines = lines(random.nextBoolean() ? gzip(file) : file);
                assertThat(lines).as("seed %d, %s", seed, codec).hasSameSizeAs(pairs);
                for (int i = 0; i < lines.size(); i++) {
                    same(MAPPER.readTree(lines.get(i)), pairs.get(i).line());
                }
            }
        }
    }

    /** As Polars writes it where no name is given. */
    @Test
    void aRecordWithoutAName() throws IOException {
        Schema schema = new Schema.Parser()
                .parse("{\"type\": \"record\", \"name\": \"x\", \"fields\": [{\"name\": \"n\", \"type\": \"int\"}]}");
        GenericRecord record = new GenericData.Record(schema);
        record.put("n", 7);
        byte[] named = file(schema, CodecFactory.nullCodec(), List.of(record));
        String text = new String(named, ISO_8859_1);
        int at = text.indexOf("\"name\":\"x\"");
        // As long as it was.
        byte[] unnamed = (text.substring(0, at) + "\"name\":\"\" " + text.substring(at + 10)).getBytes(ISO_8859_1);
        assertThat(lines(unnamed)).isEqualTo(lines(named)).hasSize(1);
    }

    @Test
    void aFileWithoutRecords() throws IOException {
        assertThat(lines(file(new Schema.Parser().parse(TYPES), CodecFactory.snappyCodec(), List.of())))
                .isEmpty();
    }

    /** What stands before the damage comes as it was written; then one sentence. */
    @Test
    void damageEndsItBehindWhatIsWhole() throws IOException {
        Schema schema = new Schema.Parser().parse(TYPES);
        for (long seed = FIRST; seed < FIRST + Rounds.of(2, 200); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<GenericRecord> records = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                records.add(pair(schema, random).record());
            }
            for (CodecFactory codec : CODECS) {
                byte[] file = file(schema, codec, records);
                List<String> all = lines(file);
                List<String> before = new ArrayList<>();
                int cut = random.nextInt(file.length / 2, file.length - 1);
                String message = message(Arrays.copyOf(file, cut), before);
                assertThat(before)
                        .as("seed %d, cut at %d: %s", seed, cut, message)
                        .isEqualTo(all.subList(0, before.size()));
                assertThat(before.size()).isBetween(1, 39);
                // Behind the marker of a block, which is that at the end of the file, a file may end.
                if (Arrays.equals(file, cut - 16, cut, file, file.length - 16, file.length)) {
                    assertThat(message).isEqualTo("read to its end");
                } else {
                    assertThat(message)
                            .contains("Avro file is damaged or cut off")
                            .contains("behind record " + before.size());
                }
                for (int i = 0; i < 200; i++) {
                    byte[] damaged = file.clone();
                    int at = random.nextInt(4, file.length);
                    damaged[at] ^= (byte) (1 << random.nextInt(8));
                    assertThat(message(damaged, new ArrayList<>()))
                            .as("seed %d, byte %d", seed, at)
                            .isNotBlank();
                }
            }
        }
    }

    /** What ends a file, or that nothing did. Nothing else than an {@link IOException} may. */
    private static String message(byte[] file, List<String> lines) {
        try {
            addLines(file, lines);
            return "read to its end";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void aBlockHasNoMoreRecordsThanItsBytesAllow() throws IOException {
        Schema empty = new Schema.Parser().parse("{\"type\": \"record\", \"name\": \"E\", \"fields\": []}");
        byte[] one = file(empty, CodecFactory.nullCodec(), List.of(new GenericData.Record(empty)));
        assertThat(lines(one)).containsExactly("{}");
        // Its block is: one record (2 in zigzag), no bytes (0), and the mark.
        int block = one.length - 18;
        assertThat(one[block]).isEqualTo((byte) 2);
        ByteArrayOutputStream many = new ByteArrayOutputStream();
        many.write(one, 0, block);
        many.write(new byte[] {(byte) 0xfe, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f});
        many.write(one, block + 1, one.length - block - 1);
        assertThatThrownBy(() -> lines(many.toByteArray()))
                .hasMessageContaining("a block of 2147483647 records in 0 bytes");
    }

    /** The bytes are in order, and the next record follows: the row is the line check's to refuse. */
    @Test
    void oddValuesAreTexts() throws IOException {
        Schema schema = new Schema.Parser().parse("""
                        {"type": "record", "name": "Odd", "fields": [
                          {"name": "d", "type": "double"}, {"name": "f", "type": "float"},
                          {"name": "clock", "type": {"type": "int", "logicalType": "time-millis"}},
                          {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9}},
                          {"name": "at", "type": {"type": "long", "logicalType": "timestamp-nanos"}},
                          {"name": "id", "type": {"type": "string", "logicalType": "uuid"}}]}
                        """);
        GenericRecord record = new GenericData.Record(schema);
        record.put("d", Double.NaN);
        record.put("f", Float.NEGATIVE_INFINITY);
        record.put("clock", 86_400_000);
        record.put("price", ByteBuffer.allocate(0));
        record.put("at", -1L);
        record.put("id", "123e4567-e89b-12d3-a456-426614174000");
        GenericRecord zero = new GenericData.Record(schema);
        zero.put("d", -0.0);
        zero.put("f", -0.0f);
        zero.put("clock", 0);
        zero.put("price", ByteBuffer.wrap(new byte[] {-1}));
        zero.put("at", 0L);
        zero.put("id", "");
        assertThat(lines(file(schema, CodecFactory.nullCodec(), List.of(record, zero))))
                .containsExactly(
                        "{\"d\":\"NaN\",\"f\":\"-Infinity\",\"clock\":\"86400000 ms\","
                                + "\"price\":\"a decimal of 0 bytes\",\"at\":\"1969-12-31T23:59:59.999999999Z\","
                                + "\"id\":\"123e4567-e89b-12d3-a456-426614174000\"}",
                        "{\"d\":-0.0,\"f\":-0.0,\"clock\":\"00:00:00\",\"price\":-1,"
                                + "\"at\":\"1970-01-01T00:00:00Z\",\"id\":\"\"}");
    }

    @Test
    void whatCannotBeReadIsRefused() throws IOException {
        Schema numbers = Schema.create(Schema.Type.INT);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DataFileWriter<Integer> writer = new DataFileWriter<>(new GenericDatumWriter<>(numbers))) {
            writer.create(numbers, out);
            writer.append(5);
        }
        assertThatThrownBy(() -> lines(out.toByteArray()))
                .hasMessageContaining("expected the schema of a record, got int");
        Schema schema = new Schema.Parser().parse(TYPES);
        byte[] file = file(schema, CodecFactory.nullCodec(), List.of());
        String renamed = new String(file, java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(renamed).contains("\u0008null");
        byte[] other =
                renamed.replace("\u0008null", "\u0008lzma").getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> lines(other)).hasMessageContaining("packed by 'lzma'");
        assertThatThrownBy(() -> new InputLines(new ByteArrayInputStream(file), false, FileEncoding.LATIN_1))
                .hasMessageContaining("leave --encoding out");
        assertThatThrownBy(() -> new InputLines(new ByteArrayInputStream(file), true))
                .hasMessage("it is an Avro file: --format json reads it");
    }
}
