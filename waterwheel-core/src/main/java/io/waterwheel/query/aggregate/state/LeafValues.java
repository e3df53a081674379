package io.waterwheel.query.aggregate.state;

import io.waterwheel.query.column.Values;
import java.util.BitSet;

/** The different values of a field in a chunk, nulls left out, and the leaves that each is in. One thread. */
public interface LeafValues {
    /** Number of values; they ascend. */
    int size();

    /** Sets the leaves that {@link #has} is about. */
    void of(BitSet leaves);

    /**
     * Whether one of the leaves has a value.
     *
     * @param value its number, below {@link #size}
     */
    boolean has(int value);

    /** About what {@link #has} takes for the values [from, to), in nanoseconds. */
    long nanos(int from, int to);

    /** Makes room for the values of some rows, none of them null. */
    void begin(Values values, int rows);

    /** Makes a value that of a row. */
    void copy(int value, Values to, int row);
}
