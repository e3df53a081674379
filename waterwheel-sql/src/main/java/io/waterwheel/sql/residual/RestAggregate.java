package io.waterwheel.sql.residual;

import io.waterwheel.sql.leaf.NotPushed;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlOperandTypeChecker;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.util.Optionality;
import org.jspecify.annotations.Nullable;

/** Aggregates that DuckDB alone has. Those of two numbers leave rows out in which one of them is null. */
public final class RestAggregate extends SqlAggFunction {
    /** The value at a share of the group, on the line between its neighbours; of a number and the written share. */
    public static final String QUANTILE = "QUANTILE_CONT";
    /** The most frequent value, of equally frequent ones the least. */
    public static final String MODE = "MODE";

    private static final SqlReturnTypeInference DOUBLE =
            ReturnTypes.explicit(SqlTypeName.DOUBLE).andThen(SqlTypeTransforms.FORCE_NULLABLE);
    private static final SqlOperandTypeChecker NUMBERS =
            OperandTypes.family(SqlTypeFamily.NUMERIC, SqlTypeFamily.NUMERIC);

    private static final Map<String, RestAggregate> ALL = Stream.of(
                    new RestAggregate(
                            MODE, ReturnTypes.ARG0.andThen(SqlTypeTransforms.FORCE_NULLABLE), OperandTypes.ANY),
                    new RestAggregate(QUANTILE, DOUBLE, NUMBERS),
                    new RestAggregate("CORR", DOUBLE, NUMBERS),
                    new RestAggregate("COVAR_POP", DOUBLE, NUMBERS),
                    new RestAggregate("COVAR_SAMP", DOUBLE, NUMBERS),
                    new RestAggregate("REGR_SLOPE", DOUBLE, NUMBERS),
                    new RestAggregate("REGR_INTERCEPT", DOUBLE, NUMBERS),
                    new RestAggregate("REGR_R2", DOUBLE, NUMBERS))
            .collect(Collectors.toUnmodifiableMap(RestAggregate::getName, Function.identity()));

    private RestAggregate(String name, SqlReturnTypeInference yields, SqlOperandTypeChecker operands) {
        super(
                name,
                null,
                SqlKind.OTHER_FUNCTION,
                yields,
                null,
                operands,
                SqlFunctionCategory.USER_DEFINED_FUNCTION,
                false,
                false,
                Optionality.FORBIDDEN);
    }

    /** The aggregate of this name, in capital letters; null for any other function. */
    public static @Nullable RestAggregate of(String name) {
        return ALL.get(name);
    }

    /** As DuckDB's text. The input's columns are called t.c0, t.c1 and so on. */
    String text(AggregateCall call, RelNode below, RelDataType input, String filter) throws NotPushed {
        if (call.distinctKeys != null || call.isDistinct()) {
            throw new NotPushed(getName() + " of distinct values");
        }
        List<Integer> arguments = call.getArgList();
        String first = "t.c" + arguments.get(0);
        if (getName().equals(MODE)) {
            return "mode(" + first + " ORDER BY " + first + ")" + filter;
        }
        for (int argument : arguments) {
            ResidualAggregates.requireDouble(
                    getName(), input.getFieldList().get(argument).getType());
        }
        String number = "CAST(" + first + " AS DOUBLE)";
        return getName().equals(QUANTILE)
                ? ResidualAggregates.quantile("quantile_cont", number, WrittenColumn.number(below, arguments.get(1)))
                        + filter
                : getName().toLowerCase(Locale.ROOT) + "(" + number + ", CAST(t.c" + arguments.get(1) + " AS DOUBLE))"
                        + filter;
    }

    /** Its own, for the function of a name would be searched among others. */
    @Override
    public RelDataType deriveType(SqlValidator validator, SqlValidatorScope scope, SqlCall call) {
        call.getOperandList().forEach(operand -> validator.deriveType(scope, operand));
        return validateOperands(validator, scope, call);
    }
}
