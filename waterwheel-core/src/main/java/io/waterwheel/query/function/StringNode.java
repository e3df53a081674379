package io.waterwheel.query.function;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionPrinter;
import io.waterwheel.query.expression.Function;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;

/**
 * Functions of several texts, in code points: CONCAT, SUBSTRING, TRIM, REPLACE; STRPOS and STARTS_WITH, which yield no
 * text. Null when any argument is.
 */
final class StringNode extends ColumnNode {
    private static final int SHOWN = 60;

    private final Expression text;
    private final Function function;
    private final ColumnNode[] arguments;
    private byte[] written = {};
    private int filled;
    /** Where the text of the present row begins. */
    private int begin;

    /** @param text what it computes, for messages */
    StringNode(Expression.Call text, ValueType type, ColumnNode[] arguments) {
        super(type);
        this.text = text;
        this.function = text.function();
        this.arguments = arguments;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        boolean anyNull = false;
        for (ColumnNode argument : arguments) {
            argument.evaluate(view, selected, count);
            anyNull |= argument.values().anyNull;
        }
        boolean[] nulls = anyNull ? out.ownNulls(view) : new boolean[0];
        out.anyNull = anyNull;
        long[] result = out.ownLongs(view);
        boolean makesText = type() == ValueType.STRING;
        written = makesText ? out.ownBytes(view, 0) : written;
        filled = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (anyNull) {
                nulls[row] = anyNull(row);
                if (nulls[row]) {
                    continue;
                }
            }
            begin = filled;
            long value = of(view, row);
            result[row] = makesText ? TupleBlock.reference(begin, filled - begin) : value;
        }
        for (ColumnNode argument : arguments) {
            argument.release(view);
        }
    }

    private boolean anyNull(int row) {
        for (ColumnNode argument : arguments) {
            if (argument.values().isNull(row)) {
                return true;
            }
        }
        return false;
    }

    private byte[] slab(int argument, int row) {
        return arguments[argument].values().slab(arguments[argument].values().longs[row]);
    }

    private int from(int argument, int row) {
        return arguments[argument].values().offset(arguments[argument].values().longs[row]);
    }

    private int length(int argument, int row) {
        return arguments[argument].values().length(row);
    }

    private void write(RowView view, byte[] bytes, int from, int length) {
        if (filled - begin + length > TupleBlock.MAX_VALUE_BYTES) {
            throw new WaterwheelException(
                    ErrorCode.BAD_EXPRESSION,
                    "expression: " + ExpressionPrinter.beginning(text, SHOWN) + ": the text that it makes has over "
                            + TupleBlock.MAX_VALUE_BYTES + " bytes");
        }
        view.workspace().spend(length);
        written = out.moreBytes(view, filled, length);
        System.arraycopy(bytes, from, written, filled, length);
        filled += length;
    }

    /** Writes a row's text, or returns its number. */
    private long of(RowView view, int row) {
        byte[] bytes = slab(0, row);
        int from = from(0, row);
        int to = from + length(0, row);
        switch (function) {
            case CONCAT -> {
                for (int a = 0; a < arguments.length; a++) {
                    write(view, slab(a, row), from(a, row), length(a, row));
                }
            }
            case SUBSTRING -> {
                long start = arguments[1].values().longs[row];
                long end = end(start, row);
                int first = skip(bytes, from, to, Math.max(1, start) - 1);
                int last = end <= Math.max(1, start) ? first : skip(bytes, first, to, end - Math.max(1, start));
                view.workspace().spend(to - from);
                write(view, bytes, first, last - first);
            }
            case TRIM -> {
                int first = from;
                int last = to;
                while (first < last && bytes[first] == ' ') {
                    first++;
                }
                while (last > first && bytes[last - 1] == ' ') {
                    last--;
                }
                write(view, bytes, first, last - first);
            }
            case REPLACE -> replace(view, row, bytes, from, to);
            case STRPOS -> {
                int found = find(view, row, bytes, from, to);
                return found < 0 ? 0 : 1 + points(bytes, from, found);
            }
            case STARTS_WITH -> {
                int length = length(1, row);
                int prefix = from(1, row);
                return to - from >= length
                                && Arrays.equals(bytes, from, from + length, slab(1, row), prefix, prefix + length)
                        ? 1
                        : 0;
            }
            default -> throw new IllegalStateException(function + " is no function of texts");
        }
        return 0;
    }

    /** The number of the code point after a substring, which may be beyond the end. */
    private long end(long start, int row) {
        if (arguments.length < 3) {
            return Long.MAX_VALUE;
        }
        long points = Math.max(0, arguments[2].values().longs[row]);
        return start > Long.MAX_VALUE - points ? Long.MAX_VALUE : start + points;
    }

    private void replace(RowView view, int row, byte[] bytes, int from, int to) {
        int at = from;
        int length = length(1, row);
        while (length > 0) {
            int found = find(view, row, bytes, at, to);
            if (found < 0) {
                break;
            }
            write(view, bytes, at, found - at);
            write(view, slab(2, row), from(2, row), length(2, row));
            at = found + length;
        }
        write(view, bytes, at, to - at);
    }

    /** Where the second argument is first found, or -1. */
    private int find(RowView view, int row, byte[] bytes, int from, int to) {
        byte[] wanted = slab(1, row);
        int start = from(1, row);
        int length = length(1, row);
        for (int at = from; at <= to - length; at++) {
            int same = Arrays.mismatch(bytes, at, at + length, wanted, start, start + length);
            view.workspace().spend(1 + (same < 0 ? length : same));
            if (same < 0) {
                return at;
            }
        }
        return -1;
    }

    private static int skip(byte[] bytes, int from, int to, long points) {
        int at = from;
        for (long p = 0; p < points && at < to; p++) {
            at++;
            while (at < to && (bytes[at] & 0xC0) == 0x80) {
                at++;
            }
        }
        return at;
    }

    private static int points(byte[] bytes, int from, int to) {
        int points = 0;
        for (int i = from; i < to; i++) {
            points += (bytes[i] & 0xC0) != 0x80 ? 1 : 0;
        }
        return points;
    }
}
