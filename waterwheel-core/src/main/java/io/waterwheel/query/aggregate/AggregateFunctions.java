package io.waterwheel.query.aggregate;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.List;
import java.util.stream.Collectors;

/** The registry of aggregate functions. A new function is a class and a line here (docs/extending.md). */
public final class AggregateFunctions {
    private static final List<AggregateFunction> ALL = List.of(
            new Count(),
            new CountDistinct(),
            new ApproximateCountDistinct(),
            new Sum(),
            new Average(),
            new Minimum(),
            new Maximum(),
            new Variance("var_pop", false, false),
            new Variance("var_samp", true, false),
            new Variance("stddev_pop", false, true),
            new Variance("stddev_samp", true, true),
            new Quantile("quantile", null),
            new Quantile("median", 0.5),
            new Chosen("first", false, true),
            new Chosen("last", true, true),
            new Change("delta", false),
            new Change("rate", true),
            new Chosen("arg_min", false, false),
            new Chosen("arg_max", true, false));

    private AggregateFunctions() {}

    /** All functions, in the order in which messages list them. */
    public static List<AggregateFunction> all() {
        return ALL;
    }

    /**
     * The function of this name, in any case.
     *
     * @throws WaterwheelException of kind USER, code BAD_EXPRESSION, when there is none
     */
    public static AggregateFunction of(String name) {
        for (AggregateFunction function : ALL) {
            if (function.name().equalsIgnoreCase(name)) {
                return function;
            }
        }
        throw new WaterwheelException(
                ErrorCode.BAD_EXPRESSION, "there is no aggregate '" + name + "'; there are " + names(ALL));
    }

    /** The names of functions, with commas between. */
    public static String names(List<AggregateFunction> functions) {
        return functions.stream().map(AggregateFunction::name).collect(Collectors.joining(", "));
    }
}
