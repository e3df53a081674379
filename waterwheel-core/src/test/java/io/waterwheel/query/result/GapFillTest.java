package io.waterwheel.query.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.ResultSpec.Fill;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.CalendarUnit;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Filled series are those that are made row by row from a map of what each bucket has. */
final class GapFillTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("k", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false),
                    new Field("x", FieldType.DOUBLE, false),
                    new Field("u", FieldType.TIMESTAMP, true)),
            new KeySpec.Ordered("k"),
            "t");
    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);
    private static final long DAY = 86_400_000L;
    private static final List<Aggregate> VALUES = List.of(
            Aggregate.parse("count(*) AS n"), Aggregate.parse("max(x) AS most"), Aggregate.parse("sum(k) AS total"));

    private static TupleBlock block(long[] keys, long[] times, double[] values) {
        TupleBlock block = new TupleBlock(LAYOUT, Math.max(1, keys.length));
        for (int row = 0; row < keys.length; row++) {
            block.keys()[row] = keys[row];
            block.times()[row] = times[row];
            LittleEndian.putLong(block.column(LAYOUT.columnOf(2)), row * 8, Double.doubleToRawLongBits(values[row]));
        }
        block.setSize(keys.length);
        return block;
    }

    private static List<List<Object>> answer(ResultSpec.Aggregates wanted, TimeInterval times, TupleBlock block)
            throws Exception {
        Gather gather = Gather.of(wanted, LAYOUT, SCHEMA, times, null);
        PartialMerge merge = gather.merge(Workspace.unhurried());
        RowCollector collector = gather.collector(part -> merge.accept(part, rows -> true), Workspace.unhurried());
        collector.add(RowView.of(block), IntStream.range(0, block.size()).toArray(), block.size());
        collector.finish();
        List<List<Object>> rows = new ArrayList<>();
        merge.finish(answer -> {
            for (int row = 0; row < answer.size(); row++) {
                List<Object> values = new ArrayList<>();
                for (int f = 0; f < answer.layout().fields().size(); f++) {
                    values.add(answer.value(f, row));
                }
                rows.add(values);
            }
            return true;
        });
        return rows;
    }

    /** By series and bucket what there is; the twin fills it bucket by bucket. */
    @Test
    void seriesAreThoseThatAreFilledOneBucketAfterAnother() throws Exception {
        long firstSeed = Long.getLong("seed", 0);
        for (long seed = firstSeed; seed < firstSeed + Rounds.of(400, 40_000); seed++) {
            Random random = new Random(seed);
            int rows = random.nextInt(12);
            long step = 1L + random.nextInt(7);
            long origin = random.nextInt(3) == 0 ? 0 : random.nextInt(400) - 200;
            TimeInterval times = new TimeInterval(
                    random.nextBoolean() ? Long.MIN_VALUE : -20, random.nextBoolean() ? Long.MAX_VALUE : 60);
            boolean series = random.nextBoolean();
            Fill fill = List.of(Fill.values()).get(random.nextInt(3));
            long[] keys = random.longs(rows, 0, 3).toArray();
            long[] at = random.longs(rows, -15, 50).toArray();
            double[] values = random.doubles(rows).toArray();
            ResultSpec.Aggregates wanted = new ResultSpec.Aggregates(
                    VALUES,
                    series ? NamedExpression.fields("k") : List.of(),
                    ResultSpec.Bucket.of(Duration.ofMillis(step), Instant.ofEpochMilli(origin)),
                    fill,
                    null,
                    List.of(),
                    Query.NO_LIMIT);
            assertThat(answer(wanted, times, block(keys, at, values)))
                    .as("-Dseed=" + seed + " " + fill + " " + times)
                    .isEqualTo(expected(
                            keys,
                            at,
                            values,
                            time -> Math.floorDiv(time - origin, step) * step + origin,
                            time -> time + step,
                            times,
                            series,
                            fill));
        }
    }

    /** The twin looks at every day, which lies in the unit that it finds by the day's date. */
    @Test
    void bucketsOfTheCalendarAreFilledByTheClockOfAZone() throws Exception {
        List<CalendarUnit> units = List.of(
                CalendarUnit.DAY, CalendarUnit.WEEK, CalendarUnit.MONTH, CalendarUnit.QUARTER, CalendarUnit.YEAR);
        // Clocks that go forward at midnight, and one that left out a day.
        List<String> zones = List.of("UTC", "Europe/Paris", "America/Sao_Paulo", "Pacific/Apia", "Asia/Kathmandu");
        long firstSeed = Long.getLong("seed", 0);
        for (long seed = firstSeed; seed < firstSeed + Rounds.of(200, 20_000); seed++) {
            Random random = new Random(seed);
            CalendarUnit unit = units.get(random.nextInt(units.size()));
            ZoneId zone = ZoneId.of(zones.get(random.nextInt(zones.size())));
            long begin = Instant.parse("2008-01-01T00:00:00Z").toEpochMilli() + random.nextInt(1500) * DAY;
            long end = begin + (1 + random.nextInt(unit == CalendarUnit.DAY ? 60 : 900)) * DAY;
            int rows = random.nextInt(10);
            TimeInterval times = new TimeInterval(
                    random.nextBoolean() ? Long.MIN_VALUE : begin - random.nextLong(40 * DAY),
                    random.nextBoolean() ? Long.MAX_VALUE : end + random.nextLong(40 * DAY));
            boolean series = random.nextBoolean();
            Fill fill = List.of(Fill.values()).get(random.nextInt(3));
            long[] keys = random.longs(rows, 0, 3).toArray();
            long[] at = random.longs(rows, begin, end).toArray();
            double[] values = random.doubles(rows).toArray();
            List<NamedExpression> groups = new ArrayList<>(series ? NamedExpression.fields("k") : List.of());
            groups.add(NamedExpression.parse("DATE_TRUNC('" + unit.text() + "', t, '" + zone + "') AS begins"));
            LongUnaryOperator bucket = time -> begin(time, unit, zone);
            LongUnaryOperator next = time -> {
                long later = time;
                while (bucket.applyAsLong(later) == time) {
                    later += DAY / 2;
                }
                return bucket.applyAsLong(later);
            };
            ResultSpec.Aggregates wanted =
                    new ResultSpec.Aggregates(VALUES, groups, null, fill, null, List.of(), Query.NO_LIMIT);
            assertThat(answer(wanted, times, block(keys, at, values)))
                    .as("-Dseed=" + seed + " " + groups + " " + fill + " " + times)
                    .isEqualTo(expected(keys, at, values, bucket, next, times, series, fill));
        }
    }

    private static long begin(long time, CalendarUnit unit, ZoneId zone) {
        LocalDate day = Instant.ofEpochMilli(time).atZone(zone).toLocalDate();
        LocalDate first =
                switch (unit) {
                    case DAY -> day;
                    case WEEK -> day.minusDays(day.getDayOfWeek().getValue() - 1);
                    case MONTH -> LocalDate.of(day.getYear(), day.getMonth(), 1);
                    case QUARTER -> LocalDate.of(day.getYear(), (day.getMonthValue() - 1) / 3 * 3 + 1, 1);
                    case YEAR -> LocalDate.of(day.getYear(), 1, 1);
                    default -> throw new IllegalArgumentException(unit.text());
                };
        return first.atStartOfDay(zone).toInstant().toEpochMilli();
    }

    /** The night in which the clock goes back has an hour more, that in which it goes forward one less. */
    @Test
    void hoursOfTheClockAreFilledWhereItChanges() throws Exception {
        ResultSpec.Aggregates wanted = new ResultSpec.Aggregates(
                VALUES,
                List.of(NamedExpression.parse("DATE_TRUNC('hour', t, 'Europe/Paris') AS begins")),
                null,
                Fill.NULL,
                null,
                List.of(),
                Query.NO_LIMIT);
        TupleBlock none = block(new long[0], new long[0], new double[0]);
        assertThat(answer(wanted, day("2021-10-30T22:00:00Z", 25), none)).hasSize(25);
        assertThat(answer(wanted, day("2022-03-26T23:00:00Z", 23), none)).hasSize(23);
    }

    private static TimeInterval day(String begin, int hours) {
        long from = Instant.parse(begin).toEpochMilli();
        return new TimeInterval(from, from + hours * 3_600_000L - 1);
    }

    private static List<List<Object>> expected(
            long[] keys,
            long[] at,
            double[] values,
            LongUnaryOperator begin,
            LongUnaryOperator next,
            TimeInterval times,
            boolean series,
            Fill fill) {
        Map<Long, TreeMap<Long, Object[]>> found = new TreeMap<>();
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (int row = 0; row < keys.length; row++) {
            long bucket = begin.applyAsLong(at[row]);
            first = Math.min(first, bucket);
            last = Math.max(last, bucket);
            Object[] present = found.computeIfAbsent(series ? keys[row] : 0, key -> new TreeMap<>())
                    .computeIfAbsent(bucket, key -> new Object[] {0L, Double.NEGATIVE_INFINITY, 0L});
            present[0] = (Long) present[0] + 1;
            present[1] = Math.max((Double) present[1], values[row]);
            present[2] = (Long) present[2] + keys[row];
        }
        first = times.from() == Long.MIN_VALUE ? first : begin.applyAsLong(times.from());
        last = times.to() == Long.MAX_VALUE ? last : begin.applyAsLong(times.to());
        if (!series && found.isEmpty() && first <= last) {
            found.put(0L, new TreeMap<>());
        }
        List<List<Object>> rows = new ArrayList<>();
        for (Map.Entry<Long, TreeMap<Long, Object[]>> one : found.entrySet()) {
            TreeMap<Long, Object[]> buckets = one.getValue();
            for (long bucket = first; bucket <= last; bucket = next.applyAsLong(bucket)) {
                List<Object> row = new ArrayList<>();
                if (series) {
                    row.add(one.getKey());
                }
                row.add(bucket);
                Object[] present = buckets.get(bucket);
                Map.Entry<Long, Object[]> before = buckets.floorEntry(bucket);
                Map.Entry<Long, Object[]> after = buckets.ceilingEntry(bucket);
                row.add(present == null ? 0L : present[0]);
                for (int v = 1; v < 3; v++) {
                    Object value = null;
                    if (present != null) {
                        value = present[v];
                    } else if (fill == Fill.PREVIOUS && before != null) {
                        value = before.getValue()[v];
                    } else if (fill == Fill.LINEAR && before != null && after != null) {
                        double low = ((Number) before.getValue()[v]).doubleValue();
                        double high = ((Number) after.getValue()[v]).doubleValue();
                        double share = (double) (bucket - before.getKey()) / (after.getKey() - before.getKey());
                        double between = low + (high - low) * share;
                        value = v == 1 ? (Object) between : (Object) Math.round(between);
                    }
                    row.add(value);
                }
                rows.add(row);
            }
        }
        return rows;
    }

    @Test
    void filledRowsAreChosenAndOrderedToo() throws Exception {
        TupleBlock block = block(new long[] {1, 1}, new long[] {0, 40}, new double[] {2, 6});
        ResultSpec.Aggregates wanted = new ResultSpec.Aggregates(VALUES, List.of(), Duration.ofMillis(10))
                .withFill(Fill.LINEAR)
                .withHaving(Expression.parse("n = 0"))
                .withOrder(List.of(new Order("most", true)), 2);
        assertThat(answer(wanted, TimeInterval.ALL, block))
                .containsExactly(List.of(30L, 0L, 5.0, 1L), List.of(20L, 0L, 4.0, 1L));
    }

    /** A double keeps 53 bits. */
    @Test
    void wholeNumbersBetweenAreExact() throws Exception {
        assertThat(totalsBetween((1L << 53) + 1, (1L << 53) + 1)).containsOnly((1L << 53) + 1);
        assertThat(totalsBetween(Long.MIN_VALUE, Long.MAX_VALUE))
                .containsExactly(Long.MIN_VALUE, -(1L << 62), 0L, (1L << 62) - 1, Long.MAX_VALUE);
        assertThat(totalsBetween(Long.MAX_VALUE, Long.MAX_VALUE - 8))
                .containsExactly(
                        Long.MAX_VALUE, Long.MAX_VALUE - 2, Long.MAX_VALUE - 4, Long.MAX_VALUE - 6, Long.MAX_VALUE - 8);
        assertThat(totalsBetween(-2, 0)).containsExactly(-2L, -1L, -1L, 0L, 0L);
    }

    /** The way between two doubles may be longer than the longest double. */
    @Test
    void theLargestDoublesHaveALineBetweenThem() throws Exception {
        double inf = Double.POSITIVE_INFINITY;
        assertThat(doublesBetween(0x1p1023, -0x1p1023)).containsExactly(0x1p1023, 0x1p1022, 0.0, -0x1p1022, -0x1p1023);
        assertThat(doublesBetween(-Double.MAX_VALUE, Double.MAX_VALUE))
                .element(2)
                .isEqualTo(0.0);
        assertThat(doublesBetween(inf, inf)).containsOnly(inf);
        assertThat(doublesBetween(-inf, 5)).containsExactly(-inf, -inf, -inf, -inf, 5.0);
        assertThat(doublesBetween(inf, -1)).containsExactly(inf, inf, inf, inf, -1.0);
        assertThat(doublesBetween(0.1, 0.1)).containsOnly(0.1);
    }

    private static List<Object> doublesBetween(double low, double high) throws Exception {
        TupleBlock block = block(new long[] {1, 1}, new long[] {0, 40}, new double[] {low, high});
        ResultSpec.Aggregates wanted =
                new ResultSpec.Aggregates(VALUES, List.of(), Duration.ofMillis(10)).withFill(Fill.LINEAR);
        return answer(wanted, TimeInterval.ALL, block).stream()
                .map(row -> row.get(2))
                .toList();
    }

    private static List<Object> totalsBetween(long low, long high) throws Exception {
        TupleBlock block = block(new long[] {low, high}, new long[] {0, 40}, new double[] {0, 0});
        ResultSpec.Aggregates wanted =
                new ResultSpec.Aggregates(VALUES, List.of(), Duration.ofMillis(10)).withFill(Fill.LINEAR);
        return answer(wanted, TimeInterval.ALL, block).stream()
                .map(row -> row.get(3))
                .toList();
    }

    /** The first bucket begins before any long: it has a row, and those behind it begin where they would. */
    @Test
    void theFirstAndTheLastTimesHaveBuckets() throws Exception {
        Duration length = Duration.ofDays(1_000_000);
        BigInteger step = BigInteger.valueOf(length.toMillis());
        for (long origin : new long[] {0, -1, 987_654_321_987L, Long.MIN_VALUE}) {
            ResultSpec.Bucket bucket = ResultSpec.Bucket.of(length, Instant.ofEpochMilli(origin));
            ResultSpec.Aggregates wanted =
                    new ResultSpec.Aggregates(VALUES, List.of(), bucket, Fill.LINEAR, null, List.of(), Query.NO_LIMIT);
            TupleBlock block =
                    block(new long[] {0, 0}, new long[] {Long.MIN_VALUE, Long.MAX_VALUE}, new double[] {0, 1});
            List<Long> expected = new ArrayList<>(List.of(Long.MIN_VALUE));
            BigInteger least = BigInteger.valueOf(Long.MIN_VALUE);
            BigInteger begin =
                    least.add(BigInteger.valueOf(origin).subtract(least).mod(step));
            for (BigInteger at = begin; at.bitLength() < Long.SIZE; at = at.add(step)) {
                if (!at.equals(least)) {
                    expected.add(at.longValueExact());
                }
            }
            List<List<Object>> answer = answer(wanted, TimeInterval.ALL, block);
            assertThat(answer.stream().map(row -> row.get(0)).toList())
                    .as("origin %s", origin)
                    .isEqualTo(expected);
            double steps = expected.size() - 1;
            for (int row = 0; row < answer.size(); row++) {
                assertThat(answer.get(row).get(2)).isEqualTo(row / steps);
            }
        }
    }

    @Test
    void tooManyRowsAndNoBucketAreRefused() {
        ResultSpec.Aggregates wanted =
                new ResultSpec.Aggregates(VALUES, List.of(), Duration.ofMillis(1)).withFill(Fill.NULL);
        TupleBlock block = block(new long[] {1}, new long[] {0}, new double[] {2});
        assertThatThrownBy(() -> answer(wanted, new TimeInterval(0, Long.MAX_VALUE - 1), block))
                .hasMessageContaining("makes 9223372036854775807 rows, expected at most 1000000");
        assertThatThrownBy(() ->
                        new ResultSpec.Aggregates(VALUES, List.of(), null, Fill.NULL, null, List.of(), Query.NO_LIMIT))
                .hasMessageContaining("fill is for time buckets");
        assertThatThrownBy(() -> calendar("DATE_TRUNC('month', t) AS m", "k"))
                .hasMessageContaining("make DATE_TRUNC('month', time) the last value to group by");
        assertThatThrownBy(() -> answer(calendar("k", "DATE_TRUNC('month', u) AS m"), TimeInterval.ALL, block))
                .hasMessage("query: fill: expected steps of the stream's time, t, got DATE_TRUNC('month', u)");
        assertThatThrownBy(() -> answer(
                        calendar("DATE_TRUNC('second', t) AS s"), new TimeInterval(0, Long.MAX_VALUE - 1), block))
                .hasMessageContaining("makes more than 1000000 rows, expected at most 1000000");
    }

    private static ResultSpec.Aggregates calendar(String... groups) {
        return new ResultSpec.Aggregates(
                VALUES,
                Arrays.stream(groups).map(NamedExpression::parse).toList(),
                null,
                Fill.NULL,
                null,
                List.of(),
                Query.NO_LIMIT);
    }
}
