package io.waterwheel.key;

import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A shape made ready for asking: the exact test on positions, and key intervals that hold every position of it.
 * Immutable; any thread.
 */
public abstract sealed class Area permits BoxArea, CircleArea, PolygonArea {
    private static final long SMALL = 100;

    Area() {}

    /** As {@link #of(Shape, Allowance)}, whatever it takes. */
    public static Area of(Shape shape) {
        return of(shape, Allowance.UNLIMITED);
    }

    /**
     * Makes a shape ready.
     *
     * @throws IllegalArgumentException when a polygon's text is no valid polygon; the message says where
     */
    public static Area of(Shape shape, Allowance allowance) {
        if (shape instanceof Box box) {
            return new BoxArea(box);
        }
        if (shape instanceof Circle circle) {
            return new CircleArea(circle);
        }
        return PolygonArea.of(((Polygon) shape).wkt(), allowance);
    }

    /** What it takes of the heap, in about bytes. */
    public long bytes() {
        return SMALL;
    }

    /** At most three boxes that together hold every position of the area; none is over the antimeridian. */
    public abstract List<Box> bounds();

    /** Whether the position lies in the area, its border included; never for NaN. */
    public abstract boolean contains(double longitude, double latitude);

    /**
     * Whether every position of a rectangle, its border included, lies in the area. True is certain; false may mean
     * that it is not known.
     *
     * @param spend is told of work, in about nanoseconds, and may end it by an exception
     */
    public abstract boolean holds(double west, double south, double east, double north, LongConsumer spend);

    /** What one {@link #contains} may cost at worst, in about nanoseconds. */
    public long costOfTest() {
        return 10;
    }

    /** As {@link #intervals(ZOrder, int, LongConsumer)}, however long it takes. */
    public final List<KeyInterval> intervals(ZOrder zOrder, int limit) {
        return intervals(zOrder, limit, work -> {});
    }

    /**
     * At most {@code limit} sorted disjoint intervals that hold the key of every position of the area within the
     * domain; none when they do not meet.
     *
     * @param limit at least 1
     * @param spend is told of work, in about nanoseconds, and may end it by an exception
     */
    public abstract List<KeyInterval> intervals(ZOrder zOrder, int limit, LongConsumer spend);

    /**
     * Keeps of a selection the rows whose position lies in the area.
     *
     * @param longitudes column of doubles that begins at {@code longitudeBase}
     * @param latitudes column of doubles that begins at {@code latitudeBase}
     * @param rows selected rows; the kept ones are moved to its front, in order
     * @param count number of selected rows
     * @param spend is told of work, in about nanoseconds, and may end it by an exception
     * @return number of rows kept
     */
    public int keep(
            byte[] longitudes,
            int longitudeBase,
            byte[] latitudes,
            int latitudeBase,
            int[] rows,
            int count,
            LongConsumer spend) {
        int kept = 0;
        long cost = costOfTest();
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            double longitude = LittleEndian.getDouble(longitudes, longitudeBase + row * 8);
            double latitude = LittleEndian.getDouble(latitudes, latitudeBase + row * 8);
            spend.accept(cost);
            if (contains(longitude, latitude)) {
                rows[kept++] = row;
            }
        }
        return kept;
    }
}
