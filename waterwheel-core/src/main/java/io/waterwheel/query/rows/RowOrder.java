package io.waterwheel.query.rows;

import io.waterwheel.query.aggregate.state.RowSummary;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;

/**
 * An order of the rows of result blocks: by some fields, each ascending or descending. Null comes first, descending
 * last. Immutable; any thread.
 */
public final class RowOrder {
    /** Nanoseconds that comparing two rows may take; see {@link Workspace#spend}. */
    private static final long COMPARISON = 20;

    private static final int RUN_ROWS = 4096;
    /** Rows that come in as many runs, or fewer, each of which is in order, are sorted by merging these. */
    private static final int MOST_RUNS = 64;
    /** The number of a null; the least of longs and the empty text have the same. */
    private static final long NULL = Long.MIN_VALUE;

    private static final long NOT_A_NUMBER = OrderedBits.of(Double.NaN);

    private final RowLayout layout;
    private final int[] fields;
    /** Of each of these fields: rows are compared more often than anything else is done to them. */
    private final PhysicalType[] types;

    private final boolean[] descending;

    public RowOrder(RowLayout layout, int[] fields, boolean[] descending) {
        this.layout = layout;
        this.fields = fields;
        this.types = new PhysicalType[fields.length];
        for (int i = 0; i < fields.length; i++) {
            types[i] = layout.fields().get(fields[i]).type().physical();
        }
        this.descending = descending;
    }

    /** Compares two rows of a block. */
    public int compare(TupleBlock block, int left, int right) {
        return compare(block, left, block, right);
    }

    /** Compares rows of two blocks. */
    public int compare(TupleBlock one, int left, TupleBlock other, int right) {
        return compareFrom(0, one, left, other, right);
    }

    /** The same by the fields from one of them on. */
    private int compareFrom(int first, TupleBlock one, int left, TupleBlock other, int right) {
        for (int i = first; i < fields.length; i++) {
            int compared = compare(fields[i], types[i], one, left, other, right);
            if (compared != 0) {
                return descending[i] ? -compared : compared;
            }
        }
        return 0;
    }

    private int compare(int field, PhysicalType type, TupleBlock one, int left, TupleBlock other, int right) {
        if (layout.nullBit(field) >= 0) {
            boolean leftNull = one.isNull(field, left);
            boolean rightNull = other.isNull(field, right);
            if (leftNull || rightNull) {
                return Boolean.compare(rightNull, leftNull);
            }
        }
        byte[] a = one.column(layout.columnOf(field));
        byte[] b = other.column(layout.columnOf(field));
        return switch (type) {
            case INT32 -> Integer.compare(LittleEndian.getInt(a, left * 4), LittleEndian.getInt(b, right * 4));
            case INT64 -> Long.compare(LittleEndian.getLong(a, left * 8), LittleEndian.getLong(b, right * 8));
            case FLOAT32 ->
                Long.compare(
                        OrderedBits.of(LittleEndian.getFloat(a, left * 4)),
                        OrderedBits.of(LittleEndian.getFloat(b, right * 4)));
            case FLOAT64 ->
                Long.compare(
                        OrderedBits.of(LittleEndian.getDouble(a, left * 8)),
                        OrderedBits.of(LittleEndian.getDouble(b, right * 8)));
            case UINT32 -> Integer.compareUnsigned(LittleEndian.getInt(a, left * 4), LittleEndian.getInt(b, right * 4));
            case BOOLEAN -> Byte.compare(a[left], b[right]);
            case VARIABLE -> TupleBlock.compareBytes(one, left, other, right, layout.columnOf(field));
        };
    }

    /** Sorts the first {@code count} row numbers; equal rows stay in their order. */
    public void sort(TupleBlock block, int[] rows, int count, Workspace workspace) {
        if (count < 2 || fields.length == 0) {
            return;
        }
        // Numbers of the rows, and row numbers beside those that are sorted.
        long bytes = 8L * block.size() + 4L * count;
        workspace.memory().reserve(bytes);
        Sort sort = new Sort(block);
        sort.number(rows, count, workspace);
        sort.sort(rows, count, workspace);
        workspace.memory().release(bytes);
    }

    /**
     * One sort of a block's rows. Most comparisons are of two longs: a number by row, which tells about the first field
     * whose values differ. One thread.
     */
    private final class Sort {
        private final TupleBlock block;
        /** By row of the block, a number that is no greater for a row that comes before another. */
        private final long[] prefixes;
        /**
         * How many fields, from the first on, all rows are equal by; the numbers are of the next, where there is one.
         */
        private int deciding;

        Sort(TupleBlock block) {
            this.block = block;
            this.prefixes = new long[block.size()];
        }

        /** Gives each row its number. */
        void number(int[] rows, int count, Workspace workspace) {
            do {
                workspace.spend(count * COMPARISON);
            } while (areEqual(rows, count) && ++deciding < fields.length);
        }

        /** Makes the numbers; whether they show that the deciding field's values are all equal. */
        private boolean areEqual(int[] rows, int count) {
            long one = prefix(deciding, block, rows[0]);
            // A null shares its number with other values, and the number of a text is of its first bytes alone.
            boolean equal = types[deciding] != PhysicalType.VARIABLE && one != NULL && one != ~NULL;
            for (int i = 0; i < count; i++) {
                long prefix = prefix(deciding, block, rows[i]);
                prefixes[rows[i]] = prefix;
                equal &= prefix == one;
            }
            return equal;
        }

        private int compare(int left, int right) {
            int compared = Long.compare(prefixes[left], prefixes[right]);
            return compared != 0 ? compared : compareFrom(deciding, block, left, block, right);
        }

        void sort(int[] rows, int count, Workspace workspace) {
            // Parts of trees and chunks are in order, and are put one behind the other.
            int[] ends = new int[MOST_RUNS];
            int runs = runs(rows, count, ends, workspace);
            if (runs == 1) {
                return;
            }
            int[] other = new int[count];
            if (runs <= MOST_RUNS) {
                mergeRuns(rows, other, ends, runs, workspace);
                return;
            }
            // Each run while its rows are in the processor's cache.
            for (int low = 0; low < count; low += RUN_ROWS) {
                sort(rows, other, low, Math.min(count, low + RUN_ROWS), 1, workspace);
            }
            sort(rows, other, 0, count, RUN_ROWS, workspace);
        }

        /** How many runs the rows are in, and where each ends; {@code MOST_RUNS + 1} when there are more. */
        private int runs(int[] rows, int count, int[] ends, Workspace workspace) {
            workspace.spend(count);
            int runs = 0;
            for (int i = 1; i < count; i++) {
                if (compare(rows[i - 1], rows[i]) > 0) {
                    if (runs == MOST_RUNS - 1) {
                        return MOST_RUNS + 1;
                    }
                    ends[runs++] = i;
                }
            }
            ends[runs++] = count;
            return runs;
        }

        private void mergeRuns(int[] rows, int[] other, int[] ends, int runs, Workspace workspace) {
            int[] from = rows;
            int[] to = other;
            int left = runs;
            while (left > 1) {
                int merged = 0;
                int low = 0;
                for (int run = 0; run < left; run += 2) {
                    int middle = ends[run];
                    int high = ends[Math.min(run + 1, left - 1)];
                    workspace.spend((high - low) * COMPARISON);
                    merge(from, low, middle, high, to);
                    ends[merged++] = high;
                    low = high;
                }
                left = merged;
                int[] swap = from;
                from = to;
                to = swap;
            }
            if (from != rows) {
                System.arraycopy(from, 0, rows, 0, ends[0]);
            }
        }

        /** Sorts row numbers that consist of sorted runs of one length. */
        private void sort(int[] rows, int[] other, int first, int end, int sorted, Workspace workspace) {
            int[] from = rows;
            int[] to = other;
            for (long width = sorted; width < end - first; width *= 2) {
                for (long low = first; low < end; low += 2 * width) {
                    int middle = (int) Math.min(end, low + width);
                    int high = (int) Math.min(end, low + 2 * width);
                    workspace.spend((high - low) * COMPARISON);
                    merge(from, (int) low, middle, high, to);
                }
                int[] swap = from;
                from = to;
                to = swap;
            }
            if (from != rows) {
                System.arraycopy(from, first, rows, first, end - first);
            }
        }

        private void merge(int[] from, int low, int middle, int high, int[] to) {
            if (middle >= high || compare(from[middle - 1], from[middle]) <= 0) {
                System.arraycopy(from, low, to, low, high - low);
                return;
            }
            int left = low;
            int right = middle;
            for (int at = low; at < high; at++) {
                if (left < middle && (right >= high || compare(from[left], from[right]) <= 0)) {
                    to[at] = from[left++];
                } else {
                    to[at] = from[right++];
                }
            }
        }
    }

    /**
     * A number that is no greater for a row that comes before another by the first field; rows of equal numbers may
     * differ.
     */
    long prefix(ValueType type, Values values, int row) {
        long prefix;
        if (values.anyNull && values.nulls[row]) {
            prefix = Long.MIN_VALUE;
        } else if (type == ValueType.DOUBLE) {
            prefix = OrderedBits.of(values.doubles[row]);
        } else if (type.variable()) {
            long reference = values.longs[row];
            prefix = prefix(values.slab(reference), values.offset(reference), TupleBlock.referenceLength(reference));
        } else {
            prefix = values.longs[row];
        }
        return descending[0] ? ~prefix : prefix;
    }

    /** No row of a leaf, of whose first field this is known, has a lesser number. */
    long leastPrefix(RowSummary.OfField known) {
        boolean none = known.low() > known.high();
        if (!descending[0]) {
            return known.nulls() > 0 ? Long.MIN_VALUE : none ? NOT_A_NUMBER : known.low();
        }
        return ~(known.nans() > 0 ? NOT_A_NUMBER : none ? Long.MIN_VALUE : known.high());
    }

    /** No row of a leaf, of whose first field this is known, has a greater number. */
    long greatestPrefix(RowSummary.OfField known) {
        boolean none = known.low() > known.high();
        if (!descending[0]) {
            return known.nans() > 0 ? NOT_A_NUMBER : none ? Long.MIN_VALUE : known.high();
        }
        return ~(known.nulls() > 0 ? Long.MIN_VALUE : none ? NOT_A_NUMBER : known.low());
    }

    /** The same number of a row of a block. */
    long prefix(TupleBlock block, int row) {
        return prefix(0, block, row);
    }

    private long prefix(int place, TupleBlock block, int row) {
        int field = fields[place];
        byte[] column = block.column(layout.columnOf(field));
        long prefix;
        if (layout.nullBit(field) >= 0 && block.isNull(field, row)) {
            prefix = NULL;
        } else {
            prefix = switch (types[place]) {
                case INT32 -> LittleEndian.getInt(column, row * 4);
                case INT64 -> LittleEndian.getLong(column, row * 8);
                case FLOAT32 -> OrderedBits.of(LittleEndian.getFloat(column, row * 4));
                case FLOAT64 -> OrderedBits.of(LittleEndian.getDouble(column, row * 8));
                case UINT32 -> LittleEndian.getInt(column, row * 4) & 0xFFFFFFFFL;
                case BOOLEAN -> column[row] & 1;
                case VARIABLE -> {
                    long reference = LittleEndian.getLong(column, row * 8);
                    yield prefix(
                            block.arena(),
                            TupleBlock.referenceOffset(reference),
                            TupleBlock.referenceLength(reference));
                }
            };
        }
        return descending[place] ? ~prefix : prefix;
    }

    private static long prefix(byte[] bytes, int offset, int length) {
        long prefix = 0;
        for (int i = 0; i < 8; i++) {
            prefix = prefix << 8 | (i < length ? bytes[offset + i] & 0xFF : 0);
        }
        return prefix ^ Long.MIN_VALUE;
    }
}
