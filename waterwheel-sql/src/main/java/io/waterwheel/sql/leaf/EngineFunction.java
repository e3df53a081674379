package io.waterwheel.sql.leaf;

import io.waterwheel.query.expression.Function;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.SqlOperandCountRanges;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeName;
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
        this(name, function, yields, least, most, List.of());
    }

    /** @param takes the types of its first arguments, ANY where others tell them: those of question marks there */
    EngineFunction(
            String name,
            @Nullable Function function,
            SqlReturnTypeInference yields,
            int least,
            int most,
            List<SqlTypeName> takes) {
        super(
                name,
                SqlKind.OTHER_FUNCTION,
                yields,
                takes.isEmpty() ? null : (call, yielded, types) -> tell(takes, call, types),
                OperandTypes.variadic(SqlOperandCountRanges.between(least, most)),
                SqlFunctionCategory.USER_DEFINED_FUNCTION);
        this.function = function;
    }

    private static void tell(List<SqlTypeName> takes, SqlCallBinding call, RelDataType[] types) {
        RelDataTypeFactory known = call.getTypeFactory();
        for (int a = 0; a < Math.min(takes.size(), types.length); a++) {
            if (takes.get(a) != SqlTypeName.ANY) {
                types[a] = known.createTypeWithNullability(known.createSqlType(takes.get(a)), true);
            }
        }
    }

    /** What it is to the engine's expressions; null for what has a meaning only in some places. */
    public @Nullable Function function() {
        return function;
    }
}
