package io.waterwheel.query;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.aggregate.AggregateFunction;
import io.waterwheel.query.aggregate.AggregateFunction.Parameter;
import io.waterwheel.query.aggregate.AggregateFunctions;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.query.expression.ExpressionPrinter;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One value computed from all tuples of a group. Nulls are left out; without any value the answer is null, of a count
 * 0.
 *
 * @param function what is computed
 * @param arguments as many as the function has parameters; none for {@code count(*)}
 * @param filter only of tuples for which it is true; null for all
 * @param name of the answer's field
 */
public record Aggregate(
        AggregateFunction function,
        List<Expression> arguments,
        @Nullable Expression filter,
        String name) {
    private static final int MOST_ABOUT = 100;

    public Aggregate {
        arguments = List.copyOf(arguments);
        List<Parameter> parameters = function.parameters();
        if (arguments.isEmpty() && !function.ofRows()) {
            throw new IllegalArgumentException(function + " needs an argument; of * is only "
                    + AggregateFunctions.names(AggregateFunctions.all().stream()
                            .filter(AggregateFunction::ofRows)
                            .toList()));
        }
        if (!arguments.isEmpty() && arguments.size() != parameters.size()) {
            throw new IllegalArgumentException(function + ": expected " + parameters.size()
                    + (parameters.size() == 1 ? " argument" : " arguments") + ", got " + arguments.size());
        }
        for (int a = 0; a < arguments.size(); a++) {
            arguments.get(a).requireLimits();
            if (parameters.get(a) == Parameter.FRACTION) {
                requireFraction(function, arguments.get(a));
            }
        }
        if (filter != null) {
            filter.requireLimits();
        }
        // Checks the name.
        new Field(name, FieldType.LONG, false);
    }

    private static void requireFraction(AggregateFunction function, Expression argument) {
        double fraction = argument instanceof Expression.Decimal number
                ? number.value()
                : argument instanceof Expression.Whole number ? number.value() : Double.NaN;
        if (!(fraction >= 0 && fraction <= 1)) {
            throw new IllegalArgumentException(
                    function + ": expected a number from 0 to 1 as its last argument, got " + argument);
        }
    }

    /** {@code count(*)}, named count. */
    public static Aggregate count() {
        return new Aggregate(AggregateFunctions.of("count"), List.of(), null, "count");
    }

    private static String defaultName(AggregateFunction function, String field) {
        String name = function.name() + "_" + field;
        return name.length() <= 64 ? name : name.substring(0, 64);
    }

    /**
     * The aggregate of a text such as {@code avg(speed)}, {@code sum(price * amount) AS revenue} or
     * {@code count(DISTINCT callsign) FILTER (WHERE altitude > 0) AS seen}.
     *
     * @throws io.waterwheel.error.WaterwheelException of kind USER, code BAD_EXPRESSION, when it is none
     */
    public static Aggregate parse(String text) {
        ExpressionParser.NamedCall call =
                ExpressionParser.parseCall(text, "an aggregate such as count(*) or avg(FIELD)");
        AggregateFunction function = AggregateFunctions.of(call.name());
        try {
            if (call.distinct()) {
                if (!function.name().equals("count")) {
                    throw new IllegalArgumentException("DISTINCT is only in count(DISTINCT ...)");
                }
                function = AggregateFunctions.of("count_distinct");
            }
            String name = call.alias();
            if (name.isEmpty()) {
                name = !call.arguments().isEmpty() && call.arguments().get(0) instanceof Expression.FieldValue field
                        ? defaultName(function, field.name())
                        : function.name();
            }
            return new Aggregate(function, call.arguments(), call.filter(), name);
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_EXPRESSION, "aggregate '" + text + "': " + e.getMessage(), e);
        }
    }

    /** What is computed, for messages: of a statement the names of aggregates are not those that it has. */
    public String about() {
        String call = call();
        return call.length() <= MOST_ABOUT ? call : call.substring(0, MOST_ABOUT) + "...";
    }

    private String call() {
        String written = arguments.isEmpty()
                ? "*"
                : arguments.stream().map(ExpressionPrinter::print).collect(Collectors.joining(", "));
        return function + "(" + written + ")";
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return call() + (filter == null ? "" : " FILTER (WHERE " + filter + ")") + " AS "
                + ExpressionPrinter.name(name);
    }
}
