package io.waterwheel.query.aggregate;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.List;
import java.util.stream.Collectors;

/** The registry of aggregate functions. A new function is a class and a line here (docs/extending.md). */
public final class AggregateFunctions {
    private static final List<AggregateFunction> ALL =
            List.of(new Count(), new Sum(), new Minimum(), new Maximum(), new Average());

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
