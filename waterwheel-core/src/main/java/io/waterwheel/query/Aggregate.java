package io.waterwheel.query;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.aggregate.AggregateFunction;
import io.waterwheel.query.aggregate.AggregateFunctions;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import org.jspecify.annotations.Nullable;

/**
 * One value computed from all tuples of a group. Nulls are left out; without any value the answer is null, of a count
 * 0.
 *
 * @param function what is computed
 * @param argument of what; null for {@code count(*)}
 * @param name of the answer's field
 */
public record Aggregate(
        AggregateFunction function, @Nullable Expression argument, String name) {
    public Aggregate {
        if (argument == null && !function.ofRows()) {
            throw new IllegalArgumentException(function + " needs an argument; of * is only "
                    + AggregateFunctions.names(AggregateFunctions.all().stream()
                            .filter(AggregateFunction::ofRows)
                            .toList()));
        }
        if (argument != null) {
            argument.requireLimits();
        }
        // Checks the name.
        new Field(name, FieldType.LONG, false);
    }

    /** {@code count(*)}, named count. */
    public static Aggregate count() {
        return new Aggregate(AggregateFunctions.of("count"), null, "count");
    }

    private static String defaultName(AggregateFunction function, String field) {
        String name = function.name() + "_" + field;
        return name.length() <= 64 ? name : name.substring(0, 64);
    }

    /**
     * The aggregate of a text such as {@code avg(speed)} or {@code sum(price * amount) AS revenue}.
     *
     * @throws io.waterwheel.error.WaterwheelException of kind USER, code BAD_EXPRESSION, when it is none
     */
    public static Aggregate parse(String text) {
        ExpressionParser.NamedCall call = ExpressionParser.parseCall(text);
        AggregateFunction function = AggregateFunctions.of(call.name());
        String name = call.alias();
        if (name.isEmpty()) {
            name = call.argument() instanceof Expression.FieldValue field
                    ? defaultName(function, field.name())
                    : function.name();
        }
        try {
            return new Aggregate(function, call.argument(), name);
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_EXPRESSION, "aggregate '" + text + "': " + e.getMessage(), e);
        }
    }
}
