package io.waterwheel.decode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordDecoderTest {
    private static final Schema TAXI = new Schema(
            List.of(
                    new Field("time", FieldType.TIMESTAMP, false),
                    new Field("id", FieldType.INT, false),
                    new Field("speed", FieldType.DOUBLE, true),
                    new Field("plate", FieldType.STRING, true),
                    new Field("free", FieldType.BOOLEAN, true)),
            new KeySpec.Ordered("id"),
            "time");

    @ParameterizedTest
    @EnumSource(
            value = RecordFormat.class,
            names = {"CSV", "JSON", "BLOCK"})
    void givesTheRowsThatWereWritten(RecordFormat format) throws Exception {
        for (long seed = 1; seed <= Rounds.of(60, 300); seed++) {
            Random random = new Random(seed);
            Schema schema = RandomRows.schema(random);
            String replay = format + " seed=" + seed;
            RecordDecoder decoder = RecordDecoder.of(format, schema);
            TupleBlock block = new TupleBlock(RowLayout.of(schema), random.nextInt(5));
            for (int round = 0; round < 2; round++) { // the second finds the first's values in the arrays
                block.clear();
                List<Object[]> rows = new ArrayList<>();
                for (int record = 0; record < 20; record++) {
                    List<Object[]> tuples = new ArrayList<>();
                    byte[] bytes = record(format, schema, tuples, random);
                    decoder.decode(placed(bytes, random), block);
                    rows.addAll(tuples);
                }
                assertThat(block.size()).as(replay).isEqualTo(rows.size());
                for (int r = 0; r < rows.size(); r++) {
                    RandomRows.assertRow(block, r, rows.get(r), replay);
                    TimestampUnit unit = schema.fields()
                            .get(schema.indexOf(schema.timeField()))
                            .type()
                            .resolution();
                    Long time = (Long) rows.get(r)[schema.indexOf(schema.timeField())];
                    assertThat(block.times()[r])
                            .as(replay)
                            .isEqualTo(unit.instant(time).toEpochMilli());
                    if (schema.key() instanceof KeySpec.Ordered key
                            && RowLayout.of(schema).columnOf(schema.indexOf(key.field())) < 0) {
                        Field field = schema.fields().get(schema.indexOf(key.field()));
                        Object value = rows.get(r)[schema.indexOf(key.field())];
                        long expected = field.type() == FieldType.IPV4
                                ? Ipv4.parse(((String) value).getBytes(UTF_8), 0, ((String) value).length())
                                : value instanceof BigDecimal decimal
                                        ? decimal.unscaledValue().longValueExact()
                                        : ((Number) value).longValue();
                        assertThat(block.keys()[r]).as(replay).isEqualTo(expected);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RecordFormat.class,
            names = {"CSV", "JSON", "BLOCK"})
    void damagedRecordsAreRejectedAndLeaveTheBlockAsItWas(RecordFormat format) throws Exception {
        for (long seed = 1; seed <= Rounds.of(20, 100); seed++) {
            Random random = new Random(seed);
            Schema schema = RandomRows.schema(random);
            RecordDecoder decoder = RecordDecoder.of(format, schema);
            TupleBlock block = new TupleBlock(RowLayout.of(schema), 0);
            List<Object[]> first = new ArrayList<>();
            decoder.decode(ByteBuffer.wrap(record(format, schema, first, random)), block);
            int rows = block.size();
            int arena = block.arenaSize();
            for (int step = 0; step < 300; step++) {
                byte[] bytes = damaged(record(format, schema, new ArrayList<>(), random), random);
                try {
                    decoder.decode(placed(bytes, random), block);
                    for (int f = 0; f < schema.fields().size(); f++) {
                        for (int r = rows; r < block.size(); r++) {
                            block.value(f, r); // whatever was accepted can be read
                        }
                    }
                    block.setSize(rows);
                    block.setArenaSize(arena);
                } catch (RejectedRecordException e) {
                    assertThat(e.getMessage()).as("seed=%s step=%s", seed, step).isNotBlank();
                    assertThat(e.getStackTrace()).isEmpty();
                    assertThat(block.size()).isEqualTo(rows);
                    assertThat(block.arenaSize()).isEqualTo(arena);
                } catch (RuntimeException e) {
                    throw new AssertionError(
                            format + " seed=" + seed + " step=" + step + " " + new String(bytes, UTF_8), e);
                }
            }
            for (int r = 0; r < rows; r++) {
                RandomRows.assertRow(block, r, first.get(r), "seed=" + seed);
            }
        }
    }

    @Test
    void valuesOfSixteenBytesAreOfThatLengthAndForm() throws Exception {
        Schema schema = new Schema(
                List.of(
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("id", FieldType.UUID, false),
                        new Field("host", FieldType.IPV6, true)),
                new KeySpec.Ordered("t"),
                "t");
        String id = "123e4567-e89b-12d3-a456-426614174000";
        refused(schema, RecordFormat.CSV, "1,1-2,::1", "id: expected a UUID such as " + id + ", got '1-2'");
        refused(
                schema,
                RecordFormat.CSV,
                "1," + id + ",10.0.0.1",
                "host: expected an IPv6 address such as 2001:db8::1, got '10.0.0.1'");
        refused(
                schema,
                RecordFormat.JSON,
                "{\"t\":1,\"id\":\"1-2\"}",
                "id: expected a UUID such as " + id + ", got '1-2'");
        refused(schema, RecordFormat.JSON, "{\"t\":1,\"id\":12}", "id: expected a string, got a whole number");
        for (int length : new int[] {0, 15, 17}) {
            TupleBlock sent = new TupleBlock(RowLayout.of(schema), 1);
            sent.times()[0] = 1;
            int column = sent.layout().columnOf(1);
            LittleEndian.putLong(sent.column(column), 0, sent.addToArena(new byte[20], 0, length));
            sent.setNullMask(0, 1);
            sent.setSize(1);
            assertThatThrownBy(() -> RecordDecoder.of(RecordFormat.BLOCK, schema)
                            .decode(
                                    ByteBuffer.wrap(BlockCodec.encode(sent, false)),
                                    new TupleBlock(RowLayout.of(schema), 1)))
                    .hasMessageContaining("expected 16 bytes for a value of type uuid, got " + length);
        }
    }

    private static void refused(Schema schema, RecordFormat format, String record, String message) {
        assertThatThrownBy(() -> RecordDecoder.of(format, schema)
                        .decode(ByteBuffer.wrap(record.getBytes(UTF_8)), new TupleBlock(RowLayout.of(schema), 1)))
                .hasMessage(message);
    }

    @Test
    void csvSaysWhatIsWrong() {
        assertRejected(RecordFormat.CSV, "1,,2.5,x,1", "line lacks id");
        assertRejected(RecordFormat.CSV, "1,7", "line ends after 2 of 5 fields: speed is the first that it lacks");
        assertRejected(RecordFormat.CSV, "1,7,,,,9", "line has more than the schema's 5 fields: '9' is left over");
        assertRejected(
                RecordFormat.CSV,
                "time,id,speed,plate,free\r\n",
                "the line is the header, not a tuple: it holds the names of the fields");
        assertRejected(RecordFormat.CSV, "1,20250.0,,,", "id: expected a whole number of 32 bits, got '20250.0'");
        assertRejected(RecordFormat.CSV, "1,2147483648,,,", "id: expected a whole number of 32 bits, got '2147483648'");
        assertRejected(RecordFormat.CSV, "1,1,fast,,", "speed: expected a number, got 'fast'");
        assertRejected(RecordFormat.CSV, "1,1,1e999,,", "speed: expected a number, got '1e999'");
        assertRejected(RecordFormat.CSV, "1,1, 1,,", "speed: expected a number, got ' 1'");
        assertRejected(RecordFormat.CSV, "1,1,0x1p3,,", "speed: expected a number, got '0x1p3'");
        assertRejected(RecordFormat.CSV, "1,1,,,maybe", "free: expected true, false, 1 or 0, got 'maybe'");
        assertRejected(RecordFormat.CSV, "1,1,,\"x", "plate: the closing quote is missing");
        assertRejected(RecordFormat.CSV, "1,1,,\"x\"y,", "plate: expected a comma after the closing quote, got 'y,'");
        assertRejected(
                RecordFormat.CSV,
                "2021-10-07 12:00:00,1,,,",
                "time: expected milliseconds since 1970 or an ISO 8601 instant with a zone such as"
                        + " 2021-10-07T12:00:01.500Z, in the range of a timestamp, got '2021-10-07 12:00:00'");
        assertRejected(RecordFormat.CSV, "\n", "the record is empty");
        assertRejected(
                RecordFormat.CSV, "1,1,," + "x".repeat(40_000) + ",", "plate: expected at most 32768 bytes, got 40000");
    }

    @Test
    void jsonSaysWhatIsWrong() {
        assertRejected(RecordFormat.JSON, "{\"time\":1}", "object lacks id");
        assertRejected(
                RecordFormat.JSON,
                "{\"time\":1,\"id\":1,\"sped\":2}",
                "unknown member 'sped': the schema has no such field");
        assertRejected(RecordFormat.JSON, "{\"time\":1,\"time\":1}", "time: the member is there twice");
        assertRejected(
                RecordFormat.JSON,
                "[1]",
                "expected a JSON object, got an array: give each of its objects a line, or a record, of its own");
        assertRejected(
                RecordFormat.JSON,
                "{\"time\":1,\"id\":1,\"speed\":1e400}",
                "speed: expected a number in the range of a double, got 1e400");
        assertRejected(
                RecordFormat.JSON,
                "{\"time\":1,\"id\":1,\"speed\":NaN}",
                "not a JSON object: JSON has no NaN: write null, or \"NaN\" for a schema with records: {numbers: text}"
                        + " (at byte 28)");
        assertRejected(RecordFormat.JSON, "{\"id\":\"1\"}", "id: expected a whole number of 32 bits, got a string");
        assertRejected(
                RecordFormat.JSON,
                "{\"time\":1,\"id\":1} x",
                "not a JSON object: Unrecognized token 'x': was expecting (J... (at byte 18)");
        assertRejected(RecordFormat.JSON, "{\"plate\":\"\\ud800\"}", "plate: half of a surrogate pair is no character");
    }

    @Test
    void timestampsAgreeWithTheJdk() throws Exception {
        Random random = new Random(7);
        RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, TAXI);
        TupleBlock block = new TupleBlock(RowLayout.of(TAXI), 8);
        for (int i = 0; i < 20_000; i++) {
            long millis = Instant.parse("0000-03-01T00:00:00Z").toEpochMilli() + (long) (random.nextDouble() * 3.15e14);
            int offset = random.nextInt(24) - 12;
            String text = Instant.ofEpochMilli(millis)
                    .atOffset(java.time.ZoneOffset.ofHours(offset))
                    .toString();
            block.clear();
            decoder.decode(ByteBuffer.wrap((text + ",1,,,").getBytes(UTF_8)), block);
            assertThat(block.times()[0]).as(text).isEqualTo(millis);
        }
    }

    /** A decimal number in any unit, for any type: what it is exactly, rounded down to the type's resolution. */
    @Test
    void aDayAloneIsItsMidnightUtc() {
        Timestamps timestamps = new Timestamps(new Numbers(), RecordText.DEFAULT);
        for (long day = -800_000; day < 2_900_000; day += 61) {
            java.time.LocalDate date = java.time.LocalDate.ofEpochDay(day);
            if (date.getYear() < 0 || date.getYear() > 9999) {
                continue;
            }
            byte[] text = date.toString().getBytes(UTF_8);
            long millis =
                    timestamps.parse(text, 0, text.length, TimestampUnit.SECONDS, FieldType.TIMESTAMP.resolution());
            assertThat(timestamps.failed).as("%s", date).isFalse();
            assertThat(millis).as("%s", date).isEqualTo(day * 86_400_000);
        }
        for (String wrong : List.of("2021-02-29", "2021-13-01", "2021-00-10", "2021-1-1", "2021-01-0x", "2021-01-32")) {
            byte[] text = wrong.getBytes(UTF_8);
            timestamps.parse(text, 0, text.length, TimestampUnit.SECONDS, FieldType.TIMESTAMP.resolution());
            assertThat(timestamps.failed).as(wrong).isTrue();
        }
    }

    @Test
    void timestampsInAnyUnitAgreeWithDecimalArithmetic() {
        Timestamps timestamps = new Timestamps(new Numbers(), RecordText.DEFAULT);
        FieldType[] types = {FieldType.TIMESTAMP, FieldType.TIMESTAMP_US, FieldType.TIMESTAMP_NS};
        TimestampUnit[] units = TimestampUnit.values();
        for (long seed = 0; seed < Rounds.of(10_000, 50_000); seed++) {
            Random random = new Random(seed);
            TimestampUnit unit = units[random.nextInt(units.length)];
            TimestampUnit resolution = types[random.nextInt(3)].resolution();
            StringBuilder digits = new StringBuilder(Long.toString(random.nextLong() >> random.nextInt(64)));
            if (random.nextInt(4) > 0) {
                digits.append('.');
                for (int i = random.nextInt(14); i >= 0; i--) {
                    digits.append(random.nextInt(3) == 0 ? (char) ('0' + random.nextInt(10)) : '0');
                }
            }
            String text = digits.toString();
            BigInteger exact = new BigDecimal(text)
                    .multiply(BigDecimal.valueOf(unit.nanos()))
                    .divide(BigDecimal.valueOf(resolution.nanos()), 0, RoundingMode.FLOOR)
                    .toBigInteger();
            byte[] bytes = text.getBytes(UTF_8);
            long value = timestamps.parse(bytes, 0, bytes.length, unit, resolution);
            boolean fits = exact.bitLength() < 64;
            assertThat(timestamps.failed)
                    .as("seed %s: %s %s as %s", seed, text, unit, resolution)
                    .isEqualTo(!fits);
            if (fits) {
                assertThat(value)
                        .as("seed %s: %s %s as %s", seed, text, unit, resolution)
                        .isEqualTo(exact.longValue());
            }
        }
    }

    @Test
    void isoTimestampsKeepWhatTheirTypeHolds() throws Exception {
        Schema schema = new Schema(
                List.of(
                        new Field("t", FieldType.TIMESTAMP_US, false, TimestampUnit.SECONDS, false),
                        new Field("n", FieldType.TIMESTAMP_NS, false),
                        new Field("host", FieldType.IPV4, true)),
                new KeySpec.Ordered("t"),
                "t");
        for (RecordFormat format : List.of(RecordFormat.CSV, RecordFormat.JSON)) {
            TupleBlock block = new TupleBlock(RowLayout.of(schema), 4);
            RecordDecoder decoder = RecordDecoder.of(format, schema);
            String record = format == RecordFormat.CSV
                    ? "1521911720.6008009,2018-03-24T17:15:20.600800123Z,10.0.255.7"
                    : "{\"t\":1521911720.6008009,\"n\":\"2018-03-24T17:15:20.600800123Z\",\"host\":\"10.0.255.7\"}";
            decoder.decode(ByteBuffer.wrap(record.getBytes(UTF_8)), block);
            assertThat(block.value(0, 0)).isEqualTo(1_521_911_720_600_800L);
            assertThat(block.times()[0]).isEqualTo(1_521_911_720_600L);
            assertThat(block.value(1, 0)).isEqualTo(1_521_911_720_600_800_123L);
            assertThat(block.value(2, 0)).isEqualTo("10.0.255.7");
            for (String address : List.of("10.0.0", "10.0.0.256", "10.0.0.01", "10.0.0.1 ", "10.0.0.1.2", "::1", "")) {
                String bad = format == RecordFormat.CSV
                        ? "1,1," + (address.isEmpty() ? "\"\"" : address)
                        : "{\"t\":1,\"n\":1,\"host\":\"" + address + "\"}";
                assertThatThrownBy(() -> decoder.decode(ByteBuffer.wrap(bad.getBytes(UTF_8)), block))
                        .as(address)
                        .hasMessage("host: expected an IPv4 address such as 192.0.2.1, got '" + address + "'");
            }
            assertThatThrownBy(() -> decoder.decode(
                            ByteBuffer.wrap((format == RecordFormat.CSV
                                            ? "1,2300-01-01T00:00:00Z,"
                                            : "{\"t\":1,\"n\":\"2300-01-01T00:00:00Z\"}")
                                    .getBytes(UTF_8)),
                            block))
                    .hasMessageContaining("in the range of a timestamp_ns, got '2300-01-01T00:00:00Z'");
        }
    }

    @Test
    void doublesAgreeWithTheJdk() throws Exception {
        Numbers numbers = new Numbers();
        Random random = new Random(11);
        for (int i = 0; i < 500_000; i++) {
            String text =
                    switch (random.nextInt(4)) {
                        case 0 -> Double.toString(Double.longBitsToDouble(random.nextLong()));
                        case 1 -> Long.toString(random.nextLong() >> random.nextInt(63));
                        case 2 ->
                            String.format(
                                    java.util.Locale.ROOT,
                                    "%." + random.nextInt(20) + "f",
                                    random.nextGaussian() * 180);
                        default ->
                            Long.toString(random.nextLong() >>> (1 + random.nextInt(62))) + "."
                                    + (random.nextLong() >>> (1 + random.nextInt(62)));
                    };
            byte[] bytes = text.getBytes(UTF_8);
            assertThat(Double.doubleToLongBits(numbers.parseDouble(bytes, 0, bytes.length)))
                    .as(text)
                    .isEqualTo(Double.doubleToLongBits(Double.parseDouble(text)));
        }
    }

    private static void assertRejected(RecordFormat format, String record, String reason) {
        TupleBlock block = new TupleBlock(RowLayout.of(TAXI), 1);
        assertThatThrownBy(() -> RecordDecoder.of(format, TAXI).decode(ByteBuffer.wrap(record.getBytes(UTF_8)), block))
                .isInstanceOf(RejectedRecordException.class)
                .hasMessage(reason);
        assertThat(block.size()).isZero();
    }

    private static byte[] record(RecordFormat format, Schema schema, List<Object[]> tuples, Random random)
            throws Exception {
        if (format != RecordFormat.BLOCK) {
            Object[] row = RandomRows.row(schema, random);
            tuples.add(row);
            String text = format == RecordFormat.CSV
                    ? RandomRows.csv(schema, row, random)
                    : RandomRows.json(schema, row, random);
            return text.getBytes(UTF_8);
        }
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 0);
        RecordDecoder csv = RecordDecoder.of(RecordFormat.CSV, schema);
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            Object[] row = RandomRows.row(schema, random);
            tuples.add(row);
            csv.decode(ByteBuffer.wrap(RandomRows.csv(schema, row, random).getBytes(UTF_8)), block);
        }
        boolean keys = RowLayout.of(schema).hasKeyField();
        return BlockCodec.encode(block, keys);
    }

    /** The bytes somewhere in a buffer, on the heap or off it. */
    private static ByteBuffer placed(byte[] bytes, Random random) {
        int before = random.nextInt(4);
        ByteBuffer buffer = random.nextBoolean()
                ? ByteBuffer.allocate(bytes.length + 8)
                : ByteBuffer.allocateDirect(bytes.length + 8);
        buffer.put(before, bytes).position(before).limit(before + bytes.length);
        return random.nextBoolean() ? buffer.slice() : buffer.asReadOnlyBuffer();
    }

    private static byte[] damaged(byte[] bytes, Random random) {
        if (random.nextInt(4) == 0) {
            return Arrays.copyOf(bytes, random.nextInt(bytes.length + 3));
        }
        byte[] copy = bytes.clone();
        for (int i = random.nextInt(4); i >= 0 && copy.length > 0; i--) {
            int at = random.nextInt(random.nextBoolean() ? copy.length : Math.min(copy.length, 32));
            copy[at] = (byte) (random.nextBoolean() ? copy[at] ^ 1 << random.nextInt(8) : random.nextInt(256));
        }
        return copy;
    }
}
