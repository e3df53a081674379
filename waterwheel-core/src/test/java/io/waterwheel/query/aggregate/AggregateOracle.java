package io.waterwheel.query.aggregate;

import io.waterwheel.query.column.RowInterpreter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collections;
import java.util.List;

/** What each aggregate function is, computed from a list of all values: slow, and short enough to be read. */
public final class AggregateOracle {
    private AggregateOracle() {}

    /**
     * The aggregate of these values, none of which is null: Long, Double, Boolean, String, byte[], Instant or Ipv4.
     *
     * @return null where the answer is null
     * @throws ArithmeticException where the answer is INTEGER_OVERFLOW
     */
    public static Object value(AggregateFunction function, List<Object> values) {
        if (function.name().equals("count")) {
            return (long) values.size();
        } else if (values.isEmpty()) {
            return null;
        }
        return switch (function.name()) {
            case "min" -> Collections.min(values, RowInterpreter::compare);
            case "max" -> Collections.max(values, RowInterpreter::compare);
            case "sum" -> sum(values) instanceof BigInteger whole ? (Object) whole.longValueExact() : sum(values);
            case "avg" -> ((Number) sum(values)).doubleValue() / values.size();
            default -> throw new AssertionError("say here what " + function + " of a list of values is");
        };
    }

    private static Object sum(List<Object> values) {
        if (values.get(0) instanceof Long) {
            BigInteger sum = BigInteger.ZERO;
            for (Object value : values) {
                sum = sum.add(BigInteger.valueOf((Long) value));
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
