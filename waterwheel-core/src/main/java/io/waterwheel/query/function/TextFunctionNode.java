package io.waterwheel.query.function;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.Function;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.tuple.TupleBlock;

/** Functions of one text or of bytes: LOWER, UPPER, LENGTH, OCTET_LENGTH. */
final class TextFunctionNode extends ColumnNode {
    private final Function function;
    private final ColumnNode operand;

    TextFunctionNode(Function function, ColumnNode operand) {
        super(function == Function.LOWER || function == Function.UPPER ? ValueType.STRING : ValueType.INTEGER);
        this.function = function;
        this.operand = operand;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        out.nullsOf(operand.values(), selected, count, view);
        if (type() == ValueType.STRING) {
            changeCase(view, selected, count);
            operand.release(view);
            return;
        }
        boolean characters = function == Function.LENGTH && operand.type() == ValueType.STRING;
        long[] result = out.ownLongs(view);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (!out.isNull(row)) {
                view.workspace().spend(characters ? operand.values().length(row) : 1);
                result[row] = characters
                        ? codePoints(operand.values(), operand.values().longs[row])
                        : operand.values().length(row);
            }
        }
        operand.release(view);
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
        TextWalk text = new TextWalk(view, operand.values());
        long[] result = out.ownLongs(view);
        byte first = (byte) (function == Function.LOWER ? 'A' : 'a');
        byte last = (byte) (function == Function.LOWER ? 'Z' : 'z');
        byte[] written = out.ownBytes(view, text.bytes(selected, count));
        int at = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (out.isNull(row)) {
                continue;
            }
            text.to(row);
            byte[] source = text.slab;
            int from = text.from;
            int length = text.length;
            for (int b = 0; b < length; b++) {
                byte letter = source[from + b];
                written[at + b] = letter >= first && letter <= last ? (byte) (letter ^ 0x20) : letter;
            }
            result[row] = TupleBlock.reference(at, length);
            at += length;
        }
    }
}
