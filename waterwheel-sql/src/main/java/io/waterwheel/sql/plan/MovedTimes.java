package io.waterwheel.sql.plan;

import io.waterwheel.query.expression.CalendarUnit;
import io.waterwheel.sql.leaf.Literals;
import io.waterwheel.sql.parse.SqlErrors;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.parser.SqlParserUtil;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * A written time that is moved by a written interval, {@code DATE '1998-12-01' - INTERVAL '3' MONTH}, as the time that
 * it is: where the month is too short, its last day.
 */
final class MovedTimes {
    private static final BigDecimal MOST_UNITS = BigDecimal.valueOf(999_999_999);
    /** Of an interval, as Calcite has them. */
    private static final int MOST_DIGITS = 10;

    private MovedTimes() {}

    /** The time, in UTC; null for what is something else. */
    static @Nullable LocalDateTime of(SqlCall call) {
        boolean minus = call.getOperator().getName().equals("-");
        if (call.operandCount() != 2 || !(minus || call.getOperator().getName().equals("+"))) {
            return null;
        }
        SqlNode first = call.operand(0);
        SqlNode second = call.operand(1);
        LocalDateTime time = time(first);
        SqlNode by = second;
        if (time == null && !minus) {
            time = time(second);
            by = first;
        }
        if (time == null || !(by instanceof SqlIntervalLiteral interval)) {
            return null;
        }
        try {
            return moved(time, (SqlIntervalLiteral.IntervalValue) interval.getValue(), minus);
        } catch (DateTimeException | ArithmeticException e) {
            throw SqlErrors.at(call.getParserPosition(), call + " lies beyond all times");
        }
    }

    /** {@code 5 * INTERVAL '1' DAY} as one interval; null for what is something else. */
    static @Nullable SqlLiteral multiplied(SqlCall call) {
        if (call.getKind() != SqlKind.TIMES) {
            return null;
        }
        SqlNode first = call.operand(0);
        SqlNode second = call.operand(1);
        SqlNode times = first instanceof SqlIntervalLiteral ? second : first;
        if (!(times instanceof SqlNumericLiteral number)
                || !number.isInteger()
                || !((times.equals(first) ? second : first) instanceof SqlIntervalLiteral interval)
                || !(interval.getValue() instanceof SqlIntervalLiteral.IntervalValue value)
                || !value.getIntervalLiteral().matches("\\d+")) {
            return null;
        }
        BigDecimal product = number.bigDecimalValue().multiply(new BigDecimal(value.getIntervalLiteral()));
        return SqlLiteral.createInterval(
                value.getSign(), product.toPlainString(), value.getIntervalQualifier(), call.getParserPosition());
    }

    /**
     * {@code TIMESTAMPADD(MONTH, 1, time)} as {@code time + INTERVAL '1' MONTH}.
     *
     * @throws io.waterwheel.error.WaterwheelException when the number is not written, or exceeds nine digits
     */
    static SqlCall added(SqlCall call) {
        SqlParserPos position = call.getParserPosition();
        SqlNode number = call.operand(1);
        int sign = 1;
        if (number instanceof SqlCall negative && negative.getKind() == SqlKind.MINUS_PREFIX) {
            number = negative.operand(0);
            sign = -1;
        }
        BigDecimal units =
                number instanceof SqlNumericLiteral written && written.isInteger() ? written.bigDecimalValue() : null;
        TimeUnit unit = call.operand(0) instanceof SqlIntervalQualifier qualifier ? qualifier.getUnit() : null;
        if (units == null || unit == null || units.abs().compareTo(MOST_UNITS) > 0) {
            throw SqlErrors.unsupported(
                    position,
                    "TIMESTAMPADD takes a unit and a written whole number of at most nine digits, such as"
                            + " TIMESTAMPADD(MONTH, 1, time)");
        }
        TimeUnit whole =
                switch (unit) {
                    case QUARTER -> TimeUnit.MONTH;
                    case WEEK -> TimeUnit.DAY;
                    case YEAR, MONTH, DAY, HOUR, MINUTE, SECOND -> unit;
                    default ->
                        throw SqlErrors.unsupported(
                                position, "TIMESTAMPADD by " + unit + "; from SECOND to YEAR it is");
                };
        int each = unit == TimeUnit.QUARTER ? 3 : unit == TimeUnit.WEEK ? 7 : 1;
        SqlNode interval = SqlLiteral.createInterval(
                sign * (units.signum() < 0 ? -1 : 1),
                units.abs().multiply(BigDecimal.valueOf(each)).toPlainString(),
                new SqlIntervalQualifier(whole, MOST_DIGITS, null, RelDataType.PRECISION_NOT_SPECIFIED, position),
                position);
        return SqlStdOperatorTable.PLUS.createCall(position, call.operand(2), interval);
    }

    /** A time that is moved by a written interval. */
    static LocalDateTime moved(LocalDateTime time, SqlIntervalLiteral interval) {
        return moved(time, (SqlIntervalLiteral.IntervalValue) interval.getValue(), false);
    }

    private static LocalDateTime moved(
            LocalDateTime time, SqlIntervalLiteral.@Nullable IntervalValue value, boolean minus) {
        if (value == null) {
            throw new ArithmeticException("an interval of null");
        }
        SqlIntervalQualifier qualifier = value.getIntervalQualifier();
        int sign = (minus ? -1 : 1) * value.getSign();
        if (qualifier.isYearMonth()) {
            return time.plusMonths(sign * SqlParserUtil.intervalToMonths(value.getIntervalLiteral(), qualifier));
        }
        return time.plus(
                Duration.ofMillis(sign * SqlParserUtil.intervalToMillis(value.getIntervalLiteral(), qualifier)));
    }

    /** What a DATE or TIMESTAMP literal says, or the beginning of its month, or such: DATE_TRUNC('month', literal). */
    static @Nullable LocalDateTime time(SqlNode node) {
        if (node instanceof SqlCall call) {
            return truncated(call);
        }
        if (!(node instanceof SqlLiteral literal)) {
            return null;
        }
        boolean isTime = literal.getTypeName() == SqlTypeName.DATE
                || literal.getTypeName() == SqlTypeName.TIMESTAMP
                || (literal.getTypeName() == SqlTypeName.UNKNOWN
                        && literal.toString().toUpperCase(Locale.ROOT).startsWith("DATE"));
        String text = isTime ? literal.toValue() : null;
        if (text == null) {
            return null;
        }
        try {
            return LocalDateTime.ofInstant(Literals.instant(text), ZoneOffset.UTC);
        } catch (DateTimeException e) {
            return null; // the validator says what is wrong
        }
    }

    private static @Nullable LocalDateTime truncated(SqlCall call) {
        if (!call.getOperator().getName().equalsIgnoreCase("DATE_TRUNC")
                || call.operandCount() != 2
                || !(call.operand(0) instanceof SqlCharStringLiteral unit)
                || !(call.operand(1) instanceof SqlLiteral literal)) {
            return null;
        }
        CalendarUnit known = CalendarUnit.of(unit.getValueAs(String.class));
        LocalDateTime time = known == null || !known.truncates() ? null : time(literal);
        if (known == null || time == null) {
            return null;
        }
        Instant begin =
                known.around(time.toInstant(ZoneOffset.UTC), ZoneOffset.UTC).begin();
        return LocalDateTime.ofInstant(begin, ZoneOffset.UTC);
    }
}
