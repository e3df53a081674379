package io.waterwheel.sql.leaf;

import io.waterwheel.query.expression.Function;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.SqlOperandCountRanges;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.jspecify.annotations.Nullable;

/**
 * A function of the engine as Calcite knows functions. What its arguments must be is checked where the engine's
 * expression is made; what it yields may be null, as some do of values that are not.
 */
public final class EngineFunction extends SqlFunction {
    private final @Nullable Function function;

    /**
     * A function.
     *
     * @param function of the engine's expressions; null for what has a meaning only in some places, such as shapes
     */
    EngineFunction(String name, @Nullable Function function, SqlReturnTypeInference yields, int least, int most) {
        super(
                name,
                SqlKind.OTHER_FUNCTION,
                yields,
                null,
                OperandTypes.variadic(SqlOperandCountRanges.between(least, most)),
                SqlFunctionCategory.USER_DEFINED_FUNCTION);
        this.function = function;
    }

    /** What it is to the engine's expressions; null for what has a meaning only in some places. */
    public @Nullable Function function() {
        return function;
    }
}
