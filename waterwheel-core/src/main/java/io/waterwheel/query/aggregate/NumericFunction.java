package io.waterwheel.query.aggregate;

import io.waterwheel.query.expression.ValueType;
import java.util.List;

/** A function of numbers, whose state depends on whether they are integers. */
abstract class NumericFunction extends AggregateFunction {
    private final String name;

    NumericFunction(String name) {
        this.name = name;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public boolean takes(ValueType type) {
        return type.numeric();
    }

    @Override
    public String expected() {
        return "numbers";
    }

    static boolean ofIntegers(List<Argument> arguments) {
        return arguments.get(0).type() == ValueType.INTEGER;
    }
}
