package io.waterwheel.sql.plan;

import io.waterwheel.query.expression.CalendarUnit;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.sql.cache.OpenParameters;
import io.waterwheel.sql.cache.ParameterFunction;
import io.waterwheel.sql.leaf.EngineFunction;
import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.leaf.Literals;
import io.waterwheel.sql.parse.ExactLiteral;
import io.waterwheel.sql.parse.SqlErrors;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlUserDefinedTypeNameSpec;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.parser.SqlParserUtil;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/**
 * Says in the engine's words what a statement says in SQL's, before names and types are looked up: its functions in
 * place of those of the same name, numbers with a point as doubles, times with a zone, and the time of now.
 */
final class Rewriter extends SqlShuttle {
    private static final int NANOS = 9;
    /** Characters of a time in milliseconds. */
    private static final int MOST_MILLIS = "2021-10-07 12:00:00.123".length();
    /** Behind a point, of ROUND. */
    private static final int MOST_DIGITS = 15;
    /** Of GREATEST, which compares each with each. */
    private static final int MOST_COMPARED = 8;
    /** Calls within one that is written several times. */
    private static final int MOST_PARTS = 40;
    /** Calls within ROUND to digits, which is written three times: ROUND within ROUND grows with each level. */
    private static final int MOST_ROUNDED = 400;
    /** Types as PostgreSQL and DuckDB call them, too. */
    private static final Map<String, SqlTypeName> TYPES = Map.of(
            "TEXT", SqlTypeName.VARCHAR,
            "STRING", SqlTypeName.VARCHAR,
            "FLOAT8", SqlTypeName.DOUBLE,
            "INT8", SqlTypeName.BIGINT,
            "INT4", SqlTypeName.BIGINT,
            "BOOL", SqlTypeName.BOOLEAN,
            "BYTEA", SqlTypeName.VARBINARY,
            "BLOB", SqlTypeName.VARBINARY);
    /** Functions that are rewritten, with whatever stands in their parentheses. */
    private static final Set<String> OF_ONE_ROW = Set.of("IFNULL", "NVL", "IF", "SIGN", "LEFT", "GREATEST", "LEAST");
    /** From here on doubles are whole numbers. */
    private static final BigDecimal WITHOUT_FRACTION = BigDecimal.valueOf(1L << 53);
    /** Functions by other names. */
    private static final Map<String, String> SYNONYMS = Map.ofEntries(
            Map.entry("CHAR_LENGTH", "LENGTH"),
            Map.entry("CHARACTER_LENGTH", "LENGTH"),
            Map.entry("CEILING", "CEIL"),
            Map.entry("SUBSTR", "SUBSTRING"),
            Map.entry("POW", "POWER"),
            Map.entry("DATE_BIN", EngineFunctions.TIME_BUCKET));

    private final EngineFunctions functions;
    private final Instant now;
    private final @Nullable List<Expression.Literal> parameters;
    private final @Nullable OpenParameters open;
    /** How many functions of shapes enclose what is visited. */
    private int shapes;

    /** @param parameters values of the question marks, as many as there are; null leaves these as they are */
    Rewriter(EngineFunctions functions, Instant now, @Nullable List<Expression.Literal> parameters) {
        this.functions = functions;
        this.now = now;
        this.parameters = parameters;
        this.open = null;
    }

    /** @param open what takes the places of question marks, and of now */
    Rewriter(EngineFunctions functions, OpenParameters open) {
        this.functions = functions;
        this.now = Instant.EPOCH;
        this.parameters = null;
        this.open = open;
    }

    private SqlNode now(SqlParserPos position) {
        return open == null ? timestamp(now, position) : open.now(position);
    }

    /** The moment at which the day of now begins. */
    private SqlNode today(SqlParserPos position) {
        return day(now(position), position);
    }

    @Override
    public @Nullable SqlNode visit(SqlDynamicParam mark) {
        if (open != null) {
            return open.call(mark.getIndex(), mark.getParserPosition());
        }
        if (parameters == null) {
            return mark;
        }
        SqlNode literal = ParameterMarks.literal(parameters.get(mark.getIndex()), mark.getParserPosition());
        return literal instanceof SqlCharStringLiteral || literal instanceof ExactLiteral
                ? visit((SqlLiteral) literal)
                : literal;
    }

    @Override
    public @Nullable SqlNode visit(SqlLiteral literal) {
        if (literal instanceof ExactLiteral exact) {
            return exact.typed();
        } else if (literal instanceof SqlNumericLiteral number && number.isInteger()) {
            requireBigint(number);
        } else if (literal instanceof SqlNumericLiteral) {
            return approximate(String.valueOf(literal.toValue()), literal.getParserPosition());
        }
        if (literal instanceof SqlCharStringLiteral text) {
            requireMillis(text);
        } else if (literal instanceof SqlIntervalLiteral interval) {
            requireMillis(interval);
        }
        if (literal.getTypeName() == SqlTypeName.UNKNOWN && literal.toValue() != null) {
            // TIMESTAMP '...', whose word Calcite keeps with the text.
            String written = literal.toString();
            if (written.toUpperCase(Locale.ROOT).startsWith("TIMESTAMP")) {
                return moment(literal);
            }
        }
        return literal;
    }

    private SqlNode approximate(String number, SqlParserPos position) {
        return WrittenNumbers.approximate(number, position, shapes > 0 ? null : own(EngineFunctions.TO_DOUBLE));
    }

    /** A larger one would be compared as a double, which rounds it. */
    private static void requireBigint(SqlNumericLiteral number) {
        try {
            number.bigDecimalValue().longValueExact();
        } catch (ArithmeticException e) {
            throw SqlErrors.at(
                    number.getParserPosition(),
                    "expected a whole number of 64 bits, or one with an exponent, got " + number);
        }
    }

    /** Calcite cuts a text that stands for a time to the column's digits, and the comparison would be another. */
    private static void requireMillis(SqlCharStringLiteral text) {
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

    private static void requireMillis(SqlIntervalLiteral interval) {
        String written = String.valueOf(interval.getValue());
        int point = written.indexOf('.');
        if (point >= 0 && written.substring(point + 1).length() > 3) {
            throw SqlErrors.at(
                    interval.getParserPosition(),
                    "an interval has at most three digits behind its point, got " + written);
        }
    }

    /** Types that would round, pad or cut; here all integers have 64 bits, and texts any length. */
    private static void requireWide(SqlDataTypeSpec type) {
        if (!(type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec name)) {
            return;
        }
        String word = name.getTypeName().getSimple().toUpperCase(Locale.ROOT);
        if (ExactLiteral.isDecimal(name)) {
            ExactLiteral.requireDigits(type, name);
            return;
        }
        boolean cut =
                switch (word) {
                    case "TINYINT", "SMALLINT", "CHAR", "CHARACTER", "BINARY" -> true;
                    case "VARCHAR", "VARBINARY" -> name.getPrecision() >= 0;
                    case "TIMESTAMP" ->
                        name.getPrecision() >= 0 && (name.getPrecision() == 0 || name.getPrecision() % 3 != 0);
                    default -> false;
                };
        if (cut) {
            throw SqlErrors.at(
                    type.getParserPosition(),
                    "CAST to " + type
                            + " is not supported; BIGINT, DOUBLE, DECIMAL(18, 2), VARCHAR, DATE, and TIMESTAMP of 3,"
                            + " 6 or 9 digits are");
        }
    }

    /** A CAST to DOUBLE of what is no literal; null for any other. */
    private @Nullable SqlNode toDouble(SqlNode operand, SqlDataTypeSpec type, SqlParserPos position) {
        boolean isDouble = type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec name
                && Set.of("DOUBLE", "FLOAT", "REAL")
                        .contains(name.getTypeName().getSimple().toUpperCase(Locale.ROOT));
        boolean written = operand instanceof SqlLiteral || operand instanceof SqlDynamicParam;
        boolean open = operand instanceof SqlCall call && call.getOperator() instanceof ParameterFunction;
        return isDouble && !written && !open ? own(EngineFunctions.TO_DOUBLE).createCall(position, operand) : null;
    }

    /** To a written number of digits behind the point: a double, as ROUND of one argument is. */
    private SqlNode rounded(SqlCall call) {
        SqlParserPos position = call.getParserPosition();
        int digits = call.operand(1) instanceof SqlNumericLiteral number && number.isInteger()
                ? number.bigDecimalValue().min(BigDecimal.TEN.pow(2)).intValue()
                : -1;
        if (digits < 0 || digits > MOST_DIGITS) {
            throw SqlErrors.at(
                    position,
                    "ROUND takes a written number of digits from 0 to " + MOST_DIGITS + ", got " + call.operand(1));
        }
        SqlNode number = call.operand(0);
        if (StatementSize.hasSelect(number)) {
            throw SqlErrors.at(position, "ROUND to digits of a sub-query; round what it selects instead");
        }
        requireSmall(call, MOST_ROUNDED);
        // Numbers beyond have no such digits, and a product with the scale would not be exact.
        SqlNode least = SqlLiteral.createApproxNumeric(WITHOUT_FRACTION.movePointLeft(digits) + "E0", position);
        SqlNode scale = SqlLiteral.createApproxNumeric("1E" + digits, position);
        SqlNode scaled = SqlStdOperatorTable.MULTIPLY.createCall(position, number, scale);
        return new SqlCase(
                position,
                null,
                SqlNodeList.of(SqlStdOperatorTable.LESS_THAN.createCall(
                        position,
                        SqlStdOperatorTable.ABS.createCall(
                                position, own(EngineFunctions.TO_DOUBLE).createCall(position, number)),
                        least)),
                SqlNodeList.of(SqlStdOperatorTable.DIVIDE.createCall(
                        position, own("ROUND").createCall(position, scaled), scale)),
                own(EngineFunctions.TO_DOUBLE).createCall(position, number));
    }

    private static boolean isDate(SqlDataTypeSpec type) {
        return type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec name
                && name.getTypeName().getSimple().equalsIgnoreCase("DATE");
    }

    /** A CAST to DATE: a day is the moment at which it begins, a TIMESTAMP. */
    private SqlNode day(SqlNode operand, SqlParserPos position) {
        LocalDateTime time = MovedTimes.time(operand);
        if (time != null) {
            return timestamp(time.truncatedTo(ChronoUnit.DAYS).toInstant(ZoneOffset.UTC), position);
        }
        if (!(operand instanceof SqlCharStringLiteral text)) {
            return own("DATE_TRUNC").createCall(position, SqlLiteral.createCharString("day", position), operand);
        }
        String written = text.getValueAs(String.class);
        try {
            return timestamp(Literals.instant(written).truncatedTo(ChronoUnit.DAYS), position);
        } catch (DateTimeException e) {
            throw SqlErrors.at(position, "expected a day such as '2021-10-07', got '" + written + "'");
        }
    }

    private static SqlNode moment(SqlLiteral literal) {
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

    @Override
    public @Nullable SqlNode visit(SqlDataTypeSpec type) {
        SqlIdentifier name =
                type.getTypeNameSpec() instanceof SqlUserDefinedTypeNameSpec own ? own.getTypeName() : null;
        SqlTypeName meant =
                name != null && name.isSimple() ? TYPES.get(name.getSimple().toUpperCase(Locale.ROOT)) : null;
        return meant == null
                ? type
                : new SqlDataTypeSpec(
                        new SqlBasicTypeNameSpec(meant, type.getParserPosition()), type.getParserPosition());
    }

    @Override
    public @Nullable SqlNode visit(SqlIdentifier identifier) {
        if (identifier.isSimple() && !identifier.isComponentQuoted(0)) {
            String name = identifier.getSimple().toUpperCase(Locale.ROOT);
            if (name.equals("CURRENT_TIMESTAMP") || name.equals("LOCALTIMESTAMP")) {
                return now(identifier.getParserPosition());
            } else if (name.equals("CURRENT_DATE")) {
                return today(identifier.getParserPosition());
            }
        }
        return identifier;
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        SqlParserPos position = call.getParserPosition();
        String name = call.getOperator().getName().toUpperCase(Locale.ROOT);
        boolean nothing = call.operandCount() == 0;
        if (nothing && (name.equals("NOW") || name.equals("CURRENT_TIMESTAMP") || name.equals("LOCALTIMESTAMP"))) {
            return now(position);
        } else if (nothing && name.equals("CURRENT_DATE")) {
            return today(position);
        }
        if (call.getKind() == SqlKind.MINUS_PREFIX && call.operand(0) instanceof ExactLiteral exact) {
            return ExactLiteral.of(exact.value().negate(), position).typed();
        }
        BigDecimal written = WrittenNumbers.of(call);
        if (written != null) {
            return approximate(written.toPlainString(), position);
        }
        if (call.getKind() == SqlKind.AS) {
            // A name that is given is no value, whatever it is: SELECT x AS current_date.
            List<@Nullable SqlNode> operands = new ArrayList<>(call.getOperandList());
            operands.set(0, call.<SqlNode>operand(0).accept(this));
            return call.getOperator().createCall(position, operands);
        }
        boolean shape = name.startsWith("ST_");
        shapes += shape ? 1 : 0;
        SqlCall visited = (SqlCall) super.visit(call);
        shapes -= shape ? 1 : 0;
        if (!(visited instanceof SqlBasicCall)) {
            return visited;
        }
        if (visited.getFunctionQuantifier() != null && OF_ONE_ROW.contains(name)) {
            throw SqlErrors.at(position, name + " is no aggregate: it takes no DISTINCT or ALL");
        }
        SqlNode special = special(visited, name, position);
        if (special != null) {
            return special;
        } else if (MixedValues.isOf(visited)) {
            return MixedValues.apart(visited);
        }
        EngineFunction own = functions.of(SYNONYMS.getOrDefault(name, name));
        boolean plain = visited.getFunctionQuantifier() == null;
        return own == null || !plain ? visited : own.createCall(position, visited.getOperandList());
    }

    /** What SQL writes in a way of its own; null for any other call. */
    private @Nullable SqlNode special(SqlCall call, String name, SqlParserPos position) {
        List<SqlNode> operands = call.getOperandList();
        return switch (name) {
            case "+", "-" -> {
                LocalDateTime moved = MovedTimes.of(call);
                yield moved == null ? null : timestamp(moved.toInstant(ZoneOffset.UTC), position);
            }
            case "TRIM" -> operands.size() == 3 ? trimmed(call) : null;
            case "POSITION" ->
                operands.size() == 2 ? own("STRPOS").createCall(position, operands.get(1), operands.get(0)) : call;
            case "EXTRACT" -> unit(call, "DATE_PART", operands.get(0), operands.get(1));
            case "FLOOR" -> operands.size() == 2 ? unit(call, "DATE_TRUNC", operands.get(1), operands.get(0)) : null;
            case "CAST", "::" -> {
                if (operands.size() > 1 && operands.get(1) instanceof SqlDataTypeSpec type) {
                    requireWide(type);
                    if (isDate(type) && !SqlUtil.isNullLiteral(operands.get(0), false)) {
                        yield day(operands.get(0), position);
                    }
                    SqlNode decimal = ExactLiteral.cast(operands.get(0), type, position);
                    yield decimal == null ? toDouble(operands.get(0), type, position) : decimal;
                }
                yield null;
            }
            case EngineFunctions.ENVELOPE, EngineFunctions.FROM_TEXT -> {
                int srid = name.equals(EngineFunctions.ENVELOPE) ? 4 : 1;
                if (operands.size() > srid && !operands.get(srid).toString().equals("4326")) {
                    throw SqlErrors.at(
                            position, "expected degrees on the sphere, whose SRID is 4326, got " + operands.get(srid));
                }
                yield null;
            }
            case "DATE_BIN" -> operands.size() == 3 ? binned(call) : null;
            case "ROUND" -> operands.size() == 2 ? rounded(call) : null;
            case "IFNULL", "NVL" ->
                operands.size() == 2 ? SqlStdOperatorTable.COALESCE.createCall(position, operands) : null;
            case "IF" ->
                operands.size() == 3
                        ? new SqlCase(
                                position,
                                null,
                                SqlNodeList.of(operands.get(0)),
                                SqlNodeList.of(operands.get(1)),
                                operands.get(2))
                        : null;
            case "SIGN" -> operands.size() == 1 ? sign(call) : null;
            case "LEFT" ->
                operands.size() == 2 && operands.get(1) instanceof SqlNumericLiteral length
                        ? left(operands.get(0), length, position)
                        : null;
            case "COUNT_IF", "COUNTIF" ->
                operands.size() == 1
                        ? SqlStdOperatorTable.COUNT.createCall(
                                call.getFunctionQuantifier(),
                                position,
                                new SqlCase(
                                        position,
                                        null,
                                        SqlNodeList.of(operands.get(0)),
                                        SqlNodeList.of(SqlLiteral.createExactNumeric("1", position)),
                                        SqlLiteral.createNull(position)))
                        : null;
            case "STRING_AGG", "LISTAGG", "GROUP_CONCAT" -> TextCalls.of(call);
            case "WITHIN GROUP" -> TextCalls.within(call);
            case "ARRAY_AGG" ->
                throw SqlErrors.at(
                        position, "ARRAY_AGG makes an array, which no answer has; STRING_AGG(x, ',') makes a text");
            case "GREATEST" -> extreme(call, SqlStdOperatorTable.GREATER_THAN_OR_EQUAL);
            case "LEAST" -> extreme(call, SqlStdOperatorTable.LESS_THAN_OR_EQUAL);
            // Calcite's own, for MATCH_RECOGNIZE, has a zero behind what is written.
            case "FIRST", "LAST" ->
                operands.size() > 2
                                || (operands.size() == 2
                                        && !operands.get(1).toString().equals("0"))
                        ? null
                        : functions.aggregate(name).createCall(position, operands.get(0));
            case "YEAR", "QUARTER", "MONTH", "WEEK", "HOUR", "MINUTE", "SECOND" ->
                operands.size() == 1
                        ? own("DATE_PART")
                                .createCall(
                                        position,
                                        SqlLiteral.createCharString(name.toLowerCase(Locale.ROOT), position),
                                        operands.get(0))
                        : null;
            default -> null;
        };
    }

    private SqlNode left(SqlNode text, SqlNumericLiteral length, SqlParserPos position) {
        BigDecimal characters = length.bigDecimalValue();
        if (characters == null
                || characters.signum() < 0
                || characters.stripTrailingZeros().scale() > 0) {
            throw SqlErrors.at(position, "LEFT takes a whole number of characters, 0 or more, got " + length);
        }
        return own("SUBSTRING").createCall(position, text, SqlLiteral.createExactNumeric("1", position), length);
    }

    /** Refuses what would stand in its rewritten form several times, and grow with each level of nesting. */
    private static void requireSmall(SqlCall call, int most) {
        AtomicInteger parts = new AtomicInteger();
        call.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall part) {
                return parts.incrementAndGet() > most ? null : super.visit(part);
            }
        });
        if (parts.get() > most || StatementSize.hasSelect(call)) {
            throw SqlErrors.at(
                    call.getParserPosition(),
                    call.getOperator().getName()
                            + " takes columns and small expressions; compute others in a sub-query of FROM");
        }
    }

    /** 1, 0 or -1; null of null. */
    private static SqlNode sign(SqlCall call) {
        SqlParserPos position = call.getParserPosition();
        requireSmall(call, MOST_PARTS);
        SqlNode number = call.operand(0);
        SqlNode zero = SqlLiteral.createExactNumeric("0", position);
        return new SqlCase(
                position,
                null,
                SqlNodeList.of(
                        SqlStdOperatorTable.GREATER_THAN.createCall(position, number, zero),
                        SqlStdOperatorTable.LESS_THAN.createCall(position, number, zero),
                        SqlStdOperatorTable.EQUALS.createCall(position, number, zero)),
                SqlNodeList.of(
                        SqlLiteral.createExactNumeric("1", position),
                        SqlLiteral.createExactNumeric("-1", position),
                        zero),
                SqlLiteral.createNull(position));
    }

    /** The first value that is not null, and goes before each other one that is not. */
    private static SqlNode extreme(SqlCall call, SqlOperator before) {
        SqlParserPos position = call.getParserPosition();
        List<SqlNode> values = call.getOperandList();
        if (values.isEmpty() || values.size() > MOST_COMPARED) {
            throw SqlErrors.at(position, call.getOperator().getName() + " takes 1 to " + MOST_COMPARED + " values");
        }
        requireSmall(call, MOST_PARTS);
        List<SqlNode> conditions = new ArrayList<>();
        for (SqlNode value : values) {
            SqlNode condition = SqlStdOperatorTable.IS_NOT_NULL.createCall(position, value);
            for (SqlNode other : values) {
                if (other != value) {
                    SqlNode goes = SqlStdOperatorTable.OR.createCall(
                            position,
                            SqlStdOperatorTable.IS_NULL.createCall(position, other),
                            before.createCall(position, value, other));
                    condition = SqlStdOperatorTable.AND.createCall(position, condition, goes);
                }
            }
            conditions.add(condition);
        }
        return new SqlCase(
                position,
                null,
                new SqlNodeList(conditions, position),
                new SqlNodeList(values, position),
                SqlLiteral.createNull(position));
    }

    /** Steps counted from a written moment: from 1970 on it must be a number of steps. */
    private SqlNode binned(SqlCall call) {
        SqlParserPos position = call.getParserPosition();
        LocalDateTime origin = MovedTimes.time(call.operand(2));
        long millis = call.operand(0) instanceof SqlIntervalLiteral literal
                        && literal.getValue() instanceof SqlIntervalLiteral.IntervalValue value
                        && !value.getIntervalQualifier().isYearMonth()
                ? SqlParserUtil.intervalToMillis(value)
                : 0;
        boolean whole = origin != null
                && millis > 0
                && origin.toInstant(ZoneOffset.UTC).toEpochMilli() % millis == 0
                && !isFinerThanMillis(origin.toInstant(ZoneOffset.UTC));
        if (!whole) {
            throw SqlErrors.at(
                    position,
                    "DATE_BIN(INTERVAL, time, origin): expected a written origin that is a number of steps after 1970,"
                            + " such as TIMESTAMP '2020-01-01 00:00:00' for steps that divide a day");
        }
        return own(EngineFunctions.TIME_BUCKET)
                .createCall(position, call.<SqlNode>operand(0), call.<SqlNode>operand(1));
    }

    /** TRIM of blanks at both ends; the call as it is when it is of something else. */
    private SqlNode trimmed(SqlCall call) {
        boolean blanks = call.operand(0) instanceof SqlLiteral side
                && side.getValue() == SqlTrimFunction.Flag.BOTH
                && call.operand(1) instanceof SqlLiteral what
                && " ".equals(what.toValue());
        return blanks ? own("TRIM").createCall(call.getParserPosition(), call.<SqlNode>operand(2)) : call;
    }

    private EngineFunction own(String name) {
        EngineFunction function = functions.of(name);
        if (function == null) {
            throw new IllegalStateException("the engine has no function " + name);
        }
        return function;
    }

    /** A function of the engine that takes a unit of the calendar in quotes; the call as it is where it has another. */
    private SqlNode unit(SqlCall call, String function, SqlNode unit, SqlNode time) {
        String name = unit instanceof SqlIntervalQualifier qualifier
                ? qualifier.getUnit().name()
                : unit instanceof SqlIdentifier identifier ? identifier.toString() : "";
        SqlParserPos position = call.getParserPosition();
        return CalendarUnit.of(name) == null
                ? call
                : own(function)
                        .createCall(
                                position, SqlLiteral.createCharString(name.toLowerCase(Locale.ROOT), position), time);
    }

    /** Whether it is a statement that returns rows. */
    static boolean isQuery(SqlNode node) {
        return node.isA(SqlKind.QUERY);
    }
}
