package io.waterwheel.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.decode.RandomRows;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.RandomExpressions;
import io.waterwheel.schema.DecimalTypes;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams whose key has two to eight dimensions of random types, nulls and NaN among the values, beside a list. */
final class DimensionQueriesTest {
    private static final int SEEDS = Rounds.of(6, 300);
    private static final int VALUES = 60;
    private static final String BEGINNING = "https://\u00fcber.example/";

    @TempDir
    Path folder;

    /** A row as texts; null where there is no value. */
    @SuppressWarnings("ArrayRecordComponent") // one value a field; never compared
    private record Row(@Nullable String[] values, long time) {}

    /** What is asked of one field: any of the ranges. */
    private record Asked(Field field, List<KeyRange> ranges) {
        boolean holds(@Nullable String value) {
            return value != null && ranges.stream().anyMatch(range -> RangeOracle.holds(field.type(), range, value));
        }

        /** The same as a condition. */
        String condition() {
            List<String> any = new ArrayList<>();
            for (KeyRange range : ranges) {
                String low = range.low() == null ? null : field.name() + " >= " + literal(range.low());
                String high = range.high() == null ? null : field.name() + " <= " + literal(range.high());
                any.add(
                        low == null
                                ? Objects.requireNonNull(high)
                                : high == null ? low : "(" + low + " AND " + high + ")");
            }
            return "(" + String.join(" OR ", any) + ")";
        }

        private String literal(String value) {
            return switch (field.type().kind()) {
                case STRING -> "'" + value.replace("'", "''") + "'";
                case BYTES ->
                    "X'" + HexFormat.of().formatHex(Base64.getDecoder().decode(value)) + "'";
                case IPV4, IPV6, UUID -> field.type().name() + " '" + value + "'";
                case DECIMAL -> "DECIMAL '" + value + "'";
                case FLOAT -> Double.toString(Float.parseFloat(value));
                default -> value;
            };
        }
    }

    /** Chunks, leaves of chunks and leaves of trees that a dimension left out. */
    private final long[] saved = new long[4];
    /** Leaves of chunks that a dimension left out where nulls were asked for. */
    private long savedByNulls;

    @Test
    void answersAreThoseOfAList() throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            check(seed);
        }
        assertThat(saved)
                .as("chunks, leaves of chunks and of trees that a dimension left out")
                .doesNotContain(0);
        assertThat(savedByNulls).isPositive();
    }

    private void check(long seed) throws Exception {
        Random random = new Random(seed);
        List<Field> fields = new ArrayList<>();
        fields.add(new Field("t", FieldType.TIMESTAMP, false));
        FieldType[] types = DecimalTypes.all();
        int count = 2 + random.nextInt(8);
        List<List<String>> pools = new ArrayList<>();
        for (int f = 0; f < count; f++) {
            FieldType type = types[random.nextInt(types.length)];
            // The literal of a timestamp is one of times: other tests have those.
            type = type.isTimestamp() ? FieldType.LONG : type;
            fields.add(new Field("f" + f, type, random.nextInt(3) == 0));
            List<String> pool = new ArrayList<>();
            for (int i = 0; i < VALUES; i++) {
                pool.add(value(type, random));
            }
            // Some texts begin alike for longer than a code has bytes.
            if (RandomRows.told(fields.get(f + 1)) > BEGINNING.length() && type == FieldType.STRING) {
                pool.replaceAll(text -> text.length() % 5 == 4 ? text : BEGINNING + text);
            }
            pools.add(pool);
        }
        KeySpec key = RandomRows.dimensions(
                fields,
                random,
                field -> field.type() == FieldType.STRING
                        ? pools.get(fields.indexOf(field) - 1).get(random.nextInt(VALUES))
                        : RandomRows.value(field.type(), random));
        Schema schema = new Schema(fields, key, "t");
        List<Row> rows = new ArrayList<>();
        Path home = folder.resolve("s" + seed);
        try (LocalStream stream = LocalStream.open(home, "s", schema, LocalSettings.DEFAULT)) {
            for (int part = 0; part < 3; part++) {
                TupleBlock block = new TupleBlock(stream.layout(), 0);
                RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
                for (int i = random.nextInt(3000); i >= 0; i--) {
                    Row row = row(fields, pools, part, random);
                    rows.add(row);
                    decoder.decode(ByteBuffer.wrap(csv(row).getBytes(UTF_8)), block);
                }
                stream.insert(block);
                ask(stream, fields, pools, rows, random, "seed " + seed + ", fresh, part " + part);
                if (part < 2) {
                    stream.flush();
                    ask(stream, fields, pools, rows, random, "seed " + seed + ", flushed, part " + part);
                }
            }
            stream.flush();
        }
        try (LocalStream stream = LocalStream.open(home, "s", schema, LocalSettings.DEFAULT)) {
            ask(stream, fields, pools, rows, random, "seed " + seed + ", cold");
            ask(stream, fields, pools, rows, random, "seed " + seed + ", warm");
        }
    }

    private void ask(
            LocalStream stream,
            List<Field> fields,
            List<List<String>> pools,
            List<Row> rows,
            Random random,
            String when)
            throws Exception {
        for (int q = 0; q < 6; q++) {
            List<Asked> asked = new ArrayList<>();
            for (int f = 1; f < fields.size(); f++) {
                if (random.nextInt(3) == 0) {
                    asked.add(asked(fields.get(f), pools.get(f - 1), random));
                }
            }
            TimeInterval times = random.nextBoolean()
                    ? TimeInterval.ALL
                    : new TimeInterval(random.nextInt(20_000), 20_000 + random.nextInt(20_000));
            long expected = rows.stream()
                    .filter(row -> row.time() >= times.from() && row.time() <= times.to())
                    .filter(row ->
                            asked.stream().allMatch(one -> one.holds(row.values()[fields.indexOf(one.field()) - 1])))
                    .count();
            List<KeyRange> ranges =
                    asked.stream().flatMap(one -> one.ranges().stream()).toList();
            Query byRanges = stream.query().withTimes(times).withKeyRanges(ranges);
            String as = when + ": " + asked + " " + times;
            assertThat(stream.answer(byRanges, row -> true).tuples()).as(as).isEqualTo(expected);
            Verdict count = stream.answer(byRanges.withCount(), row -> true);
            assertThat(count.tuples()).as(as).isEqualTo(expected);
            Explanation plan = Objects.requireNonNull(stream.answer(byRanges.withExplain(Explain.PLAN), row -> true)
                    .explanation());
            saved[0] += plan.chunks().pruned().by(PruneReason.DIMENSION);
            saved[1] += count.statistics().inChunks().pruned().by(PruneReason.DIMENSION);
            saved[2] += count.statistics().fresh().pruned().by(PruneReason.DIMENSION);
            saved[3] += count.statistics().chunksByDimension().total();
            assertThat(plan.chunks().toRead())
                    .as(as)
                    .isEqualTo(count.statistics().chunksMeeting());
            assertThat(count.statistics().chunksByDimension().total())
                    .as(as)
                    .isLessThanOrEqualTo(plan.chunks().pruned().by(PruneReason.DIMENSION));
            assertThat(plan.chunks().toRead() + plan.chunks().pruned().total())
                    .as(as)
                    .isEqualTo(plan.chunks().total());
            askForNulls(stream, fields, rows, random, when);
            if (!asked.isEmpty() && asked.stream().noneMatch(one -> one.field().type() == FieldType.BOOLEAN)) {
                String where = String.join(
                        " AND ", asked.stream().map(Asked::condition).toList());
                Query byCondition = stream.query().withTimes(times).withWhere(Expression.parse(where));
                assertThat(stream.answer(byCondition.withCount(), row -> true).tuples())
                        .as(as + " " + where)
                        .isEqualTo(expected);
            }
        }
    }

    /** Of one field, alone and beside an OR of two. */
    private void askForNulls(LocalStream stream, List<Field> fields, List<Row> rows, Random random, String when)
            throws Exception {
        int f = random.nextInt(fields.size() - 1);
        int g = random.nextInt(fields.size() - 1);
        boolean isNull = random.nextBoolean();
        boolean orNull = random.nextBoolean();
        boolean two = random.nextBoolean();
        String where = fields.get(f + 1).name()
                + (isNull ? " IS NULL" : " IS NOT NULL")
                + (two ? " OR " + fields.get(g + 1).name() + (orNull ? " IS NULL" : " IS NOT NULL") : "");
        long expected = rows.stream()
                .filter(row -> (row.values()[f] == null) == isNull || (two && (row.values()[g] == null) == orNull))
                .count();
        Verdict count =
                stream.answer(stream.query().withWhere(Expression.parse(where)).withCount(), row -> true);
        assertThat(count.tuples()).as(when + ": " + where).isEqualTo(expected);
        savedByNulls += count.statistics().inChunks().pruned().by(PruneReason.DIMENSION);
    }

    private static Asked asked(Field field, List<String> pool, Random random) {
        List<KeyRange> ranges = new ArrayList<>();
        List<String> finite =
                pool.stream().filter(value -> !value.matches("NaN|-?Infinity")).toList();
        for (int r = random.nextInt(4) == 0 ? 3 : 0; r >= 0; r--) {
            String low = finite.get(random.nextInt(finite.size()));
            String high = random.nextInt(3) == 0 ? low : finite.get(random.nextInt(finite.size()));
            boolean swap = RangeOracle.order(field.type()).compare(low, high) > 0;
            int open = random.nextInt(6);
            ranges.add(new KeyRange(
                    field.name(), open == 0 ? null : swap ? high : low, open == 1 ? null : swap ? low : high));
        }
        return new Asked(field, ranges);
    }

    private static Row row(List<Field> fields, List<List<String>> pools, int part, Random random) {
        @Nullable String[] values = new @Nullable String[pools.size()];
        for (int f = 0; f < values.length; f++) {
            boolean isNull = fields.get(f + 1).nullable() && random.nextInt(4) == 0;
            List<String> pool = pools.get(f);
            // Some values come far more often than others, and some fields drift: a part has few of their values.
            int which = f % 3 == 1
                    ? part * 3 + random.nextInt(3)
                    : Math.min(random.nextInt(pool.size()), random.nextInt(pool.size()));
            values[f] = isNull ? null : pool.get(which);
        }
        // Each part begins in the time of the one before.
        return new Row(values, part * 8000L + random.nextInt(16_000));
    }

    private static String csv(Row row) {
        StringBuilder line = new StringBuilder().append(row.time());
        for (String value : row.values()) {
            line.append(',').append(value == null ? "" : value.isEmpty() ? "\"\"" : value);
        }
        return line.toString();
    }

    private static String value(FieldType type, Random random) {
        return switch (type.kind()) {
            case INT -> Integer.toString(random.nextInt() >> random.nextInt(31));
            case LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> Long.toString(random.nextLong() >> random.nextInt(63));
            case IPV4 -> Ipv4.text(random.nextInt());
            case BOOLEAN -> Boolean.toString(random.nextBoolean());
            case FLOAT, DOUBLE -> number(type, random);
            case STRING ->
                random.nextInt(20) == 0
                        ? ""
                        : "same-pre".substring(random.nextInt(9)) + Integer.toString(random.nextInt(500), 36);
            case DECIMAL -> DecimalTypes.value(type, random).toPlainString();
            case UUID, IPV6 -> type.object(RandomExpressions.sixteen(random)).toString();
            case BYTES -> {
                byte[] bytes = new byte[random.nextInt(12)];
                random.nextBytes(bytes);
                yield Base64.getEncoder().encodeToString(bytes);
            }
        };
    }

    private static String number(FieldType type, Random random) {
        double number =
                switch (random.nextInt(12)) {
                    case 0 -> Double.NaN;
                    case 1 -> Double.POSITIVE_INFINITY;
                    case 2 -> -0.0;
                    case 3 -> 0.0;
                    case 4 -> random.nextGaussian() * 1e30;
                    default -> random.nextInt(1000) / 8.0 - 50;
                };
        return type == FieldType.FLOAT ? Float.toString((float) number) : Double.toString(number);
    }

    private static final Schema WEATHER = new Schema(
            List.of(
                    new Field("t", FieldType.TIMESTAMP, false),
                    new Field("element", FieldType.STRING, false),
                    new Field("latitude", FieldType.DOUBLE, false),
                    new Field("value", FieldType.INT, true)),
            new KeySpec.Dimensions(
                    List.of(
                            new Dimension("element", 0, List.of(), List.of("SNOW", "TMAX", "TMIN")),
                            new Dimension("latitude", 5, List.of("24", "72"), List.of()),
                            new Dimension("value", 4, List.of("-300", "500"), List.of())),
                    List.of()),
            "t");

    @Test
    void whatCannotBeAskedIsSaidSo() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", WEATHER, LocalSettings.DEFAULT)) {
            refused(
                    stream,
                    new KeyRange("abc", null),
                    "key range: expected FIELD=LO..HI, or the number of a key, for"
                            + " the key has dimensions (element, latitude, value), got 'abc'");
            refused(
                    stream,
                    new KeyRange("latitude", "x", null),
                    "range of 'latitude': expected values of type double," + " got 'x'");
            refused(
                    stream,
                    new KeyRange("value", "5", "-5"),
                    "range of 'value': expected the lower value first, got '5'" + " to '-5'");
            refused(
                    stream,
                    new KeyRange("element", "same-beginning", "same-beginnin"),
                    "range of 'element': expected the lower value first, got 'same-beginning' to 'same-beginnin'");
            refused(
                    stream,
                    new KeyRange("t", "0", "9223372036854775807"),
                    "range of 't': got '9223372036854775807'; a timestamp literal must lie in the years 1 to 9999, got"
                            + " +292278994-08-17T07:12:55.807Z");
            refused(
                    stream,
                    new KeyRange("longitude", "5", "6"),
                    "there is no field 'longitude'; did you mean"
                            + " 'latitude'? There are [t, element, latitude, value]");
            assertThatThrownBy(() -> stream.answer(stream.query().withLatest(1), rows -> true))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessage(
                            "stream s has a key of dimensions, which many tuples share: the newest of each key cannot"
                                    + " be asked for; order by the time, or group by a field");
        }
    }

    private static void refused(LocalStream stream, KeyRange range, String message) {
        assertThatThrownBy(() -> stream.answer(stream.query().withKeyRanges(List.of(range)), rows -> true))
                .isInstanceOf(WaterwheelException.class)
                .hasMessage(message);
    }

    /** A truth narrows however it is asked for, and many ranges of a number by their span. */
    @Test
    void truthsAndManyRangesSpareLeaves() throws Exception {
        Schema schema = new Schema(
                List.of(
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("flag", FieldType.BOOLEAN, false),
                        new Field("value", FieldType.INT, false)),
                new KeySpec.Dimensions(
                        List.of(
                                new Dimension("flag", 0, List.of(), List.of()),
                                new Dimension("value", 6, List.of("0", "999"), List.of())),
                        List.of()),
                "t");
        Random random = new Random(7);
        int set = 0;
        int even = 0;
        try (LocalStream stream = LocalStream.open(folder, "s", schema, LocalSettings.DEFAULT)) {
            TupleBlock block = new TupleBlock(stream.layout(), 0);
            RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
            for (int i = 0; i < 32 * 2048; i++) {
                boolean flag = random.nextBoolean();
                int value = random.nextInt(1000);
                set += flag ? 1 : 0;
                even += value < 140 && value % 2 == 0 ? 1 : 0;
                decoder.decode(ByteBuffer.wrap((i + "," + flag + "," + value).getBytes(UTF_8)), block);
            }
            stream.insert(block);
            stream.flush();
            Query count = stream.query().withCount();
            List<KeyRange> many = new ArrayList<>();
            for (int value = 0; value < 140; value += 2) {
                // No single value, and no other whole number.
                many.add(new KeyRange("value", Integer.toString(value), "+" + value));
            }
            Map<Query, Integer> expected = Map.of(
                    count.withKeyRanges(List.of(new KeyRange("flag", "true", "true"))), set,
                    count.withWhere(Expression.parse("flag")), set,
                    count.withWhere(Expression.parse("flag <> FALSE")), set,
                    count.withWhere(Expression.parse("NOT flag")), block.size() - set,
                    count.withKeyRanges(many), even);
            for (Map.Entry<Query, Integer> asked : expected.entrySet()) {
                var answer = stream.answer(asked.getKey(), rows -> true);
                assertThat(answer.tuples()).isEqualTo(asked.getValue().longValue());
                assertThat(answer.statistics().inChunks().read())
                        .as("%s", asked.getKey())
                        .isLessThan(24);
            }
        }
    }

    /** Both chunks have keys from the least to the greatest, and one has no row in the middle of a dimension. */
    @Test
    void aChunkIsLeftOutByADimensionThoughItsKeysMeet() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", WEATHER, LocalSettings.DEFAULT)) {
            RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, WEATHER);
            for (int south : new int[] {30, 50}) {
                TupleBlock block = new TupleBlock(stream.layout(), 0);
                for (int i = 0; i < 1000; i++) {
                    String line = i + "," + (i % 2 == 0 ? "PRCP" : "TMIN") + "," + (south + i % 4) + "," + (i - 400);
                    decoder.decode(ByteBuffer.wrap(line.getBytes(UTF_8)), block);
                }
                stream.insert(block);
                stream.flush();
            }
            List<KeyRange> north = List.of(new KeyRange("latitude", "49", "55"));
            Query query = stream.query().withKeyRanges(north).withCount();
            Verdict verdict = stream.answer(query, rows -> true);
            assertThat(verdict.tuples()).isEqualTo(1000);
            assertThat(verdict.statistics().chunks()).isEqualTo(2);
            assertThat(verdict.statistics().chunksMeeting()).isEqualTo(1);
            assertThat(verdict.statistics().chunksByDimension())
                    .isEqualTo(Pruning.of(PruneReason.DIMENSION, "latitude", 1));
            Explanation plan = Objects.requireNonNull(
                    stream.answer(query.withExplain(Explain.PLAN), row -> true).explanation());
            assertThat(plan.chunks().pruned()).isEqualTo(Pruning.of(PruneReason.DIMENSION, "latitude", 1));
            assertThat(plan.text())
                    .contains("chunks     2 there; pruned 1 by dimension (latitude 1); 1 to read: 1,000");
        }
    }

    /** Chunks of which the catalog has no bounds are left out by their keys: those of a chunk are one interval. */
    @Test
    void aChunkWithoutBoundsIsAskedAsFarAsItsKeysMeet() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", WEATHER, LocalSettings.DEFAULT)) {
            for (String element : List.of("PRCP", "SNOW", "TMAX")) {
                TupleBlock block = new TupleBlock(stream.layout(), 0);
                RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, WEATHER);
                for (int i = 0; i < 500; i++) {
                    String line = i + "," + element + "," + (30 + i % 4) + "," + (i % 100 - 50);
                    decoder.decode(ByteBuffer.wrap(line.getBytes(UTF_8)), block);
                }
                stream.insert(block);
                stream.flush();
            }
        }
        List<KeyRange> asked = List.of(new KeyRange("element", "SNOW", "SNOW"), new KeyRange("latitude", "31", "31"));
        List<Verdict> verdicts = new ArrayList<>();
        for (boolean bounds : new boolean[] {true, false}) {
            if (!bounds) {
                withoutBounds(folder.resolve("edits.log"));
            }
            try (LocalStream stream = LocalStream.open(folder, "s", WEATHER, LocalSettings.DEFAULT)) {
                verdicts.add(stream.answer(stream.query().withKeyRanges(asked).withCount(), row -> true));
                verdicts.add(stream.answer(
                        stream.query()
                                .withKeyRanges(List.of(new KeyRange("value", "48", "49")))
                                .withCount(),
                        row -> true));
            }
        }
        assertThat(verdicts).extracting(Verdict::tuples).containsExactly(125L, 30L, 125L, 30L);
        assertThat(verdicts)
                .extracting(verdict -> verdict.statistics().chunksMeeting())
                .containsExactly(1L, 3L, 1L, 3L);
    }

    /** The file of edits as it would be without them. */
    private static void withoutBounds(Path edits) throws IOException {
        StringBuilder lines = new StringBuilder();
        int with = 0;
        for (String line : Files.readAllLines(edits)) {
            String json = line.substring(9);
            String less = json.replaceAll(",\"leastCells\":\\d+,\"greatestCells\":\\d+", "");
            with += less.equals(json) ? 0 : 1;
            CRC32C checksum = new CRC32C();
            checksum.update(less.getBytes(UTF_8));
            lines.append(String.format("%08x %s\n", checksum.getValue(), less));
        }
        assertThat(with).isEqualTo(3);
        Files.writeString(edits, lines);
    }

    /** Each dimension alone narrows, in chunks. */
    @Test
    void aRangeOfAnyDimensionSparesLeaves() throws Exception {
        Random random = new Random(5);
        try (LocalStream stream = LocalStream.open(folder, "s", WEATHER, LocalSettings.DEFAULT)) {
            TupleBlock block = new TupleBlock(stream.layout(), 0);
            RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, WEATHER);
            String[] elements = {"PRCP", "SNOW", "TMAX", "TMIN"};
            for (int i = 0; i < 64 * 2048; i++) {
                String line = i + "," + elements[random.nextInt(4)] + "," + (24 + random.nextDouble() * 48) + ","
                        + (random.nextInt(10) == 0 ? "" : random.nextInt(800) - 300);
                decoder.decode(ByteBuffer.wrap(line.getBytes(UTF_8)), block);
            }
            stream.insert(block);
            stream.flush();
            for (KeyRange range : List.of(
                    new KeyRange("element", "SNOW", "SNOW"),
                    new KeyRange("latitude", "40.7", "40.8"),
                    new KeyRange("value", "17", "19"))) {
                var statistics = stream.answer(
                                stream.query().withKeyRanges(List.of(range)).withCount(), rows -> true)
                        .statistics();
                assertThat(statistics.inChunks().read())
                        .as("%s: %s", range, statistics)
                        .isLessThan(32);
            }
        }
    }
}
