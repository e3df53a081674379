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
    /** Whole numbers of as many digits have 64 bits. */
    private static final int WHOLE_DIGITS = 18;

    /** Digits that any double keeps, of numbers that are not very small. */
    private static final int DOUBLE_DIGITS = 15;

    private static final int MOST_PLACES = 300;

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

    /**
     * A number as it would be written out: one of few digits without a word, which stands for what it is beside
     * decimals, and for a double elsewhere; a longer one as a DECIMAL.
     *
     * @throws IllegalArgumentException when it has more digits than decimals have
     */
    public static Expression.Literal of(BigDecimal decimal) {
        BigDecimal number = decimal.stripTrailingZeros();
        boolean whole = number.scale() <= 0;
        if (whole && (long) number.precision() - number.scale() <= WHOLE_DIGITS) {
            return new Expression.Whole(number.longValueExact());
        }
        return whole || number.precision() > DOUBLE_DIGITS || number.scale() > MOST_PLACES
                ? new Expression.Exact(decimal)
                : new Expression.Decimal(number.doubleValue());
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
            return of(decimal);
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
