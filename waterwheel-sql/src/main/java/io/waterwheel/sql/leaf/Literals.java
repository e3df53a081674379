package io.waterwheel.sql.leaf;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Arithmetic.Operation;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/** Literals of SQL as literals of the engine. */
public final class Literals {
    private Literals() {}

    /** Makes an expression of the engine of one of Calcite. */
    interface Translation {
        Expression of(RexNode node) throws NotPushed;
    }

    static Expression of(RexLiteral literal) throws NotPushed {
        if (literal.isNull()) {
            return new Expression.Null();
        }
        try {
            return switch (literal.getTypeName()) {
                case BOOLEAN -> new Expression.Truth(literal.getValueAs(Boolean.class));
                case DECIMAL, BIGINT, INTEGER -> number(literal, literal.getValueAs(BigDecimal.class));
                case DOUBLE, REAL -> new Expression.Decimal(literal.getValueAs(Double.class));
                case CHAR, VARCHAR -> new Expression.Text(literal.getValueAs(String.class));
                case BINARY, VARBINARY ->
                    new Expression.Hex(
                            literal.getValueAs(ByteString.class).toString(16).toLowerCase(Locale.ROOT));
                case TIMESTAMP -> new Expression.Moment(instant(literal.getValueAs(TimestampString.class)));
                case DATE -> new Expression.Moment(instant(literal.getValueAs(DateString.class)));
                default -> throw new NotPushed("a literal of type " + literal.getTypeName());
            };
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new NotPushed(String.valueOf(e.getMessage()));
        }
    }

    private static Expression number(RexLiteral literal, BigDecimal value) throws NotPushed {
        if (DecimalTypes.isDecimal(literal)) {
            // With the places of its type, as a column of it has them.
            return new Expression.Exact(rounded(literal.getType(), value));
        }
        return literal.getType().getSqlTypeName() == SqlTypeName.DOUBLE
                ? new Expression.Decimal(value.doubleValue())
                : new Expression.Whole(value.longValueExact());
    }

    /**
     * A number as a decimal of a type, rounded as CAST rounds: Calcite may keep more places in a literal than its type
     * has.
     *
     * @throws NotPushed when the type has too few digits for it
     */
    public static BigDecimal rounded(RelDataType type, BigDecimal value) throws NotPushed {
        BigDecimal rounded = value.setScale(type.getScale(), RoundingMode.HALF_UP);
        if (rounded.precision() - rounded.scale() > type.getPrecision() - type.getScale() && rounded.signum() != 0) {
            throw new NotPushed(value.toPlainString() + " exceeds " + type);
        }
        return rounded;
    }

    private static Instant instant(TimestampString text) {
        return LocalDateTime.parse(text.toString().replace(' ', 'T')).toInstant(ZoneOffset.UTC);
    }

    private static Instant instant(DateString text) {
        return LocalDate.parse(text.toString()).atStartOfDay().toInstant(ZoneOffset.UTC);
    }

    /** The moment that a text is, or null. */
    static Expression.@Nullable Moment moment(Expression value) {
        if (!(value instanceof Expression.Text text)) {
            return value instanceof Expression.Moment moment ? moment : null;
        }
        try {
            return new Expression.Moment(instant(text.value()));
        } catch (DateTimeException | IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * The instant of a text in ISO 8601, with a T or a blank, in UTC without a zone; or of a day's beginning.
     *
     * @throws DateTimeException when it is none
     */
    public static Instant instant(String text) {
        String stripped = text.strip();
        if (stripped.length() <= "2021-10-07".length()) {
            return LocalDate.parse(stripped).atStartOfDay().toInstant(ZoneOffset.UTC);
        }
        String iso = stripped.replace(' ', 'T');
        boolean zoned = iso.endsWith("Z") || iso.lastIndexOf('+') > 0 || iso.lastIndexOf('-') > iso.indexOf('T');
        return zoned
                ? OffsetDateTime.parse(iso).toInstant()
                : LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC);
    }

    /** A written moment plus or minus a written interval of days to seconds; null when the call is something else. */
    static @Nullable Expression moved(Operation operation, RexCall call, Translation translation) throws NotPushed {
        List<RexNode> operands = call.getOperands();
        for (int i = 0; i < 2; i++) {
            Duration interval = interval(operands.get(1 - i));
            if (interval != null && operands.get(i).getType().getSqlTypeName() == SqlTypeName.TIMESTAMP) {
                if (!(translation.of(operands.get(i)) instanceof Expression.Moment moment)) {
                    throw new NotPushed("a time that is moved by an interval");
                }
                try {
                    return new Expression.Moment(
                            operation == Operation.MINUS
                                    ? moment.value().minus(interval)
                                    : moment.value().plus(interval));
                } catch (IllegalArgumentException | DateTimeException e) {
                    throw new NotPushed(String.valueOf(e.getMessage()));
                }
            }
        }
        return null;
    }

    /** The duration of a written interval of days to seconds, or null. */
    public static @Nullable Duration interval(RexNode node) {
        return node instanceof RexLiteral literal
                        && !literal.isNull()
                        && SqlTypeName.DAY_INTERVAL_TYPES.contains(literal.getTypeName())
                ? Duration.ofMillis(literal.getValueAs(Long.class))
                : null;
    }
}
