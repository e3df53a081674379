package io.waterwheel.query.aggregate.state;

import io.waterwheel.query.column.Values;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;

/** Sum and average of doubles, exact until it is rounded once. */
public final class DoubleSum extends AggregateState {
    /* Values are divided as [Rump 2008] does: with s = 2^(e + 21), where all are below 2^(e + 1), (s + v) - s is the
     * part of v in multiples of 2^-53 s. 2^20 of these parts add up in a double without rounding, for their sum is at
     * most s. What is left of v is below 2^-53 s, and is divided again, by 2^-32 s. What is left then, of values that
     * are much smaller than others, is added to the exact sum at once; the two sums of parts at times. */

    private static final List<Column> COLUMNS =
            List.of(new Column(FieldType.BYTES, false), new Column(FieldType.LONG, false));
    /** Of an empty sum, its array and its reference, and its two sums of parts. */
    private static final int SUM_BYTES = 80;
    /** Parts that add up without rounding. */
    private static final int MOST_PENDING = 1 << 20;

    private static final int PENDING_BITS = 20;
    /** Between these exponents neither s nor its last part is beyond what a double can be. */
    private static final int LEAST_EXPONENT = -900;

    private static final int GREATEST_EXPONENT = 1000;
    /** Values that are smaller than expected by this power of two are divided anew, so that less is left of them. */
    private static final int SMALLER = 8;

    private static final long MAGNITUDE = Long.MAX_VALUE;
    private static final long INFINITE = Double.doubleToRawLongBits(Double.POSITIVE_INFINITY);

    private final boolean average;
    private ExactSum[] sums = {};
    private long held;
    private long[] counts = {};
    private int groups;

    /** By group, the sums of the greater and of the lesser parts that are not in the exact sums yet. */
    private double[] greater = {};

    private double[] lesser = {};
    private int pending;
    /** Groups below this number may have something pending. */
    private int pendingGroups;
    /** All values whose parts are pending are below 2 to the power of this plus 1. */
    private int exponent;
    /** The least digit that an exact sum has room for, and the one behind the greatest. */
    private int lowest = Integer.MAX_VALUE;

    private int end = Integer.MIN_VALUE;

    /** What is written of a group: its exact sum, and what is pending. */
    private final ExactSum whole = new ExactSum();

    private byte[] written = {};

    public DoubleSum(boolean average) {
        this.average = average;
    }

    @Override
    public void groups(int count) {
        counts = grown(counts, count);
        if (sums.length < count) {
            int length = Math.max(count, sums.length * 2);
            sums = Arrays.copyOf(sums, length);
            greater = Arrays.copyOf(greater, length);
            lesser = Arrays.copyOf(lesser, length);
        }
        for (; groups < count; groups++) {
            sums[groups] = new ExactSum();
            held += SUM_BYTES;
        }
    }

    @Override
    public void add(Values values, int[] selected, int count, int[] groupOf) {
        if (!mayDivide(values, selected, count)) {
            addEach(values, selected, count, groupOf);
            return;
        }
        double first = divisor(exponent);
        double second = divisor(exponent - 32);
        double[] doubles = values.doubles;
        boolean anyNull = values.anyNull;
        boolean[] nulls = values.nulls;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (anyNull && nulls[row]) {
                continue;
            }
            int group = groupOf[row];
            double value = doubles[row];
            double part = (first + value) - first;
            double rest = value - part;
            double lesserPart = (second + rest) - second;
            greater[group] += part;
            lesser[group] += lesserPart;
            counts[group]++;
            if (rest != lesserPart) {
                addExactly(group, rest - lesserPart);
            }
        }
    }

    @Override
    public void addToGroup(Values values, int[] selected, int count, int[] groupOf, int group) {
        if (!mayDivide(values, selected, count)) {
            addEach(values, selected, count, groupOf);
            return;
        }
        double first = divisor(exponent);
        double second = divisor(exponent - 32);
        double[] doubles = values.doubles;
        boolean anyNull = values.anyNull && !values.zeroNulls;
        boolean[] nulls = values.nulls;
        double greaterSum = 0;
        double lesserSum = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            double value = anyNull && nulls[row] ? 0 : doubles[row];
            double part = (first + value) - first;
            double rest = value - part;
            double lesserPart = (second + rest) - second;
            greaterSum += part;
            lesserSum += lesserPart;
            if (rest != lesserPart) {
                addExactly(group, rest - lesserPart);
            }
        }
        greater[group] += greaterSum;
        lesser[group] += lesserSum;
        counts[group] += present(values, selected, count);
    }

    private static double divisor(int exponent) {
        return Math.scalb(1.0, exponent + PENDING_BITS + 1);
    }

    /** Whether the values can be divided into parts; the exponent is theirs then. */
    private boolean mayDivide(Values values, int[] selected, int count) {
        double[] doubles = values.doubles;
        boolean anyNull = values.anyNull && !values.zeroNulls;
        boolean[] nulls = values.nulls;
        long greatest = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long bits = Double.doubleToRawLongBits(doubles[row]) & MAGNITUDE;
            greatest = Math.max(greatest, anyNull && nulls[row] ? 0 : bits);
        }
        if (greatest >= INFINITE || count > MOST_PENDING) {
            return false;
        }
        int found = Math.getExponent(Double.longBitsToDouble(greatest));
        if (found > GREATEST_EXPONENT || found < LEAST_EXPONENT) {
            return greatest == 0 && pending > 0;
        }
        if (pending + count > MOST_PENDING || found > exponent || found < exponent - SMALLER) {
            // What is pending is added group by group: not worth it for more groups than rows that were or are pending.
            if (pending > 0 && Math.max(pending, count) < groups) {
                return false;
            }
            settle();
            exponent = found;
        }
        pending += count;
        pendingGroups = groups;
        return true;
    }

    private void addExactly(int group, double value) {
        int grown = sums[group].add(value);
        if (grown > 0) {
            grew(group, grown);
        }
    }

    private void grew(int group, int bytes) {
        held += bytes;
        lowest = Math.min(lowest, sums[group].lowest());
        end = Math.max(end, sums[group].end());
    }

    /** Adds what is pending to the exact sums. */
    private void settle() {
        if (pending == 0) {
            return;
        }
        pending = 0;
        for (int group = 0; group < pendingGroups; group++) {
            addExactly(group, greater[group]);
            addExactly(group, lesser[group]);
            greater[group] = 0;
            lesser[group] = 0;
        }
    }

    private void addEach(Values values, int[] selected, int count, int[] groupOf) {
        double[] doubles = values.doubles;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (values.anyNull && values.nulls[row]) {
                continue;
            }
            int group = groupOf[row];
            addExactly(group, doubles[row]);
            counts[group]++;
        }
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        for (int r = 0; r < part.size(); r++) {
            long reference = getLong(part, field, r);
            int group = groupOf[r];
            int grown = sums[group].add(
                    part.arena(), TupleBlock.referenceOffset(reference), TupleBlock.referenceLength(reference));
            if (grown > 0) {
                grew(group, grown);
            }
            counts[group] += getLong(part, field + 1, r);
        }
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        // Nothing is settled for it: that takes an array a group.
        ExactSum sum = sums[group];
        if (greater[group] != 0 || lesser[group] != 0) {
            whole.clear();
            whole.add(sum);
            whole.add(greater[group]);
            whole.add(lesser[group]);
            sum = whole;
        }
        if (written.length == 0) {
            written = new byte[ExactSum.MOST_BYTES + 4];
        }
        putLong(part, field, row, part.addToArena(written, 0, sum.write(written)));
        putLong(part, field + 1, row, counts[group]);
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        settle();
        if (counts[group] == 0) {
            return false;
        }
        double sum = sums[group].value();
        putDouble(answer, field, row, average ? sum / counts[group] : sum);
        return true;
    }

    @Override
    public long bytes() {
        return held + 8L * counts.length + (pending == 0 ? 0 : (long) pendingGroups * settledBytes());
    }

    /** What an exact sum has room for at most, once what is pending is in it. */
    private int settledBytes() {
        // The lesser parts are multiples of 2^-53 of their divisor, and the greater ones add up to theirs at most.
        int low = Math.min(lowest, ExactSum.digit(exponent - 32 + PENDING_BITS + 1 - 53));
        int high = Math.max(end, ExactSum.digit(exponent + PENDING_BITS + 1) + 3);
        return Math.min(ExactSum.MOST_BYTES, (high - low) * Long.BYTES);
    }
}
