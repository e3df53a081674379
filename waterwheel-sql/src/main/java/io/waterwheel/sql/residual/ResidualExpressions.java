package io.waterwheel.sql.residual;

import io.waterwheel.query.expression.CalendarUnit;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Function;
import io.waterwheel.sql.leaf.DecimalTypes;
import io.waterwheel.sql.leaf.EngineFunction;
import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.leaf.Literals;
import io.waterwheel.sql.leaf.NotPushed;
import io.waterwheel.sql.leaf.TimeBuckets;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/**
 * Expressions as DuckDB's text: those that it computes as the engine does, and others that the engine's code computes
 * there ({@link ResidualEngineCalls}). Each literal says its type, because DuckDB would take a narrower one. Anything
 * else is refused by {@link NotPushed}: of a function that the two compute in different ways, a statement would have
 * two answers.
 */
final class ResidualExpressions {
    private static final BigDecimal MINUS_ONE = BigDecimal.ONE.negate();
    /** Whole numbers of as many digits are doubles, and so is ten to this power. */
    private static final int DOUBLE_DIGITS = 15;
    /** Those that DuckDB computes as the engine does, of a text alone. */
    private static final Set<Function> OF_TEXTS = EnumSet.of(
            Function.LENGTH,
            Function.OCTET_LENGTH,
            Function.LOWER,
            Function.UPPER,
            Function.STARTS_WITH,
            Function.STRPOS,
            Function.SUBSTRING);

    private final RexBuilder rex;
    /** By number of the input's column, its name in the text. */
    private final IntFunction<String> columns;

    private final ResidualRegions regions;

    ResidualExpressions(RexBuilder rex, IntFunction<String> columns, ResidualRegions regions) {
        this.rex = rex;
        this.columns = columns;
        this.regions = regions;
    }

    /** Of positions and shapes among them. */
    ResidualShapes shapes() {
        return new ResidualShapes(this, regions, rex);
    }

    /** The name of a type. */
    static String type(RelDataType type) throws NotPushed {
        return switch (type.getSqlTypeName()) {
            case BOOLEAN -> "BOOLEAN";
            case BIGINT -> "BIGINT";
            case DOUBLE -> "DOUBLE";
            case VARCHAR, NULL, GEOMETRY -> "VARCHAR";
            case VARBINARY -> "BLOB";
            case DECIMAL -> "DECIMAL(" + type.getPrecision() + ", " + type.getScale() + ")";
            case TIMESTAMP -> timestamp(type.getPrecision());
            // As in the engine, a day is the moment at which it begins.
            case DATE -> timestamp(0);
            default -> throw new NotPushed("a value of type " + type);
        };
    }

    private static String timestamp(int digits) {
        return digits <= 3 ? "TIMESTAMP_MS" : digits <= 6 ? "TIMESTAMP" : "TIMESTAMP_NS";
    }

    private static boolean isA(RexNode node, SqlTypeName type) {
        return node.getType().getSqlTypeName() == type;
    }

    static String cast(String text, String type) {
        return "CAST(" + text + " AS " + type + ")";
    }

    /** A text as a literal. DuckDB's parser ends at a character of code 0. */
    static String quoted(String text) {
        String quoted = "'" + text.replace("'", "''") + "'";
        return text.indexOf('\0') < 0 ? quoted : "(" + quoted.replace("\0", "' || chr(0) || '") + ")";
    }

    /** Each of some. */
    List<String> of(List<RexNode> nodes) throws NotPushed {
        List<String> texts = new ArrayList<>();
        for (RexNode node : nodes) {
            texts.add(of(node));
        }
        return texts;
    }

    String of(RexNode node) throws NotPushed {
        if (node instanceof RexInputRef input) {
            return columns.apply(input.getIndex());
        } else if (node instanceof RexLiteral literal) {
            return literal(literal);
        } else if (node instanceof RexFieldAccess access
                && access.getReferenceExpr() instanceof RexCorrelVariable variable) {
            return row(variable.id) + ".c" + access.getField().getIndex();
        } else if (node instanceof RexCall call) {
            try {
                return call instanceof RexOver over ? new ResidualWindows(this).of(over) : call(call);
            } catch (NotPushed e) {
                throw e.within(call.getOperator().getName());
            }
        }
        throw new NotPushed(node.getKind().lowerName.replace('_', ' '));
    }

    /** What the row is called that a sub-query is asked for. */
    static String row(CorrelationId id) {
        return "row" + id.getId();
    }

    /** Each of them, with commas between. */
    String list(List<RexNode> nodes) throws NotPushed {
        List<String> texts = new ArrayList<>();
        for (RexNode node : nodes) {
            texts.add(of(node));
        }
        return String.join(", ", texts);
    }

    static String literal(RexLiteral literal) throws NotPushed {
        if (literal.isNull()) {
            return cast("NULL", type(literal.getType()));
        }
        return switch (literal.getTypeName()) {
            case BOOLEAN -> String.valueOf(literal.getValueAs(Boolean.class));
            case DECIMAL, BIGINT, INTEGER -> number(literal.getType(), literal.getValueAs(BigDecimal.class));
            case DOUBLE, REAL -> cast(quoted(String.valueOf(literal.getValueAs(Double.class))), "DOUBLE");
            case CHAR, VARCHAR -> cast(quoted(literal.getValueAs(String.class)), "VARCHAR");
            case BINARY, VARBINARY ->
                "from_hex(" + quoted(literal.getValueAs(ByteString.class).toString(16)) + ")";
            case TIMESTAMP ->
                cast(quoted(literal.getValueAs(TimestampString.class).toString()), type(literal.getType()));
            case DATE -> cast(quoted(literal.getValueAs(DateString.class).toString()), "TIMESTAMP_MS");
            default -> throw new NotPushed("a literal of type " + literal.getTypeName());
        };
    }

    RelDataTypeFactory types() {
        return rex.getTypeFactory();
    }

    /** A number as a literal of the least type of decimals that has it. */
    RexLiteral exact(BigDecimal number) {
        BigDecimal value = new Expression.Exact(number).value();
        int digits = Math.max(value.precision(), Math.max(1, value.scale()));
        return rex.makeExactLiteral(value, types().createSqlType(SqlTypeName.DECIMAL, digits, value.scale()));
    }

    private static String number(RelDataType type, BigDecimal value) throws NotPushed {
        if (DecimalTypes.isDecimal(type)) {
            return cast(quoted(Literals.rounded(type, value).toPlainString()), type(type));
        }
        if (type.getSqlTypeName() == SqlTypeName.DOUBLE) {
            return cast(quoted(String.valueOf(value.doubleValue())), "DOUBLE");
        }
        try {
            return cast(String.valueOf(value.longValueExact()), "BIGINT");
        } catch (ArithmeticException e) {
            throw new NotPushed("the number " + value);
        }
    }

    private String call(RexCall call) throws NotPushed {
        List<RexNode> operands = call.getOperands();
        return switch (call.getKind()) {
            case EQUALS,
                    NOT_EQUALS,
                    LESS_THAN,
                    LESS_THAN_OR_EQUAL,
                    GREATER_THAN,
                    GREATER_THAN_OR_EQUAL,
                    IS_DISTINCT_FROM,
                    IS_NOT_DISTINCT_FROM -> new ResidualComparisons(this).of(call);
            case AND -> infix("AND", operands);
            case OR -> infix("OR", operands);
            case NOT -> "(NOT " + of(operands.get(0)) + ")";
            case IS_NULL -> "(" + of(operands.get(0)) + " IS NULL)";
            case IS_NOT_NULL -> "(" + of(operands.get(0)) + " IS NOT NULL)";
            case IS_TRUE -> "(" + of(operands.get(0)) + " IS TRUE)";
            case IS_NOT_TRUE -> "(" + of(operands.get(0)) + " IS NOT TRUE)";
            case IS_FALSE -> "(" + of(operands.get(0)) + " IS FALSE)";
            case IS_NOT_FALSE -> "(" + of(operands.get(0)) + " IS NOT FALSE)";
            case SEARCH -> of(RexUtil.expandSearch(rex, null, call));
            case CASE -> choice(operands);
            case COALESCE -> "coalesce(" + list(operands) + ")";
            case PLUS, MINUS -> sum(call);
            case TIMES -> arithmetic("*", call);
            case DIVIDE -> arithmetic(isA(call, SqlTypeName.BIGINT) ? "//" : "/", call);
            case MOD -> modulo(call);
            case MINUS_PREFIX -> "(- " + number(operands.get(0)) + ")";
            case LIKE -> like(call);
            case CAST -> cast(call);
            case FLOOR, CEIL -> rounded(call);
            default -> function(call);
        };
    }

    /** Each as a double, with commas between. */
    private String numbers(List<RexNode> nodes) throws NotPushed {
        List<String> texts = new ArrayList<>();
        for (RexNode node : nodes) {
            texts.add(cast(number(node), "DOUBLE"));
        }
        return String.join(", ", texts);
    }

    String infix(String operator, List<RexNode> operands) throws NotPushed {
        List<String> texts = new ArrayList<>();
        for (RexNode operand : operands) {
            texts.add(of(operand));
        }
        return "(" + String.join(" " + operator + " ", texts) + ")";
    }

    private String choice(List<RexNode> operands) throws NotPushed {
        StringBuilder text = new StringBuilder("(CASE");
        for (int i = 0; i + 1 < operands.size(); i += 2) {
            text.append(" WHEN ").append(of(operands.get(i)));
            text.append(" THEN ").append(of(operands.get(i + 1)));
        }
        return text.append(" ELSE ")
                .append(of(operands.get(operands.size() - 1)))
                .append(" END)")
                .toString();
    }

    String number(RexNode node) throws NotPushed {
        if (!isA(node, SqlTypeName.BIGINT) && !isA(node, SqlTypeName.DOUBLE) && !isA(node, SqlTypeName.NULL)) {
            throw new NotPushed("arithmetic of " + node.getType()
                    + (DecimalTypes.isDecimal(node) ? "; write CAST(... AS DOUBLE)" : "")
                    + (node.getType().getSqlTypeName() == SqlTypeName.VARCHAR
                            ? "; TO_NUMBER(text) is the number that a text is"
                            : ""));
        }
        return of(node);
    }

    private String arithmetic(String operator, RexCall call) throws NotPushed {
        List<RexNode> operands = call.getOperands();
        return "(" + number(operands.get(0)) + " " + operator + " " + number(operands.get(1)) + ")";
    }

    private String modulo(RexCall call) throws NotPushed {
        List<RexNode> operands = call.getOperands();
        if (!isA(call, SqlTypeName.BIGINT)) {
            // As Java's, with the sign of the left side.
            return "(" + cast(number(operands.get(0)), "DOUBLE") + " % " + cast(number(operands.get(1)), "DOUBLE")
                    + ")";
        }
        String by = number(operands.get(1));
        if (!(operands.get(1) instanceof RexLiteral literal && MINUS_ONE.compareTo(number(literal)) < 0)) {
            // Of the least number DuckDB says that the quotient, not the remainder, exceeds 64 bits.
            by = "(CASE WHEN " + by + " = -1 THEN CAST(1 AS BIGINT) ELSE " + by + " END)";
        }
        return "(" + number(operands.get(0)) + " % " + by + ")";
    }

    private static BigDecimal number(RexLiteral literal) {
        return literal.isNull() ? MINUS_ONE : literal.getValueAs(BigDecimal.class);
    }

    /** A sum or difference of numbers, or a time that is moved by a written interval. */
    private String sum(RexCall call) throws NotPushed {
        String operator = call.getKind() == SqlKind.PLUS ? "+" : "-";
        List<RexNode> operands = call.getOperands();
        if (operands.size() != 2 || !isA(call, SqlTypeName.TIMESTAMP)) {
            return arithmetic(operator, call);
        }
        RexNode time = operands.get(0);
        String interval = ResidualTimes.interval(operands.get(1));
        if (interval == null && call.getKind() == SqlKind.PLUS) {
            time = operands.get(1);
            interval = ResidualTimes.interval(operands.get(0));
        }
        if (interval != null && time.getType().getPrecision() > 6) {
            throw new NotPushed("a time in nanoseconds that is moved by an interval; CAST(time AS TIMESTAMP)"
                    + " has milliseconds");
        }
        if (interval == null || !isA(time, SqlTypeName.TIMESTAMP)) {
            throw new NotPushed("a time that is moved by what is no written interval");
        }
        return cast("(" + of(time) + " " + operator + " " + interval + ")", type(call.getType()));
    }

    private String like(RexCall call) throws NotPushed {
        String name = call.getOperator().getName();
        String like = name.contains("ILIKE") ? " ILIKE " : " LIKE ";
        List<RexNode> operands = call.getOperands();
        requirePattern(operands);
        String escape = operands.size() > 2 ? " ESCAPE " + of(operands.get(2)) : "";
        return "(" + of(operands.get(0)) + (name.startsWith("NOT") ? " NOT" : "") + like + of(operands.get(1)) + escape
                + ")";
    }

    /** A written pattern is checked here, for DuckDB would refuse the text: or take it for another pattern. */
    private static void requirePattern(List<RexNode> operands) throws NotPushed {
        String escape = operands.size() > 2 ? written(operands.get(2)) : null;
        if (operands.size() > 2 && escape == null) {
            throw new NotPushed("a LIKE whose ESCAPE is computed");
        }
        try {
            String pattern = written(operands.get(1));
            Expression.Like unused =
                    new Expression.Like(new Expression.Null(), pattern == null ? "" : pattern, escape, false);
        } catch (IllegalArgumentException e) {
            throw new NotPushed(String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable String written(RexNode node) {
        return node instanceof RexLiteral literal ? literal.getValueAs(String.class) : null;
    }

    private String cast(RexCall call) throws NotPushed {
        RexNode operand = call.getOperands().get(0);
        RelDataType from = operand.getType();
        RelDataType to = call.getType();
        String name = type(to);
        boolean same = name.equals(type(from)) || from.getSqlTypeName() == SqlTypeName.NULL;
        boolean wider =
                (from.getSqlTypeName() == SqlTypeName.BIGINT && (name.equals("DOUBLE") || name.equals("VARCHAR")))
                        || (from.getSqlTypeName() == SqlTypeName.BOOLEAN && name.equals("VARCHAR"))
                        || (isTime(from) && isTime(to) && from.getPrecision() <= to.getPrecision());
        if (name.equals("BIGINT") && from.getSqlTypeName() == SqlTypeName.DOUBLE) {
            // Towards zero; what 64 bits do not hold is an error.
            return "CAST(trunc(" + of(operand) + ") AS BIGINT)";
        }
        if (to.getSqlTypeName() == SqlTypeName.DATE && from.getSqlTypeName() == SqlTypeName.TIMESTAMP) {
            return cast("date_trunc('day', " + of(operand) + ")", name);
        }
        if (DecimalTypes.isDecimal(from) && !same) {
            return decimalAs(operand, to);
        }
        if (name.equals("VARCHAR") && (from.getSqlTypeName() == SqlTypeName.DOUBLE || isTime(from))) {
            // DuckDB writes them in another way.
            return engines(call);
        }
        wider |= DecimalTypes.isDecimal(to) && from.getSqlTypeName() == SqlTypeName.BIGINT;
        if (!same && !wider) {
            throw new NotPushed("CAST of " + from + " to " + to
                    + (name.equals("BOOLEAN") ? "; compare the text, such as LOWER(x) = 'true'" : ""));
        }
        return cast(of(operand), name);
    }

    private String decimalAs(RexNode operand, RelDataType to) throws NotPushed {
        RelDataType from = operand.getType();
        String text = of(operand);
        return switch (to.getSqlTypeName()) {
            // Both round halves away from zero.
            case DECIMAL -> cast(text, type(to));
            // Towards zero.
            case BIGINT -> cast("trunc(" + text + ")", "BIGINT");
            case VARCHAR -> {
                if (from.getPrecision() > from.getScale()) {
                    yield cast(text, "VARCHAR");
                }
                // DuckDB writes .50 where there is no digit before the point, the engine 0.50.
                yield "regexp_replace(" + cast(text, "VARCHAR") + ", '^(-?)\\.', '\\10.')";
            }
            case DOUBLE -> {
                if (operand instanceof RexLiteral) {
                    yield asDouble(operand);
                }
                throw new NotPushed(DecimalTypes.BESIDE_DOUBLES);
            }
            default -> throw new NotPushed("CAST of " + from + " to " + to);
        };
    }

    /** A number as a double. DuckDB divides the digits of a decimal, which would round a long one twice. */
    private String asDouble(RexNode operand) throws NotPushed {
        if (!DecimalTypes.isDecimal(operand)) {
            return cast(number(operand), "DOUBLE");
        }
        boolean small = operand.getType().getPrecision() <= DOUBLE_DIGITS;
        return cast(small ? of(operand) : cast(of(operand), "VARCHAR"), "DOUBLE");
    }

    private static boolean isTime(RelDataType type) {
        return type.getSqlTypeName() == SqlTypeName.TIMESTAMP || type.getSqlTypeName() == SqlTypeName.DATE;
    }

    private String rounded(RexCall call) throws NotPushed {
        RexNode operand = call.getOperands().get(0);
        if (call.getOperands().size() == 1 && isA(operand, SqlTypeName.BIGINT)) {
            return of(operand);
        }
        if (call.getOperands().size() != 1 || !isA(operand, SqlTypeName.DOUBLE)) {
            throw new NotPushed(call.getKind() + " of " + operand.getType() + " that is joined or computed");
        }
        return (call.getKind() == SqlKind.FLOOR ? "floor(" : "ceil(") + of(operand) + ")";
    }

    private String function(RexCall call) throws NotPushed {
        String name = call.getOperator().getName().toUpperCase(Locale.ROOT);
        List<RexNode> operands = call.getOperands();
        if (name.equals("||")) {
            return infix("||", operands);
        } else if (name.equals("ABS")) {
            return "abs(" + number(operands.get(0)) + ")";
        } else if (name.equals(EngineFunctions.TIME_BUCKET)) {
            return bucket(operands);
        } else if (name.equals(EngineFunctions.TO_DOUBLE)) {
            return asDouble(operands.get(0));
        } else if (name.equals(EngineFunctions.TO_TEXT)) {
            return cast(call);
        } else if (name.equals(EngineFunctions.DIGITS)) {
            return "ww_digits(" + of(operands.get(0)) + ")";
        } else if (call.getOperator() instanceof EngineFunction own && own.function() != null) {
            return function(own.function(), call);
        }
        if (EngineFunctions.FILLS.contains(name)) {
            throw new NotPushed((name.equals(EngineFunctions.CALENDAR_GAPFILL) ? EngineFunctions.GAPFILL : name)
                    + " here: it is of groups of one stream by TIME_BUCKET_GAPFILL of its time, with LOCF"
                    + " or INTERPOLATE around each value or around none, but for counts, which are 0 in a gap");
        }
        String difference = ResidualTimes.difference(name, operands, this);
        if (difference != null) {
            return difference;
        }
        String ofTexts = ResidualTexts.of(name, operands, this);
        if (ofTexts != null) {
            return ofTexts;
        }
        String spatial = shapes().of(call);
        if (spatial != null) {
            return spatial;
        }
        throw call.getOperator() instanceof EngineFunction
                ? new NotPushed(name + " of what is joined or computed")
                : NotPushed.absent(name);
    }

    private String function(Function function, RexCall call) throws NotPushed {
        List<RexNode> operands = call.getOperands();
        boolean length = function == Function.LENGTH || function == Function.OCTET_LENGTH;
        if (length && isA(operands.get(0), SqlTypeName.VARBINARY)) {
            return "octet_length(" + of(operands.get(0)) + ")";
        } else if (OF_TEXTS.contains(function) && !isText(operands.get(0))) {
            // The engine says what is wrong with it.
            return engines(call);
        }
        return switch (function) {
            case LENGTH -> "length(" + of(operands.get(0)) + ")";
            case OCTET_LENGTH -> "strlen(" + of(operands.get(0)) + ")";
            // The engine changes A to Z alone.
            case LOWER ->
                "translate(" + of(operands.get(0)) + ", 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')";
            case UPPER ->
                "translate(" + of(operands.get(0)) + ", 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')";
            case STARTS_WITH -> isText(operands.get(1)) ? "starts_with(" + list(operands) + ")" : engines(call);
            case SUBSTRING -> substring(call);
            case DATE_PART, DATE_TRUNC -> operands.size() == 2 ? calendar(function, operands) : engines(call);
            // Both round halves away from zero, and yield a double.
            case ROUND -> "round(" + cast(number(operands.get(0)), "DOUBLE") + ")";
            case CONCAT -> concatenated(operands);
            case STRPOS -> isText(operands.get(1)) ? "strpos(" + list(operands) + ")" : engines(call);
            case DISTANCE -> "ww_distance(" + numbers(operands) + ")";
            case IN_POLYGON -> shapes().inPolygon(operands);
            default -> engines(call);
        };
    }

    private static boolean isText(RexNode node) {
        return isA(node, SqlTypeName.VARCHAR) || isA(node, SqlTypeName.NULL);
    }

    private String engines(RexCall call) throws NotPushed {
        return new ResidualEngineCalls(this, rex).of(call);
    }

    /** Other values than texts the two write in different ways. */
    private String concatenated(List<RexNode> operands) throws NotPushed {
        for (RexNode operand : operands) {
            if (!isText(operand)) {
                throw new NotPushed("CONCAT of " + operand.getType() + "; of texts it is");
            }
        }
        return infix("||", operands);
    }

    /** From a written place on: at those before the first character the two differ. */
    private String substring(RexCall call) throws NotPushed {
        List<RexNode> operands = call.getOperands();
        for (RexNode operand : operands.subList(1, operands.size())) {
            Long number = operand instanceof RexLiteral literal && isA(operand, SqlTypeName.BIGINT)
                    ? literal.getValueAs(Long.class)
                    : null;
            if (number == null || number < 1) {
                return engines(call);
            }
        }
        return "substring(" + list(operands) + ")";
    }

    /** A part of a time, or the beginning of one, in UTC: by the clock of a zone the two differ. */
    private String calendar(Function function, List<RexNode> operands) throws NotPushed {
        RexNode time = operands.get(1);
        String text = operands.get(0) instanceof RexLiteral literal && literal.getTypeName() == SqlTypeName.CHAR
                ? literal.getValueAs(String.class)
                : null;
        CalendarUnit unit = text == null ? null : CalendarUnit.of(text);
        if (!isA(time, SqlTypeName.TIMESTAMP)) {
            throw new NotPushed("the day, or another part of the time, of a value of type " + time.getType());
        } else if (unit == null) {
            throw new NotPushed(function + " takes a written unit, such as 'hour'");
        }
        String arguments = "(" + quoted(unit.text()) + ", " + of(time) + ")";
        return function == Function.DATE_PART
                ? cast("date_part" + arguments, "BIGINT")
                : cast("date_trunc" + arguments, type(time.getType()));
    }

    /** The beginning of the step that a time lies in; steps are counted as the engine's are. */
    private String bucket(List<RexNode> operands) throws NotPushed {
        Duration step = TimeBuckets.length(operands.get(0));
        RexNode time = operands.get(1);
        if (!isA(time, SqlTypeName.TIMESTAMP)) {
            throw new NotPushed("TIME_BUCKET of " + time.getType());
        }
        // Rounds down, also before 1970, as the millisecond does that a finer time lies in.
        String millis = time.getType().getPrecision() <= 3
                ? "epoch_ms(" + of(time) + ")"
                : time.getType().getPrecision() <= 6
                        ? floored("epoch_us(" + of(time) + ")", 1000)
                        : floored("epoch_ns(" + of(time) + ")", 1_000_000);
        long ahead = TimeBuckets.ahead(operands).toMillis();
        String past = ahead == 0 ? millis : "(" + millis + " - CAST(" + ahead + " AS BIGINT))";
        String begins = floored(past, step.toMillis()) + " * CAST(" + step.toMillis() + " AS BIGINT)"
                + (ahead == 0 ? "" : " + CAST(" + ahead + " AS BIGINT)");
        return cast("make_timestamp_ms(" + begins + ")", "TIMESTAMP_MS");
    }

    private static String floored(String number, long divisor) {
        String by = "CAST(" + divisor + " AS BIGINT)";
        return "((" + number + " - ((" + number + " % " + by + ") + " + by + ") % " + by + ") // " + by + ")";
    }
}
