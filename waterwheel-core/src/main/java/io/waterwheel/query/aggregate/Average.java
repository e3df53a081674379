package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.DecimalSum;
import io.waterwheel.query.aggregate.state.DoubleSum;
import io.waterwheel.query.aggregate.state.WholeSum;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import java.util.List;

/** A double: the exact sum, rounded, divided by the number of values; of decimals rounded only once. */
final class Average extends NumericFunction {
    Average() {
        super("avg");
    }

    @Override
    public boolean takes(ValueType type) {
        return type.isDecimal() || super.takes(type);
    }

    @Override
    public FieldType answerType(List<Argument> arguments) {
        return FieldType.DOUBLE;
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        ValueType type = arguments.get(0).type();
        if (type.isDecimal()) {
            return new DecimalSum(about, type, true);
        }
        return ofIntegers(arguments) ? new WholeSum(about, true) : new DoubleSum(true);
    }
}
