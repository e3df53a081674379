package io.waterwheel.query.function;

import ch.randelshofer.fastdoubleparser.JavaDoubleParser;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;

/** TO_NUMBER: the double that a text is. Null where it is none, or one that a double cannot hold. */
final class NumberTextNode extends ColumnNode {
    private final ColumnNode operand;

    NumberTextNode(ColumnNode operand) {
        super(ValueType.DOUBLE);
        this.operand = operand;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        Values values = operand.values();
        boolean[] nulls = out.ownNulls(view);
        out.anyNull = true;
        double[] numbers = out.ownDoubles(view);
        TextWalk text = new TextWalk(view, values);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            nulls[row] = values.isNull(row);
            if (nulls[row]) {
                continue;
            }
            text.to(row);
            double number = number(text.slab, text.from, text.length);
            nulls[row] = !Double.isFinite(number);
            numbers[row] = nulls[row] ? 0 : number;
        }
        operand.release(view);
    }

    private static double number(byte[] text, int offset, int length) {
        int from = offset;
        int to = offset + length;
        while (from < to && text[from] == ' ') {
            from++;
        }
        while (to > from && text[to - 1] == ' ') {
            to--;
        }
        // Looked at first: the parser throws where there is none, and takes NaN, hexadecimal digits and a d at the end.
        return isNumber(text, from, to) ? JavaDoubleParser.parseDouble(text, from, to - from) : Double.NaN;
    }

    /** A sign, digits with a point among or beside them, and an exponent; digits alone must be there. */
    private static boolean isNumber(byte[] text, int from, int to) {
        int at = from < to && (text[from] == '-' || text[from] == '+') ? from + 1 : from;
        int whole = digits(text, at, to);
        int digits = whole - at;
        at = whole;
        if (at < to && text[at] == '.') {
            int end = digits(text, at + 1, to);
            digits += end - at - 1;
            at = end;
        }
        if (digits == 0) {
            return false;
        }
        if (at < to && (text[at] == 'e' || text[at] == 'E')) {
            at++;
            at += at < to && (text[at] == '-' || text[at] == '+') ? 1 : 0;
            int end = digits(text, at, to);
            return end > at && end == to;
        }
        return at == to;
    }

    private static int digits(byte[] text, int from, int to) {
        int at = from;
        while (at < to && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
        return at;
    }
}
