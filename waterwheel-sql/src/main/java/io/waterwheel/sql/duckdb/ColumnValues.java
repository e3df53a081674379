package io.waterwheel.sql.duckdb;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The different whole numbers of a column, gathered while its table is handed over: so another leaf is narrowed by
 * them, or its rows are tested, without a question to DuckDB, which would have to read the table first. Of more than
 * {@code most} values only that there are more. One thread.
 */
final class ColumnValues {
    private static final int LEAST_SLOTS = 64;

    private final int field;
    private final int most;
    /** Odd, and another each time, so that no client can choose values that meet in one slot. */
    private final long multiplier = ThreadLocalRandom.current().nextLong() | 1;
    /** Open addressing, at most half full; 0 stands for none, and {@link #zero} for 0. */
    private long[] slots = new long[LEAST_SLOTS];

    private boolean zero;
    private int count;
    /** That of the row before: neighbours are often alike. */
    private long last;

    private boolean tooMany;

    /**
     * No values yet.
     *
     * @param field of the blocks, for which {@link #gathers} is true
     * @param most values
     */
    ColumnValues(int field, int most) {
        this.field = field;
        this.most = most;
    }

    /** Whether values of a type are gathered here. */
    static boolean gathers(FieldType type) {
        return type == FieldType.INT || type == FieldType.LONG;
    }

    void add(TupleBlock block) {
        if (tooMany) {
            return;
        }
        byte[] bytes = block.column(block.layout().columnOf(field));
        boolean narrow = block.layout().fields().get(field).type().physical() == PhysicalType.INT32;
        int bit = block.layout().nullBit(field);
        for (int row = 0; row < block.size(); row++) {
            if (bit >= 0 && (block.nullMask(row) >>> bit & 1) != 0) {
                continue;
            }
            long value = narrow ? LittleEndian.getInt(bytes, row * 4) : LittleEndian.getLong(bytes, row * 8);
            if (value == last) {
                zero |= value == 0;
                continue;
            }
            last = value;
            add(value);
            if (tooMany) {
                return;
            }
        }
    }

    private void add(long value) {
        if (value == 0) {
            zero = true;
            return;
        }
        int mask = slots.length - 1;
        int slot = slot(value, mask);
        while (slots[slot] != 0) {
            if (slots[slot] == value) {
                return;
            }
            slot = (slot + 1) & mask;
        }
        if (count == most) {
            tooMany = true;
            slots = new long[0];
            return;
        }
        slots[slot] = value;
        count++;
        if (2 * count > slots.length) {
            grow();
        }
    }

    private int slot(long value, int mask) {
        return (int) ((value * multiplier) >>> Integer.SIZE) & mask;
    }

    private void grow() {
        long[] old = slots;
        slots = new long[2 * old.length];
        int mask = slots.length - 1;
        for (long value : old) {
            if (value != 0) {
                int slot = slot(value, mask);
                while (slots[slot] != 0) {
                    slot = (slot + 1) & mask;
                }
                slots[slot] = value;
            }
        }
    }

    /**
     * Keeps of the first {@code count} of the selected rows those whose value is here; not of too many values.
     *
     * @param field of the block, for which {@link #gathers} is true
     * @return how many they are
     */
    int keep(TupleBlock block, int field, int[] selected, int count) {
        byte[] bytes = block.column(block.layout().columnOf(field));
        boolean narrow = block.layout().fields().get(field).type().physical() == PhysicalType.INT32;
        int bit = block.layout().nullBit(field);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long value = narrow ? LittleEndian.getInt(bytes, row * 4) : LittleEndian.getLong(bytes, row * 8);
            boolean present = bit < 0 || (block.nullMask(row) >>> bit & 1) == 0;
            if (present && has(value)) {
                selected[kept++] = row;
            }
        }
        return kept;
    }

    private boolean has(long value) {
        if (value == 0) {
            return zero;
        }
        int mask = slots.length - 1;
        int slot = slot(value, mask);
        while (slots[slot] != 0 && slots[slot] != value) {
            slot = (slot + 1) & mask;
        }
        return slots[slot] == value;
    }

    /** How many values there are, of those that are gathered. */
    int count() {
        return count + (zero ? 1 : 0);
    }

    /** Whether there are more values than are gathered. */
    boolean tooMany() {
        return tooMany || count() > most;
    }

    /** The values, ascending. */
    List<Expression.Literal> literals() {
        long[] values = new long[count()];
        int at = zero ? 1 : 0;
        for (long value : slots) {
            if (value != 0) {
                values[at++] = value;
            }
        }
        Arrays.sort(values);
        List<Expression.Literal> literals = new ArrayList<>(values.length);
        for (long value : values) {
            literals.add(new Expression.Whole(value));
        }
        return literals;
    }
}
