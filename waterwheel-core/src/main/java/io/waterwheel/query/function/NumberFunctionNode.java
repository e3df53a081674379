package io.waterwheel.query.function;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;

/** Functions of one number: the other sign, ABS, FLOOR, CEIL, ROUND. */
final class NumberFunctionNode extends ColumnNode {
    /** What it computes. */
    enum Kind {
        NEGATE,
        ABS,
        FLOOR,
        CEIL,
        ROUND
    }

    private final Expression text;
    private final Kind kind;
    private final ColumnNode operand;

    NumberFunctionNode(Expression text, Kind kind, ColumnNode operand) {
        super(kind == Kind.ROUND ? ValueType.DOUBLE : operand.type());
        this.text = text;
        this.kind = kind;
        this.operand = operand;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        out.nullsOf(operand.values(), selected, count, view);
        if (type() == ValueType.INTEGER) {
            long[] result = out.ownLongs(view);
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                result[row] = integer(row, operand.values().longs[row]);
            }
            operand.release(view);
            return;
        }
        boolean whole = operand.type() == ValueType.INTEGER;
        double[] result = out.ownDoubles(view);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            result[row] = whole ? (double) operand.values().longs[row] : number(operand.values().doubles[row]);
        }
        operand.release(view);
    }

    private long integer(int row, long value) {
        if (kind != Kind.NEGATE && (kind != Kind.ABS || value >= 0)) {
            return value;
        }
        if (value == Long.MIN_VALUE && !out.isNull(row)) {
            throw ArithmeticNode.overflow(text, "-(" + value + ")");
        }
        return -value;
    }

    private double number(double value) {
        return switch (kind) {
            case NEGATE -> -value;
            case ABS -> Math.abs(value);
            case FLOOR -> Math.floor(value);
            case CEIL -> Math.ceil(value);
            case ROUND -> round(value);
        };
    }

    /** Halves away from zero; exact, other than adding a half would be. */
    private static double round(double value) {
        double whole = Math.floor(Math.abs(value));
        return Math.copySign(Math.abs(value) - whole >= 0.5 ? whole + 1 : whole, value);
    }
}
