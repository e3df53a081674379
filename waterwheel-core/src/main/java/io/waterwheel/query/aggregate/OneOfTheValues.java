package io.waterwheel.query.aggregate;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import java.util.List;

/** A function whose answer is one of the values that it takes, of any type. */
abstract class OneOfTheValues extends AggregateFunction {
    @Override
    public final boolean takes(ValueType type) {
        return type != ValueType.NULL;
    }

    @Override
    public final String expected() {
        return "values of a type";
    }

    @Override
    public final FieldType answerType(List<Argument> arguments) {
        return arguments.get(0).fieldType();
    }
}
