package io.waterwheel.query.expression;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.NearestName;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.Area;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.MemberPath;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks expressions against the fields of a stream: every name is a field, every part is of a type that fits. Failures
 * are {@link WaterwheelException}s of kind USER that name the part. Immutable.
 */
public final class ExpressionTypes {
    /** Longest text of a polygon that an expression may write: some thousand corners. */
    public static final int MOST_POLYGON_CHARACTERS = 1 << 14;

    /** Most characters of a geohash: 60 bits. */
    public static final int MOST_GEOHASH = 12;

    /** Longest name that another is suggested for; fields' names have at most 64 characters. */
    private static final int MAX_NAME = 128;

    /** Of the largest integer. */
    private static final int BIGINT_DIGITS = 19;

    /** Decimal digits that any double keeps. */
    private static final MathContext DOUBLE_DIGITS = new MathContext(15);

    private final List<Field> fields;

    public ExpressionTypes(List<Field> fields) {
        this.fields = List.copyOf(fields);
    }

    /** Checks that the expression is a condition: boolean, or NULL. */
    public void requireCondition(Expression expression) {
        ValueType type = typeOf(expression);
        if (type != ValueType.BOOLEAN && type != ValueType.NULL) {
            throw mismatch("expected a condition, got " + spoken(expression, type));
        }
    }

    /** The field of this name. */
    public Field field(String name) {
        return fields.get(indexOf(name));
    }

    /** The index of the field of this name. */
    public int indexOf(String name) {
        for (int f = 0; f < fields.size(); f++) {
            if (fields.get(f).name().equals(name)) {
                return f;
            }
        }
        List<String> names = fields.stream().map(Field::name).toList();
        if (name.length() > MAX_NAME) {
            throw new WaterwheelException(
                    ErrorCode.NO_SUCH_FIELD,
                    "there is no field with a name of " + name.length() + " characters; there are " + names);
        }
        String near = NearestName.question(name, names);
        throw new WaterwheelException(
                ErrorCode.NO_SUCH_FIELD,
                "there is no field '" + name + "'" + (near.isEmpty() ? "; there are " : near + " There are ") + names);
    }

    /** What the expression yields, after checking all of it; looks at each node once. */
    public ValueType typeOf(Expression node) {
        if (node instanceof Expression.Literal literal) {
            return literalType(literal);
        } else if (node instanceof Expression.FieldValue field) {
            return ValueType.of(field(field.name()).type());
        } else if (node instanceof Expression.Comparison comparison) {
            comparable(node, comparison.left(), typeOf(comparison.left()), comparison.right());
            return ValueType.BOOLEAN;
        } else if (node instanceof Expression.Between between) {
            ValueType type = typeOf(between.operand());
            comparable(node, between.operand(), type, between.low());
            comparable(node, between.operand(), type, between.high());
            return ValueType.BOOLEAN;
        } else if (node instanceof Expression.In in) {
            ValueType type = typeOf(in.operand());
            for (Expression.Literal value : in.values()) {
                boolean alone = literalType(value).isDecimal() && !type.isDecimal() && type != ValueType.NULL;
                if (alone) {
                    throw mismatch("in " + shown(node) + ": expected values of one type, got "
                            + spoken(in.operand(), type) + " and " + spoken(value, literalType(value)));
                }
                comparable(node, in.operand(), type, value);
            }
            return ValueType.BOOLEAN;
        } else if (node instanceof Expression.And || node instanceof Expression.Or || node instanceof Expression.Not) {
            for (Expression part : node.parts()) {
                ValueType type = typeOf(part);
                require(node, part, type, type == ValueType.BOOLEAN, "conditions");
            }
            return ValueType.BOOLEAN;
        } else if (node instanceof Expression.IsNull test) {
            typeOf(test.operand());
            return ValueType.BOOLEAN;
        } else if (node instanceof Expression.Like like) {
            ValueType type = typeOf(like.operand());
            require(node, like.operand(), type, type == ValueType.STRING, "text before LIKE");
            return ValueType.BOOLEAN;
        } else if (node instanceof Expression.Arithmetic arithmetic) {
            return arithmetic(arithmetic);
        } else if (node instanceof Expression.Negation negation) {
            return number(node, negation.operand());
        } else if (node instanceof Expression.Call call) {
            return call(call);
        } else if (node instanceof Expression.Cast cast) {
            return cast(cast);
        } else if (node instanceof Expression.Case choice) {
            return choice(choice);
        }
        throw new IllegalStateException("no type for " + node.getClass());
    }

    private ValueType cast(Expression.Cast node) {
        ValueType from = typeOf(node.operand());
        boolean fits =
                switch (node.type().kind()) {
                    case INTEGER -> from.numeric() || from == ValueType.BOOLEAN || from.isDecimal();
                    case DOUBLE -> from.numeric() || from.isDecimal();
                    case DECIMAL -> from.numeric() || from.isDecimal();
                    case TIMESTAMP -> from.isTimestamp();
                    case STRING ->
                        from == ValueType.STRING
                                || from.numeric()
                                || from == ValueType.BOOLEAN
                                || from == ValueType.IPV4
                                || from.isTimestamp()
                                || from.isDecimal()
                                || from.hasSixteenBytes();
                    default -> false;
                };
        require(
                node,
                node.operand(),
                from,
                fits,
                switch (node.type().kind()) {
                    case INTEGER -> "a number or a boolean";
                    case DOUBLE -> "a number";
                    case TIMESTAMP -> "a time";
                    case DECIMAL -> "a number";
                    default -> "anything but bytes";
                });
        return node.type();
    }

    private ValueType choice(Expression.Case node) {
        for (Expression condition : node.conditions()) {
            ValueType type = typeOf(condition);
            require(node, condition, type, type == ValueType.BOOLEAN, "conditions after WHEN");
        }
        List<Expression> results = new ArrayList<>(node.results());
        if (node.otherwise() != null) {
            results.add(node.otherwise());
        }
        return commonOf(node, results);
    }

    /** The type of a choice between these, which must be of one type. */
    private ValueType commonOf(Expression whole, List<Expression> parts) {
        ValueType type = ValueType.NULL;
        for (Expression part : parts) {
            ValueType other = typeOf(part);
            if (!alike(type, other)) {
                throw mismatch("in " + shown(whole) + ": expected values of one type, got " + spoken(parts.get(0), type)
                        + " and " + spoken(part, other));
            }
            type = common(type, other);
        }
        return type;
    }

    private static ValueType literalType(Expression.Literal literal) {
        if (literal instanceof Expression.Whole) {
            return ValueType.INTEGER;
        } else if (literal instanceof Expression.Decimal) {
            return ValueType.DOUBLE;
        } else if (literal instanceof Expression.Exact exact) {
            return exact.type();
        } else if (literal instanceof Expression.Text) {
            return ValueType.STRING;
        } else if (literal instanceof Expression.Hex) {
            return ValueType.BYTES;
        } else if (literal instanceof Expression.Truth) {
            return ValueType.BOOLEAN;
        } else if (literal instanceof Expression.Moment moment) {
            return resolution(moment);
        } else if (literal instanceof Expression.Address) {
            return ValueType.IPV4;
        } else if (literal instanceof Expression.Sixteen value) {
            return value.type();
        }
        return ValueType.NULL;
    }

    /** The coarsest resolution that holds the moment. */
    public static ValueType resolution(Expression.Moment moment) {
        if (moment.value().truncatedTo(ChronoUnit.MILLIS).equals(moment.value())) {
            return ValueType.TIMESTAMP;
        }
        return moment.value().truncatedTo(ChronoUnit.MICROS).equals(moment.value())
                ? ValueType.TIMESTAMP_US
                : ValueType.TIMESTAMP_NS;
    }

    private ValueType number(Expression whole, Expression part) {
        ValueType type = typeOf(part);
        require(whole, part, type, type.numeric(), "numbers");
        return type;
    }

    private ValueType arithmetic(Expression.Arithmetic node) {
        ValueType left = number(node, node.left());
        ValueType right = number(node, node.right());
        if (node.operator() == Expression.Arithmetic.Operation.MODULO) {
            require(node, node.left(), left, left != ValueType.DOUBLE, "integers around %");
            require(node, node.right(), right, right != ValueType.DOUBLE, "integers around %");
        }
        return common(left, right);
    }

    /** What values of both types become. */
    static ValueType common(ValueType left, ValueType right) {
        if (left == right || right == ValueType.NULL) {
            return left;
        }
        if (left == ValueType.NULL) {
            return right;
        } else if (left.isTimestamp()) {
            boolean leftFiner = left.fieldType().resolution().nanos()
                    < right.fieldType().resolution().nanos();
            return leftFiner ? left : right;
        } else if (left.isDecimal()) {
            return left.precision() > right.precision() ? left : right;
        }
        return ValueType.DOUBLE;
    }

    private static boolean alike(ValueType left, ValueType right) {
        return left == right
                || left == ValueType.NULL
                || right == ValueType.NULL
                || (left.isTimestamp() && right.isTimestamp())
                || (left.isDecimal()
                        && right.isDecimal()
                        && left.scale() == right.scale()
                        && left.variable() == right.variable())
                || (left.numeric() && right.numeric());
    }

    /**
     * A literal that is a number, exact: a double is what was written for it. Null when the expression is something
     * else.
     *
     * @throws WaterwheelException TYPE_MISMATCH for a double whose text may not be what was written
     */
    public static @Nullable BigDecimal numberOf(Expression expression) {
        if (expression instanceof Expression.Whole whole) {
            return BigDecimal.valueOf(whole.value());
        } else if (expression instanceof Expression.Exact exact) {
            return exact.value();
        } else if (expression instanceof Expression.Decimal decimal) {
            if (!Double.isFinite(decimal.value())) {
                throw mismatch("a decimal is compared with " + shown(decimal) + ", which none is; CAST it to DOUBLE");
            }
            // No two numbers of 15 digits are one double: this is the one that was written.
            BigDecimal value = new BigDecimal(decimal.value()).round(DOUBLE_DIGITS);
            if (decimal.written() != null || value.doubleValue() != decimal.value()) {
                throw mismatch("a decimal is compared with " + shown(decimal)
                        + ", which has more digits than a double keeps; write DECIMAL '...'");
            }
            return value;
        }
        return null;
    }

    private void comparable(Expression whole, Expression left, ValueType leftType, Expression right) {
        ValueType rightType = typeOf(right);
        if (!alike(leftType, rightType)
                && !(leftType.isDecimal() && numberOf(right) != null)
                && !(rightType.isDecimal() && numberOf(left) != null)) {
            boolean time = leftType.isTimestamp() || rightType.isTimestamp();
            throw mismatch("in " + shown(whole) + ": expected values of one type, got " + spoken(left, leftType)
                    + " and " + spoken(right, rightType)
                    + (time ? "; a time is written as TIMESTAMP '2021-10-07T12:00:01Z'" : "")
                    + written(leftType, rightType));
        }
    }

    /** How literals are written that people write as text. */
    private static String written(ValueType left, ValueType right) {
        for (ValueType type : List.of(left, right)) {
            switch (type.kind()) {
                case IPV4 -> {
                    return "; an address is written as IPV4 '192.168.0.1'";
                }
                case IPV6 -> {
                    return "; an address is written as IPV6 '2001:db8::1'";
                }
                case DECIMAL -> {
                    return "; decimals compare with decimals of the same places and with literals: write CAST(... AS "
                            + common(left, right, Decimals.MOST_DIGITS) + ")";
                }
                case UUID -> {
                    return "; a UUID is written as UUID '123e4567-e89b-12d3-a456-426614174000'";
                }
                default -> {
                    // written as it is
                }
            }
        }
        return "";
    }

    /** A type that has all values of both, where one is a decimal; a double where there is none. */
    private static String common(ValueType left, ValueType right, int most) {
        int scale = Math.max(left.scale(), right.scale());
        int before = Math.max(digitsBefore(left), digitsBefore(right));
        boolean exact = before + scale > 0 && before + scale <= most;
        return exact ? String.valueOf(ValueType.decimal(before + scale, scale).castName()) : "DOUBLE";
    }

    private static int digitsBefore(ValueType type) {
        return type.isDecimal()
                ? type.precision() - type.scale()
                : type == ValueType.INTEGER ? BIGINT_DIGITS : Decimals.MOST_DIGITS + 1;
    }

    private ValueType call(Expression.Call call) {
        Expression first = call.arguments().get(0);
        return switch (call.function()) {
            case ABS, FLOOR, CEIL -> number(call, first);
            case ROUND -> {
                number(call, first);
                yield ValueType.DOUBLE;
            }
            case LOWER, UPPER -> {
                ValueType type = typeOf(first);
                require(call, first, type, type == ValueType.STRING, "text");
                yield ValueType.STRING;
            }
            case LENGTH, OCTET_LENGTH -> {
                ValueType type = typeOf(first);
                require(call, first, type, type == ValueType.STRING || type == ValueType.BYTES, "text or bytes");
                yield ValueType.INTEGER;
            }
            case COALESCE -> commonOf(call, call.arguments());
            case NULLIF -> {
                ValueType type = typeOf(first);
                Expression second = call.arguments().get(1);
                comparable(call, first, type, second);
                ValueType other = typeOf(second);
                // A literal becomes one of the decimals that it is compared with, and not the other way round.
                boolean fits = alike(type, other) || (type.isDecimal() && numberOf(second) != null);
                require(call, first, type, fits, "a value of type " + other.spoken());
                yield type;
            }
            case SQRT, EXP, LN, LOG10, POWER, SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2, RADIANS, DEGREES, DISTANCE -> {
                for (Expression argument : call.arguments()) {
                    number(call, argument);
                }
                yield ValueType.DOUBLE;
            }
            case CONCAT, TRIM, REPLACE -> {
                texts(call, call.arguments());
                yield ValueType.STRING;
            }
            case STRPOS -> {
                texts(call, call.arguments());
                yield ValueType.INTEGER;
            }
            case STARTS_WITH -> {
                texts(call, call.arguments());
                yield ValueType.BOOLEAN;
            }
            case SUBSTRING -> {
                texts(call, call.arguments().subList(0, 1));
                for (Expression argument :
                        call.arguments().subList(1, call.arguments().size())) {
                    ValueType type = typeOf(argument);
                    require(call, argument, type, type == ValueType.INTEGER, "an integer");
                }
                yield ValueType.STRING;
            }
            case DATE_TRUNC, DATE_PART -> calendar(call);
            case FORMAT_TIME -> {
                time(call, first);
                timeFormat(call);
                zone(call);
                yield ValueType.STRING;
            }
            case TO_NUMBER -> {
                texts(call, call.arguments());
                yield ValueType.DOUBLE;
            }
            case JSON_TEXT, JSON_NUMBER -> {
                texts(call, call.arguments().subList(0, 1));
                jsonPath(call);
                yield call.function() == Function.JSON_TEXT ? ValueType.STRING : ValueType.DOUBLE;
            }
            case GEOHASH -> {
                number(call, first);
                number(call, call.arguments().get(1));
                geohashCharacters(call);
                yield ValueType.STRING;
            }
            case IN_POLYGON -> {
                number(call, first);
                number(call, call.arguments().get(1));
                polygon(call);
                yield ValueType.BOOLEAN;
            }
        };
    }

    private void texts(Expression whole, List<Expression> parts) {
        for (Expression part : parts) {
            ValueType type = typeOf(part);
            require(whole, part, type, type == ValueType.STRING, "text");
        }
    }

    private ValueType calendar(Expression.Call call) {
        calendarUnit(call);
        zone(call);
        ValueType type = time(call, call.arguments().get(1));
        return call.function() == Function.DATE_PART ? ValueType.INTEGER : type;
    }

    private ValueType time(Expression.Call call, Expression time) {
        ValueType type = typeOf(time);
        require(call, time, type, type.isTimestamp(), "a time");
        return type;
    }

    /** The pattern of a FORMAT_TIME. */
    public static TimeFormat timeFormat(Expression.Call call) {
        Expression pattern = call.arguments().get(1);
        String expected = "in " + shown(call) + ": expected a pattern in quotes such as 'yyyy-MM-dd HH:mm:ss', got "
                + shown(pattern);
        if (!(pattern instanceof Expression.Text text)) {
            throw mismatch(expected);
        }
        try {
            return TimeFormat.of(text.value());
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(
                    ErrorCode.TYPE_MISMATCH, "expression: " + expected + ": " + e.getMessage(), e);
        }
    }

    /** The unit of a DATE_TRUNC or DATE_PART. */
    public static CalendarUnit calendarUnit(Expression.Call call) {
        Expression named = call.arguments().get(0);
        CalendarUnit unit = named instanceof Expression.Text text ? CalendarUnit.of(text.value()) : null;
        boolean part = call.function() == Function.DATE_PART;
        if (unit == null || !(part || unit.truncates())) {
            // EXTRACT(unit FROM time) has none.
            String quotes = named instanceof Expression.Text ? "" : " in quotes";
            throw mismatch(
                    "in " + shown(call) + (part ? ", or EXTRACT" : "") + ": expected a unit" + quotes + ", one of "
                            + Arrays.stream(CalendarUnit.values())
                                    .filter(one -> part || one.truncates())
                                    .map(CalendarUnit::text)
                                    .toList()
                            + ", got " + shown(named));
        }
        return unit;
    }

    /** The zone of a DATE_TRUNC, DATE_PART or FORMAT_TIME; UTC when it names none. */
    public static ZoneId zone(Expression.Call call) {
        if (call.arguments().size() < 3) {
            return ZoneOffset.UTC;
        }
        try {
            if (call.arguments().get(2) instanceof Expression.Text text) {
                return ZoneId.of(text.value());
            }
        } catch (DateTimeException e) {
            throw new WaterwheelException(
                    ErrorCode.TYPE_MISMATCH,
                    "expression: in " + shown(call) + ": there is no time zone "
                            + shown(call.arguments().get(2)) + "; one is 'Europe/Berlin'",
                    e);
        }
        throw mismatch("in " + shown(call) + ": expected a time zone in quotes such as 'Europe/Berlin', got "
                + shown(call.arguments().get(2)));
    }

    /** The path of a JSON_TEXT or JSON_NUMBER. */
    public static List<MemberPath.Step> jsonPath(Expression.Call call) {
        Expression path = call.arguments().get(1);
        String expected = "in " + shown(call) + ": expected a path in quotes such as '$.tags.site' or '$.values[0]'";
        if (!(path instanceof Expression.Text text)) {
            throw mismatch(expected + ", got " + shown(path));
        }
        try {
            List<MemberPath.Step> steps = MemberPath.of(text.value());
            if (MemberPath.stepsToEach(steps) < 0) {
                return steps;
            }
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(
                    ErrorCode.TYPE_MISMATCH, "expression: " + expected + ": " + e.getMessage(), e);
        }
        throw mismatch(expected + ", got one with [*], which is no single value");
    }

    /** Number of characters of a GEOHASH. */
    public static int geohashCharacters(Expression.Call call) {
        Expression characters = call.arguments().get(2);
        if (characters instanceof Expression.Whole number && number.value() >= 1 && number.value() <= MOST_GEOHASH) {
            return (int) number.value();
        }
        throw mismatch(
                "in " + shown(call) + ": expected 1 to " + MOST_GEOHASH + " characters, got " + shown(characters));
    }

    /** The polygon of an IN_POLYGON, ready; the process keeps those that were asked for last. */
    public static Area polygon(Expression.Call call) {
        Expression polygon = call.arguments().get(2);
        if (!(polygon instanceof Expression.Text text)) {
            throw mismatch("in " + shown(call) + ": expected a polygon in quotes such as"
                    + " 'POLYGON ((2 48, 3 48, 3 49, 2 48))', got " + shown(polygon));
        }
        try {
            return WrittenPolygons.of(text.value());
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(
                    ErrorCode.TYPE_MISMATCH, "expression: in " + shown(call) + ": " + e.getMessage(), e);
        }
    }

    private static void require(Expression whole, Expression part, ValueType type, boolean fits, String what) {
        if (!fits && type != ValueType.NULL) {
            throw mismatch("in " + shown(whole) + ": expected " + what + ", got " + spoken(part, type));
        }
    }

    private static String spoken(Expression part, ValueType type) {
        return shown(part) + " of type " + type.spoken();
    }

    private static String shown(Expression part) {
        String text = ExpressionPrinter.print(part);
        return text.length() <= 60 ? text : text.substring(0, 60) + "...";
    }

    private static WaterwheelException mismatch(String what) {
        return new WaterwheelException(ErrorCode.TYPE_MISMATCH, "expression: " + what);
    }
}
