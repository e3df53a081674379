package io.waterwheel.sql.plan;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.sql.cache.NowNames;
import io.waterwheel.sql.cache.OpenParameters;
import io.waterwheel.sql.leaf.EngineFunction;
import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.parse.ExactLiteral;
import io.waterwheel.sql.parse.SqlErrors;
import io.waterwheel.sql.parse.TimePattern;
import io.waterwheel.sql.residual.RestAggregate;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlUserDefinedTypeNameSpec;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * Says in the engine's words what a statement says in SQL's, before names and types are looked up: its functions in
 * place of those of the same name, numbers with a point as doubles, times with a zone, and the time of now.
 */
final class Rewriter extends SqlShuttle {
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
    /** Functions whose arguments have one type, of which some would stand in several places. */
    private static final Set<String> OF_ALIKE = Set.of("GREATEST", "LEAST", "IFNULL", "NVL", "COALESCE");
    /** Functions by other names. */
    private static final Map<String, String> SYNONYMS = Map.ofEntries(
            Map.entry("CHAR_LENGTH", "LENGTH"),
            Map.entry("CHARACTER_LENGTH", "LENGTH"),
            Map.entry("CEILING", "CEIL"),
            Map.entry("SUBSTR", "SUBSTRING"),
            Map.entry("POW", "POWER"),
            Map.entry("DATE_BIN", EngineFunctions.TIME_BUCKET),
            Map.entry("TRANSLATE3", "TRANSLATE"),
            Map.entry("REGEXP_LIKE", EngineFunctions.MATCHES));
    /** The column of the numbers of an array's values. */
    private static final String ORDINALITY = "ordinality";

    /** Operators of patterns: text ~ pattern and its like. */
    private static final String PATTERN = "POSIX REGEX CASE ";

    private final EngineFunctions functions;
    private final NumberCalls numbers;
    private final TimeCalls times;
    private final Instant now;
    private final @Nullable List<Expression.Literal> parameters;
    private final @Nullable OpenParameters open;
    /** How many functions of shapes enclose what is visited. */
    private int shapes;
    /** Rows that series and arrays were made to. */
    private int madeRows;

    /** @param parameters values of the question marks, as many as there are; null leaves these as they are */
    Rewriter(EngineFunctions functions, Instant now, @Nullable List<Expression.Literal> parameters) {
        this.functions = functions;
        this.numbers = new NumberCalls(functions);
        this.times = new TimeCalls(functions);
        this.now = now;
        this.parameters = parameters;
        this.open = null;
    }

    /** @param open what takes the places of question marks, and of now */
    Rewriter(EngineFunctions functions, OpenParameters open) {
        this.functions = functions;
        this.numbers = new NumberCalls(functions);
        this.times = new TimeCalls(functions);
        this.now = Instant.EPOCH;
        this.parameters = null;
        this.open = open;
    }

    private SqlNode now(String name, SqlParserPos position) {
        if (open != null) {
            return open.now(name, position);
        }
        SqlNode moment = TimeCalls.timestamp(now, position);
        return NowNames.isDay(name) ? times.day(moment, position) : moment;
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
            NumberCalls.requireBigint(number);
        } else if (literal instanceof SqlNumericLiteral) {
            return approximate(String.valueOf(literal.toValue()), literal.getParserPosition());
        }
        if (literal instanceof SqlCharStringLiteral text) {
            TimeCalls.requireMillis(text);
        } else if (literal instanceof SqlIntervalLiteral interval) {
            TimeCalls.requireMillis(interval);
        }
        if (literal.getTypeName() == SqlTypeName.UNKNOWN && literal.toValue() != null) {
            // TIMESTAMP '...', whose word Calcite keeps with the text.
            String written = literal.toString();
            if (written.toUpperCase(Locale.ROOT).startsWith("TIMESTAMP")) {
                return TimeCalls.moment(literal);
            }
        }
        return literal;
    }

    private SqlNode approximate(String number, SqlParserPos position) {
        return WrittenNumbers.approximate(
                number, position, shapes > 0 ? null : functions.required(EngineFunctions.TO_DOUBLE));
    }

    /** A parameter may be less than zero. */
    private static void requireCount(@Nullable SqlNode rows, String word) {
        if (rows instanceof SqlNumericLiteral number && number.bigDecimalValue().signum() < 0) {
            throw new WaterwheelException(
                    ErrorCode.SQL_VALUE,
                    SqlErrors.place(rows.getParserPosition()) + word + " is at least 0, got " + number.toValue());
        }
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
            String name = identifier.getSimple();
            if (NowNames.isPlain(name)) {
                return now(name, identifier.getParserPosition());
            }
        }
        return identifier;
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        SqlParserPos position = call.getParserPosition();
        String name = call.getOperator().getName().toUpperCase(Locale.ROOT);
        if (call.operandCount() == 0 && NowNames.contains(name)) {
            return now(name, position);
        }
        if (call.getKind() == SqlKind.MINUS_PREFIX && call.operand(0) instanceof ExactLiteral exact) {
            return ExactLiteral.of(exact.value().negate(), position).typed();
        }
        if (call.getKind() == SqlKind.INTERVAL
                && call.operand(0) instanceof SqlNumericLiteral number
                && number.isInteger()
                && call.operand(1) instanceof SqlIntervalQualifier unit) {
            // INTERVAL 5 MINUTE, as MySQL and DuckDB write it.
            return visit(SqlLiteral.createInterval(1, number.toValue(), unit, position));
        }
        if (call.getKind() == SqlKind.TABLESAMPLE) {
            throw SqlErrors.unsupported(
                    position,
                    "TABLESAMPLE; where id is a whole number, WHERE MOD(id, 10) = 0 takes a tenth of the rows");
        }
        if (name.equals("TIMESTAMPADD") && call.operandCount() == 3) {
            return visit(MovedTimes.added(call));
        }
        SqlLiteral multiplied = MovedTimes.multiplied(call);
        if (multiplied != null) {
            return visit(multiplied);
        }
        BigDecimal written = WrittenNumbers.of(call);
        if (written != null) {
            return approximate(written.toPlainString(), position);
        }
        if (call.getKind() == SqlKind.AS) {
            // A name that is given is no value, whatever it is: SELECT x AS current_date.
            List<@Nullable SqlNode> operands = new ArrayList<>(call.getOperandList());
            SqlNode rows = call.operand(0) instanceof SqlCall table ? rows(table) : null;
            operands.set(0, rows == null ? call.<SqlNode>operand(0).accept(this) : rows);
            if (rows != null && operands.size() == 2) {
                // As in PostgreSQL, the one column is called as the table is.
                operands.add(operands.get(1));
            }
            if (rows != null && operands.size() == 3 && ValueRows.isNumbered(call.operand(0))) {
                operands.add(new SqlIdentifier(ORDINALITY, position));
            }
            return call.getOperator().createCall(position, operands);
        }
        SqlNode rows = rows(call);
        if (rows != null) {
            SqlNode label = new SqlIdentifier(
                    call.getKind() == SqlKind.UNNEST ? "unnest" : ValueRows.SERIES.toLowerCase(Locale.ROOT), position);
            return ValueRows.isNumbered(call)
                    ? SqlStdOperatorTable.AS.createCall(
                            position, rows, label, label, new SqlIdentifier(ORDINALITY, position))
                    : SqlStdOperatorTable.AS.createCall(position, rows, label, label);
        }
        boolean shape = name.startsWith("ST_");
        shapes += shape ? 1 : 0;
        SqlCall visited = (SqlCall) super.visit(call);
        shapes -= shape ? 1 : 0;
        if (visited instanceof SqlOrderBy limited) {
            requireCount(limited.fetch, "LIMIT");
            requireCount(limited.offset, "OFFSET");
        }
        if (!(visited instanceof SqlBasicCall)) {
            return visited;
        }
        if (visited.getFunctionQuantifier() != null && OF_ONE_ROW.contains(name)) {
            throw SqlErrors.at(position, name + " is no aggregate: it takes no DISTINCT or ALL");
        }
        boolean typesAlone = parameters == null && open == null;
        if (typesAlone && OF_ALIKE.contains(name) && visited.operandCount() > 0) {
            return NumberCalls.either(visited);
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

    /** The rows of a series, or of a written array; null where a call is no such table. */
    private @Nullable SqlNode rows(SqlCall table) {
        SqlCall function = ValueRows.function(table);
        if (function == null || !(super.visit(function) instanceof SqlCall visited)) {
            return null;
        }
        SqlCall rows = ValueRows.rows(visited);
        madeRows += rows.operandCount();
        if (madeRows > ValueRows.MOST_ROWS) {
            throw SqlErrors.unsupported(
                    table.getParserPosition(),
                    "series and arrays that together have more than " + ValueRows.MOST_ROWS + " rows");
        }
        return rows;
    }

    /**
     * Steps of the calendar, by the clock of a zone or from an origin; null for those of one length since 1970.
     *
     * @param ofCalendar the function for those of the calendar
     */
    private @Nullable SqlNode steps(SqlCall call, String function, String ofCalendar) {
        boolean zoned = call.operandCount() == 3 && call.operand(2) instanceof SqlCharStringLiteral;
        if (call.operandCount() == 3 && !zoned) {
            return times.binned(call, function, ofCalendar);
        }
        return zoned || call.operandCount() == 2 ? times.calendar(call, ofCalendar) : null;
    }

    /** What SQL writes in a way of its own; null for any other call. */
    private @Nullable SqlNode special(SqlCall call, String name, SqlParserPos position) {
        List<SqlNode> operands = call.getOperandList();
        return switch (name) {
            case "+", "-" -> {
                LocalDateTime moved = MovedTimes.of(call);
                yield moved == null ? null : TimeCalls.timestamp(moved.toInstant(ZoneOffset.UTC), position);
            }
            case "=", "<>", "!=", "<", "<=", ">", ">=" -> TimeCalls.compared(call);
            case "DATEPART", "DATE_PART" -> operands.size() == 2 ? times.part(call) : null;
            case "%", "MOD" -> operands.size() == 2 ? EngineFunctions.MODULO.createCall(position, operands) : null;
            case "TO_CHAR" ->
                operands.size() == 2 && !(operands.get(1) instanceof SqlDynamicParam)
                        ? functions
                                .required(EngineFunctions.TIME_TEXT)
                                .createCall(position, operands.get(0), TimePattern.of(operands.get(1)))
                        : null;
            case "DATE_TRUNC" -> {
                if (operands.size() == 2) {
                    TimeCalls.requireUnit(call);
                }
                LocalDateTime truncated = MovedTimes.time(call);
                yield truncated == null ? null : TimeCalls.timestamp(truncated.toInstant(ZoneOffset.UTC), position);
            }
            case "CONCAT" ->
                operands.size() == 1
                        ? functions
                                .required("CONCAT")
                                .createCall(position, operands.get(0), SqlLiteral.createCharString("", position))
                        : null;
            case "TIMESTAMPDIFF" -> times.difference(call, false);
            case "DATEDIFF", "DATE_DIFF" -> times.difference(call, true);
            case "TRIM" -> operands.size() == 3 ? trimmed(call) : null;
            case "POSITION" ->
                operands.size() == 2
                        ? functions.required("STRPOS").createCall(position, operands.get(1), operands.get(0))
                        : call;
            case "EXTRACT" -> times.unit(call, "DATE_PART", operands.get(0), operands.get(1));
            case "FLOOR" ->
                operands.size() == 2 ? times.unit(call, "DATE_TRUNC", operands.get(1), operands.get(0)) : null;
            case "CAST", "::" -> {
                if (operands.size() > 1 && operands.get(1) instanceof SqlDataTypeSpec type) {
                    NumberCalls.requireWide(type);
                    if (TimeCalls.isDate(type) && !SqlUtil.isNullLiteral(operands.get(0), false)) {
                        yield times.day(operands.get(0), position);
                    }
                    SqlNode decimal = ExactLiteral.cast(operands.get(0), type, position);
                    yield decimal == null ? numbers.toDouble(operands.get(0), type, position) : decimal;
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
            case EngineFunctions.TIME_BUCKET -> steps(call, name, EngineFunctions.DATE_TRUNC);
            case EngineFunctions.GAPFILL -> steps(call, name, EngineFunctions.CALENDAR_GAPFILL);
            case "DATE_BIN" ->
                operands.size() == 3
                        ? times.binned(call, EngineFunctions.TIME_BUCKET, EngineFunctions.DATE_TRUNC)
                        : null;
            case "ROUND" -> operands.size() == 2 ? numbers.rounded(call) : null;
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
            case "SIGN" -> operands.size() == 1 ? NumberCalls.sign(call) : null;
            case "LEFT" ->
                operands.size() == 2 && operands.get(1) instanceof SqlNumericLiteral length
                        ? functions
                                .required("SUBSTRING")
                                .createCall(
                                        position,
                                        operands.get(0),
                                        SqlLiteral.createExactNumeric("1", position),
                                        NumberCalls.length(length))
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
            // Trino's and DuckDB's words for what takes whole groups, and is about right of large ones.
            case "APPROX_QUANTILE", "APPROX_PERCENTILE", "QUANTILE_DISC" ->
                functions
                        .aggregate("QUANTILE")
                        .createCall(call.getFunctionQuantifier(), position, operands.toArray(SqlNode[]::new));
            case "STRING_AGG", "LISTAGG", "GROUP_CONCAT" -> TextCalls.of(call);
            case PATTERN + "SENSITIVE" -> matches(call, false, false);
            case PATTERN + "INSENSITIVE" -> matches(call, true, false);
            case "NEGATED " + PATTERN + "SENSITIVE" -> matches(call, false, true);
            case "NEGATED " + PATTERN + "INSENSITIVE" -> matches(call, true, true);
            case "= SOME", "<> ALL" -> ofArray(call);
            case "EPOCH" -> operands.size() == 1 ? times.seconds(operands.get(0), position) : null;
            case "EPOCH_MS" -> operands.size() == 1 ? times.millisSince1970(operands.get(0), position) : null;
            case "WITHIN GROUP" -> {
                SqlNode texts = TextCalls.within(call);
                yield texts == null ? numbers.quantile(call) : texts;
            }
            case "TRY_CAST", "SAFE_CAST" -> numbers.tried(call);
            case "ARRAY_AGG" ->
                throw SqlErrors.at(
                        position, "ARRAY_AGG makes an array, which no answer has; STRING_AGG(x, ',') makes a text");
            case "GREATEST" -> NumberCalls.extreme(call, SqlStdOperatorTable.GREATER_THAN_OR_EQUAL);
            case "LEAST" -> NumberCalls.extreme(call, SqlStdOperatorTable.LESS_THAN_OR_EQUAL);
            // Calcite's own, for MATCH_RECOGNIZE, has a zero behind what is written.
            case "FIRST", "LAST" ->
                operands.size() > 2
                                || (operands.size() == 2
                                        && !operands.get(1).toString().equals("0"))
                        ? null
                        : functions.aggregate(name).createCall(position, operands.get(0));
            case "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFMONTH", "HOUR", "MINUTE", "SECOND" ->
                operands.size() == 1
                        ? functions
                                .required("DATE_PART")
                                .createCall(
                                        position,
                                        SqlLiteral.createCharString(
                                                name.equals("DAYOFMONTH") ? "day" : name.toLowerCase(Locale.ROOT),
                                                position),
                                        operands.get(0))
                        : null;
            default -> {
                SqlOperator rest = operands.isEmpty() ? null : RestAggregate.of(name);
                yield rest == null
                        ? null
                        : rest.createCall(call.getFunctionQuantifier(), position, operands.toArray(SqlNode[]::new));
            }
        };
    }

    private SqlNode matches(SqlCall call, boolean anyCase, boolean not) {
        SqlParserPos position = call.getParserPosition();
        List<SqlNode> operands = new ArrayList<>(call.getOperandList());
        if (anyCase) {
            operands.add(SqlLiteral.createCharString("i", position));
        }
        SqlCall matches = functions.required(EngineFunctions.MATCHES).createCall(position, operands);
        return not ? SqlStdOperatorTable.NOT.createCall(position, matches) : matches;
    }

    /** {@code x = ANY(ARRAY[1, 2])} as IN; null where it is of something else. */
    private static @Nullable SqlNode ofArray(SqlCall call) {
        SqlNode of = call.operand(1) instanceof SqlNodeList list && list.size() == 1 ? list.get(0) : call.operand(1);
        if (of.getKind() != SqlKind.ARRAY_VALUE_CONSTRUCTOR) {
            return null;
        }
        boolean some = call.getKind() == SqlKind.SOME;
        SqlOperator in = some ? SqlStdOperatorTable.IN : SqlStdOperatorTable.NOT_IN;
        List<SqlNode> values = ((SqlCall) of).getOperandList();
        if (values.isEmpty()) {
            return SqlLiteral.createBoolean(!some, call.getParserPosition());
        }
        return in.createCall(
                call.getParserPosition(), call.operand(0), new SqlNodeList(values, of.getParserPosition()));
    }

    /** TRIM as it is written in words; that of blanks at both ends is the engine's. */
    private SqlNode trimmed(SqlCall call) {
        Object side = ((SqlLiteral) call.operand(0)).getValue();
        boolean both = side == SqlTrimFunction.Flag.BOTH;
        SqlNode what = call.operand(1);
        boolean blanks = what instanceof SqlLiteral literal && " ".equals(literal.toValue());
        SqlParserPos position = call.getParserPosition();
        SqlNode text = call.operand(2);
        if (both && blanks) {
            return functions.required("TRIM").createCall(position, text);
        }
        String name = both ? EngineFunctions.TRIM_BOTH : side == SqlTrimFunction.Flag.LEADING ? "LTRIM" : "RTRIM";
        return functions.required(name).createCall(position, text, what);
    }

    /** Whether it is a statement that returns rows. */
    static boolean isQuery(SqlNode node) {
        return node.isA(SqlKind.QUERY);
    }
}
