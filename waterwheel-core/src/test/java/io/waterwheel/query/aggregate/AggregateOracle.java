package io.waterwheel.query.aggregate;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.compile.RowInterpreter;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** What each aggregate is, computed from a list of all rows of a group: slow, and short enough to be read. */
public final class AggregateOracle {
    private static final int MOST_DIGITS = 38;
    private static final MathContext DIGITS = new MathContext(60);

    private AggregateOracle() {}

    /**
     * The aggregate of these rows: by field Long, Double, BigDecimal, Boolean, String, byte[], Instant or null.
     *
     * @param timeField the field that is the tuples' time
     * @return null where the answer is null
     * @throws ArithmeticException where the answer is INTEGER_OVERFLOW
     */
    public static Object value(
            Aggregate aggregate, List<Map<String, Object>> rows, ExpressionTypes types, String timeField) {
        List<Expression> arguments = new ArrayList<>(aggregate.arguments());
        if (aggregate.function().byTime()) {
            arguments.add(new Expression.FieldValue(timeField));
        }
        List<Object> values = new ArrayList<>();
        List<Object[]> pairs = new ArrayList<>();
        for (Map<String, Object> row : rows) {
            RowInterpreter interpreter = new RowInterpreter(types, row);
            if (aggregate.filter() != null && !Boolean.TRUE.equals(interpreter.value(aggregate.filter()))) {
                continue;
            }
            List<Object> each = new ArrayList<>();
            arguments.forEach(argument -> each.add(interpreter.value(argument)));
            if (!each.contains(null)) {
                values.add(each.isEmpty() ? true : each.get(0));
                pairs.add(each.toArray());
            }
        }
        String function = aggregate.function().name();
        if (function.equals("count")) {
            return (long) values.size();
        } else if (function.equals("count_distinct") || function.equals("approx_count_distinct")) {
            TreeSet<Object> different = new TreeSet<>(RowInterpreter::compare);
            different.addAll(values);
            return (long) different.size();
        } else if (values.isEmpty()) {
            return null;
        }
        return switch (function) {
            case "min" -> Collections.min(values, RowInterpreter::compare);
            case "max" -> Collections.max(values, RowInterpreter::compare);
            case "sum" -> limited(sum(values));
            case "avg" ->
                sum(values) instanceof BigDecimal sum
                        ? (Object) sum.divide(BigDecimal.valueOf(values.size()), DIGITS)
                                .doubleValue()
                        : ((Number) sum(values)).doubleValue() / values.size();
            case "var_pop" -> variance(values, values.size(), false);
            case "var_samp" -> variance(values, values.size() - 1, false);
            case "stddev_pop" -> variance(values, values.size(), true);
            case "stddev_samp" -> variance(values, values.size() - 1, true);
            case "median" -> quantile(values, BigDecimal.valueOf(0.5));
            case "quantile" -> quantile(values, BigDecimal.valueOf(((Number) pairs.get(0)[1]).doubleValue()));
            case "first", "arg_min" -> chosen(pairs, (a, b) -> RowInterpreter.compare(a[1], b[1]));
            case "last", "arg_max" -> chosen(pairs, (a, b) -> RowInterpreter.compare(b[1], a[1]));
            case "delta" -> {
                Object first = chosen(pairs, (a, b) -> RowInterpreter.compare(a[1], b[1]));
                Object last = chosen(pairs, (a, b) -> RowInterpreter.compare(b[1], a[1]));
                yield first instanceof Long whole
                        ? (Object) Math.subtractExact((Long) last, whole)
                        : (Object) ((Double) last - (Double) first);
            }
            case "rate" -> {
                Object first = chosen(pairs, (a, b) -> RowInterpreter.compare(a[1], b[1]));
                Object last = chosen(pairs, (a, b) -> RowInterpreter.compare(b[1], a[1]));
                double change = first instanceof Long whole
                        ? BigInteger.valueOf((Long) last)
                                .subtract(BigInteger.valueOf(whole))
                                .doubleValue()
                        : (Double) last - (Double) first;
                Instant from = (Instant) pairs.stream()
                        .map(pair -> pair[1])
                        .min(RowInterpreter::compare)
                        .orElseThrow();
                Instant to = (Instant) pairs.stream()
                        .map(pair -> pair[1])
                        .max(RowInterpreter::compare)
                        .orElseThrow();
                yield from.equals(to) ? null : change / seconds(Duration.between(from, to));
            }
            default -> throw new AssertionError("say here what " + function + " of a list of values is");
        };
    }

    private static double seconds(Duration duration) {
        return BigDecimal.valueOf(duration.getSeconds())
                .add(BigDecimal.valueOf(duration.getNano(), 9))
                .doubleValue();
    }

    private static Object chosen(List<Object[]> pairs, Comparator<Object[]> by) {
        return Collections.min(pairs, by.thenComparing((a, b) -> RowInterpreter.compare(a[0], b[0])))[0];
    }

    private static Object quantile(List<Object> values, BigDecimal fraction) {
        List<Object> sorted = new ArrayList<>(values);
        sorted.sort(RowInterpreter::compare);
        int rank = fraction.multiply(BigDecimal.valueOf(values.size()))
                .setScale(0, RoundingMode.CEILING)
                .intValue();
        return sorted.get(Math.max(1, rank) - 1);
    }

    private static Double variance(List<Object> values, int divisor, boolean root) {
        if (divisor == 0) {
            return null;
        }
        BigDecimal sum = BigDecimal.ZERO;
        BigDecimal squares = BigDecimal.ZERO;
        for (Object value : values) {
            if (value instanceof Double number && !Double.isFinite(number)) {
                return Double.NaN;
            }
            BigDecimal exact = value instanceof Long whole ? BigDecimal.valueOf(whole) : new BigDecimal((Double) value);
            sum = sum.add(exact);
            squares = squares.add(exact.multiply(exact));
        }
        BigDecimal count = BigDecimal.valueOf(values.size());
        BigDecimal variance = squares.multiply(count)
                .subtract(sum.multiply(sum))
                .divide(count.multiply(BigDecimal.valueOf(divisor)), DIGITS);
        return (root ? variance.sqrt(DIGITS) : variance).doubleValue();
    }

    /** Only integers and decimals have a greatest sum. */
    private static Object limited(Object sum) {
        if (sum instanceof BigDecimal decimal && decimal.precision() > MOST_DIGITS) {
            throw new ArithmeticException("the sum has too many digits");
        }
        return sum instanceof BigInteger whole ? (Object) whole.longValueExact() : sum;
    }

    private static Object sum(List<Object> values) {
        if (values.get(0) instanceof Long) {
            BigInteger sum = BigInteger.ZERO;
            for (Object value : values) {
                sum = sum.add(BigInteger.valueOf((Long) value));
            }
            return sum;
        } else if (values.get(0) instanceof BigDecimal) {
            BigDecimal sum = BigDecimal.ZERO;
            for (Object value : values) {
                sum = sum.add((BigDecimal) value);
            }
            return sum;
        }
        BigDecimal exact = BigDecimal.ZERO;
        double special = 0;
        for (Object value : values) {
            double number = (Double) value;
            if (Double.isFinite(number)) {
                exact = exact.add(new BigDecimal(number));
            } else {
                special += number;
            }
        }
        return special != 0 || Double.isNaN(special) ? special : exact.doubleValue();
    }
}
