package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.DecimalSum;
import io.waterwheel.query.aggregate.state.DoubleSum;
import io.waterwheel.query.aggregate.state.WholeSum;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.Decimals;
import java.util.List;

/**
 * The sum: of integers exact, an error beyond 64 bits; of decimals exact, of 38 digits; of doubles the exact sum,
 * rounded once.
 */
final class Sum extends NumericFunction {
    Sum() {
        super("sum");
    }

    @Override
    public boolean takes(ValueType type) {
        return type.isDecimal() || super.takes(type);
    }

    @Override
    public FieldType answerType(List<Argument> arguments) {
        ValueType type = arguments.get(0).type();
        return type.isDecimal()
                ? FieldType.decimal(Decimals.MOST_DIGITS, type.scale())
                : ofIntegers(arguments) ? FieldType.LONG : FieldType.DOUBLE;
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        ValueType type = arguments.get(0).type();
        if (type.isDecimal()) {
            return new DecimalSum(about, type, false);
        }
        return ofIntegers(arguments) ? new WholeSum(about, false) : new DoubleSum(false);
    }
}
