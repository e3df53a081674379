package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.ExtremeBytes;
import io.waterwheel.query.aggregate.state.ExtremeNumber;
import io.waterwheel.query.expression.ValueType;
import java.util.List;

/** The least or the greatest value, in the order of its type and of the type of its field. */
abstract class Extreme extends OneOfTheValues {
    private final boolean greatest;

    Extreme(boolean greatest) {
        this.greatest = greatest;
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        Argument argument = arguments.get(0);
        ValueType type = argument.type();
        return type.variable() ? new ExtremeBytes(argument.fieldType(), greatest) : new ExtremeNumber(type, greatest);
    }
}
