package io.waterwheel.query.aggregate.state;

import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;

/** Values of fixed size as longs of the same order: doubles as {@link OrderedBits}, others as they are. */
public final class Words {
    private Words() {}

    /** The word of a row's value. */
    public static long of(ValueType type, Values values, int row) {
        return type == ValueType.DOUBLE ? OrderedBits.of(values.doubles[row]) : values.longs[row];
    }

    /** Writes the value of a word into a field of a row, whatever its width. */
    public static void put(TupleBlock block, int row, int field, long word) {
        byte[] column = block.column(block.layout().columnOf(field));
        switch (block.layout().fields().get(field).type().physical()) {
            case INT32, UINT32 -> LittleEndian.putInt(column, row * 4, (int) word);
            case BOOLEAN -> column[row] = (byte) word;
            case FLOAT32 ->
                LittleEndian.putInt(column, row * 4, Float.floatToRawIntBits((float) OrderedBits.toDouble(word)));
            case FLOAT64 ->
                LittleEndian.putLong(column, row * 8, Double.doubleToRawLongBits(OrderedBits.toDouble(word)));
            case INT64 -> LittleEndian.putLong(column, row * 8, word);
            case VARIABLE -> throw new IllegalArgumentException("field " + field + " holds no value of fixed size");
        }
    }
}
