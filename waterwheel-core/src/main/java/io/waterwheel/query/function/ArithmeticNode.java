package io.waterwheel.query.function;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Arithmetic.Operation;
import io.waterwheel.query.expression.ValueType;

/** Arithmetic on integers, checked, or on doubles. */
final class ArithmeticNode extends ColumnNode {
    private final Expression text;
    private final Operation operation;
    private final ColumnNode left;
    private final ColumnNode right;

    /** @param text what it computes, for the message of an overflow */
    ArithmeticNode(Expression text, ValueType type, Operation operation, ColumnNode left, ColumnNode right) {
        super(type);
        this.text = text;
        this.operation = operation;
        this.left = ConstantNode.once(left);
        this.right = ConstantNode.once(right);
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        left.evaluate(view, selected, count);
        right.evaluate(view, selected, count);
        out.nullsOf(left.values(), right.values(), selected, count, view);
        if (operation == Operation.DIVIDED || operation == Operation.MODULO) {
            nullWhereZero(view, selected, count);
        }
        if (type() == ValueType.DOUBLE) {
            doubles(view, selected, count);
        } else {
            integers(view, selected, count);
        }
        left.release(view);
        right.release(view);
    }

    private void nullWhereZero(RowView view, int[] selected, int count) {
        Values divisor = right.values();
        boolean doubles = right.type() == ValueType.DOUBLE;
        int mask = divisor.rowMask;
        boolean any = false;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            any |= doubles ? divisor.doubles[row & mask] == 0 : divisor.longs[row & mask] == 0;
        }
        if (!any) {
            return;
        }
        boolean known = out.anyNull;
        boolean[] nulls = out.ownNulls(view);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            boolean zero = doubles ? divisor.doubles[row & mask] == 0 : divisor.longs[row & mask] == 0;
            nulls[row] = zero || (known && nulls[row]);
        }
        out.anyNull = true;
    }

    /** A number at a row, as a double. */
    static double asDouble(ColumnNode node, int row) {
        int at = row & node.values().rowMask;
        return node.type() == ValueType.DOUBLE ? node.values().doubles[at] : (double) node.values().longs[at];
    }

    private void doubles(RowView view, int[] selected, int count) {
        double[] result = out.ownDoubles(view);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            double a = asDouble(left, row);
            double b = asDouble(right, row);
            result[row] = switch (operation) {
                case PLUS -> a + b;
                case MINUS -> a - b;
                case TIMES -> a * b;
                case DIVIDED -> a / b;
                case MODULO -> throw new IllegalStateException("the remainder of doubles");
            };
        }
    }

    private void integers(RowView view, int[] selected, int count) {
        long[] a = left.values().longs;
        long[] b = right.values().longs;
        int am = left.values().rowMask;
        int bm = right.values().rowMask;
        long[] result = out.ownLongs(view);
        // Below zero once something overflowed, perhaps only in a row that is null: looked at again then.
        long overflow = 0;
        switch (operation) {
            case PLUS -> {
                for (int i = 0; i < count; i++) {
                    int row = selected[i];
                    long sum = a[row & am] + b[row & bm];
                    overflow |= (a[row & am] ^ sum) & (b[row & bm] ^ sum);
                    result[row] = sum;
                }
            }
            case MINUS -> {
                for (int i = 0; i < count; i++) {
                    int row = selected[i];
                    long difference = a[row & am] - b[row & bm];
                    overflow |= (a[row & am] ^ b[row & bm]) & (a[row & am] ^ difference);
                    result[row] = difference;
                }
            }
            case TIMES -> {
                for (int i = 0; i < count; i++) {
                    int row = selected[i];
                    long product = a[row & am] * b[row & bm];
                    overflow |= Math.multiplyHigh(a[row & am], b[row & bm]) == product >> 63 ? 0 : -1;
                    result[row] = product;
                }
            }
            case DIVIDED -> {
                for (int i = 0; i < count; i++) {
                    int row = selected[i];
                    long divisor = b[row & bm];
                    result[row] = divisor == 0 ? 0 : a[row & am] / divisor;
                    overflow |= divisor == -1 && a[row & am] == Long.MIN_VALUE ? -1 : 0;
                }
            }
            case MODULO -> {
                for (int i = 0; i < count; i++) {
                    int row = selected[i];
                    result[row] = b[row & bm] == 0 ? 0 : a[row & am] % b[row & bm];
                }
            }
        }
        if (overflow < 0) {
            findOverflow(selected, count);
        }
    }

    private void findOverflow(int[] selected, int count) {
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long a = left.values().longs[row & left.values().rowMask];
            long b = right.values().longs[row & right.values().rowMask];
            if (!out.isNull(row) && overflows(a, b)) {
                throw overflow(text, a + " " + operation.sign() + " " + b);
            }
        }
    }

    private boolean overflows(long a, long b) {
        return switch (operation) {
            case PLUS -> ((a ^ (a + b)) & (b ^ (a + b))) < 0;
            case MINUS -> ((a ^ b) & (a ^ (a - b))) < 0;
            case TIMES -> Math.multiplyHigh(a, b) != (a * b) >> 63;
            case DIVIDED -> a == Long.MIN_VALUE && b == -1;
            case MODULO -> false;
        };
    }

    static WaterwheelException overflow(Expression text, String values) {
        return new WaterwheelException(
                ErrorCode.INTEGER_OVERFLOW,
                "expression: " + text + ": " + values
                        + " exceeds 64 bits; compute with a double, such as 1.0 * FIELD, or exclude such rows before");
    }
}
