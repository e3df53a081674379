package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One aggregate function: its name, the types it takes and yields, and its partial state. All that a query, a scan, the
 * merge and the wire know of a function is here; {@link AggregateFunctions} lists the functions. Immutable.
 */
public abstract class AggregateFunction {
    AggregateFunction() {}

    /** What an argument is for. */
    public enum Parameter {
        /** The value that is counted, summed, returned. */
        VALUE,
        /** A second value, by which a tuple is chosen; of any type that has an order. */
        BY,
        /** A literal from 0 to 1. */
        FRACTION
    }

    /**
     * What a function is computed of.
     *
     * @param type of the expression
     * @param field type of the field, when the expression is one field
     * @param literal when the expression is one
     */
    public record Argument(ValueType type, @Nullable FieldType field, Expression.@Nullable Literal literal) {
        /**
         * The type of a field that holds every value: of the field itself, which may be narrower than the expression.
         */
        public FieldType fieldType() {
            return field == null ? type.fieldType() : field;
        }
    }

    /** How it is written, in lower case; also its name on the wire. */
    public abstract String name();

    /** Whether it can be of rows, as {@code count(*)}. */
    public boolean ofRows() {
        return false;
    }

    /** Its arguments, as they are written; values come first. */
    public List<Parameter> parameters() {
        return List.of(Parameter.VALUE);
    }

    /** Whether the tuple's time is its last argument, which is not written. */
    public boolean byTime() {
        return false;
    }

    /** Whether it takes values of this type; {@link ValueType#NULL} is the type of the literal. */
    public abstract boolean takes(ValueType type);

    /** The values that it takes, for messages, such as "numbers". */
    public abstract String expected();

    /**
     * The type of its field of the answer.
     *
     * @param arguments none when it is of rows; with the time if it is {@link #byTime}
     */
    public abstract FieldType answerType(List<Argument> arguments);

    /** Whether the answer is null for a group without any value. */
    public boolean nullable() {
        return true;
    }

    /**
     * A new, empty state.
     *
     * @param arguments none when it is of rows; with the time if it is {@link #byTime}
     * @param about what is computed, for messages
     */
    public abstract AggregateState state(List<Argument> arguments, String about);

    /** Its name. */
    @Override
    public final String toString() {
        return name();
    }
}
