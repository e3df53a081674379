package io.waterwheel.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.schema.DecimalTypes;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Questions about decimals, fresh and in chunks, beside BigDecimal over a list. */
final class DecimalQueriesTest {
    private static final int ROWS = 600;
    private static final String[] RELATIONS = {"=", "<>", "<", "<=", ">", ">="};

    @TempDir
    Path folder;

    /** A row: its group, and a decimal or null. */
    private record Row(int group, @Nullable BigDecimal value) {}

    @Test
    void answersAreThoseOfAList() throws Exception {
        long seed = 0;
        for (FieldType type : DecimalTypes.decimals()) {
            check(type, seed++);
        }
    }

    private static Schema schema(FieldType type, boolean nullable) {
        return new Schema(
                List.of(
                        new Field("d", type, nullable, TimestampUnit.NANOSECONDS, true),
                        new Field("g", FieldType.INT, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered(nullable ? "g" : "d"),
                "t");
    }

    private void check(FieldType type, long seed) throws Exception {
        Random random = new Random(seed);
        boolean nullable = random.nextBoolean();
        Schema schema = schema(type, nullable);
        List<Row> rows = new ArrayList<>();
        try (LocalStream stream = LocalStream.open(folder.resolve("s" + seed), "s", schema, LocalSettings.DEFAULT)) {
            RecordDecoder csv = RecordDecoder.of(RecordFormat.CSV, schema);
            RecordDecoder json = RecordDecoder.of(RecordFormat.JSON, schema);
            for (int part = 0; part < 3; part++) {
                TupleBlock block = new TupleBlock(stream.layout(), 0);
                for (int i = 0; i < ROWS / 3; i++) {
                    Row row = new Row(
                            random.nextInt(5),
                            nullable && random.nextInt(5) == 0 ? null : DecimalTypes.value(type, random));
                    rows.add(row);
                    String text = row.value == null ? "" : row.value.toString();
                    if (random.nextBoolean()) {
                        csv.decode(bytes(text + "," + row.group + "," + i), block);
                    } else {
                        String quote = random.nextBoolean() ? "\"" : "";
                        json.decode(
                                bytes("{\"d\": " + (row.value == null ? "null" : quote + text + quote) + ", \"g\": "
                                        + row.group + ", \"t\": " + i + "}"),
                                block);
                    }
                }
                stream.insert(block);
                if (part < 2) {
                    stream.flush();
                }
            }
            String about = "seed " + seed + ", " + type;
            for (int q = 0; q < 150; q++) {
                condition(stream, rows, type, random, about);
            }
            groups(stream, rows, type, about);
            orders(stream, rows, about);
            casts(stream, rows, about);
        }
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    /** A number near the values, or one of them, often with more places. */
    private static BigDecimal number(FieldType type, Random random) {
        BigDecimal value = DecimalTypes.value(type, random);
        return switch (random.nextInt(6)) {
            case 0 -> value.multiply(new BigDecimal("0.5"), MathContext.DECIMAL128);
            case 1 -> new BigDecimal(random.nextInt(20) - 10);
            case 2 -> new BigDecimal(random.nextInt(2000) - 1000).movePointLeft(random.nextInt(6));
            default -> value;
        };
    }

    private static String literal(BigDecimal number, Random random) {
        BigDecimal short15 = number.stripTrailingZeros();
        boolean plain = short15.precision() <= 15 && short15.scale() <= 15 && short15.scale() >= 0;
        return plain && random.nextBoolean() ? number.toPlainString() : "DECIMAL '" + number.toPlainString() + "'";
    }

    private static boolean fits(BigDecimal number) {
        return number.scale() <= 38 && Math.max(number.precision(), number.scale()) <= 38;
    }

    private static BigDecimal fitting(FieldType type, Random random) {
        BigDecimal number = number(type, random);
        while (!fits(number)) {
            number = number(type, random);
        }
        return number;
    }

    private void condition(LocalStream stream, List<Row> rows, FieldType type, Random random, String about)
            throws Exception {
        BigDecimal low = fitting(type, random);
        BigDecimal high = fitting(type, random);
        boolean not = random.nextBoolean();
        String where;
        Predicate<BigDecimal> holds;
        switch (random.nextInt(5)) {
            case 0 -> {
                where = "d " + (not ? "NOT " : "") + "BETWEEN " + literal(low, random) + " AND "
                        + literal(high, random);
                holds = value -> (value.compareTo(low) >= 0 && value.compareTo(high) <= 0) != not;
            }
            case 1 -> {
                BigDecimal third = fitting(type, random);
                where = "d " + (not ? "NOT " : "") + "IN (" + literal(low, random) + ", " + literal(high, random) + ", "
                        + literal(third, random) + ")";
                holds = value ->
                        (value.compareTo(low) == 0 || value.compareTo(high) == 0 || value.compareTo(third) == 0) != not;
            }
            case 2 -> {
                where = "nullif(d, " + literal(low, random) + ") IS NOT NULL";
                holds = value -> value.compareTo(low) != 0;
            }
            default -> {
                String relation = RELATIONS[random.nextInt(RELATIONS.length)];
                boolean turned = random.nextInt(4) == 0;
                where = turned
                        ? literal(low, random) + " " + relation + " d"
                        : (random.nextInt(4) == 0 ? "CASE WHEN g >= 0 THEN d END" : "d") + " " + relation + " "
                                + literal(low, random);
                holds = value -> {
                    int compared = turned ? low.compareTo(value) : value.compareTo(low);
                    return switch (relation) {
                        case "=" -> compared == 0;
                        case "<>" -> compared != 0;
                        case "<" -> compared < 0;
                        case "<=" -> compared <= 0;
                        case ">" -> compared > 0;
                        default -> compared >= 0;
                    };
                };
            }
        }
        long expected = rows.stream()
                .filter(row -> row.value != null && holds.test(row.value))
                .count();
        Query query = stream.query().withWhere(where);
        assertThat(stream.answer(query.withCount(), block -> true).tuples())
                .as("%s: %s", about, where)
                .isEqualTo(expected);
    }

    private static List<List<@Nullable Object>> ask(LocalStream stream, Query query) throws Exception {
        List<List<@Nullable Object>> answer = new ArrayList<>();
        stream.answer(query, block -> {
            for (int row = 0; row < block.size(); row++) {
                List<@Nullable Object> values = new ArrayList<>();
                for (int f = 0; f < block.layout().fields().size(); f++) {
                    values.add(block.value(f, row));
                }
                answer.add(values);
            }
            return true;
        });
        return answer;
    }

    private void groups(LocalStream stream, List<Row> rows, FieldType type, String about) throws Exception {
        boolean sums = type.scale() + 3 < 38 && type.precision() < 36;
        List<String> wanted = new ArrayList<>(List.of("count(d) AS n", "min(d) AS a", "max(d) AS b", "avg(d) AS m"));
        wanted.add("count(DISTINCT d) AS u");
        if (sums) {
            wanted.add("sum(d) AS s");
        }
        Map<Integer, List<BigDecimal>> groups = new TreeMap<>();
        for (Row row : rows) {
            List<BigDecimal> of = groups.computeIfAbsent(row.group, g -> new ArrayList<>());
            if (row.value != null) {
                of.add(row.value);
            }
        }
        List<List<Object>> expected = new ArrayList<>();
        groups.forEach((group, values) -> {
            BigDecimal sum = values.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
            List<Object> row = new ArrayList<>(List.of(
                    group,
                    (long) values.size(),
                    values.stream().min(Comparator.naturalOrder()).orElseThrow(),
                    values.stream().max(Comparator.naturalOrder()).orElseThrow(),
                    sum.divide(BigDecimal.valueOf(values.size()), new MathContext(80))
                            .doubleValue(),
                    values.stream().distinct().count()));
            if (sums) {
                row.add(sum.setScale(type.scale()));
            }
            expected.add(row);
        });
        ResultSpec.Aggregates aggregates = new ResultSpec.Aggregates(
                        wanted.stream()
                                .map(io.waterwheel.query.Aggregate::parse)
                                .toList(),
                        NamedExpression.fields("g"),
                        null)
                .withOrder(List.of(new Order("g", false)), Query.NO_LIMIT);
        assertThat(ask(stream, stream.query().withResult(aggregates))).as(about).isEqualTo(expected);
        ResultSpec.Aggregates each = new ResultSpec.Aggregates(
                        List.of(io.waterwheel.query.Aggregate.parse("count(*) AS n")),
                        NamedExpression.fields("d"),
                        null)
                .withOrder(List.of(new Order("d", true)), Query.NO_LIMIT);
        Map<BigDecimal, Long> counts = new TreeMap<>(Comparator.reverseOrder());
        rows.stream().filter(row -> row.value != null).forEach(row -> counts.merge(row.value, 1L, Long::sum));
        List<List<Object>> byValue = new ArrayList<>();
        counts.forEach((value, count) -> byValue.add(List.of(value, count)));
        assertThat(ask(stream, stream.query().withResult(each).withWhere("d IS NOT NULL")))
                .as(about)
                .isEqualTo(byValue);
    }

    private void orders(LocalStream stream, List<Row> rows, String about) throws Exception {
        for (boolean descending : new boolean[] {false, true}) {
            Comparator<BigDecimal> order = Comparator.naturalOrder();
            List<BigDecimal> expected = rows.stream()
                    .filter(row -> row.value != null)
                    .map(Row::value)
                    .sorted(descending ? order.reversed() : order)
                    .limit(50)
                    .toList();
            Query query = stream.query()
                    .withSelect(List.of("d"))
                    .withWhere("d IS NOT NULL")
                    .withOrderBy(List.of(new Order("d", descending)))
                    .withLimit(50);
            assertThat(ask(stream, query).stream().map(row -> row.get(0)).toList())
                    .as(about)
                    .isEqualTo(expected);
        }
    }

    private void casts(LocalStream stream, List<Row> rows, String about) throws Exception {
        Query query = stream.query()
                .withWhere("d IS NOT NULL")
                .withSelect(List.of(
                        "d",
                        "CAST(d AS VARCHAR) AS v",
                        "CAST(d AS DOUBLE) AS f",
                        "CAST(CASE WHEN d BETWEEN -1000 AND 1000 THEN d END AS BIGINT) AS b",
                        "CAST(CASE WHEN d BETWEEN -1000 AND 1000 THEN d END AS DECIMAL(38, 1)) AS o"));
        List<List<@Nullable Object>> answer = ask(stream, query);
        assertThat(answer)
                .hasSize((int) rows.stream().filter(row -> row.value != null).count());
        for (List<@Nullable Object> row : answer) {
            BigDecimal value = (BigDecimal) row.get(0);
            boolean small = value.abs().compareTo(BigDecimal.valueOf(1000)) <= 0;
            assertThat(row.get(1)).as(about).isEqualTo(value.toPlainString());
            assertThat(row.get(2)).as(about).isEqualTo(value.doubleValue());
            assertThat(row.get(3))
                    .as(about)
                    .isEqualTo(small ? value.setScale(0, RoundingMode.DOWN).longValue() : null);
            assertThat(row.get(4)).as(about).isEqualTo(small ? value.setScale(1, RoundingMode.HALF_UP) : null);
        }
    }

    @Test
    void whatDoesNotFitIsSaid() throws Exception {
        Schema schema = schema(FieldType.decimal(5, 2), true);
        RecordDecoder csv = RecordDecoder.of(RecordFormat.CSV, schema);
        assertThatThrownBy(() -> csv.decode(bytes("1.234,1,1"), new TupleBlock(RowLayout.of(schema), 0)))
                .isInstanceOf(RejectedRecordException.class)
                .hasMessage("d: expected a decimal with at most 2 places behind the point, got '1.234'");
        assertThatThrownBy(() -> csv.decode(bytes("1000,1,1"), new TupleBlock(RowLayout.of(schema), 0)))
                .isInstanceOf(RejectedRecordException.class)
                .hasMessage("d: expected a decimal of at most 3 digits before the point and 2 behind it, got '1000'");
        try (LocalStream stream = LocalStream.open(folder, "s", schema, LocalSettings.DEFAULT)) {
            refused(stream, "d = CAST(g AS DOUBLE)", ErrorCode.TYPE_MISMATCH);
            refused(stream, "d = g", ErrorCode.TYPE_MISMATCH);
            // A double of few digits is next to it.
            refused(stream, "d = 1000000000000000.01", ErrorCode.TYPE_MISMATCH);
            refused(stream, "d IN (1, 0.30000000000000001)", ErrorCode.TYPE_MISMATCH);
            refused(stream, "d > 1e-400", ErrorCode.TYPE_MISMATCH);
            refused(stream, "5 IN (DECIMAL '5.00')", ErrorCode.TYPE_MISMATCH);
            refused(stream, "g IN (DECIMAL '500', 5)", ErrorCode.TYPE_MISMATCH);
            assertThatThrownBy(() -> stream.answer(stream.query().withWhere("d = g"), block -> true))
                    .hasMessageContaining("CAST(... AS DECIMAL(21, 2))");
            assertThatThrownBy(() ->
                            stream.answer(stream.query().withWhere("d = CAST(g AS DECIMAL(18, 4))"), block -> true))
                    .hasMessageContaining("CAST(... AS DECIMAL(18, 4))");
            assertThatThrownBy(() ->
                            stream.answer(stream.query().withWhere("d = CAST(g AS DECIMAL(4, 3))"), block -> true))
                    .hasMessageContaining("CAST(... AS DECIMAL(6, 3))");
            refused(stream, "d + 1 > 2", ErrorCode.TYPE_MISMATCH);
            refused(stream, "d = 0.12345678901234567", ErrorCode.TYPE_MISMATCH);
            refused(stream, "CAST(d AS DECIMAL(38, 3)) = d", ErrorCode.TYPE_MISMATCH);
            refused(stream, "d = DECIMAL '1,5'", ErrorCode.BAD_EXPRESSION);
            refused(stream, "CAST(d AS DECIMAL(39, 2)) = 1", ErrorCode.BAD_EXPRESSION);
            TupleBlock block = new TupleBlock(stream.layout(), 0);
            csv.decode(bytes("123.45,1,1"), block);
            stream.insert(block);
            refused(stream, "CAST(d AS DECIMAL(3, 1)) = 1", ErrorCode.INTEGER_OVERFLOW);
        }
    }

    private static void refused(LocalStream stream, String where, ErrorCode code) {
        assertThatThrownBy(() -> stream.answer(stream.query().withWhere(where), block -> true))
                .as(where)
                .isInstanceOfSatisfying(
                        WaterwheelException.class,
                        failure -> assertThat(failure.code()).as(where).isEqualTo(code.name()));
    }
}
