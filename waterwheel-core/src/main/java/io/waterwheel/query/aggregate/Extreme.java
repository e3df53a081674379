package io.waterwheel.query.aggregate;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The least or the greatest value, in the order of its type and of the type of its field. */
abstract class Extreme extends AggregateFunction {
    private final boolean greatest;

    Extreme(boolean greatest) {
        this.greatest = greatest;
    }

    @Override
    public boolean takes(ValueType type) {
        return type != ValueType.NULL;
    }

    @Override
    public String expected() {
        return "values of a type";
    }

    @Override
    public FieldType answerType(@Nullable Argument argument) {
        return Objects.requireNonNull(argument).fieldType();
    }

    @Override
    public AggregateState state(@Nullable Argument argument, String about) {
        ValueType type = Objects.requireNonNull(argument).type();
        return type.variable()
                ? new ExtremeBytes(argument.fieldType(), greatest)
                : new ExtremeNumber(type, argument.fieldType(), greatest);
    }
}
