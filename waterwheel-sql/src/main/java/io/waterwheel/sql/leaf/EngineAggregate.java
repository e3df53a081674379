package io.waterwheel.sql.leaf;

import io.waterwheel.query.aggregate.AggregateFunction;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperatorBinding;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.SqlOperandCountRanges;
import org.apache.calcite.util.Optionality;

/** An aggregate function of the engine that SQL lacks, as Calcite knows such functions. */
public final class EngineAggregate extends SqlAggFunction {
    private final AggregateFunction function;

    EngineAggregate(String name, AggregateFunction function) {
        super(
                name,
                null,
                SqlKind.OTHER_FUNCTION,
                binding -> yields(function, binding),
                null,
                OperandTypes.variadic(
                        SqlOperandCountRanges.of(function.parameters().size())),
                SqlFunctionCategory.USER_DEFINED_FUNCTION,
                false,
                false,
                Optionality.FORBIDDEN);
        this.function = function;
    }

    private static RelDataType yields(AggregateFunction function, SqlOperatorBinding binding) {
        List<AggregateFunction.Argument> arguments = new ArrayList<>();
        for (int i = 0; i < binding.getOperandCount(); i++) {
            ValueType type = SqlTypes.valueType(binding.getOperandType(i));
            arguments.add(new AggregateFunction.Argument(
                    type == null || type == ValueType.NULL ? ValueType.INTEGER : type, null, null));
        }
        SqlTypes types = (SqlTypes) binding.getTypeFactory();
        return types.of(new Field("answer", function.answerType(arguments), true));
    }

    AggregateFunction function() {
        return function;
    }
}
