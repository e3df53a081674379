package io.waterwheel.query.result;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/** Aggregates of numbers and times. */
final class NumberStates {
    private NumberStates() {}

    /**
     * SUM and AVG of integers, exact: the upper and the lower 32 bits of each value are added apart, in 64 bits each,
     * which 2^31 values cannot overflow.
     */
    static final class WholeSum extends AggregateState {
        private static final int NORMALISE_EACH = 1 << 30;

        private final String name;
        private final boolean average;
        private long[] highs = {};
        private long[] lows = {};
        private long[] counts = {};
        private int groups;
        private long addedSince;

        WholeSum(String name, boolean average) {
            this.name = name;
            this.average = average;
        }

        @Override
        void groups(int count) {
            groups = count;
            highs = grown(highs, count);
            lows = grown(lows, count);
            counts = grown(counts, count);
        }

        @Override
        void add(Values values, int[] selected, int count, int[] groupOf) {
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
        void merge(TupleBlock part, int field, int[] groupOf) {
            for (int r = 0; r < part.size(); r++) {
                int group = groupOf[r];
                highs[group] = Math.addExact(highs[group], getLong(part, field, r));
                lows[group] += getLong(part, field + 1, r) & 0xFFFFFFFFL;
                counts[group] += getLong(part, field + 2, r);
            }
            added(part.size());
        }

        @Override
        List<FieldType> columns() {
            return List.of(FieldType.LONG, FieldType.LONG, FieldType.LONG);
        }

        @Override
        void writePart(TupleBlock part, int row, int field, int group) {
            normalise(group);
            putLong(part, field, row, highs[group]);
            putLong(part, field + 1, row, lows[group]);
            putLong(part, field + 2, row, counts[group]);
        }

        @Override
        boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
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
        long bytes() {
            return 24L * counts.length;
        }
    }

    /** SUM and AVG of doubles. */
    static final class DoubleSum extends AggregateState {
        private final boolean average;
        /** Of an empty sum, its array and its reference. */
        private static final int SUM_BYTES = 64;

        private ExactSum[] sums = {};
        private long held;
        private long[] counts = {};
        private int groups;

        DoubleSum(boolean average) {
            this.average = average;
        }

        @Override
        void groups(int count) {
            counts = grown(counts, count);
            if (sums.length < count) {
                sums = Arrays.copyOf(sums, Math.max(count, sums.length * 2));
            }
            for (; groups < count; groups++) {
                sums[groups] = new ExactSum();
                held += SUM_BYTES;
            }
        }

        @Override
        void add(Values values, int[] selected, int count, int[] groupOf) {
            double[] doubles = values.doubles;
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                if (values.anyNull && values.nulls[row]) {
                    continue;
                }
                int group = groupOf[row];
                held += sums[group].add(doubles[row]);
                counts[group]++;
            }
        }

        @Override
        void merge(TupleBlock part, int field, int[] groupOf) {
            for (int r = 0; r < part.size(); r++) {
                long reference = getLong(part, field, r);
                held += sums[groupOf[r]].add(
                        part.arena(), TupleBlock.referenceOffset(reference), TupleBlock.referenceLength(reference));
                counts[groupOf[r]] += getLong(part, field + 1, r);
            }
        }

        @Override
        List<FieldType> columns() {
            return List.of(FieldType.BYTES, FieldType.LONG);
        }

        @Override
        void writePart(TupleBlock part, int row, int field, int group) {
            byte[] sum = sums[group].write();
            putLong(part, field, row, part.addToArena(sum, 0, sum.length));
            putLong(part, field + 1, row, counts[group]);
        }

        @Override
        boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
            if (counts[group] == 0) {
                return false;
            }
            double sum = sums[group].value();
            putDouble(answer, field, row, average ? sum / counts[group] : sum);
            return true;
        }

        @Override
        long bytes() {
            return held + 8L * counts.length;
        }
    }

    /** MIN and MAX of integers, times, booleans and doubles, the latter as {@link OrderedBits}. */
    static final class Extreme extends AggregateState {
        private final ValueType type;
        private final FieldType answerType;
        private final boolean greatest;
        private long[] extremes = {};
        private int groups;
        /** Whether a group has a value. */
        private boolean[] any = {};

        /** @param answerType of the answer's field: of the argument's type, perhaps narrower */
        Extreme(ValueType type, FieldType answerType, boolean greatest) {
            this.type = type;
            this.answerType = answerType;
            this.greatest = greatest;
        }

        @Override
        void groups(int count) {
            extremes = grown(extremes, count);
            if (any.length < count) {
                any = Arrays.copyOf(any, extremes.length);
            }
            for (; groups < count; groups++) {
                extremes[groups] = greatest ? Long.MIN_VALUE : Long.MAX_VALUE;
            }
        }

        @Override
        void add(Values values, int[] selected, int count, int[] groupOf) {
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
        void merge(TupleBlock part, int field, int[] groupOf) {
            for (int r = 0; r < part.size(); r++) {
                if (!part.isNull(field, r)) {
                    take(groupOf[r], getLong(part, field, r));
                }
            }
        }

        @Override
        List<FieldType> columns() {
            // In a part whatever the type: a double keeps its ordered bits.
            return List.of(FieldType.LONG);
        }

        @Override
        void writePart(TupleBlock part, int row, int field, int group) {
            if (any[group]) {
                putLong(part, field, row, extremes[group]);
            } else {
                setNull(part, row, field);
            }
        }

        @Override
        boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
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
        long bytes() {
            return 9L * extremes.length;
        }
    }
}
