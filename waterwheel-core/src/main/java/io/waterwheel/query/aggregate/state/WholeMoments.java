package io.waterwheel.query.aggregate.state;

import io.waterwheel.query.column.Values;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigInteger;
import java.util.Collections;
import java.util.List;

/**
 * Variance and standard deviation of integers, exact: number, sum (128 bits) and sum of squares (192 bits) of a group's
 * values, each number in words of 64 bits.
 */
public final class WholeMoments extends AggregateState {
    private static final int WORDS = 6;
    private static final List<Column> COLUMNS = Collections.nCopies(WORDS, new Column(FieldType.LONG, false));

    private final boolean sample;
    private final boolean root;
    /** By group: number; sum, high and low word; squares, from high to low. */
    private long[] words = {};

    public WholeMoments(boolean sample, boolean root) {
        this.sample = sample;
        this.root = root;
    }

    @Override
    public void groups(int count) {
        words = grown(words, count * WORDS);
    }

    @Override
    public void add(Values values, int[] selected, int count, int[] groupOf) {
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (!values.anyNull || !values.nulls[row]) {
                long value = values.longs[row];
                add(groupOf[row], 1, value >> 63, value, 0, Math.multiplyHigh(value, value), value * value);
            }
        }
    }

    private void add(int group, long number, long sumHigh, long sumLow, long top, long middle, long low) {
        int at = group * WORDS;
        words[at] += number;
        long sum = words[at + 2] + sumLow;
        words[at + 1] += sumHigh + carry(sum, sumLow);
        words[at + 2] = sum;
        long lowest = words[at + 5] + low;
        long carry = carry(lowest, low);
        long between = words[at + 4] + middle;
        long above = carry(between, middle);
        long carried = between + carry;
        words[at + 3] += top + above + carry(carried, carry);
        words[at + 4] = carried;
        words[at + 5] = lowest;
    }

    /** 1 when adding this number, unsigned, went beyond 64 bits. */
    private static long carry(long sum, long added) {
        return Long.compareUnsigned(sum, added) < 0 ? 1 : 0;
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        for (int r = 0; r < part.size(); r++) {
            add(
                    groupOf[r],
                    getLong(part, field, r),
                    getLong(part, field + 1, r),
                    getLong(part, field + 2, r),
                    getLong(part, field + 3, r),
                    getLong(part, field + 4, r),
                    getLong(part, field + 5, r));
        }
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        for (int w = 0; w < WORDS; w++) {
            putLong(part, field + w, row, words[group * WORDS + w]);
        }
    }

    /** The signed number of some words, from high to low. */
    private Dyadic number(int from, int count) {
        BigInteger number = BigInteger.valueOf(words[from]);
        for (int w = 1; w < count; w++) {
            long word = words[from + w];
            number = number.shiftLeft(32)
                    .add(BigInteger.valueOf(word >>> 32))
                    .shiftLeft(32)
                    .add(BigInteger.valueOf(word & 0xFFFFFFFFL));
        }
        return new Dyadic(number, 0);
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        int at = group * WORDS;
        Double value = Dyadic.variance(words[at], number(at + 1, 2), number(at + 3, 3), sample, root);
        if (value == null) {
            return false;
        }
        putDouble(answer, field, row, value);
        return true;
    }

    @Override
    public long answerNanos(int group) {
        return 20_000;
    }

    @Override
    public long bytes() {
        return 8L * words.length;
    }
}
