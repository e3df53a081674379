package io.waterwheel.query.aggregate.state;

import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.Selection;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;

/** The least or greatest of integers, times, booleans and doubles, the latter as {@link OrderedBits}. */
public final class ExtremeNumber extends AggregateState {
    /** A part has a long of any type: a double keeps its ordered bits. */
    private static final List<Column> COLUMNS = List.of(new Column(FieldType.LONG, true));

    private final ValueType type;
    private final boolean greatest;
    private long[] extremes = {};
    private int groups;
    /** Whether a group has a value. */
    private boolean[] any = {};

    public ExtremeNumber(ValueType type, boolean greatest) {
        this.type = type;
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

    @Override
    public void addToGroup(Values values, int[] selected, int count, int[] groupOf, int group) {
        int present = present(values, selected, count);
        if (present == 0) {
            return;
        }
        boolean range = Selection.isRange(selected, count);
        if (type == ValueType.DOUBLE) {
            take(
                    group,
                    range ? doubles(values, selected[0], count, present) : doubles(values, selected, count, present));
        } else {
            take(group, range ? longs(values, selected[0], count) : longs(values, selected, count));
        }
    }

    private long longs(Values values, int[] selected, int count) {
        long[] longs = values.longs;
        boolean[] nulls = values.nulls;
        boolean anyNull = values.anyNull;
        long nothing = greatest ? Long.MIN_VALUE : Long.MAX_VALUE;
        long extreme = nothing;
        if (greatest) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                extreme = Math.max(extreme, anyNull && nulls[row] ? nothing : longs[row]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                extreme = Math.min(extreme, anyNull && nulls[row] ? nothing : longs[row]);
            }
        }
        return extreme;
    }

    private long longs(Values values, int first, int count) {
        long[] longs = values.longs;
        boolean[] nulls = values.nulls;
        boolean anyNull = values.anyNull;
        long nothing = greatest ? Long.MIN_VALUE : Long.MAX_VALUE;
        long extreme = nothing;
        if (greatest) {
            for (int row = first; row < first + count; row++) {
                extreme = Math.max(extreme, anyNull && nulls[row] ? nothing : longs[row]);
            }
        } else {
            for (int row = first; row < first + count; row++) {
                extreme = Math.min(extreme, anyNull && nulls[row] ? nothing : longs[row]);
            }
        }
        return extreme;
    }

    /** Compared as doubles: NaN, which is above all numbers, is no extreme by that, and is looked for apart. */
    private long doubles(Values values, int first, int count, int present) {
        double[] doubles = values.doubles;
        boolean[] nulls = values.nulls;
        boolean anyNull = values.anyNull;
        int numbers = 0;
        double extreme = greatest ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        for (int row = first; row < first + count; row++) {
            double value = anyNull && nulls[row] ? Double.NaN : doubles[row];
            boolean more = greatest ? value > extreme : value < extreme;
            extreme = more ? value : extreme;
            numbers += Double.isNaN(value) ? 0 : 1;
        }
        return ofNumbers(extreme, numbers, present);
    }

    private long doubles(Values values, int[] selected, int count, int present) {
        double[] doubles = values.doubles;
        boolean[] nulls = values.nulls;
        boolean anyNull = values.anyNull;
        int numbers = 0;
        double extreme = greatest ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            double value = anyNull && nulls[row] ? Double.NaN : doubles[row];
            boolean more = greatest ? value > extreme : value < extreme;
            extreme = more ? value : extreme;
            numbers += Double.isNaN(value) ? 0 : 1;
        }
        return ofNumbers(extreme, numbers, present);
    }

    private long ofNumbers(double extreme, int numbers, int present) {
        return OrderedBits.of(numbers == 0 || (greatest && numbers < present) ? Double.NaN : extreme);
    }

    private void take(int group, long value) {
        any[group] = true;
        extremes[group] = greatest ? Math.max(extremes[group], value) : Math.min(extremes[group], value);
    }

    @Override
    public boolean takesSummaries() {
        return true;
    }

    @Override
    public void addSummary(RowSummary.OfField summary, int group) {
        int present = summary.rows() - summary.nulls();
        boolean none = summary.nans() == present;
        if (present > 0) {
            boolean ofNaN = none || (greatest && summary.nans() > 0);
            take(group, ofNaN ? OrderedBits.of(Double.NaN) : greatest ? summary.high() : summary.low());
        }
    }

    @Override
    public boolean takesDifferentValues() {
        return true;
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
        Words.put(answer, row, field, extremes[group]);
        return true;
    }

    @Override
    public long bytes() {
        return 9L * extremes.length;
    }
}
