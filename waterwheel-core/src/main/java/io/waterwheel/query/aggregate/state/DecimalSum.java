package io.waterwheel.query.aggregate.state;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.List;

/**
 * Sum and average of decimals, exact. Each value is four digits of 32 bits, the first with the sign, which are added
 * apart in 64 bits each, as 2^31 values cannot overflow.
 */
public final class DecimalSum extends AggregateState {
    private static final int LIMBS = 4;
    private static final long MASK = 0xFFFFFFFFL;
    /** The digits from the highest, and the number of values. */
    private static final List<Column> COLUMNS = List.of(
            new Column(FieldType.LONG, false),
            new Column(FieldType.LONG, false),
            new Column(FieldType.LONG, false),
            new Column(FieldType.LONG, false),
            new Column(FieldType.LONG, false));

    private static final int NORMALISE_EACH = 1 << 30;
    /** More digits than tell a double from its neighbour, of a quotient of two whole numbers of this size. */
    private static final MathContext QUOTIENT = new MathContext(100);

    /** Of the highest digits: a sum beyond has far more than 38 digits, and twice as much is no overflow yet. */
    private static final long MOST_TOP = 1L << 61;

    private final String name;
    private final ValueType type;
    private final boolean average;
    /** Of each group its digits, from the highest. */
    private long[] limbs = {};

    private long[] counts = {};
    private int groups;
    private long addedSince;

    /**
     * An empty state.
     *
     * @param name of the aggregate, for messages
     * @param type the decimals
     */
    public DecimalSum(String name, ValueType type, boolean average) {
        this.name = name;
        this.type = type;
        this.average = average;
    }

    @Override
    public void groups(int count) {
        groups = count;
        limbs = grown(limbs, count * LIMBS);
        counts = grown(counts, count);
    }

    @Override
    public void add(Values values, int[] selected, int count, int[] groupOf) {
        long[] longs = values.longs;
        boolean variable = type.variable();
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (values.anyNull && values.nulls[row]) {
                continue;
            }
            long value = longs[row];
            if (variable) {
                byte[] slab = values.slab(value);
                int at = values.offset(value);
                long high = Long.reverseBytes(LittleEndian.getLong(slab, at)) ^ Long.MIN_VALUE;
                add(groupOf[row], high, Long.reverseBytes(LittleEndian.getLong(slab, at + Long.BYTES)));
            } else {
                add(groupOf[row], value >> 63, value);
            }
        }
        added(count);
    }

    private void add(int group, long high, long low) {
        int at = group * LIMBS;
        limbs[at] += high >> 32;
        limbs[at + 1] += high & MASK;
        limbs[at + 2] += low >>> 32;
        limbs[at + 3] += low & MASK;
        counts[group]++;
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
        for (int at = group * LIMBS + LIMBS - 1; at > group * LIMBS; at--) {
            limbs[at - 1] += limbs[at] >> 32;
            limbs[at] &= MASK;
        }
        if (Math.abs(limbs[group * LIMBS]) > MOST_TOP) {
            throw overflow();
        }
    }

    private WaterwheelException overflow() {
        return new WaterwheelException(
                ErrorCode.INTEGER_OVERFLOW,
                "aggregate " + name + ": the sum exceeds " + Decimals.MOST_DIGITS
                        + " digits; sum a double, such as CAST(FIELD AS DOUBLE), or narrow the query");
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        for (int r = 0; r < part.size(); r++) {
            int at = groupOf[r] * LIMBS;
            limbs[at] += getLong(part, field, r);
            if (Math.abs(limbs[at]) > MOST_TOP) {
                throw overflow();
            }
            for (int limb = 1; limb < LIMBS; limb++) {
                limbs[at + limb] += getLong(part, field + limb, r) & MASK;
            }
            counts[groupOf[r]] += getLong(part, field + LIMBS, r);
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
        for (int limb = 0; limb < LIMBS; limb++) {
            putLong(part, field + limb, row, limbs[group * LIMBS + limb]);
        }
        putLong(part, field + LIMBS, row, counts[group]);
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        if (counts[group] == 0) {
            return false;
        }
        BigInteger sum = BigInteger.ZERO;
        for (int limb = 0; limb < LIMBS; limb++) {
            sum = sum.shiftLeft(32).add(BigInteger.valueOf(limbs[group * LIMBS + limb]));
        }
        if (average) {
            BigDecimal mean = new BigDecimal(sum, type.scale()).divide(BigDecimal.valueOf(counts[group]), QUOTIENT);
            putDouble(answer, field, row, mean.doubleValue());
            return true;
        }
        if (sum.abs().compareTo(Decimals.limit(Decimals.MOST_DIGITS)) >= 0) {
            throw overflow();
        }
        putLong(answer, field, row, answer.addToArena(Decimals.bytes(sum), 0, Decimals.LONG_BYTES));
        return true;
    }

    @Override
    public long bytes() {
        return 8L * (limbs.length + counts.length);
    }
}
