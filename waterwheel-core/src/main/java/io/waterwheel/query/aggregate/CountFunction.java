package io.waterwheel.query.aggregate;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import java.util.List;

/** A number of values of any type: 0 without any. */
abstract class CountFunction extends AggregateFunction {
    @Override
    public final boolean takes(ValueType type) {
        return true;
    }

    @Override
    public final String expected() {
        return "values";
    }

    @Override
    public final FieldType answerType(List<Argument> arguments) {
        return FieldType.LONG;
    }

    @Override
    public final boolean nullable() {
        return false;
    }
}
