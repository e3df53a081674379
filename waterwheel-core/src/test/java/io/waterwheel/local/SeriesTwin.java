package io.waterwheel.local;

import io.waterwheel.query.Downsampling;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.NeighbourValue;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TimeInterval;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Series of rows by sorting all of them: asks random questions, and says what the answer is. One thread. */
final class SeriesTwin {
    private final Random random;
    private final List<Field> fields;
    private final Function<@Nullable Object, String> text;

    /** @param text a value as answers are compared */
    SeriesTwin(Random random, List<Field> fields, Function<@Nullable Object, String> text) {
        this.random = random;
        this.fields = fields;
        this.text = text;
    }

    /** A field. */
    String any() {
        return fields.get(random.nextInt(fields.size())).name();
    }

    /**
     * A random question.
     *
     * @param keyed whether the stream's key is one field, which makes the series where nothing else is named
     */
    ResultSpec.Series question(boolean keyed) {
        List<String> by = new ArrayList<>();
        for (int i = random.nextInt(3); i > (keyed ? 0 : -1); i--) {
            by.add(any());
        }
        List<NamedExpression> select = new ArrayList<>();
        if (random.nextInt(3) > 0) {
            List<String> names =
                    new ArrayList<>(fields.stream().map(Field::name).toList());
            Collections.shuffle(names, random);
            select.addAll(NamedExpression.fields(
                    names.subList(0, random.nextInt(names.size()) + 1).toArray(String[]::new)));
            if (random.nextInt(3) == 0) {
                select.add(NamedExpression.parse("\"" + any() + "\" IS NULL AS none"));
            }
        }
        List<NeighbourValue> values = new ArrayList<>();
        Downsampling downsampling = null;
        if (random.nextBoolean()) {
            for (int v = random.nextInt(3); v > 0; v--) {
                values.add(value(v));
            }
            downsampling = downsampling(values);
        }
        if (downsampling == null && values.isEmpty()) {
            values.add(value(0));
        }
        boolean limited = random.nextInt(3) == 0;
        return new ResultSpec.Series(by, select, values, downsampling, limited ? random.nextInt(40) : Query.NO_LIMIT);
    }

    private @Nullable Downsampling downsampling(List<NeighbourValue> values) {
        List<String> numbers = new ArrayList<>();
        for (Field field : fields) {
            if (ValueType.of(field.type()).numeric()) {
                numbers.add(field.name());
            }
        }
        for (NeighbourValue value : values) {
            if (value.kind() != NeighbourValue.Kind.LAG || numbers.contains(fieldOf(value.argument()))) {
                numbers.add(value.name());
            }
        }
        return numbers.isEmpty()
                ? null
                : new Downsampling(
                        List.of(Downsampling.Method.values()).get(random.nextInt(2)),
                        numbers.get(random.nextInt(numbers.size())),
                        2 + random.nextInt(random.nextBoolean() ? 4 : 20));
    }

    private NeighbourValue value(int number) {
        Field field = fields.get(random.nextInt(fields.size()));
        boolean numeric = ValueType.of(field.type()).numeric();
        String argument = numeric && random.nextInt(3) == 0 ? "1.0 * " + field.name() : field.name();
        String kind = !numeric ? "lag" : List.of("lag", "delta", "rate").get(random.nextInt(3));
        return NeighbourValue.parse(kind + "(" + argument + ") AS v" + number);
    }

    static long millis(Map<String, @Nullable Object> row) {
        return ((Instant) row.get("t")).toEpochMilli();
    }

    /**
     * The answer; null when a value of it overflows.
     *
     * @param matching values by field
     * @param times that the query asks for
     */
    @Nullable
    List<List<String>> expected(
            ResultSpec.Series wanted, List<Map<String, @Nullable Object>> matching, TimeInterval times) {
        List<String> by = wanted.by().isEmpty() ? List.of("k") : wanted.by();
        List<NamedExpression> select = wanted.select().isEmpty()
                ? NamedExpression.fields(fields.stream().map(Field::name).toArray(String[]::new))
                : wanted.select();
        Set<String> order = new LinkedHashSet<>(by);
        order.add("t");
        select.forEach(one -> order.add(fieldOf(one.expression())));
        wanted.values().forEach(value -> order.add(fieldOf(value.argument())));
        Downsampling downsampling = wanted.downsampling();
        if (downsampling != null
                && fields.stream().anyMatch(field -> field.name().equals(downsampling.field()))) {
            order.add(downsampling.field());
        }
        long most = downsampling == null ? wanted.limit() : Query.NO_LIMIT;
        List<List<Point>> series = new ArrayList<>();
        List<Map<String, @Nullable Object>> sorted = new ArrayList<>(matching);
        sorted.sort((one, other) -> compare(one, other, order));
        List<List<String>> answer = new ArrayList<>();
        for (int i = 0; i < Math.min(sorted.size(), most); i++) {
            Map<String, @Nullable Object> row = sorted.get(i);
            Map<String, @Nullable Object> before = i == 0 ? null : sorted.get(i - 1);
            if (before != null && compare(before, row, new LinkedHashSet<>(by)) != 0) {
                before = null;
            }
            Object plotted = downsampling == null ? null : row.get(downsampling.field());
            List<String> shown = new ArrayList<>();
            for (NamedExpression one : select) {
                Object value = row.get(fieldOf(one.expression()));
                shown.add(text.apply(one.isField() ? value : (Object) (value == null)));
            }
            for (NeighbourValue value : wanted.values()) {
                try {
                    Object computed = before == null ? null : value(value, before, row);
                    shown.add(text.apply(computed));
                    if (downsampling != null && value.name().equals(downsampling.field())) {
                        plotted = computed;
                    }
                } catch (ArithmeticException e) {
                    return null;
                }
            }
            answer.add(shown);
            if (before == null) {
                series.add(new ArrayList<>());
            }
            if (plotted != null && Double.isFinite(((Number) plotted).doubleValue())) {
                series.get(series.size() - 1).add(new Point(millis(row), plotted, shown));
            }
        }
        if (downsampling == null) {
            return answer;
        }
        List<List<String>> kept = new ArrayList<>();
        LongSummaryStatistics all =
                sorted.stream().mapToLong(SeriesTwin::millis).summaryStatistics();
        for (List<Point> one : series) {
            List<Point> points = downsampling.method() == Downsampling.Method.LTTB
                    ? triangles(one, downsampling.points())
                    : extremes(
                            one,
                            times.from() == Long.MIN_VALUE ? all.getMin() : times.from(),
                            times.to() == Long.MAX_VALUE ? all.getMax() : times.to(),
                            downsampling.points() / 2);
            points.forEach(point -> kept.add(point.shown()));
        }
        return kept.subList(0, (int) Math.min(kept.size(), wanted.limit()));
    }

    private record Point(long time, Object value, List<String> shown) {
        double y() {
            return ((Number) value).doubleValue();
        }
    }

    private static List<Point> extremes(List<Point> series, long from, long to, int steps) {
        long length = (to - from + steps) / steps;
        Map<Long, List<Point>> byStep = new TreeMap<>();
        series.forEach(point -> byStep.computeIfAbsent((point.time() - from) / length, step -> new ArrayList<>())
                .add(point));
        List<Point> kept = new ArrayList<>();
        for (List<Point> step : byStep.values()) {
            int least = 0;
            int greatest = 0;
            for (int p = 0; p < step.size(); p++) {
                Object value = step.get(p).value();
                least = compare(value, step.get(least).value()) < 0 ? p : least;
                greatest = compare(value, step.get(greatest).value()) > 0 ? p : greatest;
            }
            kept.add(step.get(Math.min(least, greatest)));
            if (least != greatest) {
                kept.add(step.get(Math.max(least, greatest)));
            }
        }
        return kept;
    }

    /** As published: with a fraction of tuples for each bucket, rounded down. */
    private static List<Point> triangles(List<Point> series, int most) {
        if (series.size() <= most) {
            return series;
        }
        BigInteger inner = BigInteger.valueOf(series.size() - 2L);
        List<Integer> ends = new ArrayList<>(List.of(1));
        for (int bucket = 1; bucket < most - 1; bucket++) {
            ends.add(1
                    + inner.multiply(BigInteger.valueOf(bucket))
                            .divide(BigInteger.valueOf(most - 2L))
                            .intValue());
        }
        ends.add(series.size());
        List<Point> kept = new ArrayList<>(List.of(series.get(0)));
        for (int bucket = 0; bucket < most - 2; bucket++) {
            List<Point> next = series.subList(ends.get(bucket + 1), ends.get(bucket + 2));
            Point before = kept.get(kept.size() - 1);
            long origin = series.get(0).time();
            double x = 0;
            double y = 0;
            for (Point point : next) {
                x += point.time() - origin;
                y += point.y();
            }
            x /= next.size();
            y /= next.size();
            List<Point> candidates = series.subList(ends.get(bucket), ends.get(bucket + 1));
            Point best = candidates.get(0);
            double largest = -1;
            for (Point point : candidates) {
                double area = Math.abs((before.time() - origin - x) * (point.y() - before.y())
                        - (double) (before.time() - point.time()) * (y - before.y()));
                if (area > largest) {
                    largest = area;
                    best = point;
                }
            }
            kept.add(best);
        }
        kept.add(series.get(series.size() - 1));
        return kept;
    }

    private static String fieldOf(Expression expression) {
        if (expression instanceof Expression.FieldValue field) {
            return field.name();
        }
        List<? extends Expression> parts = expression.parts();
        return fieldOf(parts.get(parts.size() - 1));
    }

    private static double change(Object from, Object to, boolean asDouble) {
        return from instanceof Long whole && !asDouble
                ? BigInteger.valueOf((Long) to)
                        .subtract(BigInteger.valueOf(whole))
                        .doubleValue()
                : ((Number) to).doubleValue() - ((Number) from).doubleValue();
    }

    private static @Nullable Object value(
            NeighbourValue value, Map<String, @Nullable Object> before, Map<String, @Nullable Object> row) {
        Object from = before.get(fieldOf(value.argument()));
        Object to = row.get(fieldOf(value.argument()));
        boolean asDouble = !(value.argument() instanceof Expression.FieldValue);
        if (value.kind() == NeighbourValue.Kind.LAG) {
            return from != null && asDouble ? ((Number) from).doubleValue() : from;
        } else if (from == null || to == null) {
            return null;
        } else if (value.kind() == NeighbourValue.Kind.RATE) {
            double seconds = Duration.between((Instant) before.get("t"), (Instant) row.get("t"))
                            .toMillis()
                    / 1000.0;
            return seconds == 0 ? null : change(from, to, asDouble) / seconds;
        }
        return from instanceof Long whole && !asDouble
                ? (Object) Math.subtractExact((Long) to, whole)
                : (Object) change(from, to, asDouble);
    }

    private static int compare(
            Map<String, @Nullable Object> one, Map<String, @Nullable Object> other, Set<String> order) {
        for (String name : order) {
            int compared = compare(one.get(name), other.get(name));
            if (compared != 0) {
                return compared;
            }
        }
        return 0;
    }

    private static int compare(@Nullable Object one, @Nullable Object other) {
        if (one == null || other == null) {
            return Boolean.compare(one != null, other != null);
        } else if (one instanceof Double number) {
            return Double.compare(number + 0.0, (Double) other + 0.0);
        } else if (one instanceof String text) {
            return Arrays.compareUnsigned(
                    text.getBytes(StandardCharsets.UTF_8), ((String) other).getBytes(StandardCharsets.UTF_8));
        } else if (one instanceof byte[] bytes) {
            return Arrays.compareUnsigned(bytes, (byte[]) other);
        } else if (one instanceof Long whole) {
            return Long.compare(whole, (Long) other);
        } else if (one instanceof BigDecimal decimal) {
            return decimal.compareTo((BigDecimal) other);
        }
        return one instanceof Boolean flag
                ? Boolean.compare(flag, (Boolean) other)
                : ((Instant) one).compareTo((Instant) other);
    }
}
