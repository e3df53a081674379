package io.waterwheel.sql;

import io.waterwheel.query.expression.ValueType;
import java.util.List;

/**
 * What a statement takes and returns. Immutable.
 *
 * @param parameters the types that its question marks are to have, in their order
 * @param plan of the statement with some values in their places: the answer's fields and columns are those of any
 */
public record SqlSignature(List<ValueType> parameters, StatementPlan plan) {
    public SqlSignature {
        parameters = List.copyOf(parameters);
    }
}
