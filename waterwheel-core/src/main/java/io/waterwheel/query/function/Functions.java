package io.waterwheel.query.function;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.Function;
import io.waterwheel.query.expression.ValueType;
import org.jspecify.annotations.Nullable;

/** Makes the nodes that compute values: functions, arithmetic, casts and choices. Stateless, thread-safe. */
public final class Functions {
    private Functions() {}

    /**
     * A call, the type and arguments of which were checked.
     *
     * @param call for messages, and for the literals among its arguments that choose what is computed
     * @param type what it yields
     * @param arguments its other arguments; none is the constant NULL
     */
    public static ColumnNode call(Expression.Call call, ValueType type, ColumnNode[] arguments) {
        ColumnNode first = arguments[0];
        return switch (call.function()) {
            case ABS -> new NumberFunctionNode(call, NumberFunctionNode.Kind.ABS, first);
            case FLOOR -> new NumberFunctionNode(call, NumberFunctionNode.Kind.FLOOR, first);
            case CEIL -> new NumberFunctionNode(call, NumberFunctionNode.Kind.CEIL, first);
            case ROUND -> new NumberFunctionNode(call, NumberFunctionNode.Kind.ROUND, first);
            case LOWER, UPPER, LENGTH, OCTET_LENGTH -> new TextFunctionNode(call.function(), first);
            case COALESCE -> new CoalesceNode(call, type, arguments);
            case NULLIF, IN_POLYGON -> throw new IllegalArgumentException(call.function() + ": see Conditions");
            case SQRT, EXP, LN, LOG10, POWER, SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2, RADIANS, DEGREES ->
                new MathNode(call.function(), first, arguments.length < 2 ? null : arguments[1]);
            case CONCAT, TRIM, REPLACE, STRPOS, STARTS_WITH, SUBSTRING -> new StringNode(call, type, arguments);
            case DATE_TRUNC, DATE_PART ->
                new CalendarNode(
                        call,
                        first,
                        ExpressionTypes.calendarUnit(call),
                        ExpressionTypes.zone(call),
                        call.function() == Function.DATE_PART);
            case FORMAT_TIME -> new TimeTextNode(first, ExpressionTypes.timeFormat(call), ExpressionTypes.zone(call));
            case DISTANCE -> new GeoNode(call.function(), arguments, 0);
            case GEOHASH -> new GeoNode(call.function(), arguments, ExpressionTypes.geohashCharacters(call));
            case TO_NUMBER -> new NumberTextNode(first);
            case JSON_TEXT, JSON_NUMBER -> new JsonTextNode(type, ExpressionTypes.jsonPath(call), first);
        };
    }

    /** Two numbers, neither the constant NULL. */
    public static ColumnNode arithmetic(
            Expression.Arithmetic expression, ValueType type, ColumnNode left, ColumnNode right) {
        return new ArithmeticNode(expression, type, expression.operator(), left, right);
    }

    /** A number, not the constant NULL, with the other sign. */
    public static ColumnNode negation(Expression.Negation expression, ColumnNode operand) {
        return new NumberFunctionNode(expression, NumberFunctionNode.Kind.NEGATE, operand);
    }

    /** A value, not the constant NULL, in another type. */
    public static ColumnNode cast(Expression.Cast expression, ColumnNode operand) {
        return new CastNode(expression, expression.type(), operand);
    }

    /**
     * CASE.
     *
     * @param results a result for each condition; null for NULL
     * @param otherwise where no condition is true; null for NULL
     */
    public static ColumnNode choice(
            Expression.Case expression,
            ValueType type,
            ColumnNode[] conditions,
            @Nullable ColumnNode[] results,
            @Nullable ColumnNode otherwise) {
        return new CaseNode(expression, type, conditions, results, otherwise);
    }
}
