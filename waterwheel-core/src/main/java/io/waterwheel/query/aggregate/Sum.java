package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.DoubleSum;
import io.waterwheel.query.aggregate.state.WholeSum;
import io.waterwheel.schema.FieldType;
import java.util.List;

/** The sum: of integers exact, an error beyond 64 bits; of doubles the exact sum, rounded once. */
final class Sum extends NumericFunction {
    Sum() {
        super("sum");
    }

    @Override
    public FieldType answerType(List<Argument> arguments) {
        return ofIntegers(arguments) ? FieldType.LONG : FieldType.DOUBLE;
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        return ofIntegers(arguments) ? new WholeSum(about, false) : new DoubleSum(false);
    }
}
