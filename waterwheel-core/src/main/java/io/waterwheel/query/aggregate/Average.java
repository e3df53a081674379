package io.waterwheel.query.aggregate;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A double: the exact sum, rounded, divided by the number of values. */
final class Average extends AggregateFunction {
    @Override
    public String name() {
        return "avg";
    }

    @Override
    public boolean takes(ValueType type) {
        return type.numeric();
    }

    @Override
    public String expected() {
        return "numbers";
    }

    @Override
    public FieldType answerType(@Nullable Argument argument) {
        return FieldType.DOUBLE;
    }

    @Override
    public AggregateState state(@Nullable Argument argument, String about) {
        boolean integers = Objects.requireNonNull(argument).type() == ValueType.INTEGER;
        return integers ? new WholeSum(about, true) : new DoubleSum(true);
    }
}
