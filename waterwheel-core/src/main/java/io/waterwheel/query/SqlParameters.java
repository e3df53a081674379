package io.waterwheel.query;

import io.waterwheel.query.expression.Expression;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values of Java as a statement's parameters. */
public final class SqlParameters {
    private SqlParameters() {}

    /**
     * The literals of such values.
     *
     * @throws IllegalArgumentException when a value is no number, text, boolean, bytes, Instant or null
     */
    public static List<Expression.Literal> of(@Nullable Object... values) {
        List<Expression.Literal> parameters = new ArrayList<>();
        for (Object value : values) {
            try {
                parameters.add(of(value));
            } catch (IllegalArgumentException | ArithmeticException e) {
                throw new IllegalArgumentException("parameter " + (parameters.size() + 1) + ": " + e.getMessage(), e);
            }
        }
        return parameters;
    }

    private static Expression.Literal of(@Nullable Object value) {
        if (value == null) {
            return new Expression.Null();
        } else if (value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte) {
            return new Expression.Whole(((Number) value).longValue());
        } else if (value instanceof Double || value instanceof Float) {
            return new Expression.Decimal(((Number) value).doubleValue());
        } else if (value instanceof BigInteger whole) {
            return new Expression.Whole(whole.longValueExact());
        } else if (value instanceof BigDecimal decimal) {
            return decimal.stripTrailingZeros().scale() <= 0
                    ? new Expression.Whole(decimal.longValueExact())
                    : new Expression.Decimal(decimal.doubleValue());
        } else if (value instanceof CharSequence text) {
            return new Expression.Text(text.toString());
        } else if (value instanceof Boolean truth) {
            return new Expression.Truth(truth);
        } else if (value instanceof byte[] bytes) {
            return new Expression.Hex(HexFormat.of().formatHex(bytes));
        } else if (value instanceof Instant instant) {
            return new Expression.Moment(instant);
        }
        throw new IllegalArgumentException("expected a number, a text, a boolean, bytes, an Instant or null, got a "
                + value.getClass().getName());
    }
}
