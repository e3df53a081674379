package io.waterwheel.query.aggregate.state;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.Selection;
import io.waterwheel.query.column.Values;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;

/**
 * One aggregate of every group, made by its function. A part of it, from one tree or chunk, travels in one or more
 * columns of a block, a row a group. Parts merge in any order. One thread.
 */
public abstract class AggregateState {
    /** Most bytes that the states of a query may hold in a scan, and in a merge. */
    public static final long MAX_BYTES = 128L << 20;

    /**
     * A column of a part.
     *
     * @param nullable whether a group without any value has a null there; such columns count against the 64 of a row
     */
    public record Column(FieldType type, boolean nullable) {}

    /** Makes room for this number of groups. Calls that follow use group numbers below it. */
    public abstract void groups(int count);

    /**
     * Takes the argument's values at selected rows, which ascend. Called only of functions that look at one argument.
     *
     * @param groupOf group by row number
     */
    public void add(Values values, int[] selected, int count, int[] groupOf) {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " does not take values alone");
    }

    /** Takes values and what they are chosen by. Called only of functions that look at two arguments. */
    public void add(Values values, Values by, int[] selected, int count, int[] groupOf) {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " takes one value a row");
    }

    /**
     * The same where all of these rows are of one group: a state that can do that faster does.
     *
     * @param groupOf has the group at each selected row
     */
    public void addToGroup(Values values, int[] selected, int count, int[] groupOf, int group) {
        add(values, selected, count, groupOf);
    }

    /** Takes rows without a value, as {@code count(*)} does. Called only of functions that can be of rows. */
    public void addRows(int[] selected, int count, int[] groupOf) {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " takes values, not rows");
    }

    /** The same where all of these rows are of one group; see {@link #addToGroup}. */
    public void addRowsToGroup(int[] selected, int count, int[] groupOf, int group) {
        addRows(selected, count, groupOf);
    }

    /** Whether it can {@link #addSummary} in place of the values of a field. */
    public boolean takesSummaries() {
        return false;
    }

    /** Takes rows of a group by what is known of the field that is its argument. */
    public void addSummary(RowSummary.OfField summary, int group) {
        throw new UnsupportedOperationException(
                getClass().getSimpleName() + " takes values, not what is known of them");
    }

    /**
     * Whether only the different values matter: neither how many rows have each, nor their order. Then {@link #add} may
     * be called with each value once.
     */
    public boolean takesDifferentValues() {
        return false;
    }

    /** Takes the columns of a part, whose row r belongs to {@code groupOf[r]}. */
    public abstract void merge(TupleBlock part, int field, int[] groupOf);

    /** Its columns in a part; the same for all states of one function and one type of argument. */
    public abstract List<Column> columns();

    /**
     * Number of rows that a group takes in a part, at least 1: a state that is too large for one row divides itself.
     */
    public int rows(int group) {
        return 1;
    }

    /** Writes a group's columns of a part; of a state that takes several rows, the first. */
    public abstract void writePart(TupleBlock part, int row, int field, int group);

    /**
     * Writes the next row of a group whose state takes several, or the first again.
     *
     * @param slice number of the row among the group's, below {@link #rows}
     */
    public void writeSlice(TupleBlock part, int row, int field, int group, int slice) {
        if (slice > 0) {
            throw new IllegalArgumentException("slice " + slice + " of a state of one row");
        }
        writePart(part, row, field, group);
    }

    /** Writes a group's field of the answer; false when it is null. */
    public abstract boolean writeAnswer(TupleBlock answer, int row, int field, int group);

    /**
     * Refuses what no query may hold; for states whose arrays double, before they do.
     *
     * @throws WaterwheelException of kind USER, code TOO_MANY_GROUPS
     */
    public static void requireRoom(long bytes) {
        if (bytes > MAX_BYTES) {
            throw new WaterwheelException(
                    ErrorCode.TOO_MANY_GROUPS,
                    "query: the aggregates' values have over " + (MAX_BYTES >> 20)
                            + " MiB together; group by less, or narrow the query");
        }
    }

    /** About what writing a group's answer takes, in nanoseconds. */
    public long answerNanos(int group) {
        return 200;
    }

    /** Bytes that it holds in memory, about. */
    public abstract long bytes();

    protected static long getLong(TupleBlock block, int field, int row) {
        return LittleEndian.getLong(block.column(block.layout().columnOf(field)), row * 8);
    }

    protected static void putLong(TupleBlock block, int field, int row, long value) {
        LittleEndian.putLong(block.column(block.layout().columnOf(field)), row * 8, value);
    }

    protected static void putDouble(TupleBlock block, int field, int row, double value) {
        putLong(block, field, row, Double.doubleToRawLongBits(value));
    }

    /** Of the selected rows, which were evaluated last, how many have a value. */
    protected static int present(Values values, int[] selected, int count) {
        if (!values.anyNull) {
            return count;
        } else if (values.nullCount >= 0) {
            return count - values.nullCount;
        }
        boolean[] nulls = values.nulls;
        int present = count;
        if (Selection.isRange(selected, count)) {
            for (int row = selected[0]; row <= selected[count - 1]; row++) {
                present -= nulls[row] ? 1 : 0;
            }
        } else {
            for (int i = 0; i < count; i++) {
                present -= nulls[selected[i]] ? 1 : 0;
            }
        }
        return present;
    }

    protected static long[] grown(long[] longs, int count) {
        return longs.length >= count ? longs : Arrays.copyOf(longs, Math.max(count, longs.length * 2));
    }

    /** Marks a nullable field of a row as null. */
    public static void setNull(TupleBlock block, int row, int field) {
        block.setNullMask(row, block.nullMask(row) | 1L << block.layout().nullBit(field));
    }
}
