package io.waterwheel.query.exec.column;

import io.waterwheel.model.TupleBlock;
import io.waterwheel.query.expression.Function;
import io.waterwheel.query.expression.ValueType;
import java.util.Arrays;

/** Functions of one text or of bytes: LOWER, UPPER, LENGTH, OCTET_LENGTH. */
final class TextFunctionNode extends ColumnNode {
    private final Function function;
    private final ColumnNode operand;
    private byte[] written = {};

    TextFunctionNode(Function function, ColumnNode operand) {
        super(function == Function.LOWER || function == Function.UPPER ? ValueType.STRING : ValueType.INTEGER);
        this.function = function;
        this.operand = operand;
    }

    @Override
    public void evaluate(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        out.nullsOf(operand.out, selected, count, view.rows);
        if (type() == ValueType.STRING) {
            changeCase(view, selected, count);
            return;
        }
        boolean characters = function == Function.LENGTH && operand.type() == ValueType.STRING;
        long[] result = out.ownLongs(view.rows);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (!out.isNull(row)) {
                result[row] = characters
                        ? codePoints(operand.out, operand.out.longs[row])
                        : TupleBlock.referenceLength(operand.out.longs[row]);
            }
        }
    }

    private static int codePoints(Values values, long reference) {
        byte[] text = values.slab(reference);
        int from = values.offset(reference);
        int to = from + TupleBlock.referenceLength(reference);
        int points = 0;
        for (int i = from; i < to; i++) {
            points += (text[i] & 0xC0) != 0x80 ? 1 : 0;
        }
        return points;
    }

    private void changeCase(RowView view, int[] selected, int count) {
        Values values = operand.out;
        long[] result = out.ownLongs(view.rows);
        byte first = (byte) (function == Function.LOWER ? 'A' : 'a');
        byte last = (byte) (function == Function.LOWER ? 'Z' : 'z');
        int at = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (out.isNull(row)) {
                continue;
            }
            long reference = values.longs[row];
            int length = TupleBlock.referenceLength(reference);
            written = room(written, at, length);
            byte[] source = values.slab(reference);
            int from = values.offset(reference);
            for (int b = 0; b < length; b++) {
                byte letter = source[from + b];
                written[at + b] = letter >= first && letter <= last ? (byte) (letter ^ 0x20) : letter;
            }
            result[row] = TupleBlock.reference(at, length);
            at += length;
        }
        out.slabs = new byte[][] {written};
        out.slabShift = RowView.ONE_SLAB;
    }

    static byte[] room(byte[] bytes, int filled, int further) {
        int needed = Math.addExact(filled, further);
        return needed <= bytes.length ? bytes : Arrays.copyOf(bytes, Math.max(needed, bytes.length * 3 / 2));
    }
}
