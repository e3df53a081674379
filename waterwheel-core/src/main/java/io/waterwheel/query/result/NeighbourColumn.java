package io.waterwheel.query.result;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.NeighbourValue;
import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.rows.NumberColumn;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;

/** Writes one value of two neighbours, a field of the answer. Immutable; any thread. */
final class NeighbourColumn {
    private final NeighbourValue value;
    private final RowLayout rows;
    private final int argument;
    private final NumberColumn numbers;
    private final NumberColumn times;
    private final long unitsASecond;
    /** Of the answer. */
    private final int field;

    /** @param number which of the values it is */
    NeighbourColumn(SeriesFields fields, int number) {
        this.value = fields.values().get(number);
        this.rows = fields.projection().layout();
        this.argument = fields.firstValue() + number;
        this.numbers = new NumberColumn(rows, argument);
        this.times = fields.times();
        this.unitsASecond = TimestampUnit.SECONDS.nanos() / fields.unit().nanos();
        this.field = fields.firstValue() + number;
    }

    /** Writes null: the row is the first of its series. */
    void writeFirst(TupleBlock answer, int row) {
        AggregateState.setNull(answer, row, field);
    }

    /**
     * Writes the value of a row into the same row of the answer.
     *
     * @param before the block that holds the row before
     */
    void write(TupleBlock before, int previous, TupleBlock computed, int row, TupleBlock answer) {
        boolean lag = value.kind() == NeighbourValue.Kind.LAG;
        if (isNull(before, previous) || (!lag && isNull(computed, row))) {
            AggregateState.setNull(answer, row, field);
        } else if (lag) {
            RowCopy.value(before, previous, argument, answer, row, field);
        } else if (value.kind() == NeighbourValue.Kind.RATE) {
            double units = NumberColumn.apart(times.whole(before, previous), times.whole(computed, row));
            if (units == 0) {
                AggregateState.setNull(answer, row, field);
            } else {
                putDouble(answer, row, numbers.change(before, previous, computed, row) / (units / unitsASecond));
            }
        } else if (numbers.ofDoubles()) {
            putDouble(answer, row, numbers.change(before, previous, computed, row));
        } else {
            long to = numbers.whole(computed, row);
            long from = numbers.whole(before, previous);
            long change = to - from;
            if (((to ^ from) & (to ^ change)) < 0) {
                throw new WaterwheelException(
                        ErrorCode.INTEGER_OVERFLOW,
                        "series " + value + ": the change from " + from + " to " + to
                                + " exceeds 64 bits; take that of a double, such as 1.0 * FIELD");
            }
            LittleEndian.putLong(column(answer), row * 8, change);
        }
    }

    private boolean isNull(TupleBlock block, int row) {
        return rows.nullBit(argument) >= 0 && block.isNull(argument, row);
    }

    private byte[] column(TupleBlock answer) {
        return answer.column(answer.layout().columnOf(field));
    }

    private void putDouble(TupleBlock answer, int row, double number) {
        LittleEndian.putLong(column(answer), row * 8, Double.doubleToRawLongBits(number));
    }
}
