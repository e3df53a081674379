package io.waterwheel.query.aggregate;

import io.waterwheel.query.column.Values;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;

/** Sum and average of doubles. */
final class DoubleSum extends AggregateState {
    private static final List<Column> COLUMNS =
            List.of(new Column(FieldType.BYTES, false), new Column(FieldType.LONG, false));
    /** Of an empty sum, its array and its reference. */
    private static final int SUM_BYTES = 64;

    private final boolean average;
    private ExactSum[] sums = {};
    private long held;
    private long[] counts = {};
    private int groups;

    DoubleSum(boolean average) {
        this.average = average;
    }

    @Override
    public void groups(int count) {
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
    public void add(Values values, int[] selected, int count, int[] groupOf) {
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
    public void merge(TupleBlock part, int field, int[] groupOf) {
        for (int r = 0; r < part.size(); r++) {
            long reference = getLong(part, field, r);
            held += sums[groupOf[r]].add(
                    part.arena(), TupleBlock.referenceOffset(reference), TupleBlock.referenceLength(reference));
            counts[groupOf[r]] += getLong(part, field + 1, r);
        }
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        byte[] sum = sums[group].write();
        putLong(part, field, row, part.addToArena(sum, 0, sum.length));
        putLong(part, field + 1, row, counts[group]);
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        if (counts[group] == 0) {
            return false;
        }
        double sum = sums[group].value();
        putDouble(answer, field, row, average ? sum / counts[group] : sum);
        return true;
    }

    @Override
    public long bytes() {
        return held + 8L * counts.length;
    }
}
