package io.waterwheel.query.aggregate;

import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;

/** The least or greatest of integers, times, booleans and doubles, the latter as {@link OrderedBits}. */
final class ExtremeNumber extends AggregateState {
    /** A part has a long of any type: a double keeps its ordered bits. */
    private static final List<Column> COLUMNS = List.of(new Column(FieldType.LONG, true));

    private final ValueType type;
    private final FieldType answerType;
    private final boolean greatest;
    private long[] extremes = {};
    private int groups;
    /** Whether a group has a value. */
    private boolean[] any = {};

    /** @param answerType of the answer's field: of the argument's type, perhaps narrower */
    ExtremeNumber(ValueType type, FieldType answerType, boolean greatest) {
        this.type = type;
        this.answerType = answerType;
        this.greatest = greatest;
    }

    @Override
    public void groups(int count) {
        extremes = grown(extremes, count);
        if (any.length < count) {
            any = Arrays.copyOf(any, extremes.length);
        }
        for (; groups < count; groups++) {
            extremes[groups] = greatest ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    @Override
    public void add(Values values, int[] selected, int count, int[] groupOf) {
        boolean doubles = type == ValueType.DOUBLE;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (values.anyNull && values.nulls[row]) {
                continue;
            }
            take(groupOf[row], doubles ? OrderedBits.of(values.doubles[row]) : values.longs[row]);
        }
    }

    private void take(int group, long value) {
        any[group] = true;
        extremes[group] = greatest ? Math.max(extremes[group], value) : Math.min(extremes[group], value);
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        for (int r = 0; r < part.size(); r++) {
            if (!part.isNull(field, r)) {
                take(groupOf[r], getLong(part, field, r));
            }
        }
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        if (any[group]) {
            putLong(part, field, row, extremes[group]);
        } else {
            setNull(part, row, field);
        }
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        if (!any[group]) {
            return false;
        }
        byte[] column = answer.column(answer.layout().columnOf(field));
        long value = extremes[group];
        switch (answerType) {
            case INT, IPV4 -> LittleEndian.putInt(column, row * 4, (int) value);
            case BOOLEAN -> column[row] = (byte) value;
            case FLOAT ->
                LittleEndian.putInt(column, row * 4, Float.floatToRawIntBits((float) OrderedBits.toDouble(value)));
            case DOUBLE -> putDouble(answer, field, row, OrderedBits.toDouble(value));
            default -> putLong(answer, field, row, value);
        }
        return true;
    }

    @Override
    public long bytes() {
        return 9L * extremes.length;
    }
}
