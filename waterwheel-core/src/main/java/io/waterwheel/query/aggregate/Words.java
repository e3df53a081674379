package io.waterwheel.query.aggregate;

import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;

/** Values of fixed size as longs of the same order: doubles as {@link OrderedBits}, others as they are. */
final class Words {
    private Words() {}

    /** The word of a row's value. */
    static long of(ValueType type, Values values, int row) {
        return type == ValueType.DOUBLE ? OrderedBits.of(values.doubles[row]) : values.longs[row];
    }

    /** Writes the value of a word into a field. */
    static void put(TupleBlock block, int row, int field, long word) {
        byte[] column = block.column(block.layout().columnOf(field));
        FieldType type = block.layout().fields().get(field).type();
        switch (type) {
            case INT, IPV4 -> LittleEndian.putInt(column, row * 4, (int) word);
            case BOOLEAN -> column[row] = (byte) word;
            case FLOAT ->
                LittleEndian.putInt(column, row * 4, Float.floatToRawIntBits((float) OrderedBits.toDouble(word)));
            case DOUBLE ->
                LittleEndian.putLong(column, row * 8, Double.doubleToRawLongBits(OrderedBits.toDouble(word)));
            default -> LittleEndian.putLong(column, row * 8, word);
        }
    }
}
