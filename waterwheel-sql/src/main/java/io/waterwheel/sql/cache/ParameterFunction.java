package io.waterwheel.sql.cache;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.sql.leaf.MixedNumbers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * A value that a plan leaves open, as a function without arguments: Calcite takes it for an expression of its type that
 * it knows nothing about. In the engine's expressions a literal stands for it that is known by its identity.
 */
public final class ParameterFunction extends SqlFunction {
    /** Index of the time of now. */
    private static final int NOW = -1;

    /** Index of the beginning of the day of now. */
    private static final int TODAY = -2;

    /** Of texts that no client can write, for none knows it. */
    private static final String MARK = UUID.randomUUID() + "-";

    private static final int TIMESTAMP_DIGITS = 9;

    private final int index;
    private final Expression.Literal placeholder;
    /** Added to the value. */
    private final Duration shift;
    /** Whether a whole number in the place of a double is rounded to one. */
    private final boolean rounds;

    private ParameterFunction(int index, Expression.Literal placeholder, SqlTypeName type, int digits, Duration shift) {
        this(index, placeholder, type, digits, shift, false);
    }

    private ParameterFunction(
            int index, Expression.Literal placeholder, SqlTypeName type, int digits, Duration shift, boolean rounds) {
        super(
                "PARAMETER_" + index + "_" + shift + "_" + type + (rounds ? "_ROUNDED" : ""),
                SqlKind.OTHER_FUNCTION,
                digits < 0 ? ReturnTypes.explicit(type) : ReturnTypes.explicit(type, digits),
                null,
                OperandTypes.NILADIC,
                SqlFunctionCategory.USER_DEFINED_FUNCTION);
        this.index = index;
        this.placeholder = placeholder;
        this.shift = shift;
        this.rounds = rounds;
    }

    /** The function for a value; null for one whose plan depends on it. */
    static @Nullable ParameterFunction of(int index, Expression.Literal value) {
        if (value instanceof Expression.Whole) {
            return new ParameterFunction(
                    index,
                    new Expression.Whole(7_000_000_000_000_000_000L + index),
                    SqlTypeName.BIGINT,
                    -1,
                    Duration.ZERO);
        } else if (value instanceof Expression.Decimal) {
            return decimal(index, false);
        } else if (value instanceof Expression.Text) {
            return new ParameterFunction(
                    index, new Expression.Text(MARK + index), SqlTypeName.VARCHAR, -1, Duration.ZERO);
        } else if (value instanceof Expression.Moment) {
            return moment(index, Duration.ZERO, 0);
        }
        return null;
    }

    private static ParameterFunction decimal(int index, boolean rounds) {
        return new ParameterFunction(
                index, new Expression.Decimal(7e18 + index * 1e6), SqlTypeName.DOUBLE, -1, Duration.ZERO, rounds);
    }

    /** @param number of the shift, no two of a statement alike; 0 for none */
    private static ParameterFunction moment(int index, Duration shift, int number) {
        // Distinct, and within the years that are allowed, whatever the shift is.
        Instant unlike = Instant.ofEpochSecond(1_000_000_000L + index, number);
        return new ParameterFunction(
                index, new Expression.Moment(unlike), SqlTypeName.TIMESTAMP, TIMESTAMP_DIGITS, shift);
    }

    static ParameterFunction now() {
        return moment(NOW, Duration.ZERO, 0);
    }

    static ParameterFunction today() {
        return moment(TODAY, Duration.ZERO, 0);
    }

    /**
     * The same as a DOUBLE.
     *
     * @param rounds whether the statement has the cast: what Calcite casts to compare it is compared as it is
     */
    ParameterFunction asDouble(boolean rounds) {
        return decimal(index, rounds);
    }

    Duration shift() {
        return shift;
    }

    /** The same value, moved by this in all; the number is that of the shift in the statement. */
    ParameterFunction moved(Duration by, int number) {
        return moment(index, by, number);
    }

    /** Whether a text stands for one that is not known. */
    public static boolean isOpen(Expression.Text text) {
        return text.value().startsWith(MARK);
    }

    public Expression.Literal placeholder() {
        return placeholder;
    }

    /**
     * The value in a statement with these.
     *
     * @throws IllegalArgumentException when it is none that the engine has
     */
    Expression.Literal value(List<Expression.Literal> values, Instant now) {
        Expression.Literal value =
                switch (index) {
                    case NOW -> new Expression.Moment(now);
                    case TODAY -> new Expression.Moment(now.truncatedTo(ChronoUnit.DAYS));
                    default -> values.get(index);
                };
        if (placeholder instanceof Expression.Decimal
                && value instanceof Expression.Whole whole
                && (rounds || Math.abs(whole.value()) <= MixedNumbers.EXACT)) {
            return new Expression.Decimal(whole.value());
        }
        return value instanceof Expression.Moment moment && !shift.isZero()
                ? new Expression.Moment(moment.value().plus(shift))
                : value;
    }

    /** A letter for what a value's type makes of a plan; 0 for one whose plan depends on it. */
    public static char letter(Expression.Literal value) {
        if (value instanceof Expression.Decimal decimal && !Double.isFinite(decimal.value())) {
            // Written as a CAST.
            return 0;
        }
        return value instanceof Expression.Whole
                ? 'L'
                : value instanceof Expression.Decimal
                        ? 'D'
                        : value instanceof Expression.Text ? 'T' : value instanceof Expression.Moment ? 'M' : 0;
    }
}
