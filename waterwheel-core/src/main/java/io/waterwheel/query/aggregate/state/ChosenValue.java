package io.waterwheel.query.aggregate.state;

import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Of each group the value that another one chooses; see {@code arg_min} and {@code first}. */
public final class ChosenValue extends AggregateState {
    /* A candidate is two values one after the other, as bytes whose order is theirs: what it is chosen by, then the
     * value. A part has the candidate of each group; empty is none. */

    private static final List<Column> COLUMNS = List.of(new Column(FieldType.BYTES, false));
    private static final int ARRAY_BYTES = 16;

    private final ValueType type;
    private final ValueType byType;
    private final boolean greatest;
    private byte[] @Nullable [] chosen = {};
    private byte[] candidate = new byte[64];
    private long held;

    public ChosenValue(ValueType type, ValueType byType, boolean greatest) {
        this.type = type;
        this.byType = byType;
        this.greatest = greatest;
    }

    @Override
    public void groups(int count) {
        if (chosen.length < count) {
            chosen = Arrays.copyOf(chosen, Math.max(count, chosen.length * 2));
        }
    }

    @Override
    public void add(Values values, Values by, int[] selected, int count, int[] groupOf) {
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if ((values.anyNull && values.nulls[row]) || (by.anyNull && by.nulls[row])) {
                continue;
            }
            int middle = layOut(byType, by, row, 4);
            LittleEndian.putInt(candidate, 0, middle);
            int end = layOut(type, values, row, middle);
            take(groupOf[row], candidate, 0, end);
        }
    }

    /** Lays a value out from a place of the candidate on; returns where it ends. */
    private int layOut(ValueType kind, Values values, int row, int at) {
        long word = kind.variable() ? values.longs[row] : Words.of(kind, values, row);
        int length = kind.variable() ? TupleBlock.referenceLength(word) : 8;
        if (candidate.length < at + length) {
            candidate = Arrays.copyOf(candidate, Math.max(at + length, candidate.length * 2));
        }
        if (kind.variable()) {
            System.arraycopy(values.slab(word), values.offset(word), candidate, at, length);
        } else {
            putOrdered(candidate, at, word);
        }
        return at + length;
    }

    /** Eight bytes that compare, unsigned, as the words do. */
    private static void putOrdered(byte[] bytes, int at, long word) {
        LittleEndian.putLong(bytes, at, Long.reverseBytes(word ^ Long.MIN_VALUE));
    }

    private void take(int group, byte[] bytes, int from, int to) {
        byte[] present = chosen[group];
        if (present != null) {
            int middle = from + LittleEndian.getInt(bytes, from);
            int presentMiddle = LittleEndian.getInt(present, 0);
            int compared = Arrays.compareUnsigned(bytes, from + 4, middle, present, 4, presentMiddle);
            compared = greatest ? -compared : compared;
            if (compared == 0) {
                compared = Arrays.compareUnsigned(bytes, middle, to, present, presentMiddle, present.length);
            }
            if (compared >= 0) {
                return;
            }
            if (present.length == to - from) {
                System.arraycopy(bytes, from, present, 0, to - from);
                return;
            }
            held -= present.length + ARRAY_BYTES;
        }
        chosen[group] = Arrays.copyOfRange(bytes, from, to);
        held += to - from + ARRAY_BYTES;
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        for (int r = 0; r < part.size(); r++) {
            long reference = getLong(part, field, r);
            int length = TupleBlock.referenceLength(reference);
            if (length > 0) {
                int offset = TupleBlock.referenceOffset(reference);
                requireCandidate(part.arena(), offset, length);
                take(groupOf[r], part.arena(), offset, offset + length);
            }
        }
    }

    private void requireCandidate(byte[] bytes, int offset, int length) {
        int middle = length < 4 ? -1 : LittleEndian.getInt(bytes, offset);
        if (middle < 4
                || middle > length
                || (!byType.variable() && middle != 12)
                || (!type.variable() && length - middle != 8)) {
            throw new IllegalArgumentException("a partial choice of " + length + " bytes, divided at " + middle);
        }
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        byte[] present = chosen[group];
        putLong(part, field, row, present == null ? 0 : part.addToArena(present, 0, present.length));
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        byte[] present = chosen[group];
        if (present == null) {
            return false;
        }
        int middle = LittleEndian.getInt(present, 0);
        if (type.variable()) {
            putLong(answer, field, row, answer.addToArena(present, middle, present.length - middle));
        } else {
            Words.put(answer, row, field, word(present, middle));
        }
        return true;
    }

    /** Whether a group has a value. */
    boolean has(int group) {
        return chosen[group] != null;
    }

    /** The word of a group's value, which is of fixed size. */
    long word(int group) {
        byte[] present = Objects.requireNonNull(chosen[group]);
        return word(present, LittleEndian.getInt(present, 0));
    }

    /** The word that the group's value is chosen by, which is of fixed size. */
    long byWord(int group) {
        return word(Objects.requireNonNull(chosen[group]), 4);
    }

    private static long word(byte[] bytes, int at) {
        return Long.reverseBytes(LittleEndian.getLong(bytes, at)) ^ Long.MIN_VALUE;
    }

    @Override
    public long bytes() {
        return held + 8L * chosen.length + candidate.length;
    }
}
