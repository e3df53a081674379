package io.waterwheel.query.aggregate.state;

import io.waterwheel.query.column.Values;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;

/** The least or greatest text, or bytes. */
public final class ExtremeBytes extends AggregateState {
    private final List<Column> columns;
    private final boolean greatest;
    private byte[][] extremes = {};
    private long held;

    public ExtremeBytes(FieldType type, boolean greatest) {
        this.columns = List.of(new Column(type, true));
        this.greatest = greatest;
    }

    @Override
    public void groups(int count) {
        if (extremes.length < count) {
            extremes = Arrays.copyOf(extremes, Math.max(count, extremes.length * 2));
        }
    }

    @Override
    public void add(Values values, int[] selected, int count, int[] groupOf) {
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (!values.anyNull || !values.nulls[row]) {
                long reference = values.longs[row];
                int offset = values.offset(reference);
                int end = offset + TupleBlock.referenceLength(reference);
                take(groupOf[row], values.slab(reference), offset, end);
            }
        }
    }

    private void take(int group, byte[] bytes, int from, int to) {
        byte[] present = extremes[group];
        if (present != null) {
            int compared = Arrays.compareUnsigned(bytes, from, to, present, 0, present.length);
            if (greatest ? compared <= 0 : compared >= 0) {
                return;
            }
            held -= present.length + 16;
        }
        extremes[group] = Arrays.copyOfRange(bytes, from, to);
        held += to - from + 16;
    }

    @Override
    public boolean takesDifferentValues() {
        return true;
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        for (int r = 0; r < part.size(); r++) {
            if (!part.isNull(field, r)) {
                long reference = getLong(part, field, r);
                int offset = TupleBlock.referenceOffset(reference);
                take(groupOf[r], part.arena(), offset, offset + TupleBlock.referenceLength(reference));
            }
        }
    }

    @Override
    public List<Column> columns() {
        return columns;
    }

    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        if (!writeAnswer(part, row, field, group)) {
            setNull(part, row, field);
        }
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        byte[] extreme = extremes[group];
        if (extreme == null) {
            return false;
        }
        putLong(answer, field, row, answer.addToArena(extreme, 0, extreme.length));
        return true;
    }

    @Override
    public long bytes() {
        return held + 8L * extremes.length;
    }
}
