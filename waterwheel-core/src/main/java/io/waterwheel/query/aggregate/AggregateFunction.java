package io.waterwheel.query.aggregate;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import org.jspecify.annotations.Nullable;

/**
 * One aggregate function: its name, the types it takes and yields, and its partial state. All that a query, a scan, the
 * merge and the wire know of a function is here; {@link AggregateFunctions} lists the functions. Immutable.
 */
public abstract class AggregateFunction {
    AggregateFunction() {}

    /**
     * What a function is computed of.
     *
     * @param type of the expression
     * @param field type of the field, when the expression is one field
     */
    public record Argument(ValueType type, @Nullable FieldType field) {
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

    /** Whether it takes values of this type; {@link ValueType#NULL} is the type of the literal. */
    public abstract boolean takes(ValueType type);

    /** The values that it takes, for messages, such as "numbers". */
    public abstract String expected();

    /**
     * The type of its field of the answer.
     *
     * @param argument null when it is of rows
     */
    public abstract FieldType answerType(@Nullable Argument argument);

    /** Whether the answer is null for a group without any value. */
    public boolean nullable() {
        return true;
    }

    /**
     * A new, empty state.
     *
     * @param argument null when it is of rows
     * @param about the aggregate's name in the answer, for messages
     */
    public abstract AggregateState state(@Nullable Argument argument, String about);

    /** Its name. */
    @Override
    public final String toString() {
        return name();
    }
}
