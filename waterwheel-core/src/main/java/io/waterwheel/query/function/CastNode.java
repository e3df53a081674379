package io.waterwheel.query.function;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/** CAST: a value in another type. Which conversions there are is said by ExpressionTypes. */
final class CastNode extends ColumnNode {
    private final Expression text;
    private final ColumnNode operand;

    /** @param text what it computes, for messages */
    CastNode(Expression text, ValueType type, ColumnNode operand) {
        super(type);
        this.text = text;
        this.operand = operand;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        out.nullsOf(operand.values(), selected, count, view);
        if (type().variable()) {
            write(view, selected, count);
        } else if (type() == ValueType.DOUBLE) {
            double[] result = out.ownDoubles(view);
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                if (!operand.type().isDecimal()) {
                    result[row] = (double) operand.values().longs[row];
                } else if (!out.isNull(row)) {
                    result[row] = decimal(row).doubleValue();
                }
            }
        } else {
            long[] result = out.ownLongs(view);
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                if (!out.isNull(row)) {
                    result[row] = whole(row);
                }
            }
        }
        operand.release(view);
    }

    private long whole(int row) {
        if (type().isDecimal()) {
            return unscaled(row).longValueExact();
        } else if (operand.type().isDecimal()) {
            BigDecimal value = decimal(row);
            try {
                return value.setScale(0, RoundingMode.DOWN).longValueExact();
            } catch (ArithmeticException e) {
                throw overflow(Decimals.text(value), "64 bits");
            }
        } else if (operand.type() == ValueType.DOUBLE) {
            double value = operand.values().doubles[row];
            if (!(value >= -0x1p63 && value < 0x1p63)) {
                throw overflow(value, "64 bits");
            }
            return (long) value;
        }
        long value = operand.values().longs[row];
        TimestampUnit from =
                operand.type().isTimestamp() ? operand.type().fieldType().resolution() : null;
        return from == null ? value : from.toMillis(value);
    }

    private WaterwheelException overflow(Object value, String what) {
        return new WaterwheelException(
                ErrorCode.INTEGER_OVERFLOW, "expression: " + text + ": " + value + " exceeds " + what);
    }

    /** A row's value of a decimal. */
    private BigDecimal decimal(int row) {
        Values values = operand.values();
        long value = values.longs[row];
        int scale = operand.type().scale();
        return operand.type().variable()
                ? new BigDecimal(Decimals.unscaled(values.slab(value), values.offset(value)), scale)
                : BigDecimal.valueOf(value, scale);
    }

    /** A row's value as the decimal that is wanted, halves rounded away from zero. */
    private BigInteger unscaled(int row) {
        BigDecimal value;
        if (operand.type() == ValueType.DOUBLE) {
            double number = operand.values().doubles[row];
            if (!Double.isFinite(number)) {
                throw overflow(number, String.valueOf(type().castName()));
            }
            value = new BigDecimal(number);
        } else {
            value = operand.type().isDecimal() ? decimal(row) : BigDecimal.valueOf(operand.values().longs[row]);
        }
        BigInteger unscaled =
                value.setScale(type().scale(), RoundingMode.HALF_UP).unscaledValue();
        if (unscaled.abs().compareTo(Decimals.limit(type().precision())) >= 0) {
            throw overflow(value, String.valueOf(type().castName()));
        }
        return unscaled;
    }

    private void write(RowView view, int[] selected, int count) {
        long[] result = out.ownLongs(view);
        out.ownBytes(view, 0);
        int filled = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (out.isNull(row)) {
                continue;
            }
            byte[] bytes = type().isDecimal()
                    ? Decimals.bytes(unscaled(row))
                    : written(row).getBytes(StandardCharsets.UTF_8);
            view.workspace().spend(bytes.length);
            System.arraycopy(bytes, 0, out.moreBytes(view, filled, bytes.length), filled, bytes.length);
            result[row] = TupleBlock.reference(filled, bytes.length);
            filled += bytes.length;
        }
    }

    private String written(int row) {
        long value = operand.type() == ValueType.DOUBLE ? 0 : operand.values().longs[row];
        return switch (operand.type().kind()) {
            case BOOLEAN -> value != 0 ? "true" : "false";
            case IPV4 -> Ipv4.text((int) value);
            case DECIMAL -> Decimals.text(decimal(row));
            case DOUBLE -> ValueTexts.of(operand.values().doubles[row]);
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS ->
                ValueTexts.of(value, operand.type().fieldType().resolution());
            case UUID, IPV6 ->
                operand.type()
                        .fieldType()
                        .textOfSixteen(
                                operand.values().slab(value), operand.values().offset(value));
            default -> Long.toString(value);
        };
    }
}
