package io.waterwheel.query;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One value computed from all tuples of a group. Nulls are left out; without any value the answer is null, of a count
 * 0.
 *
 * @param function what is computed
 * @param argument of what; null for {@code count(*)}
 * @param name of the answer's field
 */
public record Aggregate(Function function, @Nullable Expression argument, String name) {
    /** What is computed. */
    public enum Function {
        /** Number of tuples, or of those whose argument is not null. */
        COUNT,
        /** Of integers exact, an error beyond 64 bits; of doubles the exact sum, rounded once. */
        SUM,
        MIN,
        MAX,
        /** A double: the sum, rounded, divided by the number. */
        AVG
    }

    public Aggregate {
        if (argument == null && function != Function.COUNT) {
            throw new IllegalArgumentException(function + " needs an argument; only count is of *");
        }
        if (argument != null) {
            argument.requireLimits();
        }
        // Checks the name.
        new Field(name, FieldType.LONG, false);
    }

    /** {@code count(*)}, named count. */
    public static Aggregate count() {
        return new Aggregate(Function.COUNT, null, "count");
    }

    /** An aggregate of one field, named by both, such as {@code avg_speed}. */
    public static Aggregate of(Function function, String field) {
        return new Aggregate(function, new Expression.FieldValue(field), defaultName(function, field));
    }

    private static String defaultName(Function function, String field) {
        String name = function.name().toLowerCase(Locale.ROOT) + "_" + field;
        return name.length() <= 64 ? name : name.substring(0, 64);
    }

    /**
     * The aggregate of a text such as {@code avg(speed)} or {@code sum(price * amount) AS revenue}.
     *
     * @throws io.waterwheel.error.WaterwheelException of kind USER, code BAD_EXPRESSION, when it is none
     */
    public static Aggregate parse(String text) {
        ExpressionParser.NamedCall call = ExpressionParser.parseCall(text);
        Function function = null;
        for (Function candidate : Function.values()) {
            if (candidate.name().equalsIgnoreCase(call.name())) {
                function = candidate;
            }
        }
        if (function == null) {
            throw new WaterwheelException(
                    ErrorCode.BAD_EXPRESSION,
                    "there is no aggregate '" + call.name() + "'; there are count, sum, min, max, avg");
        }
        String name = call.alias();
        if (name.isEmpty()) {
            name = call.argument() instanceof Expression.FieldValue field
                    ? defaultName(function, field.name())
                    : function.name().toLowerCase(Locale.ROOT);
        }
        try {
            return new Aggregate(function, call.argument(), name);
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_EXPRESSION, "aggregate '" + text + "': " + e.getMessage(), e);
        }
    }
}
