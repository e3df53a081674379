package io.waterwheel.query.aggregate.state;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;

/** Of each group the first number and the last, by time; see {@code delta} and {@code rate}. */
public final class ChangedNumber extends AggregateState {
    private final String name;
    private final ValueType type;
    /** Units of the time in a second when the change is wanted a second, else 0. */
    private final long unitsASecond;

    private final ChosenValue first;
    private final ChosenValue last;

    /**
     * A state without groups.
     *
     * @param name of the aggregate, for messages
     * @param type of the numbers
     * @param timeType of the times
     * @param unitsASecond how many units of the times a second has, for the change a second; 0 for the change
     */
    public ChangedNumber(String name, ValueType type, ValueType timeType, long unitsASecond) {
        this.name = name;
        this.type = type;
        this.unitsASecond = unitsASecond;
        this.first = new ChosenValue(type, timeType, false);
        this.last = new ChosenValue(type, timeType, true);
    }

    @Override
    public void groups(int count) {
        first.groups(count);
        last.groups(count);
    }

    @Override
    public void add(Values values, Values times, int[] selected, int count, int[] groupOf) {
        first.add(values, times, selected, count, groupOf);
        last.add(values, times, selected, count, groupOf);
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        first.merge(part, field, groupOf);
        last.merge(part, field + first.columns().size(), groupOf);
    }

    @Override
    public List<Column> columns() {
        List<Column> both = new ArrayList<>(first.columns());
        both.addAll(last.columns());
        return both;
    }

    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        first.writePart(part, row, field, group);
        last.writePart(part, row, field + first.columns().size(), group);
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        if (!first.has(group)) {
            return false;
        }
        long from = first.word(group);
        long to = last.word(group);
        if (unitsASecond > 0) {
            long units = last.byWord(group) - first.byWord(group);
            if (units == 0) {
                return false;
            }
            putDouble(answer, field, row, change(from, to) / (unsigned(units) / unitsASecond));
        } else if (type == ValueType.DOUBLE) {
            putDouble(answer, field, row, number(to) - number(from));
        } else {
            long change = to - from;
            if (((to ^ from) & (to ^ change)) < 0) {
                throw new WaterwheelException(
                        ErrorCode.INTEGER_OVERFLOW,
                        "aggregate " + name + ": the change from " + from + " to " + to
                                + " exceeds 64 bits; take that of a double, such as 1.0 * FIELD");
            }
            putLong(answer, field, row, change);
        }
        return true;
    }

    /** The nearest double of the change of integers: as doubles two that differ may be the same. */
    private double change(long from, long to) {
        if (type == ValueType.DOUBLE) {
            return number(to) - number(from);
        }
        return to >= from ? unsigned(to - from) : -unsigned(from - to);
    }

    private static double number(long word) {
        return OrderedBits.toDouble(word);
    }

    /** The nearest double of 64 bits without a sign: the last time may be so far after the first. */
    private static double unsigned(long bits) {
        return bits >= 0 ? bits : 2.0 * ((bits >>> 1) | (bits & 1));
    }

    @Override
    public long bytes() {
        return first.bytes() + last.bytes();
    }
}
