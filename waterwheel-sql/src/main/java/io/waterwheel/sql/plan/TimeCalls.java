package io.waterwheel.sql.plan;

import io.waterwheel.query.expression.CalendarUnit;
import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.leaf.Literals;
import io.waterwheel.sql.leaf.TimeBuckets;
import io.waterwheel.sql.parse.SqlErrors;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.parser.SqlParserUtil;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/** Written times and functions of times in the engine's words. */
final class TimeCalls {
    private static final int NANOS = 9;
    /** Digits of seconds in a written interval. */
    private static final int MOST_SECONDS = 10;
    /** Characters of a time in milliseconds. */
    private static final int MOST_MILLIS = "2021-10-07 12:00:00.123".length();

    /** Steps of the calendar, by their months. */
    private static final Map<Long, String> CALENDAR = Map.of(1L, "month", 3L, "quarter", 12L, "year");

    /** Steps of the clock and the calendar, by their milliseconds. */
    private static final Map<Long, String> UNITS_OF_STEPS =
            Map.of(1000L, "second", 60_000L, "minute", 3_600_000L, "hour", 86_400_000L, "day", 7 * 86_400_000L, "week");

    private static final Pattern MONTHS = Pattern.compile("(?i)\\s*(\\d{1,9})\\s*(month|quarter|year)s?\\s*");

    private static final String UNITS =
            Arrays.stream(CalendarUnit.values()).map(CalendarUnit::name).collect(Collectors.joining(", "));

    /** The unit of seconds since 1970. */
    private static final String EPOCH = "EPOCH";

    private final EngineFunctions functions;

    TimeCalls(EngineFunctions functions) {
        this.functions = functions;
    }

    /** Calcite cuts a text that stands for a time to the column's digits, and the comparison would be another. */
    static void requireMillis(SqlCharStringLiteral text) {
        String written = text.getValueAs(String.class);
        try {
            if (written.length() > MOST_MILLIS && isFinerThanMillis(Literals.instant(written))) {
                throw SqlErrors.at(
                        text.getParserPosition(),
                        "a time that is finer than a millisecond is written TIMESTAMP '" + written + "'");
            }
        } catch (DateTimeException e) {
            return; // a text like another
        }
    }

    private static boolean isFinerThanMillis(Instant time) {
        return !time.truncatedTo(ChronoUnit.MILLIS).equals(time);
    }

    static void requireMillis(SqlIntervalLiteral interval) {
        String written = String.valueOf(interval.getValue());
        int point = written.indexOf('.');
        if (point >= 0 && written.substring(point + 1).length() > 3) {
            throw SqlErrors.at(
                    interval.getParserPosition(),
                    "an interval has at most three digits behind its point, got " + written);
        }
    }

    static boolean isDate(SqlDataTypeSpec type) {
        return type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec name
                && name.getTypeName().getSimple().equalsIgnoreCase("DATE");
    }

    /** A CAST to DATE: a day is the moment at which it begins, a TIMESTAMP. */
    SqlNode day(SqlNode operand, SqlParserPos position) {
        LocalDateTime time = MovedTimes.time(operand);
        if (time != null) {
            return timestamp(time.truncatedTo(ChronoUnit.DAYS).toInstant(ZoneOffset.UTC), position);
        }
        if (!(operand instanceof SqlCharStringLiteral text)) {
            return functions
                    .required("DATE_TRUNC")
                    .createCall(position, SqlLiteral.createCharString("day", position), operand);
        }
        String written = text.getValueAs(String.class);
        try {
            return timestamp(Literals.instant(written).truncatedTo(ChronoUnit.DAYS), position);
        } catch (DateTimeException e) {
            throw SqlErrors.at(position, "expected a day such as '2021-10-07', got '" + written + "'");
        }
    }

    static SqlNode moment(SqlLiteral literal) {
        String text = literal.getValueAs(String.class);
        try {
            return timestamp(Literals.instant(text), literal.getParserPosition());
        } catch (DateTimeException e) {
            throw SqlErrors.at(
                    literal.getParserPosition(),
                    "expected a time such as TIMESTAMP '2021-10-07 12:00:01.5Z', got '" + text + "'");
        }
    }

    static SqlNode timestamp(Instant instant, SqlParserPos position) {
        LocalDateTime time = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
        TimestampString text = new TimestampString(
                        time.getYear(),
                        time.getMonthValue(),
                        time.getDayOfMonth(),
                        time.getHour(),
                        time.getMinute(),
                        time.getSecond())
                .withNanos(time.getNano());
        int digits = time.getNano() % 1_000_000 == 0 ? 3 : time.getNano() % 1000 == 0 ? 6 : NANOS;
        return SqlLiteral.createTimestamp(SqlTypeName.TIMESTAMP, text, digits, position);
    }

    /**
     * TIME_BUCKET of months, or by the clock of a zone, as DATE_TRUNC has these steps; null for any other step.
     *
     * @param function DATE_TRUNC, or what makes rows of its steps without tuples too
     */
    @Nullable
    SqlNode calendar(SqlCall call, String function) {
        SqlNode step = call.operand(0);
        long months = months(step);
        boolean zoned = call.operandCount() == 3;
        if (months == 0 && !zoned) {
            return null;
        }
        if (zoned && call.operand(2) instanceof SqlCharStringLiteral zone) {
            requireZone(zone);
        }
        String unit = months == 0 ? UNITS_OF_STEPS.get(millis(step)) : ofMonths(months, step);
        if (unit == null) {
            throw SqlErrors.unsupported(
                    step.getParserPosition(),
                    "such steps by the clock of a time zone; one second, minute, hour, day or week is, such as INTERVAL"
                            + " '1' DAY, and so are steps of the calendar");
        }
        List<SqlNode> of = call.getOperandList().subList(1, call.operandCount());
        return truncated(unit, of, function, call.getParserPosition());
    }

    private static void requireZone(SqlCharStringLiteral zone) {
        String written = zone.getValueAs(String.class);
        try {
            ZoneId unused = ZoneId.of(written);
        } catch (DateTimeException e) {
            throw SqlErrors.at(
                    zone.getParserPosition(),
                    !written.isEmpty() && Character.isDigit(written.charAt(0))
                            ? "a text here names a time zone, such as 'Europe/Berlin'; an origin is written TIMESTAMP"
                                    + " '2021-01-04 00:00:00'"
                            : "there is no time zone '" + written + "'; one is 'Europe/Berlin'");
        }
    }

    private static String ofMonths(long months, SqlNode step) {
        String unit = CALENDAR.get(months);
        if (unit == null) {
            throw SqlErrors.unsupported(
                    step.getParserPosition(),
                    "steps of " + months
                            + " months; steps of the calendar are INTERVAL '1' MONTH, INTERVAL '3' MONTH and"
                            + " INTERVAL '1' YEAR, as DATE_TRUNC('month', time), 'quarter' and 'year' have them");
        }
        return unit;
    }

    private SqlNode truncated(String unit, List<SqlNode> of, String function, SqlParserPos position) {
        List<SqlNode> operands = new ArrayList<>();
        operands.add(SqlLiteral.createCharString(unit, position));
        operands.addAll(of);
        return functions.required(function).createCall(position, operands);
    }

    /** The milliseconds of a written step; 0 for one that is none, or of months. */
    private static long millis(SqlNode step) {
        if (step instanceof SqlIntervalLiteral literal
                && literal.getValue() instanceof SqlIntervalLiteral.IntervalValue value) {
            return value.getIntervalQualifier().isYearMonth() ? 0 : SqlParserUtil.intervalToMillis(value);
        }
        Duration written =
                step instanceof SqlCharStringLiteral text ? TimeBuckets.written(text.getValueAs(String.class)) : null;
        return written == null ? 0 : written.toMillis();
    }

    /** The months of a written step; 0 for one that is none, or of days and less. */
    private static long months(SqlNode step) {
        if (step instanceof SqlIntervalLiteral literal
                && literal.getValue() instanceof SqlIntervalLiteral.IntervalValue value) {
            return value.getIntervalQualifier().isYearMonth() ? SqlParserUtil.intervalToMonths(value) : 0;
        }
        Matcher written =
                MONTHS.matcher(step instanceof SqlCharStringLiteral text ? text.getValueAs(String.class) : "");
        if (!written.matches()) {
            return 0;
        }
        int each =
                switch (written.group(2).toLowerCase(Locale.ROOT)) {
                    case "month" -> 1;
                    case "quarter" -> 3;
                    default -> 12;
                };
        return Long.parseLong(written.group(1)) * each;
    }

    /**
     * Steps counted from a written moment.
     *
     * @param function TIME_BUCKET, or what makes rows of its steps without tuples too
     * @param ofCalendar the same for DATE_TRUNC
     */
    SqlNode binned(SqlCall call, String function, String ofCalendar) {
        SqlParserPos position = call.getParserPosition();
        String name = call.getOperator().getName();
        LocalDateTime origin = MovedTimes.time(call.operand(2));
        // A year begins with a month and a quarter.
        long months = months(call.operand(0));
        if (months != 0) {
            String unit = ofMonths(months, call.operand(0));
            if (origin == null
                    || !origin.equals(origin.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1))
                    || (origin.getMonthValue() - 1) % months != 0) {
                throw SqlErrors.at(
                        call.<SqlNode>operand(2).getParserPosition(),
                        name + "(INTERVAL, time, origin): expected a written origin at which a " + unit
                                + " begins, such as TIMESTAMP '2020-01-01 00:00:00'");
            }
            return truncated(unit, List.of(call.operand(1)), ofCalendar, position);
        }
        long millis = millis(call.operand(0));
        if (origin == null || millis <= 0 || isFinerThanMillis(origin.toInstant(ZoneOffset.UTC))) {
            throw SqlErrors.at(
                    position,
                    name + "(INTERVAL, time, origin): expected a written step, and a written origin of at most three"
                            + " digits behind its point, such as " + name + "(INTERVAL '15' MINUTE, time, TIMESTAMP"
                            + " '2020-01-01 00:00:00')");
        }
        List<SqlNode> operands = new ArrayList<>(call.getOperandList().subList(0, 2));
        long ahead = Math.floorMod(origin.toInstant(ZoneOffset.UTC).toEpochMilli(), millis);
        if (ahead != 0) {
            operands.add(SqlLiteral.createInterval(
                    1,
                    BigDecimal.valueOf(ahead, 3).toPlainString(),
                    new SqlIntervalQualifier(TimeUnit.SECOND, MOST_SECONDS, null, 3, position),
                    position));
        }
        return functions.required(function).createCall(position, operands);
    }

    /** A function of the engine that takes a unit of the calendar in quotes. */
    SqlNode unit(SqlCall call, String function, SqlNode unit, SqlNode time) {
        String name = unit instanceof SqlIntervalQualifier qualifier
                ? qualifier.getUnit().name()
                : unit instanceof SqlIdentifier identifier ? identifier.toString() : "";
        SqlParserPos position = call.getParserPosition();
        if (function.equals("DATE_PART") && isDayFromSunday(name)) {
            return dayFromSunday(time, position);
        } else if (function.equals("DATE_PART") && name.equalsIgnoreCase(EPOCH)) {
            return seconds(time, position);
        }
        requireUnit(call, name);
        return functions
                .required(function)
                .createCall(position, SqlLiteral.createCharString(name.toLowerCase(Locale.ROOT), position), time);
    }

    /** A unit of the calendar in quotes, where it is written. */
    static void requireUnit(SqlCall call) {
        if (call.operand(0) instanceof SqlCharStringLiteral text) {
            requireUnit(call, text.getValueAs(String.class));
        }
    }

    private static void requireUnit(SqlCall call, String name) {
        if (CalendarUnit.of(name) == null) {
            throw SqlErrors.unsupported(
                    call.getParserPosition(),
                    "the unit " + name.toUpperCase(Locale.ROOT) + " of "
                            + call.getOperator().getName() + "; units are "
                            + UNITS);
        }
    }

    private static boolean isDayFromSunday(String unit) {
        return unit.equalsIgnoreCase("DOW") || unit.equalsIgnoreCase("DAYOFWEEK");
    }

    /** The day of the week from Sunday, 0, as PostgreSQL and DuckDB count it. */
    private SqlNode dayFromSunday(SqlNode time, SqlParserPos position) {
        SqlNode fromMonday = functions
                .required("DATE_PART")
                .createCall(position, SqlLiteral.createCharString("isodow", position), time);
        return SqlStdOperatorTable.MOD.createCall(position, fromMonday, SqlLiteral.createExactNumeric("7", position));
    }

    /** Since 1970, or of a difference of times, with what is less than a second, as PostgreSQL has it: a DOUBLE. */
    SqlNode seconds(SqlNode time, SqlParserPos position) {
        SqlNode micros = isBetween(time)
                ? units("microsecond", ((SqlCall) time).operand(1), ((SqlCall) time).operand(0), position)
                : units("microsecond", timestamp(Instant.EPOCH, position), written(time, position), position);
        return SqlStdOperatorTable.DIVIDE.createCall(
                position,
                functions.required(EngineFunctions.TO_DOUBLE).createCall(position, micros),
                functions
                        .required(EngineFunctions.TO_DOUBLE)
                        .createCall(position, SqlLiteral.createExactNumeric("1000000", position)));
    }

    /** The last one that begins at a time or before; the whole ones of a difference of times. */
    SqlNode millisSince1970(SqlNode time, SqlParserPos position) {
        return isBetween(time)
                ? units("millisecond", ((SqlCall) time).operand(1), ((SqlCall) time).operand(0), position)
                : functions
                        .required(EngineFunctions.DATE_DIFF)
                        .createCall(
                                position,
                                SqlLiteral.createCharString("millisecond", position),
                                timestamp(Instant.EPOCH, position),
                                written(time, position));
    }

    private static boolean isBetween(SqlNode time) {
        return time instanceof SqlCall call
                && call.getKind() == SqlKind.MINUS
                && call.operandCount() == 2
                && !(call.operand(1) instanceof SqlIntervalLiteral);
    }

    /** A written time or day as a TIMESTAMP; what is not written as it is. */
    private static SqlNode written(SqlNode time, SqlParserPos position) {
        LocalDateTime moment = MovedTimes.time(time);
        return moment == null ? time : timestamp(moment.toInstant(ZoneOffset.UTC), position);
    }

    private SqlNode units(String unit, SqlNode from, SqlNode to, SqlParserPos position) {
        return functions
                .required(EngineFunctions.ELAPSED)
                .createCall(position, SqlLiteral.createCharString(unit, position), from, to);
    }

    /** DATE_PART and DATEPART, whose unit may be in quotes. */
    SqlNode part(SqlCall call) {
        if (call.operand(0) instanceof SqlCharStringLiteral text) {
            String unit = text.getValueAs(String.class);
            if (isDayFromSunday(unit)) {
                return dayFromSunday(call.operand(1), call.getParserPosition());
            } else if (unit.equalsIgnoreCase(EPOCH)) {
                return seconds(call.operand(1), call.getParserPosition());
            }
        }
        requireUnit(call);
        return call.operand(0) instanceof SqlIntervalQualifier unit
                ? unit(call, "DATE_PART", unit, call.operand(1))
                : functions.required("DATE_PART").createCall(call.getParserPosition(), call.getOperandList());
    }

    /**
     * TIMESTAMPDIFF, DATEDIFF and DATE_DIFF with their unit as a text; the call as it is where it has none.
     *
     * @param begun whether units count that begin between the times, else whole ones
     */
    SqlNode difference(SqlCall call, boolean begun) {
        if (call.operandCount() != 3) {
            return call;
        }
        SqlParserPos position = call.getParserPosition();
        SqlNode unit = call.operand(0) instanceof SqlIntervalQualifier qualifier
                ? SqlLiteral.createCharString(qualifier.getUnit().name(), position)
                : call.operand(0);
        return functions
                .required(begun ? EngineFunctions.DATE_DIFF : EngineFunctions.ELAPSED)
                .createCall(position, unit, call.operand(1), call.operand(2));
    }

    /**
     * {@code a - b < INTERVAL '5' MINUTE} as {@code a < b + INTERVAL '5' MINUTE}, for a difference of times is no value
     * of its own; null for any other comparison.
     */
    static @Nullable SqlNode compared(SqlCall call) {
        for (int side = 0; side < 2; side++) {
            if (call.operand(side) instanceof SqlCall difference
                    && difference.getKind() == SqlKind.MINUS
                    && difference.operandCount() == 2
                    && call.operand(1 - side) instanceof SqlIntervalLiteral interval
                    // A month is as long as the time says that it is added to.
                    && interval.getValue() instanceof SqlIntervalLiteral.IntervalValue value
                    && !value.getIntervalQualifier().isYearMonth()
                    && !(difference.operand(1) instanceof SqlIntervalLiteral)) {
                SqlNode moved = SqlStdOperatorTable.PLUS.createCall(
                        call.getParserPosition(), difference.<SqlNode>operand(1), interval);
                List<SqlNode> operands = side == 0
                        ? List.of(difference.<SqlNode>operand(0), moved)
                        : List.of(moved, difference.<SqlNode>operand(0));
                return call.getOperator().createCall(call.getParserPosition(), operands);
            }
        }
        return null;
    }
}
