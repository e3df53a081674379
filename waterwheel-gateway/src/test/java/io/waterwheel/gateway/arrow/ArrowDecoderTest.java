package io.waterwheel.gateway.arrow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.gateway.rows.PushedRows;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.text.Uuid;
import io.waterwheel.tuple.TupleBlock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeStampNanoTZVector;
import org.apache.arrow.vector.TimeStampSecVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Arrow bodies as Arrow's own library writes them, against the values that were written. */
final class ArrowDecoderTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("small", FieldType.INT, true),
                    new Field("single", FieldType.FLOAT, true),
                    new Field("real", FieldType.DOUBLE, true),
                    new Field("truth", FieldType.BOOLEAN, true),
                    new Field("seen", FieldType.TIMESTAMP_NS, true),
                    new Field("host", FieldType.IPV4, true),
                    new Field("note", FieldType.STRING, true),
                    new Field("raw", FieldType.BYTES, true),
                    new Field("uid", FieldType.UUID, true),
                    new Field("peer", FieldType.IPV6, true)),
            new KeySpec.Ordered("id"),
            "at");

    private static StreamDefinition stream() {
        return new StreamDefinition("s", "t", RecordFormat.BLOCK, 4, SCHEMA);
    }

    private static PushedRows decode(byte[] body, boolean keepBad) {
        return new ArrowDecoder(stream(), keepBad, new PushBudget(64 << 20, "rows").lease()).decode(body);
    }

    /** Writes batches of the same columns; {@code fill} sets their values and the number of rows. */
    private static byte[] write(List<FieldVector> vectors, int batches, Fill fill, DictionaryProvider dictionaries)
            throws IOException {
        return write(vectors, batches, fill, dictionaries, true);
    }

    /** @param anew whether each batch begins without values */
    private static byte[] write(
            List<FieldVector> vectors, int batches, Fill fill, DictionaryProvider dictionaries, boolean anew)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (VectorSchemaRoot root = new VectorSchemaRoot(vectors);
                ArrowStreamWriter writer = new ArrowStreamWriter(root, dictionaries, Channels.newChannel(out))) {
            writer.start();
            for (int b = 0; b < batches; b++) {
                if (anew) {
                    root.getFieldVectors().forEach(FieldVector::clear);
                }
                root.setRowCount(fill.rows(b));
                writer.writeBatch();
            }
            writer.end();
        }
        return out.toByteArray();
    }

    private interface Fill {
        int rows(int batch);
    }

    private static final DictionaryProvider NONE = new DictionaryProvider.MapDictionaryProvider();

    @Test
    void takesValuesOfAllTypesAsTheyWereWritten() throws IOException {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 30; round++) {
            List<List<@Nullable Object>> expected = new ArrayList<>();
            byte[] body = body(random, expected);
            PushedRows rows = decode(body, false);
            assertThat(rows.reasons()).as("seed %s", seed).isEmpty();
            assertThat(rows.rows()).as("seed %s", seed).isEqualTo(expected.size());
            for (int r = 0; r < expected.size(); r++) {
                for (int f = 0; f < SCHEMA.fields().size(); f++) {
                    assertThat(rows.tuples().value(f, r))
                            .as("seed %s row %s field %s", seed, r, f)
                            .isEqualTo(expected.get(r).get(f));
                }
            }
        }
    }

    /** Of other places, digits and types than the fields have; what would be rounded is refused. */
    @Test
    void takesDecimalsThatFitWithoutRounding() throws IOException {
        Schema schema = new Schema(
                List.of(
                        new Field("id", FieldType.LONG, false),
                        new Field("at", FieldType.TIMESTAMP, false),
                        new Field("price", FieldType.decimal(18, 2), true),
                        new Field("total", FieldType.decimal(38, 6), true)),
                new KeySpec.Ordered("id"),
                "at");
        StreamDefinition stream = new StreamDefinition("s", "t", RecordFormat.BLOCK, 4, schema);
        Random random = new Random(4);
        for (int round = 0; round < 40; round++) {
            List<String> expected = new ArrayList<>();
            int refused = 0;
            byte[] body;
            try (RootAllocator allocator = new RootAllocator()) {
                BigIntVector id = new BigIntVector("id", allocator);
                BigIntVector at = new BigIntVector("at", allocator);
                int scale = random.nextInt(5);
                DecimalVector price = new DecimalVector("price", allocator, 20, scale);
                FieldVector total = round % 3 == 0
                        ? new VarCharVector("total", allocator)
                        : round % 3 == 1
                                ? new BigIntVector("total", allocator)
                                : new DecimalVector("total", allocator, 38, 6);
                List<FieldVector> vectors = List.of(id, at, price, total);
                vectors.forEach(FieldVector::allocateNew);
                int rows = 50;
                for (int r = 0; r < rows; r++) {
                    id.setSafe(r, r);
                    at.setSafe(r, r);
                    BigDecimal one = new BigDecimal(new BigInteger(random.nextInt(66), random), scale);
                    one = random.nextBoolean() ? one : one.negate();
                    one = one.precision() > 20 ? BigDecimal.ONE.setScale(scale) : one;
                    boolean none = random.nextInt(9) == 0;
                    if (!none) {
                        price.setSafe(r, one);
                    }
                    BigDecimal other = BigDecimal.valueOf(random.nextLong());
                    if (total instanceof VarCharVector text) {
                        text.setSafe(r, other.toString().getBytes(UTF_8));
                    } else if (total instanceof BigIntVector whole) {
                        whole.setSafe(r, other.longValueExact());
                    } else {
                        other = new BigDecimal(new BigInteger(126, random), 6);
                        other = other.precision() > 38 ? other.movePointLeft(1).setScale(6, RoundingMode.DOWN) : other;
                        ((DecimalVector) total).setSafe(r, other);
                    }
                    boolean fits = none
                            || (one.stripTrailingZeros().scale() <= 2
                                    && one.setScale(2).precision() <= 18);
                    refused += fits ? 0 : 1;
                    if (fits) {
                        expected.add(r + " " + (none ? null : one.setScale(2)) + " " + other.setScale(6));
                    }
                }
                body = write(vectors, 1, batch -> rows, NONE, false);
            }
            PushedRows got = new ArrowDecoder(stream, true, new PushBudget(64 << 20, "rows").lease()).decode(body);
            assertThat(got.reasons()).as("round %s", round).hasSize(refused);
            assertThat(got.reasons().toString()).matches(refused == 0 ? "\\[\\]" : "(?s).*price.*a decimal.*");
            List<String> found = new ArrayList<>();
            for (int r = 0; r < got.tuples().size(); r++) {
                found.add(got.tuples().value(0, r) + " " + got.tuples().value(2, r) + " "
                        + got.tuples().value(3, r));
            }
            assertThat(found).as("round %s", round).isEqualTo(expected);
        }
    }

    /** Signs of CSV, and places of JSON, of streams whose records are text. */
    private static final List<String> TEXTS = List.of(
            "format: csv",
            "format: csv\nrecords: {delimiter: ';', decimal: ',', nulls: [NA], zone: Europe/Berlin}",
            "format: csv\nrecords: {delimiter: tab, quote: none, escape: '\\'}",
            "format: json",
            "format: json\nrecords: {encoding: utf-8, unknown: reject}");

    /** The records are read, as a server does, to the rows that were sent; what text cannot hold is refused. */
    @Test
    void rowsBecomeRecordsOfAStreamOfText() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        int refused = 0;
        for (int round = 0; round < 30; round++) {
            String as = "seed " + seed + ", round " + round;
            StreamDefinition stream = SchemaFile.read("s.yaml", text(TEXTS.get(round % TEXTS.size())));
            List<List<@Nullable Object>> expected = new ArrayList<>();
            byte[] body = body(random, expected);
            PushedRows rows = new ArrowDecoder(stream, false, new PushBudget(64 << 20, "rows").lease()).decode(body);
            assertThat(rows.tuples().size()).as(as).isZero();
            assertThat(rows.records()).as(as).hasSize(rows.rows());
            assertThat(rows.rows() + rows.rejected()).as(as).isEqualTo(expected.size());
            List<Integer> bad = new ArrayList<>();
            for (PushedRows.Reason reason : rows.reasons()) {
                bad.add(reason.line());
                assertThat(reason.reason())
                        .as(as)
                        .matches(
                                "(?s)field single: .* has no form in JSON|expected values that .* no quotes, can hold: .*");
            }
            refused += bad.size();
            TupleBlock read = new TupleBlock(RowLayout.of(stream.schema()), 1);
            RecordDecoder decoder = RecordDecoder.of(stream.format(), stream.schema());
            for (byte[] record : rows.records()) {
                decoder.decode(ByteBuffer.wrap(record), read);
            }
            int at = 0;
            for (int r = 0; r < expected.size(); r++) {
                if (!bad.contains(r + 1)) {
                    for (int f = 0; f < SCHEMA.fields().size(); f++) {
                        assertThat(read.value(f, at))
                                .as("%s, row %s, field %s", as, r, f)
                                .isEqualTo(expected.get(r).get(f));
                    }
                    at++;
                }
            }
            assertThat(at).as(as).isEqualTo(read.size());
        }
        assertThat(refused).as("rows with NaN, seed %s", seed).isPositive();
    }

    /** A row that is refused for its key alone would be refused as a record, too. */
    @Test
    void aRowWithoutAPlaceIsADeadLetter() throws Exception {
        StreamDefinition stream = SchemaFile.read("s.yaml", """
                name: s
                format: json
                fields:
                  - {name: at, type: timestamp}
                  - {name: lon, type: double}
                  - {name: lat, type: double}
                key: {longitude: lon, latitude: lat}
                time: at
                """);
        byte[] body;
        try (RootAllocator allocator = new RootAllocator()) {
            BigIntVector at = new BigIntVector("at", allocator);
            Float8Vector lon = new Float8Vector("lon", allocator);
            Float8Vector lat = new Float8Vector("lat", allocator);
            body = write(
                    List.of(at, lon, lat),
                    1,
                    batch -> {
                        for (int r = 0; r < 3; r++) {
                            at.setSafe(r, r);
                            lon.setSafe(r, 13);
                            lat.setSafe(r, r == 1 ? 95 : 52);
                        }
                        return 3;
                    },
                    NONE);
        }
        PushedRows rows = new ArrowDecoder(stream, true, new PushBudget(64 << 20, "rows").lease()).decode(body);
        assertThat(rows.rows()).isEqualTo(2);
        assertThat(rows.rejected()).isEqualTo(1);
        assertThat(rows.records()).hasSize(3);
    }

    /** The schema with another format and {@code records}. */
    private static String text(String how) {
        StringBuilder yaml = new StringBuilder("name: s\n").append(how).append("\nfields:\n");
        for (Field field : SCHEMA.fields()) {
            yaml.append("  - {name: ")
                    .append(field.name())
                    .append(", type: ")
                    .append(field.type().schemaName())
                    .append(", nullable: ")
                    .append(field.nullable())
                    .append("}\n");
        }
        return yaml.append("key: {field: id}\ntime: at\n").toString();
    }

    /** What is no tuple of the schema may be a record of its format all the same. */
    @Test
    void aDeadLetterIsNoRecord() throws Exception {
        StreamDefinition stream = SchemaFile.read("s.yaml", text("format: json\nrecords: {unknown: skip}"));
        byte[] body;
        try (RootAllocator allocator = new RootAllocator()) {
            BigIntVector id = new BigIntVector("id", allocator);
            TimeStampSecVector at = new TimeStampSecVector("at", allocator);
            body = write(
                    List.of(id, at),
                    1,
                    batch -> {
                        id.setSafe(0, 1);
                        at.setSafe(0, Long.MAX_VALUE);
                        return 1;
                    },
                    NONE);
        }
        PushBudget budget = new PushBudget(64 << 20, "rows");
        StreamDefinition blocks =
                SchemaFile.read("s.yaml", text("format: json\nrecords: {unknown: skip, blocks: true}"));
        for (StreamDefinition one : List.of(stream, blocks)) {
            assertThat(new ArrowDecoder(one, false, budget.lease()).decode(body).reasons())
                    .hasSize(1);
            // In JSON the time would be milliseconds, and fit.
            assertThatThrownBy(() -> new ArrowDecoder(one, true, budget.lease()).decode(body))
                    .isInstanceOf(HttpFailure.class)
                    .hasMessageContaining("row 1: ")
                    .hasMessageContaining("as a dead letter it would be a record of the stream");
        }
        StreamDefinition kafka = SchemaFile.read(
                "s.yaml",
                text("format: json").replace("name: note, type: string", "name: note, type: string, from: kafka.key"));
        assertThatThrownBy(() -> new ArrowDecoder(kafka, true, budget.lease()))
                .isInstanceOf(HttpFailure.class)
                .hasMessageContaining("fields that are of Kafka");
    }

    private static byte[] body(Random random, List<List<@Nullable Object>> expected) throws IOException {
        try (RootAllocator allocator = new RootAllocator()) {
            boolean wide = random.nextBoolean();
            FieldVector id = wide ? new UInt8Vector("id", allocator) : new BigIntVector("id", allocator);
            FieldVector at = wide
                    ? new TimeStampSecVector("at", allocator)
                    : new TimeStampNanoTZVector("at", allocator, "Asia/Shanghai");
            FieldVector small = wide ? new TinyIntVector("small", allocator) : new SmallIntVector("small", allocator);
            FieldVector single = wide ? new Float8Vector("single", allocator) : new Float4Vector("single", allocator);
            FieldVector real = wide ? new IntVector("real", allocator) : new Float8Vector("real", allocator);
            FieldVector truth = wide ? new NullVector("truth") : new BitVector("truth", allocator);
            FieldVector seen = wide ? new DateDayVector("seen", allocator) : new BigIntVector("seen", allocator);
            FieldVector host = wide ? new VarCharVector("host", allocator) : new UInt4Vector("host", allocator);
            FieldVector note = wide ? new LargeVarCharVector("note", allocator) : new VarCharVector("note", allocator);
            FieldVector raw = wide ? new VarBinaryVector("raw", allocator) : new LargeVarBinaryVector("raw", allocator);
            FieldVector uid =
                    wide ? new FixedSizeBinaryVector("uid", allocator, 16) : new VarCharVector("uid", allocator);
            List<FieldVector> vectors =
                    new ArrayList<>(List.of(id, at, small, single, real, truth, seen, host, note, raw, uid));
            java.util.Collections.shuffle(vectors, random);
            return write(
                    vectors,
                    random.nextInt(4),
                    batch -> {
                        int rows = random.nextInt(70);
                        vectors.forEach(vector -> {
                            vector.setInitialCapacity(rows);
                            vector.allocateNew();
                        });
                        for (int r = 0; r < rows; r++) {
                            @Nullable
                            Object[] row = new @Nullable Object[SCHEMA.fields().size()];
                            row[0] = wide ? random.nextLong() >>> 1 : random.nextLong();
                            if (wide) {
                                ((UInt8Vector) id).setSafe(r, (Long) row[0]);
                            } else {
                                ((BigIntVector) id).setSafe(r, (Long) row[0]);
                            }
                            long seconds = random.nextInt();
                            row[1] = wide ? seconds * 1000 : Math.floorDiv(seconds * 1_000_000_007L, 1_000_000L);
                            if (wide) {
                                ((TimeStampSecVector) at).setSafe(r, seconds);
                            } else {
                                ((TimeStampNanoTZVector) at).setSafe(r, seconds * 1_000_000_007L);
                            }
                            fill(random, wide, r, row, small, single, real, truth, seen, host, note, raw, uid);
                            expected.add(Arrays.asList(row));
                        }
                        return rows;
                    },
                    NONE);
        }
    }

    private static void fill(
            Random random,
            boolean wide,
            int r,
            @Nullable Object[] row,
            FieldVector small,
            FieldVector single,
            FieldVector real,
            FieldVector truth,
            FieldVector seen,
            FieldVector host,
            FieldVector note,
            FieldVector raw,
            FieldVector uid) {
        if (random.nextInt(4) > 0) {
            int value = random.nextInt(256) - 128;
            row[2] = value;
            if (wide) {
                ((TinyIntVector) small).setSafe(r, value);
            } else {
                ((SmallIntVector) small).setSafe(r, value);
            }
        }
        if (random.nextInt(4) > 0) {
            float value = Float.intBitsToFloat(random.nextInt());
            row[3] = value;
            if (wide) {
                ((Float8Vector) single).setSafe(r, value);
            } else {
                ((Float4Vector) single).setSafe(r, value);
            }
        }
        if (random.nextInt(4) > 0) {
            if (wide) {
                int value = random.nextInt();
                row[4] = (double) value;
                ((IntVector) real).setSafe(r, value);
            } else {
                double value = random.nextGaussian();
                row[4] = value;
                ((Float8Vector) real).setSafe(r, value);
            }
        }
        if (!wide && random.nextInt(4) > 0) {
            boolean value = random.nextBoolean();
            row[5] = value;
            ((BitVector) truth).setSafe(r, value ? 1 : 0);
        }
        if (random.nextInt(4) > 0) {
            if (wide) {
                int day = random.nextInt(40_000) - 20_000;
                row[6] = day * 86_400_000_000_000L;
                ((DateDayVector) seen).setSafe(r, day);
            } else {
                row[6] = random.nextLong();
                ((BigIntVector) seen).setSafe(r, (Long) row[6]);
            }
        }
        if (random.nextInt(4) > 0) {
            int value = random.nextInt();
            String text = (value >>> 24) + "." + (value >> 16 & 255) + "." + (value >> 8 & 255) + "." + (value & 255);
            row[7] = text;
            if (wide) {
                ((VarCharVector) host).setSafe(r, text.getBytes(UTF_8));
            } else {
                ((UInt4Vector) host).setSafe(r, value);
            }
        }
        if (random.nextInt(4) > 0) {
            String text = List.of("", "plain", "grüezi", "\uD83D\uDE00 smile").get(random.nextInt(4));
            row[8] = text;
            if (wide) {
                ((LargeVarCharVector) note).setSafe(r, text.getBytes(UTF_8));
            } else {
                ((VarCharVector) note).setSafe(r, text.getBytes(UTF_8));
            }
        }
        if (random.nextInt(4) > 0) {
            byte[] value = new byte[random.nextInt(30)];
            random.nextBytes(value);
            row[9] = value;
            if (wide) {
                ((VarBinaryVector) raw).setSafe(r, value);
            } else {
                ((LargeVarBinaryVector) raw).setSafe(r, value);
            }
        }
        if (random.nextInt(4) > 0) {
            byte[] value = new byte[16];
            random.nextBytes(value);
            row[10] = Uuid.text(value, 0);
            if (wide) {
                ((FixedSizeBinaryVector) uid).setSafe(r, value);
            } else {
                ((VarCharVector) uid).setSafe(r, String.valueOf(row[10]).getBytes(UTF_8));
            }
        }
    }

    /** Ids and times of good rows, and one column more. */
    private static byte[] with(RootAllocator allocator, FieldVector third, int rows, DictionaryProvider dictionaries)
            throws IOException {
        BigIntVector id = new BigIntVector("id", allocator);
        TimeStampSecVector at = new TimeStampSecVector("at", allocator);
        List<FieldVector> vectors = new ArrayList<>(List.of(id, at, third));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int r = 0; r < rows; r++) {
            id.setSafe(r, r);
            at.setSafe(r, r);
        }
        try (VectorSchemaRoot root = new VectorSchemaRoot(vectors);
                ArrowStreamWriter writer = new ArrowStreamWriter(root, dictionaries, Channels.newChannel(out))) {
            root.setRowCount(rows);
            writer.start();
            writer.writeBatch();
            writer.end();
        }
        return out.toByteArray();
    }

    @Test
    void readsDictionaries() throws IOException {
        try (RootAllocator allocator = new RootAllocator();
                VarCharVector words = new VarCharVector("words", allocator);
                VarCharVector plain = new VarCharVector("note", allocator)) {
            words.setSafe(0, "red".getBytes(UTF_8));
            words.setSafe(1, "green".getBytes(UTF_8));
            words.setValueCount(2);
            plain.setSafe(0, "green".getBytes(UTF_8));
            plain.setSafe(2, "red".getBytes(UTF_8));
            plain.setValueCount(3);
            Dictionary dictionary = new Dictionary(words, new DictionaryEncoding(7, false, null));
            DictionaryProvider.MapDictionaryProvider provider = new DictionaryProvider.MapDictionaryProvider();
            provider.put(dictionary);
            FieldVector encoded = (FieldVector) DictionaryEncoder.encode(plain, dictionary);
            TupleBlock tuples =
                    decode(with(allocator, encoded, 3, provider), false).tuples();
            int note = SCHEMA.indexOf("note");
            assertThat(Arrays.asList(tuples.value(note, 0), tuples.value(note, 1), tuples.value(note, 2)))
                    .containsExactly("green", null, "red");
        }
    }

    @Test
    void badRowsAreNamedAndBecomeLettersOfText() throws IOException {
        try (RootAllocator allocator = new RootAllocator()) {
            BigIntVector small = new BigIntVector("small", allocator);
            small.setSafe(0, 5);
            small.setSafe(1, 1L << 40);
            small.setValueCount(3);
            byte[] body = with(allocator, small, 3, NONE);
            PushedRows rows = decode(body, true);
            assertThat(rows.rows()).isEqualTo(2);
            assertThat(rows.rejected()).isEqualTo(1);
            assertThat(rows.reasons().get(0))
                    .isEqualTo(new PushedRows.Reason(
                            2, 0, "small", "small: expected a whole number of 32 bits, got 1099511627776"));
            assertThat(new String(rows.records().get(0), UTF_8))
                    .isEqualTo("{\"id\":1,\"at\":1,\"small\":1099511627776}");
            assertThat(rows.tuples().value(0, 1)).isEqualTo(2L);
        }
    }

    @Test
    void columnsThatAreNoFieldsAreRefusedByName() throws IOException {
        try (RootAllocator allocator = new RootAllocator()) {
            refused(allocator, new IntVector("speed", allocator), "column speed: is no field of the stream");
            refused(
                    allocator,
                    new Float8Vector("small", allocator),
                    "column small: the field is a int: expected integers");
            refused(allocator, new IntVector("note", allocator), "column note: the field is a string: expected text");
            refused(allocator, new BigIntVector("id", allocator), "column id: is there twice");
            refused(allocator, new NullVector("peer"), null);
        }
        try (RootAllocator allocator = new RootAllocator()) {
            refused(allocator, new IntVector("x".repeat(65), allocator), "a name of 65 bytes, expected at most 64");
        }
        assertThatThrownBy(() -> decode(new byte[0], false)).hasMessageContaining("has no schema");
        assertThatThrownBy(() -> decode("id,at".getBytes(UTF_8), false)).isInstanceOf(HttpFailure.class);
    }

    private static void refused(RootAllocator allocator, FieldVector third, @Nullable String why) throws IOException {
        byte[] body = with(allocator, third, 2, NONE);
        if (why == null) {
            assertThat(decode(body, false).rows()).isEqualTo(2);
        } else {
            assertThatThrownBy(() -> decode(body, false))
                    .isInstanceOf(HttpFailure.class)
                    .hasMessageContaining(why);
        }
    }

    @Test
    void aFewBytesCannotNameValuesWithoutBound() throws IOException {
        int rows = 20_000;
        try (RootAllocator allocator = new RootAllocator();
                VarCharVector words = new VarCharVector("words", allocator)) {
            words.setSafe(0, "x".repeat(TupleBlock.MAX_VALUE_BYTES).getBytes(UTF_8));
            words.setValueCount(1);
            Dictionary dictionary = new Dictionary(words, new DictionaryEncoding(7, false, null));
            DictionaryProvider.MapDictionaryProvider provider = new DictionaryProvider.MapDictionaryProvider();
            provider.put(dictionary);
            VarCharVector plain = new VarCharVector("note", allocator);
            plain.setSafe(0, words.get(0));
            plain.setValueCount(1);
            IntVector encoded = (IntVector) DictionaryEncoder.encode(plain, dictionary);
            plain.close();
            for (int r = 0; r < rows; r++) {
                encoded.setSafe(r, 0);
            }
            encoded.setValueCount(rows);
            byte[] body = with(allocator, encoded, rows, provider);
            assertThatThrownBy(() ->
                            new ArrowDecoder(stream(), true, new PushBudget(1L << 40, "rows").lease()).decode(body))
                    .hasMessageContaining("more than " + ArrowDecoder.MOST_VALUE_BYTES + " bytes of values");
        }
    }

    @Test
    void aLongValueBecomesNoLetter() throws IOException {
        try (RootAllocator allocator = new RootAllocator()) {
            VarCharVector note = new VarCharVector("note", allocator);
            note.setSafe(0, "\u0001".repeat(400_000).getBytes(UTF_8));
            note.setValueCount(1);
            byte[] body = with(allocator, note, 1, NONE);
            assertThatThrownBy(() -> decode(body, true)).hasMessageContaining("more than 524288 bytes as JSON");
            assertThat(decode(body, false).rejected()).isEqualTo(1);
        }
    }

    @Test
    void wholeNumbersAreTakenWhereTheyAreHeldExactly() throws IOException {
        try (RootAllocator allocator = new RootAllocator()) {
            BigIntVector real = new BigIntVector("real", allocator);
            long[] numbers = {1L << 60, (1L << 53) + 1, Long.MIN_VALUE, Long.MAX_VALUE};
            BigIntVector host = new BigIntVector("host", allocator);
            long[] addresses = {0, 0xFFFFFFFFL, -1, 1L << 32};
            for (int r = 0; r < 4; r++) {
                real.setSafe(r, numbers[r]);
                host.setSafe(r, addresses[r]);
            }
            assertThat(decode(with(allocator, real, 4, NONE), false).reasons().stream()
                            .map(PushedRows.Reason::line))
                    .containsExactly(2, 4);
            assertThat(decode(with(allocator, host, 4, NONE), false).reasons().stream()
                            .map(PushedRows.Reason::line))
                    .containsExactly(3, 4);
        }
    }

    @Test
    void damageIsRefusedAndNothingElse() throws IOException {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        List<List<@Nullable Object>> expected = new ArrayList<>();
        byte[] body = body(random, expected);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = random.nextInt(4) == 0 ? Arrays.copyOf(body, random.nextInt(body.length)) : body.clone();
            for (int flips = random.nextInt(4); flips > 0 && damaged.length > 0; flips--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                decode(damaged, random.nextBoolean());
            } catch (HttpFailure e) {
                assertThat(e.status()).as("seed %s: %s", seed, e.getMessage()).isIn(400, 413);
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                throw new AssertionError("seed " + seed + ", round " + i, e);
            }
        }
    }
}
