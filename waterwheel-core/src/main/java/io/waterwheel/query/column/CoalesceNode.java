package io.waterwheel.query.column;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.tuple.TupleBlock;

/** COALESCE; a later argument is looked at only in rows where those before are null. NULLIF, as its first argument. */
final class CoalesceNode extends ColumnNode {
    private final Expression text;
    private final ColumnNode[] arguments;
    private int filled;

    /**
     * @param text what it computes, for the message of an overflow
     * @param arguments of the type, or INTEGER where the type is DOUBLE, or coarser timestamps
     */
    CoalesceNode(Expression text, ValueType type, ColumnNode[] arguments) {
        super(type);
        this.text = text;
        this.arguments = arguments;
        for (ColumnNode argument : arguments) {
            ConstantNode.once(argument);
        }
    }

    @Override
    void compute(RowView view, int[] selected, int count) {
        int[] open = view.workspace.takeInts(view.rows);
        System.arraycopy(selected, 0, open, 0, count);
        filled = 0;
        out.ownLongs(view);
        if (type() == ValueType.DOUBLE) {
            out.ownDoubles(view);
        } else if (type().variable()) {
            out.ownBytes(view, 0);
        }
        boolean[] nulls = out.ownNulls(view);
        int left = count;
        for (int a = 0; a < arguments.length && left > 0; a++) {
            arguments[a].evaluate(view, open, left);
            int still = 0;
            for (int i = 0; i < left; i++) {
                int row = open[i];
                if (arguments[a].out.isNull(row)) {
                    nulls[row] = true;
                    open[still++] = row;
                } else {
                    nulls[row] = false;
                    take(view, arguments[a], row);
                }
            }
            left = still;
            arguments[a].release(view);
        }
        out.anyNull = left > 0;
        view.workspace.give(open);
    }

    /** A timestamp of an argument, in units of the answer. */
    private long finer(long units, ValueType from) {
        long each = from.fieldType().resolution().nanos()
                / type().fieldType().resolution().nanos();
        if (Math.multiplyHigh(units, each) != (units * each) >> 63) {
            throw ArithmeticNode.overflow(text, units + " times " + each);
        }
        return units * each;
    }

    private void take(RowView view, ColumnNode argument, int row) {
        Values values = argument.out;
        int at = row & values.rowMask;
        if (type().variable()) {
            long reference = values.longs[at];
            int length = TupleBlock.referenceLength(reference);
            view.workspace.spend(length >>> 3);
            byte[] written = out.moreBytes(view, filled, length);
            System.arraycopy(values.slab(reference), values.offset(reference), written, filled, length);
            out.longs[row] = TupleBlock.reference(filled, length);
            filled += length;
        } else if (type().isTimestamp() && type() != argument.type()) {
            out.longs[row] = finer(values.longs[at], argument.type());
        } else if (type() != ValueType.DOUBLE) {
            out.longs[row] = values.longs[at];
        } else {
            out.doubles[row] = argument.type() == ValueType.DOUBLE ? values.doubles[at] : (double) values.longs[at];
        }
    }
}
