package io.waterwheel.key;

import io.waterwheel.tuple.KeyInterval;
import java.util.List;
import java.util.function.LongConsumer;

/** How keys answer questions for places. Equal ones answer alike. Immutable; any thread. */
public interface PositionIndex {
    /** Index of the double field with the longitudes. */
    int longitudeField();

    /** Index of the double field with the latitudes. */
    int latitudeField();

    /**
     * Whether a condition on the two fields narrows keys, so that the bounds of a shape, as a condition, narrow them
     * together with others; then {@link #intervals} need not.
     */
    default boolean narrowsByConditions() {
        return false;
    }

    /**
     * At most {@code limit} sorted disjoint intervals that hold the key of every tuple in the area; none when no tuple
     * can be in it.
     *
     * @param limit at least 1
     * @param spend is told of work, in about nanoseconds, and may end it by an exception
     */
    List<KeyInterval> intervals(Area area, int limit, LongConsumer spend);
}
