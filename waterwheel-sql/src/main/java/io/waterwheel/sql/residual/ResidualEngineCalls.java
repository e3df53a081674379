package io.waterwheel.sql.residual;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionPrinter;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.schema.Field;
import io.waterwheel.sql.EngineCall;
import io.waterwheel.sql.EngineCall.Column;
import io.waterwheel.sql.leaf.ConditionTranslator;
import io.waterwheel.sql.leaf.DecimalTypes;
import io.waterwheel.sql.leaf.NotPushed;
import io.waterwheel.sql.leaf.SqlTypes;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;

/**
 * Calls that DuckDB lacks, or computes in another way, as functions of DuckDB's process that evaluate them by the
 * engine's code. Their operands are DuckDB's.
 */
final class ResidualEngineCalls {
    private final ResidualExpressions expressions;
    private final RexBuilder rex;

    ResidualEngineCalls(ResidualExpressions expressions, RexBuilder rex) {
        this.expressions = expressions;
        this.rex = rex;
    }

    /** The text of a call. */
    String of(RexCall call) throws NotPushed {
        List<Field> fields = new ArrayList<>();
        List<Expression> inputs = new ArrayList<>();
        List<Column> takes = new ArrayList<>();
        List<String> arguments = new ArrayList<>();
        List<RexNode> operands = new ArrayList<>();
        String name = call.getOperator().getName();
        for (RexNode operand : call.getOperands()) {
            if (operand instanceof RexLiteral) {
                operands.add(operand);
                continue;
            }
            Column column = Column.of(SqlTypes.valueType(operand.getType()));
            if (column == null || takes.size() == EngineCall.MOST_ARGUMENTS) {
                throw new NotPushed(name + " of " + operand.getType() + " that is joined or computed"
                        + (DecimalTypes.isDecimal(operand) ? "; write CAST(... AS DOUBLE)" : ""));
            }
            takes.add(column);
            fields = new EngineCall(takes, column, "").fields();
            operands.add(rex.makeInputRef(
                    rex.getTypeFactory().createTypeWithNullability(operand.getType(), true), inputs.size()));
            inputs.add(new Expression.FieldValue(fields.get(inputs.size()).name()));
            arguments.add(given(column, expressions.of(operand)));
        }
        Expression made = new ConditionTranslator(fields, inputs, rex)
                .translate(rex.makeCall(call.getType(), call.getOperator(), operands));
        Column yields = Column.of(new ExpressionTypes(fields).typeOf(made));
        if (yields == null) {
            throw new NotPushed(name + " of what is joined or computed");
        }
        EngineCall function = new EngineCall(takes, yields, ExpressionPrinter.print(made));
        arguments.add(ResidualExpressions.cast(ResidualExpressions.quoted(function.expression()), "VARCHAR"));
        return taken(yields, function.function() + "(" + String.join(", ", arguments) + ")");
    }

    /** As the function takes it. */
    private static String given(Column column, String value) {
        return switch (column) {
            case BIGINT, DOUBLE, VARCHAR -> value;
            case MILLIS -> "epoch_ms(" + value + ")";
            case MICROS -> "epoch_us(" + value + ")";
            case NANOS -> "epoch_ns(" + value + ")";
        };
    }

    /** What the function yields, as DuckDB has it. */
    private static String taken(Column column, String value) {
        return switch (column) {
            case BIGINT, DOUBLE, VARCHAR -> value;
            case MILLIS -> ResidualExpressions.cast("make_timestamp_ms(" + value + ")", "TIMESTAMP_MS");
            case MICROS -> "make_timestamp(" + value + ")";
            case NANOS -> "make_timestamp_ns(" + value + ")";
        };
    }
}
