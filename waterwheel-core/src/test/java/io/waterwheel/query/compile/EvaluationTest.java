package io.waterwheel.query.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.ScanEndedException;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.RandomExpressions;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class EvaluationTest {
    private static final int SEEDS = Rounds.of(1_500, 6_000);

    @Test
    void conditionsKeepTheRowsThatAnInterpreterKeeps() {
        conditions(false);
    }

    /** On either side of everything, and as operands, terms and arguments. */
    @Test
    void constantsAreThoseOfAnInterpreter() {
        conditions(true);
        values(true);
    }

    private static RandomExpressions expressions(Random random, SmallRows rows, boolean literals) {
        List<Field> fields = rows.schema().fields();
        if (random.nextBoolean()) {
            // Of one or two fields, so that many places of an expression share their nodes.
            int from = random.nextInt(fields.size());
            fields = fields.subList(from, Math.min(fields.size(), from + 1 + random.nextInt(2)));
        }
        RandomExpressions expressions = new RandomExpressions(random, fields, false);
        return literals ? expressions.withLiterals() : expressions;
    }

    private static void conditions(boolean literals) {
        long first = Long.getLong("seed", 0);
        int overflows = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            SmallRows rows = new SmallRows(random, true);
            Expression condition = expressions(random, rows, literals).condition(1 + random.nextInt(4));
            ExpressionTypes types = new ExpressionTypes(rows.schema().fields());
            types.requireCondition(condition);
            List<Integer> expected = new ArrayList<>();
            boolean overflow = false;
            ColumnNode node = null;
            List<Integer> actual = new ArrayList<>();
            Workspace workspace = Workspace.unhurried();
            try {
                node = new ExpressionCompiler(rows.block(0).layout()).compile(condition);
            } catch (WaterwheelException e) {
                assertThat(e.code()).isEqualTo("INTEGER_OVERFLOW");
            }
            for (int page = 0; page < 3; page++) {
                TupleBlock block = rows.block(1 + random.nextInt(100));
                int[] selected = selection(random, block.size());
                for (int row : selected) {
                    try {
                        Object value = new RowInterpreter(types, SmallRows.row(block, row)).value(condition);
                        if (Boolean.TRUE.equals(value)) {
                            expected.add(page * 1000 + row);
                        }
                    } catch (ArithmeticException e) {
                        overflow = true;
                    }
                }
                if (node != null) {
                    try {
                        int kept = node.keep(RowView.of(block, workspace), selected, selected.length);
                        for (int i = 0; i < kept; i++) {
                            actual.add(page * 1000 + selected[i]);
                        }
                    } catch (WaterwheelException e) {
                        assertThat(e.code()).isEqualTo("INTEGER_OVERFLOW");
                        node = null;
                    }
                }
            }
            String about = "seed " + seed + ": " + condition;
            if (overflow) {
                overflows++;
                continue;
            }
            assertThat(node).as(about).isNotNull();
            assertThat(actual).as(about).isEqualTo(expected);
        }
        assertThat(overflows).isLessThan(SEEDS / 5);
    }

    @Test
    void valuesAreThoseOfAnInterpreter() {
        values(false);
    }

    private static void values(boolean literals) {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            SmallRows rows = new SmallRows(random, true);
            RandomExpressions expressions = expressions(random, rows, literals);
            Expression expression = expressions.value(expressions.anyType(), 4);
            ExpressionTypes types = new ExpressionTypes(rows.schema().fields());
            if (types.typeOf(expression) == ValueType.NULL) {
                continue;
            }
            TupleBlock block = rows.block(1 + random.nextInt(50));
            int[] selected = selection(random, block.size());
            List<String> expected = new ArrayList<>();
            List<String> actual = new ArrayList<>();
            try {
                for (int row : selected) {
                    Map<String, Object> values = SmallRows.row(block, row);
                    expected.add(shown(new RowInterpreter(types, values).value(expression)));
                }
            } catch (ArithmeticException e) {
                continue;
            }
            ColumnNode node = new ExpressionCompiler(block.layout()).compile(expression);
            node.evaluate(RowView.of(block), selected, selected.length);
            for (int row : selected) {
                actual.add(shown(value(node, row)));
            }
            assertThat(actual).as("seed %s: %s", seed, expression).isEqualTo(expected);
        }
    }

    /** Sixty times UPPER of a text needs room for two, and thousands of terms no more than one. */
    @Test
    void memoryGrowsWithDepthNotWithLength() {
        RowLayout layout = RowLayout.ofFields(List.of(new Field("s", FieldType.STRING, true)));
        TupleBlock block = new TupleBlock(layout, 2048);
        byte[] text = "abc".repeat(100).getBytes(StandardCharsets.UTF_8);
        for (int row = 0; row < 2048; row++) {
            block.setNullMask(row, 0);
            LittleEndian.putLong(block.column(layout.columnOf(0)), row * 8, block.addToArena(text, 0, text.length));
        }
        block.setSize(2048);
        long ofTexts = 2048L * text.length;
        String nested = "UPPER(".repeat(60) + "s" + ")".repeat(60) + " = 'x'";
        assertThat(bytesFor(nested, block)).isLessThan(2 * (ofTexts + ofTexts / 4) + 300_000);
        String terms =
                IntStream.range(0, 3_900).mapToObj(i -> "s = 't" + i + "'").collect(Collectors.joining(" or "));
        assertThat(bytesFor(terms, block)).isLessThan(300_000);
        assertThat(bytesFor("not (" + terms + ")", block)).isLessThan(300_000);
        // A constant is one value, and no column of them.
        String constants = "(1 - ".repeat(60) + "length(s)" + ")".repeat(60) + " = 7";
        assertThat(bytesFor(constants, block)).isLessThan(150_000);
    }

    private static long bytesFor(String condition, TupleBlock block) {
        Workspace workspace = Workspace.unhurried();
        ColumnNode node = new ExpressionCompiler(block.layout()).compile(ExpressionParser.parse(condition));
        int[] all = IntStream.range(0, block.size()).toArray();
        node.keep(RowView.of(block, workspace), all, all.length);
        return workspace.bytes();
    }

    /** What took twelve minutes: each row may take milliseconds, and a leaf has thousands. */
    @Test
    void anEvaluationEndsSoonAfterItIsNotWantedAnyLonger() {
        RowLayout layout = RowLayout.ofFields(List.of(new Field("s", FieldType.STRING, false)));
        TupleBlock block = new TupleBlock(layout, 500);
        byte[] text = "a".repeat(32_768).getBytes(StandardCharsets.UTF_8);
        for (int row = 0; row < 500; row++) {
            LittleEndian.putLong(block.column(layout.columnOf(0)), row * 8, block.addToArena(text, 0, text.length));
        }
        block.setSize(500);
        int[] all = IntStream.range(0, 500).toArray();
        for (String pattern : List.of("%" + "a".repeat(15_000) + "b%", "%" + "a_".repeat(7_500) + "b%", "%a_b%")) {
            for (String condition : List.of(
                    "s LIKE '" + pattern + "'",
                    "NOT (UPPER(s) LIKE '" + pattern.toUpperCase(Locale.ROOT) + "' OR LENGTH(s) = 1)")) {
                ColumnNode node = new ExpressionCompiler(layout).compile(ExpressionParser.parse(condition));
                int[] asked = {0};
                Workspace workspace = new Workspace(() -> ++asked[0] < 3, Reservation.unlimited());
                assertThatThrownBy(() -> node.keep(RowView.of(block, workspace), all.clone(), all.length))
                        .as(pattern.length() + " " + condition.length())
                        .isInstanceOf(ScanEndedException.class);
                assertThat(asked[0]).isEqualTo(3);
            }
        }
    }

    private static int[] selection(Random random, int rows) {
        boolean all = random.nextBoolean();
        return java.util.stream.IntStream.range(0, rows)
                .filter(row -> all || random.nextInt(3) > 0)
                .toArray();
    }

    private static Object value(ColumnNode node, int row) {
        Values values = node.values();
        if (values.isNull(row)) {
            return null;
        }
        return switch (node.type().kind()) {
            case BOOLEAN -> values.longs[row] == 1;
            case INTEGER, IPV4 -> values.longs[row];
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS ->
                node.type().fieldType().resolution().instant(values.longs[row]);
            case DOUBLE -> values.doubles[row];
            case STRING -> new String(values.bytes(row), StandardCharsets.UTF_8);
            case BYTES, UUID, IPV6 -> values.bytes(row);
            case DECIMAL ->
                new BigDecimal(
                        node.type().variable()
                                ? Decimals.unscaled(values.bytes(row), 0)
                                : BigInteger.valueOf(values.longs[row]),
                        node.type().scale());
            case NULL -> throw new AssertionError();
        };
    }

    private static String shown(Object value) {
        if (value instanceof Double number) {
            // One zero: which of the two a rounding leaves makes no difference to any comparison.
            return String.valueOf(number + 0.0);
        }
        return value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value);
    }

    /** Parts without fields are computed when a query is planned: they cannot grow beyond what a field may hold. */
    @Test
    void aTextThatGrowsAndGrowsIsRefused() {
        String text = "'aaaaaaaaaa'";
        for (int i = 0; i < 9; i++) {
            text = "REPLACE(" + text + ", 'a', 'aaaaaaaaaa')";
        }
        Expression condition = Expression.parse(text + " = f");
        RowLayout layout = RowLayout.ofFields(List.of(new Field("f", FieldType.STRING, false)));
        assertThatThrownBy(() -> new ExpressionCompiler(layout).compile(condition))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("the text that it makes has over 32768 bytes");
    }

    @Test
    void theEndsOfRangesAreInThem() {
        RowLayout layout = RowLayout.ofFields(List.of(new Field("f", FieldType.STRING, false)));
        for (String truth : List.of(
                "CAST(-9223372036854775808.0 AS BIGINT) < 0",
                "SUBSTRING('abc', -9223372036854775807) = 'abc'",
                "SUBSTRING('abc', 2, 9223372036854775807) = 'bc'",
                "SUBSTRING('abc', -1, 3) = 'a'",
                "DATE_PART('year', TIMESTAMP '2262-02-01T00:00:00.000000001Z') = 2262",
                "FORMAT_TIME(TIMESTAMP '2022-07-13T04:07:00.25Z', 'EEE, d MMM yyyy HH:mm:ss.SSS XXX', 'Europe/Paris')"
                        + " = 'Wed, 13 Jul 2022 06:07:00.250 +02:00'",
                "FORMAT_TIME(TIMESTAMP '2022-12-31T23:59:59Z', 'd. MMMM, HH ''h''') = '31. December, 23 h'")) {
            ColumnNode node = new ExpressionCompiler(layout).compile(Expression.parse(truth));
            assertThat(((ConstantNode) node).value()).as(truth).isEqualTo(1L);
        }
    }

    /** No factor makes a time shorter. */
    @Test
    void aYearThatBeginsBeforeAllTimesOfTheFieldIsNotTold() {
        RowLayout layout = RowLayout.ofFields(List.of(new Field("t", FieldType.TIMESTAMP_NS, false)));
        ColumnNode node = new ExpressionCompiler(layout).compile(Expression.parse("DATE_TRUNC('year', t)"));
        TupleBlock block = new TupleBlock(layout, 1);
        LittleEndian.putLong(block.column(0), 0, Long.MIN_VALUE);
        block.setSize(1);
        assertThatThrownBy(() -> node.evaluate(RowView.of(block, Workspace.unhurried()), new int[] {0}, 1))
                .hasMessage(
                        "expression: DATE_TRUNC('year', t): the year of -9223372036854775808 begins before the first"
                                + " time of the field's unit; exclude such rows before");
        RowLayout two = RowLayout.ofFields(
                List.of(new Field("t", FieldType.TIMESTAMP_NS, false), new Field("u", FieldType.TIMESTAMP, false)));
        ColumnNode either = new ExpressionCompiler(two).compile(Expression.parse("CASE WHEN t > u THEN t ELSE u END"));
        TupleBlock later = new TupleBlock(two, 1);
        LittleEndian.putLong(
                later.column(1), 0, Instant.parse("3000-01-01T00:00:00Z").toEpochMilli());
        later.setSize(1);
        assertThatThrownBy(() -> either.evaluate(RowView.of(later, Workspace.unhurried()), new int[] {0}, 1))
                .hasMessageEndingWith(": the time 3000-01-01T00:00:00Z has no number in the finer unit of another;"
                        + " exclude such rows before");
    }

    /** EXTRACT's unit has no quotes. */
    @Test
    void aUnitThatIsNotKnownIsRefused() {
        RowLayout layout = RowLayout.ofFields(List.of(new Field("t", FieldType.TIMESTAMP, false)));
        assertThatThrownBy(() -> new ExpressionCompiler(layout).compile(Expression.parse("EXTRACT(epoch FROM t)")))
                .hasMessage("expression: in DATE_PART('epoch', t), or EXTRACT: expected a unit, one of [second, minute,"
                        + " hour, day, week, month, quarter, year, isodow, doy], got 'epoch'");
        assertThatThrownBy(() -> new ExpressionCompiler(layout).compile(Expression.parse("DATE_PART(t, t)")))
                .hasMessageContaining("in DATE_PART(t, t), or EXTRACT: expected a unit in quotes, one of [second,");
    }

    /** A text is kept while the day, minute or second goes on: at the ends of each, and where the clock changes. */
    @Test
    void timesAreWrittenAnewWhereTheirTextChanges() {
        for (FieldType type : List.of(FieldType.TIMESTAMP, FieldType.TIMESTAMP_US, FieldType.TIMESTAMP_NS)) {
            // The clock of Monrovia was 44 minutes and 30 seconds behind until 1972.
            for (String zone : List.of("Europe/Berlin", "Africa/Monrovia")) {
                textsOfTimes(type, ZoneId.of(zone));
            }
        }
    }

    private static void textsOfTimes(FieldType type, ZoneId zone) {
        RowLayout layout = RowLayout.ofFields(List.of(new Field("t", type, false)));
        List<Long> times = new ArrayList<>(List.of(Long.MAX_VALUE, Long.MIN_VALUE, 0L));
        for (String moment : List.of(
                "2022-10-30T00:59:59.999Z",
                "2022-10-30T01:00:00Z",
                "2022-10-29T22:00:00Z",
                "1969-12-31T23:59:59.999Z",
                "1971-05-01T00:44:30Z",
                "1972-01-07T00:44:29Z")) {
            Instant at = Instant.parse(moment);
            for (long step : List.of(0L, 0L, 1L, -1L, 999L, -60_000L, 60_000L)) {
                times.add(type.resolution().units(at.plusMillis(step)));
            }
        }
        for (String pattern : List.of("d", "HH:mm", "HH:mm:ss", "SSS", "XXXXX", "dd 'SSS'")) {
            Expression call =
                    Expression.parse("FORMAT_TIME(t, '" + pattern.replace("'", "''") + "', '" + zone.getId() + "')");
            ColumnNode node = new ExpressionCompiler(layout).compile(call);
            TupleBlock block = new TupleBlock(layout, times.size());
            for (int row = 0; row < times.size(); row++) {
                LittleEndian.putLong(block.column(0), row * 8, times.get(row));
            }
            block.setSize(times.size());
            List<String> expected = times.stream()
                    .map(time -> DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH)
                            .format(type.resolution().instant(time).atZone(zone)))
                    .toList();
            int[] all = IntStream.range(0, block.size()).toArray();
            for (int again = 0; again < 2; again++) {
                node.evaluate(RowView.of(block, Workspace.unhurried()), all, all.length);
                Values values = node.values();
                List<String> texts = IntStream.of(all)
                        .mapToObj(row -> new String(values.bytes(row), StandardCharsets.UTF_8))
                        .toList();
                assertThat(texts).as("%s of %s, %s", pattern, type, zone).isEqualTo(expected);
            }
        }
    }

    @Test
    void patternsOfTimesAreChecked() {
        Map<String, String> whyNot = Map.of(
                "", "1 to 64 characters",
                "yyyy-jj", "the letter j is none of y, u, M, d, D, E, Q",
                "d. [MM]", "the sign [ stands in quotes",
                "yyyy ''open", "a quote is not closed",
                "yyyy ''MMMMMM'' HHH", "HHH has no meaning; write fewer H",
                "SSSSSSSSSS", "SSSSSSSSSS has no meaning; write fewer S",
                "V", "V has no meaning; a zone is VV");
        whyNot.forEach((pattern, why) -> assertThatThrownBy(
                        () -> new ExpressionTypes(List.of(new Field("t", FieldType.TIMESTAMP, false)))
                                .typeOf(Expression.parse("FORMAT_TIME(t, '" + pattern + "')")))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("expected a pattern in quotes such as 'yyyy-MM-dd HH:mm:ss'")
                .hasMessageContaining(why));
    }
}
