package io.waterwheel.sql.residual;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionPrinter;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.sql.EngineCall;
import io.waterwheel.sql.leaf.ConditionTranslator;
import io.waterwheel.sql.leaf.NotPushed;
import io.waterwheel.sql.leaf.SqlTypes;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

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
        List<FieldType> takes = new ArrayList<>();
        List<String> arguments = new ArrayList<>();
        List<RexNode> operands = new ArrayList<>();
        String name = call.getOperator().getName();
        for (RexNode operand : call.getOperands()) {
            if (operand instanceof RexLiteral) {
                operands.add(operand);
                continue;
            }
            FieldType type = column(SqlTypes.valueType(operand.getType()));
            if (type == null) {
                throw new NotPushed(name + " of " + operand.getType() + " that is joined or computed");
            }
            Field field = new Field("c" + fields.size(), type, true);
            operands.add(rex.makeInputRef(
                    rex.getTypeFactory().createTypeWithNullability(operand.getType(), true), fields.size()));
            fields.add(field);
            inputs.add(new Expression.FieldValue(field.name()));
            takes.add(type);
            arguments.add(handedOver(expressions.of(operand), type));
        }
        if (takes.size() > EngineCall.MOST_ARGUMENTS) {
            throw new NotPushed(name + " of more than " + EngineCall.MOST_ARGUMENTS + " joined or computed values");
        }
        Expression made = new ConditionTranslator(fields, inputs, rex)
                .translate(rex.makeCall(call.getType(), call.getOperator(), operands));
        FieldType yields = column(new ExpressionTypes(fields).typeOf(made));
        if (yields == null) {
            throw new NotPushed(name + " of what is joined or computed");
        }
        EngineCall text = new EngineCall(takes, ExpressionPrinter.print(made));
        arguments.add(ResidualExpressions.cast(ResidualExpressions.quoted(text.text()), "VARCHAR"));
        String function = EngineCall.function(
                EngineCall.column(yields),
                takes.stream().map(EngineCall::column).toList());
        return ResidualExpressions.cast(
                taken(function + "(" + String.join(", ", arguments) + ")", yields),
                ResidualExpressions.type(call.getType()));
    }

    private static @Nullable FieldType column(@Nullable ValueType type) {
        return type == null ? null : EngineCall.field(type);
    }

    private static String handedOver(String value, FieldType type) {
        return switch (type.kind()) {
            case TIMESTAMP -> "epoch_ms(" + value + ")";
            case TIMESTAMP_US -> "epoch_us(" + value + ")";
            case TIMESTAMP_NS -> "epoch_ns(" + value + ")";
            case BYTES -> "to_base64(" + value + ")";
            default -> value;
        };
    }

    private static String taken(String value, FieldType type) throws NotPushed {
        return switch (type.kind()) {
            case TIMESTAMP -> "make_timestamp_ms(" + value + ")";
            case TIMESTAMP_US -> "make_timestamp(" + value + ")";
            case TIMESTAMP_NS -> "make_timestamp_ns(" + value + ")";
            case BYTES -> throw new NotPushed("bytes that are computed");
            default -> value;
        };
    }
}
