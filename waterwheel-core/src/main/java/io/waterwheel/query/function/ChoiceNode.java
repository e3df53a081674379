package io.waterwheel.query.function;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.tuple.TupleBlock;

/** A node whose value comes from one of several others, row by row: COALESCE and CASE. */
abstract class ChoiceNode extends ColumnNode {
    private final Expression text;
    private int filled;

    /** @param text what it computes, for the message of an overflow */
    ChoiceNode(Expression text, ValueType type) {
        super(type);
        this.text = text;
    }

    /** Makes room for the values of a page or leaf; returns its nulls. */
    final boolean[] begin(RowView view) {
        filled = 0;
        out.ownLongs(view);
        if (type() == ValueType.DOUBLE) {
            out.ownDoubles(view);
        } else if (type().variable()) {
            out.ownBytes(view, 0);
        }
        return out.ownNulls(view);
    }

    /** A timestamp of another node, in units of this one. */
    private long finer(long units, ValueType from) {
        long each = from.fieldType().resolution().nanos()
                / type().fieldType().resolution().nanos();
        if (Math.multiplyHigh(units, each) != (units * each) >> 63) {
            throw new WaterwheelException(
                    ErrorCode.INTEGER_OVERFLOW,
                    "expression: " + text + ": the time "
                            + from.fieldType().resolution().instant(units)
                            + " has no number in the finer unit of another; exclude such rows before");
        }
        return units * each;
    }

    /** Takes the value of another node, which has one, at a row. */
    final void take(RowView view, ColumnNode argument, int row) {
        Values values = argument.values();
        int at = row & values.rowMask;
        if (type().variable()) {
            long reference = values.longs[at];
            int length = TupleBlock.referenceLength(reference);
            view.workspace().spend(length >>> 3);
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
