package io.waterwheel.query.result;

import io.waterwheel.query.column.Values;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;

/** One aggregate of every group. A part of it travels in one or more columns of a block, a row a group. One thread. */
public abstract class AggregateState {
    /** Makes room for so many groups, and bounds what follows to them. */
    abstract void groups(int count);

    /**
     * Takes the argument's values at selected rows.
     *
     * @param groupOf group by row number
     */
    abstract void add(Values values, int[] selected, int count, int[] groupOf);

    /** Takes the columns of a part, whose row r belongs to {@code groupOf[r]}. */
    abstract void merge(TupleBlock part, int field, int[] groupOf);

    /** The types of its columns in a part. */
    abstract List<FieldType> columns();

    /** Writes a group's columns of a part. */
    abstract void writePart(TupleBlock part, int row, int field, int group);

    /** Writes a group's field of the answer; false when it is null. */
    abstract boolean writeAnswer(TupleBlock answer, int row, int field, int group);

    /** About what it takes in memory. */
    abstract long bytes();

    static long getLong(TupleBlock block, int field, int row) {
        return LittleEndian.getLong(block.column(block.layout().columnOf(field)), row * 8);
    }

    static void putLong(TupleBlock block, int field, int row, long value) {
        LittleEndian.putLong(block.column(block.layout().columnOf(field)), row * 8, value);
    }

    static void putDouble(TupleBlock block, int field, int row, double value) {
        putLong(block, field, row, Double.doubleToRawLongBits(value));
    }

    static long[] grown(long[] longs, int count) {
        return longs.length >= count ? longs : Arrays.copyOf(longs, Math.max(count, longs.length * 2));
    }

    /** COUNT, of rows or of values. */
    static final class Count extends AggregateState {
        private long[] counts = {};

        @Override
        void groups(int count) {
            counts = grown(counts, count);
        }

        @Override
        void add(Values values, int[] selected, int count, int[] groupOf) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                counts[groupOf[row]] += values.anyNull && values.nulls[row] ? 0 : 1;
            }
        }

        /** Takes rows, whatever they hold. */
        void addRows(int[] selected, int count, int[] groupOf) {
            for (int i = 0; i < count; i++) {
                counts[groupOf[selected[i]]]++;
            }
        }

        @Override
        void merge(TupleBlock part, int field, int[] groupOf) {
            for (int r = 0; r < part.size(); r++) {
                counts[groupOf[r]] += getLong(part, field, r);
            }
        }

        @Override
        List<FieldType> columns() {
            return List.of(FieldType.LONG);
        }

        @Override
        void writePart(TupleBlock part, int row, int field, int group) {
            putLong(part, field, row, counts[group]);
        }

        @Override
        boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
            putLong(answer, field, row, counts[group]);
            return true;
        }

        @Override
        long bytes() {
            return 8L * counts.length;
        }
    }

    /** MIN and MAX of text and bytes. */
    static final class ExtremeBytes extends AggregateState {
        private final FieldType type;
        private final boolean greatest;
        private byte[][] extremes = {};
        private long held;

        ExtremeBytes(FieldType type, boolean greatest) {
            this.type = type;
            this.greatest = greatest;
        }

        @Override
        void groups(int count) {
            if (extremes.length < count) {
                extremes = Arrays.copyOf(extremes, Math.max(count, extremes.length * 2));
            }
        }

        @Override
        void add(Values values, int[] selected, int count, int[] groupOf) {
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
        void merge(TupleBlock part, int field, int[] groupOf) {
            for (int r = 0; r < part.size(); r++) {
                if (!part.isNull(field, r)) {
                    long reference = getLong(part, field, r);
                    int offset = TupleBlock.referenceOffset(reference);
                    take(groupOf[r], part.arena(), offset, offset + TupleBlock.referenceLength(reference));
                }
            }
        }

        @Override
        List<FieldType> columns() {
            return List.of(type);
        }

        @Override
        void writePart(TupleBlock part, int row, int field, int group) {
            if (!writeAnswer(part, row, field, group)) {
                part.setNullMask(row, part.nullMask(row) | 1L << part.layout().nullBit(field));
            }
        }

        @Override
        boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
            byte[] extreme = extremes[group];
            if (extreme == null) {
                return false;
            }
            putLong(answer, field, row, answer.addToArena(extreme, 0, extreme.length));
            return true;
        }

        @Override
        long bytes() {
            return held + 8L * extremes.length;
        }
    }

    static void setNull(TupleBlock block, int row, int field) {
        block.setNullMask(row, block.nullMask(row) | 1L << block.layout().nullBit(field));
    }

    /** The rows of a block as a selection. */
    public static int[] all(TupleBlock block) {
        int[] all = new int[block.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = i;
        }
        return all;
    }
}
