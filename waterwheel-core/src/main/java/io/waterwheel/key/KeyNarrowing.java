package io.waterwheel.key;

import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.WantedCells;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what a condition says of single columns, and gives the intervals of keys that can meet it. A column is a
 * payload column, or {@code RowLayout.KEY} or {@code RowLayout.TIME}; columns that keys do not depend on are ignored.
 * One thread.
 */
public interface KeyNarrowing {
    /**
     * Only rows whose value lies within can match: integers and times as they are, doubles by their ordered bits.
     *
     * @param low above {@code high} when nothing matches
     */
    default void within(int column, long low, long high) {}

    /**
     * Only rows whose value is one of these can match.
     *
     * @param values ascending; none when nothing matches
     */
    default void among(int column, long[] values) {}

    /** Only rows whose text or bytes lie within can match; null where there is no bound. */
    default void withinBytes(int column, byte @Nullable [] low, byte @Nullable [] high) {}

    /**
     * Only rows whose text or bytes are one of these can match.
     *
     * @param values at least one, sorted
     */
    default void amongBytes(int column, byte[][] values) {
        withinBytes(column, values[0], values[values.length - 1]);
    }

    /**
     * Only rows whose text or bytes lie in one of these ranges can match.
     *
     * @param lows at least one, sorted
     * @param ends not below the range's values; that of the last is null where it has no bound
     */
    default void withinAnyBytes(int column, byte[][] lows, byte[] @Nullable [] ends) {
        withinBytes(column, lows[0], ends[ends.length - 1]);
    }

    /**
     * Only rows where the column is null can match.
     *
     * @param negated only those where it is not null
     */
    default void isNull(int column, boolean negated) {}

    /** Only rows that can match by one of these can match; they were made by the same scheme. At least one. */
    default void any(List<KeyNarrowing> alternatives) {}

    /** Sorted disjoint intervals that hold the keys of all rows that can match. */
    default List<KeyInterval> keys() {
        return List.of(KeyInterval.ALL);
    }

    /** The cells of the key's dimensions that rows which can match have; null where keys have none, or all can. */
    default @Nullable WantedCells cells() {
        return null;
    }

    /** The only value that the text or bytes that keys are made from can have; null when there may be others. */
    default byte @Nullable [] onlyText() {
        return null;
    }
}
