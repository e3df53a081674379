package io.waterwheel.query.function;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.Function;
import io.waterwheel.query.expression.ValueType;
import org.jspecify.annotations.Nullable;

/**
 * Functions of one or two numbers that are doubles, such as SQRT and POWER: by {@link StrictMath}, so that each server
 * gives the same answer.
 */
final class MathNode extends ColumnNode {
    private final Function function;
    private final ColumnNode first;
    private final @Nullable ColumnNode second;

    MathNode(Function function, ColumnNode first, @Nullable ColumnNode second) {
        super(ValueType.DOUBLE);
        this.function = function;
        this.first = ConstantNode.once(first);
        this.second = second == null ? null : ConstantNode.once(second);
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        first.evaluate(view, selected, count);
        ColumnNode other = second;
        if (other == null) {
            out.nullsOf(first.values(), selected, count, view);
        } else {
            other.evaluate(view, selected, count);
            out.nullsOf(first.values(), other.values(), selected, count, view);
        }
        // Most of these take tens of nanoseconds.
        view.workspace().spend(30L * count);
        double[] result = out.ownDoubles(view);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            result[row] =
                    of(ArithmeticNode.asDouble(first, row), other == null ? 0 : ArithmeticNode.asDouble(other, row));
        }
        first.release(view);
        if (other != null) {
            other.release(view);
        }
    }

    private double of(double x, double y) {
        return switch (function) {
            case SQRT -> Math.sqrt(x);
            case EXP -> StrictMath.exp(x);
            case LN -> StrictMath.log(x);
            case LOG10 -> StrictMath.log10(x);
            case SIN -> StrictMath.sin(x);
            case COS -> StrictMath.cos(x);
            case TAN -> StrictMath.tan(x);
            case ASIN -> StrictMath.asin(x);
            case ACOS -> StrictMath.acos(x);
            case ATAN -> StrictMath.atan(x);
            case ATAN2 -> StrictMath.atan2(x, y);
            case POWER -> StrictMath.pow(x, y);
            case RADIANS -> Math.toRadians(x);
            case DEGREES -> Math.toDegrees(x);
            default -> throw new IllegalStateException(function + " is no function of doubles");
        };
    }
}
