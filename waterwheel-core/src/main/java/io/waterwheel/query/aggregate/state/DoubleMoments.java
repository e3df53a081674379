package io.waterwheel.query.aggregate.state;

import io.waterwheel.query.column.Values;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Variance and standard deviation of doubles: their number, their exact sum and the exact sum of their squares. */
public final class DoubleMoments extends AggregateState {
    private static final List<Column> COLUMNS = List.of(
            new Column(FieldType.LONG, false),
            new Column(FieldType.BYTES, false),
            new Column(FieldType.BYTES, false),
            new Column(FieldType.BYTES, false),
            new Column(FieldType.BYTES, false));
    private static final int SUMS = 4;
    /** Of an empty sum and its reference. */
    private static final int SUM_BYTES = 64;
    /** Values outside of these are squared after they were multiplied by a power of two: squares stay in range. */
    private static final double SMALL = 0x1p-400;

    private static final double LARGE = 0x1p400;
    private static final int SHIFT = 600;

    private final boolean sample;
    private final boolean root;
    private long[] counts = {};
    /** By group: of values, then of squares of small, of ordinary and of large values; null while empty. */
    private @Nullable ExactSum[] sums = {};

    private long held;

    public DoubleMoments(boolean sample, boolean root) {
        this.sample = sample;
        this.root = root;
    }

    @Override
    public void groups(int count) {
        counts = grown(counts, count);
        if (sums.length < count * SUMS) {
            sums = Arrays.copyOf(sums, counts.length * SUMS);
        }
    }

    private ExactSum sum(int at) {
        ExactSum sum = sums[at];
        if (sum == null) {
            sum = new ExactSum();
            sums[at] = sum;
            held += SUM_BYTES;
        }
        return sum;
    }

    @Override
    public void add(Values values, int[] selected, int count, int[] groupOf) {
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (!values.anyNull || !values.nulls[row]) {
                add(groupOf[row], values.doubles[row]);
            }
        }
    }

    private void add(int group, double value) {
        counts[group]++;
        int at = group * SUMS;
        held += sum(at).add(value);
        double size = Math.abs(value);
        if (size == 0 || !(size < Double.POSITIVE_INFINITY)) {
            return;
        }
        int kind = size < SMALL ? 1 : size <= LARGE ? 2 : 3;
        double scaled = kind == 2 ? value : Math.scalb(value, kind == 1 ? SHIFT : -SHIFT);
        double square = scaled * scaled;
        ExactSum squares = sum(at + kind);
        held += squares.add(square);
        // What rounding the square cut off, exactly [Dekker 1971].
        held += squares.add(Math.fma(scaled, scaled, -square));
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        for (int r = 0; r < part.size(); r++) {
            int group = groupOf[r];
            counts[group] += getLong(part, field, r);
            for (int s = 0; s < SUMS; s++) {
                long reference = getLong(part, field + 1 + s, r);
                int length = TupleBlock.referenceLength(reference);
                if (length > 0) {
                    held += sum(group * SUMS + s).add(part.arena(), TupleBlock.referenceOffset(reference), length);
                }
            }
        }
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        putLong(part, field, row, counts[group]);
        for (int s = 0; s < SUMS; s++) {
            ExactSum sum = sums[group * SUMS + s];
            byte[] bytes = sum == null ? new byte[0] : sum.write();
            putLong(part, field + 1 + s, row, part.addToArena(bytes, 0, bytes.length));
        }
    }

    private Dyadic exact(int at) {
        ExactSum sum = sums[at];
        return sum == null ? Dyadic.ZERO : sum.exact();
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        int at = group * SUMS;
        Dyadic squares = exact(at + 1)
                .shifted(-2 * SHIFT)
                .plus(exact(at + 2))
                .plus(exact(at + 3).shifted(2 * SHIFT));
        Double value = Dyadic.variance(counts[group], exact(at), squares, sample, root);
        if (value == null) {
            return false;
        }
        ExactSum sum = sums[at];
        putDouble(answer, field, row, sum != null && sum.special() ? Double.NaN : value);
        return true;
    }

    @Override
    public long answerNanos(int group) {
        return 20_000;
    }

    @Override
    public long bytes() {
        return held + 8L * counts.length + 8L * sums.length;
    }
}
