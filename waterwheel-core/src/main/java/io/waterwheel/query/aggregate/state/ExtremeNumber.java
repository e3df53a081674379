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
            double known = any[group] ? OrderedBits.toDouble(extremes[group]) : Double.NaN;
            if (greatest && any[group] && Double.isNaN(known)) {
                return;
            } else if (Double.isNaN(known)) {
                known = greatest ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
            }
            double extreme =
                    range ? doubles(values, selected[0], count, known) : doubles(values, selected, count, known);
            boolean none = !greatest && extreme == Double.POSITIVE_INFINITY && !anyNumber(values, selected, count);
            take(group, OrderedBits.of(none ? Double.NaN : extreme));
        } else {
            long known = extremes[group];
            take(group, range ? longs(values, selected[0], count, known) : longs(values, selected, count, known));
        }
    }

    /* Loops begin with the extreme that is known: few rows have a value beyond it, so that the processor foresees what is
     * the case, and nulls are looked for among these alone. Doubles are compared as such. NaN is above all numbers: the
     * greatest is NaN where there is one, and a comparison that is false of it leads there. The least is NaN only where
     * there is nothing else; these loops do not see that. */

    private long longs(Values values, int[] selected, int count, long known) {
        long[] longs = values.longs;
        boolean[] nulls = values.nulls;
        boolean anyNull = values.anyNull;
        long extreme = known;
        if (greatest) {
            for (int i = 0; i < count; i++) {
                long value = longs[selected[i]];
                if (value > extreme && !(anyNull && nulls[selected[i]])) {
                    extreme = value;
                }
            }
            return extreme;
        }
        for (int i = 0; i < count; i++) {
            long value = longs[selected[i]];
            if (value < extreme && !(anyNull && nulls[selected[i]])) {
                extreme = value;
            }
        }
        return extreme;
    }

    private long longs(Values values, int first, int count, long known) {
        long[] longs = values.longs;
        boolean[] nulls = values.nulls;
        boolean anyNull = values.anyNull;
        long extreme = known;
        if (greatest) {
            for (int row = first; row < first + count; row++) {
                long value = longs[row];
                if (value > extreme && !(anyNull && nulls[row])) {
                    extreme = value;
                }
            }
            return extreme;
        }
        for (int row = first; row < first + count; row++) {
            long value = longs[row];
            if (value < extreme && !(anyNull && nulls[row])) {
                extreme = value;
            }
        }
        return extreme;
    }

    private double doubles(Values values, int[] selected, int count, double known) {
        double[] doubles = values.doubles;
        boolean[] nulls = values.nulls;
        boolean anyNull = values.anyNull;
        double extreme = known;
        if (greatest) {
            for (int i = 0; i < count; i++) {
                double value = doubles[selected[i]];
                if (!(value <= extreme) && !(anyNull && nulls[selected[i]])) {
                    if (Double.isNaN(value)) {
                        return value;
                    }
                    extreme = value;
                }
            }
            return extreme;
        }
        for (int i = 0; i < count; i++) {
            double value = doubles[selected[i]];
            if (value < extreme && !(anyNull && nulls[selected[i]])) {
                extreme = value;
            }
        }
        return extreme;
    }

    private double doubles(Values values, int first, int count, double known) {
        double[] doubles = values.doubles;
        boolean[] nulls = values.nulls;
        boolean anyNull = values.anyNull;
        double extreme = known;
        if (greatest) {
            for (int row = first; row < first + count; row++) {
                double value = doubles[row];
                if (!(value <= extreme) && !(anyNull && nulls[row])) {
                    if (Double.isNaN(value)) {
                        return value;
                    }
                    extreme = value;
                }
            }
            return extreme;
        }
        for (int row = first; row < first + count; row++) {
            double value = doubles[row];
            if (value < extreme && !(anyNull && nulls[row])) {
                extreme = value;
            }
        }
        return extreme;
    }

    private static boolean anyNumber(Values values, int[] selected, int count) {
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (!Double.isNaN(values.doubles[row]) && !values.isNull(row)) {
                return true;
            }
        }
        return false;
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
