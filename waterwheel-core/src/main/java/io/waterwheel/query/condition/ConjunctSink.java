package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.schema.RowLayout;
import org.jspecify.annotations.Nullable;

/** Takes what a condition says of one field. */
public interface ConjunctSink {
    /**
     * Only rows whose value lies within can match; integers and times as they are, doubles as {@link OrderedBits}.
     *
     * @param column payload column, or {@link RowLayout#KEY} or {@link RowLayout#TIME}
     * @param low above {@code high} when nothing matches
     */
    void within(int column, long low, long high);

    /** Only rows whose value is one of these, sorted, can match. */
    void among(int column, long[] values);

    /** Only rows whose text or bytes lie within can match; null where there is no bound. */
    void withinBytes(int column, byte @Nullable [] low, byte @Nullable [] high);

    /** Only rows whose text or bytes are one of these, at least one, sorted, can match. */
    default void amongBytes(int column, byte[][] values) {
        withinBytes(column, values[0], values[values.length - 1]);
    }

    /**
     * Only rows whose text or bytes lie in one of these ranges, at least one, sorted and apart, can match.
     *
     * @param ends each above all of its range; that of the last is null where it has no bound
     */
    default void withinAnyBytes(int column, byte[][] lows, byte[] @Nullable [] ends) {
        withinBytes(column, lows[0], ends[ends.length - 1]);
    }

    /**
     * Only rows whose text begins so and has each of the parts, as bytes in a row, can match.
     *
     * @param prefix empty where any beginning will do; {@link #withinAnyBytes} or {@link #withinBytes} is told, too
     */
    default void contains(int column, byte[] prefix, byte[][] parts) {
        // Most have no index of that.
    }

    /**
     * Only rows where the field is null can match.
     *
     * @param negated only those where it is not null
     * @param term which demands that, and no more
     */
    default void isNull(int column, boolean negated, ColumnNode term) {
        other(term);
    }

    /** What the term demands is not, or not all, said by the other calls. */
    default void other(ColumnNode term) {
        // Most only ask for what rules rows out.
    }
}
