package io.waterwheel.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.Query;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.RandomExpressions;
import io.waterwheel.schema.DecimalTypes;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranges of values of keys of every type, many of which share a key, against a comparison of the values. */
final class KeyRangeTest {
    private static final String[] NAMES = {"a", "same-prefix-1", "same-prefix-2", "same-prefix-22", "same-pre", "z"};

    @TempDir
    Path folder;

    private static List<FieldType> types() {
        List<FieldType> types = new ArrayList<>(DecimalTypes.decimals());
        types.addAll(List.of(FieldType.values()));
        return types;
    }

    @ParameterizedTest
    @MethodSource("types")
    void answersHoldTheValuesBetweenTheBounds(FieldType type) throws Exception {
        Schema schema = new Schema(
                List.of(new Field("k", type, false), new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        for (long seed = 0; seed < 5; seed++) {
            Random random = new Random(seed);
            List<String> values = new ArrayList<>();
            try (LocalStream stream =
                    LocalStream.open(folder.resolve("s" + seed), "s", schema, LocalSettings.DEFAULT)) {
                for (int part = 0; part < 2; part++) {
                    TupleBlock block = new TupleBlock(stream.layout(), 0);
                    RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
                    for (int i = 0; i < 300; i++) {
                        String value = value(type, random);
                        values.add(value);
                        String cell = value.isEmpty() ? "\"\"" : value;
                        decoder.decode(ByteBuffer.wrap((cell + "," + i).getBytes(UTF_8)), block);
                    }
                    stream.insert(block);
                    if (part == 0) {
                        stream.flush();
                    }
                }
                for (int q = 0; q < 60; q++) {
                    List<KeyRange> ranges = new ArrayList<>();
                    // Some are compared one after the other, many searched.
                    for (int r = random.nextInt(q % 10 == 0 ? 60 : 6); r >= 0; r--) {
                        ranges.add(range(type, random));
                    }
                    long expected = values.stream()
                            .filter(value -> ranges.stream().anyMatch(range -> RangeOracle.holds(type, range, value)))
                            .count();
                    Query query = stream.query().withKeyRanges(ranges);
                    assertThat(stream.answer(query, rows -> true).tuples())
                            .as("seed %s question %s: %s", seed, q, ranges)
                            .isEqualTo(expected);
                    assertThat(stream.answer(query.withCount(), rows -> true).tuples())
                            .as("seed %s question %s: %s", seed, q, ranges)
                            .isEqualTo(expected);
                }
            }
        }
    }

    /**
     * As many as a query may have, beside a condition as long as it may be: what is made of them is longer than that.
     */
    @Test
    void manyRangesOfTextAreSearched() throws Exception {
        Schema schema = new Schema(
                List.of(
                        new Field("name", FieldType.STRING, false),
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("n", FieldType.INT, false)),
                new KeySpec.Ordered("name"),
                "t");
        int rows = 50_000;
        try (LocalStream stream = LocalStream.open(folder, "s", schema, LocalSettings.DEFAULT)) {
            TupleBlock block = new TupleBlock(stream.layout(), 0);
            RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
            for (int i = 0; i < rows; i++) {
                decoder.decode(ByteBuffer.wrap(("same-prefix-" + (100_000 + i) + ",0," + i).getBytes(UTF_8)), block);
            }
            stream.insert(block);
            List<KeyRange> ranges = new ArrayList<>();
            for (int r = 0; r < 10_000; r++) {
                int from = 100_000 + 5 * r;
                ranges.add(new KeyRange("same-prefix-" + from, "same-prefix-" + (from + 1)));
            }
            Collections.shuffle(ranges, new Random(1));
            String where = "n IN ("
                    + IntStream.range(0, 19_900)
                            .mapToObj(i -> Integer.toString(2 * i))
                            .collect(Collectors.joining(", "))
                    + ")";
            assertThatThrownBy(() -> Expression.parse(where + " OR n = 1".repeat(200)))
                    .hasMessageContaining("more than 20000 parts");
            Query query = stream.query().withKeyRanges(ranges);
            assertThat(stream.answer(query.withCount(), row -> true).tuples()).isEqualTo(20_000);
            long even = IntStream.range(0, 39_800)
                    .filter(i -> i % 2 == 0 && i % 5 < 2)
                    .count();
            assertThat(stream.answer(query.withWhere(Expression.parse(where)).withCount(), row -> true)
                            .tuples())
                    .isEqualTo(even);
        }
    }

    @Test
    void aBoundThatIsNoValueIsSaidSo() throws Exception {
        Schema schema = new Schema(
                List.of(new Field("host", FieldType.IPV4, false), new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("host"),
                "t");
        try (LocalStream stream = LocalStream.open(folder, "s", schema, LocalSettings.DEFAULT)) {
            assertThatThrownBy(() -> stream.answer(
                            stream.query().withKeyRanges(List.of(new KeyRange("10.0.0.1", "10.0.0.300"))),
                            rows -> true))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessage("key range: key field 'host': expected a value of type ipv4, got '10.0.0.300'");
            assertThatThrownBy(() -> stream.answer(
                            stream.query().withKeyRanges(List.of(new KeyRange("10.0.0.2", "10.0.0.1"))), rows -> true))
                    .hasMessage("key range: expected the lower value first, got '10.0.0.2' to '10.0.0.1'");
        }
    }

    @Test
    void whoAsksForKeysOfPositionsIsToldOfShapes() throws Exception {
        Schema schema = new Schema(
                List.of(
                        new Field("lon", FieldType.DOUBLE, false),
                        new Field("lat", FieldType.DOUBLE, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Position("lon", "lat", new Box(0, 0, 10, 10)),
                "t");
        try (LocalStream stream = LocalStream.open(folder, "s", schema, LocalSettings.DEFAULT)) {
            assertThatThrownBy(() ->
                            stream.answer(stream.query().withKeyRanges(List.of(KeyRange.of("abc"))), rows -> true))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessage("key range: expected a z-order code, for the key is a position, got 'abc'; a box,"
                            + " polygon or circle can be asked for");
        }
    }

    private static KeyRange range(FieldType type, Random random) {
        if (random.nextInt(3) == 0) {
            return KeyRange.of(value(type, random));
        }
        @Nullable String low = random.nextInt(5) == 0 ? null : value(type, random);
        @Nullable String high = random.nextInt(5) == 0 ? null : value(type, random);
        return low != null && high != null && RangeOracle.order(type).compare(low, high) > 0
                ? new KeyRange(high, low)
                : new KeyRange(low, high);
    }

    private static String value(FieldType type, Random random) {
        return switch (type.kind()) {
            case INT, LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> Integer.toString(random.nextInt(200) - 100);
            case IPV4 -> Ipv4.text(random.nextInt(4) << 30 | random.nextInt(50));
            case BOOLEAN -> Boolean.toString(random.nextBoolean());
            case FLOAT, DOUBLE -> {
                double value = random.nextInt(40) / 4.0 - 5;
                yield value == 0 ? (random.nextBoolean() ? "-0.0" : "0.0") : Double.toString(value);
            }
            case STRING -> NAMES[random.nextInt(NAMES.length)] + (random.nextBoolean() ? "" : random.nextInt(5));
            case UUID, IPV6 -> type.object(RandomExpressions.sixteen(random)).toString();
            case DECIMAL -> DecimalTypes.value(type, random).toPlainString();
            case BYTES -> Base64.getEncoder().encodeToString(NAMES[random.nextInt(NAMES.length)].getBytes(UTF_8));
        };
    }

    /** Bounds need be no values of the field. */
    @Test
    void rangesOfNamedFieldsAreConditions() throws Exception {
        Schema schema = new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("i", FieldType.INT, true),
                        new Field("g", FieldType.DOUBLE, true),
                        new Field("f", FieldType.FLOAT, true),
                        new Field("e", FieldType.decimal(9, 2), true)),
                new KeySpec.Ordered("k"),
                "t");
        try (LocalStream stream = LocalStream.open(folder.resolve("named"), "s", schema, LocalSettings.DEFAULT)) {
            TupleBlock block = new TupleBlock(stream.layout(), 0);
            RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
            for (String row : List.of(
                    "1,1000,-5,-Infinity,-Infinity,-1.25",
                    "2,1001,2147483647,0.5,0.5,0",
                    "3,1002,-2147483648,Infinity,Infinity,1.25",
                    "4,1003,7,NaN,NaN,9",
                    "5,1004,,,,",
                    "-9223372036854775808,1005,,,,",
                    "9223372036854775807,1006,,,,")) {
                decoder.decode(ByteBuffer.wrap(row.getBytes(UTF_8)), block);
            }
            stream.insert(block);
            String[][] pairs = {
                {"g", "-Infinity", "0", "g >= CAST('-Infinity' AS DOUBLE) AND g <= 0"},
                {"g", "0.5", "Infinity", "g >= 0.5 AND g <= CAST('Infinity' AS DOUBLE)"},
                {"g", "-Infinity", "Infinity", "g BETWEEN CAST('-Infinity' AS DOUBLE) AND CAST('Infinity' AS DOUBLE)"},
                {"g", "Infinity", "Infinity", "g = CAST('Infinity' AS DOUBLE)"},
                {"f", "-Infinity", "0", "f >= CAST('-Infinity' AS DOUBLE) AND f <= 0"},
                {"f", "0", "+Infinity", "f >= 0 AND f <= CAST('Infinity' AS DOUBLE)"},
                {"i", null, "9007199254740993", "i <= 9007199254740993"},
                {"i", "-3000000000", "6.5", "i >= -3000000000 AND i <= 6.5"},
                {"i", "-5.5", "-4.5", "i >= -5.5 AND i <= -4.5"},
                {"i", "6.5", "6.5", "i = 6.5"},
                {"i", "7", "Infinity", "i >= 7 AND i <= CAST('Infinity' AS DOUBLE)"},
                {"k", "1.5", null, "k >= 1.5"},
                {"k", "99999999999999999999", null, "k > 1e19"},
                {"k", null, "99999999999999999999", "k < 1e19"},
                {"k", null, "9223372036854775808", "k < 1e19"},
                {"k", "9223372036854775808", "9223372036854775809", "k > 1e19"},
                {"k", null, "-9223372036854775809", "k < -1e19"},
                {"k", "-9223372036854775809", "0", "k <= 0"},
                {"i", "-99999999999999999999", "+99999999999999999999", "i > -3000000000"},
                {"k", "-1" + "0".repeat(310), "1" + "0".repeat(310), "k IS NOT NULL"},
                {"i", "1" + "0".repeat(310), null, "i > 3000000000"},
                {"k", "1" + "0".repeat(310), "1" + "0".repeat(310), "k > 1e19"},
                {"t", "1970-01-01T00:00:01.0005Z", null, "t >= TIMESTAMP '1970-01-01 00:00:01.0005Z'"},
                {
                    "t",
                    "1001",
                    "1970-01-01 00:00:01.002999Z",
                    "t BETWEEN TIMESTAMP '1970-01-01 00:00:01.001Z' AND" + " TIMESTAMP '1970-01-01 00:00:01.002999Z'"
                },
                {"e", "-1.255", "1.2499", "e >= DECIMAL '-1.255' AND e <= DECIMAL '1.2499'"},
                {"e", "0", "12345678901.5", "e >= 0 AND e <= DECIMAL '12345678901.5'"},
            };
            for (String[] pair : pairs) {
                Query ranged = stream.query().withKeyRanges(List.of(new KeyRange(pair[0], pair[1], pair[2])));
                Query where = stream.query().withWhere(Expression.parse(pair[3]));
                long expected = stream.answer(where, rows -> true).tuples();
                assertThat(stream.answer(ranged, rows -> true).tuples())
                        .as("%s", List.of(pair[3]))
                        .isEqualTo(expected);
                assertThat(Expression.parse(pair[3]).toString())
                        .isEqualTo(Expression.parse(Expression.parse(pair[3]).toString())
                                .toString());
            }
            List<KeyRange> several = List.of(
                    new KeyRange("i", "7", "7"), new KeyRange("i", "6.5", "6.5"), new KeyRange("i", "-5.5", "-4.5"));
            assertThat(stream.answer(stream.query().withKeyRanges(several), rows -> true)
                            .tuples())
                    .isEqualTo(2);
            for (KeyRange wrong : List.of(
                    new KeyRange("g", "NaN", null),
                    new KeyRange("g", "1e400", null),
                    new KeyRange("f", "1e39", null),
                    new KeyRange("i", "x", null))) {
                assertThatThrownBy(() -> stream.answer(stream.query().withKeyRanges(List.of(wrong)), rows -> true))
                        .hasMessageContaining("range of '" + wrong.field() + "': expected values of type ")
                        .hasMessageContaining("got '" + wrong.low() + "'");
            }
            assertThatThrownBy(() -> stream.answer(
                            stream.query().withKeyRanges(List.of(new KeyRange("f", "NaN", "NaN"))), rows -> true))
                    .hasMessageContaining("got 'NaN'; a condition finds it: f = CAST('NaN' AS DOUBLE)");
            assertThatThrownBy(() -> stream.answer(
                            stream.query().withKeyRanges(List.of(new KeyRange("i", "NaN", "NaN"))), rows -> true))
                    .hasMessageEndingWith("got 'NaN'");
            assertThat(stream.answer(
                                    stream.query().withWhere(Expression.parse("f = CAST('NaN' AS DOUBLE)")),
                                    rows -> true)
                            .tuples())
                    .isEqualTo(1);
            assertThatThrownBy(() -> stream.answer(
                            stream.query().withKeyRanges(List.of(new KeyRange("g", "Infinity", "0"))), rows -> true))
                    .hasMessageContaining("expected the lower value first, got 'Infinity' to '0'");
        }
    }
}
