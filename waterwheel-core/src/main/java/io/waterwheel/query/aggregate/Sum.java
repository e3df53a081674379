package io.waterwheel.query.aggregate;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The sum: of integers exact, an error beyond 64 bits; of doubles the exact sum, rounded once. */
final class Sum extends AggregateFunction {
    @Override
    public String name() {
        return "sum";
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
        return ofIntegers(argument) ? FieldType.LONG : FieldType.DOUBLE;
    }

    @Override
    public AggregateState state(@Nullable Argument argument, String about) {
        return ofIntegers(argument) ? new WholeSum(about, false) : new DoubleSum(false);
    }

    private static boolean ofIntegers(@Nullable Argument argument) {
        return Objects.requireNonNull(argument).type() == ValueType.INTEGER;
    }
}
