package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.QuantileValues;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.FieldType;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The least value that a fraction of all values does not exceed, as SQL's PERCENTILE_DISC: one of the values. Exact
 * while {@link QuantileValues} holds all values of a group, above within 0.2 per cent of it.
 */
final class Quantile extends NumericFunction {
    private final @Nullable Double fixed;

    /** @param fixed the fraction; null when it is the second argument */
    Quantile(String name, @Nullable Double fixed) {
        super(name);
        this.fixed = fixed;
    }

    @Override
    public List<Parameter> parameters() {
        return fixed == null ? List.of(Parameter.VALUE, Parameter.FRACTION) : List.of(Parameter.VALUE);
    }

    @Override
    public FieldType answerType(List<Argument> arguments) {
        return arguments.get(0).fieldType();
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        double fraction = fixed != null ? fixed : fraction(arguments.get(1).literal());
        return new QuantileValues(arguments.get(0).type(), arguments.get(0).fieldType(), BigDecimal.valueOf(fraction));
    }

    private static double fraction(Expression.@Nullable Literal literal) {
        if (literal instanceof Expression.Decimal number) {
            return number.value();
        } else if (literal instanceof Expression.Whole number) {
            return number.value();
        }
        throw new IllegalArgumentException("a fraction was not checked: " + literal);
    }
}
