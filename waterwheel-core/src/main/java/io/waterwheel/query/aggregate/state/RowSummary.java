package io.waterwheel.query.aggregate.state;

import org.jspecify.annotations.Nullable;

/** What is known of all rows of a leaf without reading them. */
public interface RowSummary {
    /** Number of rows. */
    int rows();

    /** No row has a lesser key. */
    long lowKey();

    /** No row has a greater key. */
    long highKey();

    /** No row has an earlier time, in milliseconds. */
    long fromTime();

    /** No row has a later time, in milliseconds. */
    long toTime();

    /** What is known of a stored field, by its index; null when nothing is. */
    @Nullable
    OfField field(int field);

    /** The number of the leaf, by which {@link #values} know it. */
    int leaf();

    /**
     * The values that the leaves of the chunk have of a stored field; the same for all leaves. Null when they are not
     * known, or to look at them takes longer than to read what leaves have.
     */
    @Nullable
    LeafValues values(int field);

    /**
     * Of one field.
     *
     * @param rows number of rows
     * @param nulls of them, those where it is null
     * @param nans of them, those where it is NaN
     * @param low least value of the others: integers and times as they are, doubles as
     *     {@link io.waterwheel.query.column.OrderedBits}; of text and bytes the number of the first eight bytes, which
     *     orders of rows go by
     * @param high greatest value; below {@code low} when there is none
     */
    record OfField(int rows, int nulls, int nans, long low, long high) {}
}
