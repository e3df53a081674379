package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.DoubleSum;
import io.waterwheel.query.aggregate.state.WholeSum;
import io.waterwheel.schema.FieldType;
import java.util.List;

/** A double: the exact sum, rounded, divided by the number of values. */
final class Average extends NumericFunction {
    Average() {
        super("avg");
    }

    @Override
    public FieldType answerType(List<Argument> arguments) {
        return FieldType.DOUBLE;
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        return ofIntegers(arguments) ? new WholeSum(about, true) : new DoubleSum(true);
    }
}
