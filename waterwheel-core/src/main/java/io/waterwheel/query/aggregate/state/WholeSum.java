package io.waterwheel.query.aggregate.state;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.Selection;
import io.waterwheel.query.column.Values;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigInteger;
import java.util.List;

/**
 * Sum and average of integers, exact: the upper and the lower 32 bits of each value are added apart, in 64 bits each,
 * which 2^31 values cannot overflow.
 */
public final class WholeSum extends AggregateState {
    private static final List<Column> COLUMNS = List.of(
            new Column(FieldType.LONG, false), new Column(FieldType.LONG, false), new Column(FieldType.LONG, false));
    private static final int NORMALISE_EACH = 1 << 30;

    private final String name;
    private final boolean average;
    private long[] highs = {};
    private long[] lows = {};
    private long[] counts = {};
    private int groups;
    private long addedSince;

    public WholeSum(String name, boolean average) {
        this.name = name;
        this.average = average;
    }

    @Override
    public void groups(int count) {
        groups = count;
        highs = grown(highs, count);
        lows = grown(lows, count);
        counts = grown(counts, count);
    }

    @Override
    public void add(Values values, int[] selected, int count, int[] groupOf) {
        long[] longs = values.longs;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (values.anyNull && values.nulls[row]) {
                continue;
            }
            int group = groupOf[row];
            long value = longs[row];
            highs[group] += value >> 32;
            lows[group] += value & 0xFFFFFFFFL;
            counts[group]++;
        }
        added(count);
    }

    @Override
    public void addToGroup(Values values, int[] selected, int count, int[] groupOf, int group) {
        long[] longs = values.longs;
        long high = 0;
        // Of all values, modulo 2^64: what the upper halves leave of it is the sum of the lower ones, below 2^63.
        long sum = 0;
        if (Selection.isRange(selected, count)) {
            int first = selected[0];
            for (int row = first; row < first + count; row++) {
                high += longs[row] >> 32;
                sum += longs[row];
            }
        } else {
            for (int i = 0; i < count; i++) {
                long value = longs[selected[i]];
                high += value >> 32;
                sum += value;
            }
        }
        if (values.anyNull && !values.zeroNulls) {
            // What a value is where it is null is not defined, but it is there, and was added.
            boolean[] nulls = values.nulls;
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                long value = nulls[row] ? longs[row] : 0;
                high -= value >> 32;
                sum -= value;
            }
        }
        highs[group] += high;
        lows[group] += sum - (high << 32);
        counts[group] += present(values, selected, count);
        added(count);
    }

    private void added(int count) {
        addedSince += count;
        if (addedSince >= NORMALISE_EACH) {
            addedSince = 0;
            for (int g = 0; g < groups; g++) {
                normalise(g);
            }
        }
    }

    private void normalise(int group) {
        highs[group] += lows[group] >> 32;
        lows[group] &= 0xFFFFFFFFL;
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        for (int r = 0; r < part.size(); r++) {
            int group = groupOf[r];
            highs[group] = Math.addExact(highs[group], getLong(part, field, r));
            lows[group] += getLong(part, field + 1, r) & 0xFFFFFFFFL;
            counts[group] += getLong(part, field + 2, r);
        }
        added(part.size());
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        normalise(group);
        putLong(part, field, row, highs[group]);
        putLong(part, field + 1, row, lows[group]);
        putLong(part, field + 2, row, counts[group]);
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        normalise(group);
        if (counts[group] == 0) {
            return false;
        }
        boolean fits = highs[group] == (int) highs[group];
        long sum = highs[group] << 32 | lows[group];
        if (average) {
            double rounded = fits
                    ? (double) sum
                    : ExactSum.rounded(
                            BigInteger.valueOf(highs[group]).shiftLeft(32).add(BigInteger.valueOf(lows[group])), 0);
            putDouble(answer, field, row, rounded / counts[group]);
            return true;
        }
        if (!fits) {
            throw new WaterwheelException(
                    ErrorCode.INTEGER_OVERFLOW,
                    "aggregate " + name + ": the sum exceeds 64 bits; sum a double, such as 1.0 * FIELD, or narrow"
                            + " the query");
        }
        putLong(answer, field, row, sum);
        return true;
    }

    @Override
    public long bytes() {
        return 24L * counts.length;
    }
}
