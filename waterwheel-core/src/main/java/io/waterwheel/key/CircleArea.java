package io.waterwheel.key;

import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.key.QuadIntervals.Relation;
import io.waterwheel.tuple.KeyInterval;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * The haversine test. {@link StrictMath} throughout: every server must find the same tuples, to the last bit of a
 * border.
 */
final class CircleArea extends Area {
    /**
     * More than rounding makes of an angle, in radians, also near the antipode, where haversines hardly grow: 0.6
     * metres on the ground.
     */
    private static final double SLACK = 1e-7;

    /** More than rounding makes of a haversine, as a part of it. */
    private static final double CLOSE = 1e-9;

    private final double longitude;
    private final double latitude;
    private final double metres;
    private final double cosLatitude;
    /** Radius as an angle, radians. */
    private final double angle;
    /** The haversine of the radius: what that of a distance is compared with. */
    private final double haversine;

    /** Bounds that hold the circle, degrees; every longitude when {@code halfWidth >= 180}. */
    private final double south;

    private final double north;
    private final double halfWidth;

    CircleArea(Circle circle) {
        longitude = circle.longitude();
        latitude = circle.latitude();
        metres = circle.metres();
        cosLatitude = StrictMath.cos(StrictMath.toRadians(latitude));
        angle = Math.min(StrictMath.PI, circle.metres() / Circle.EARTH_RADIUS_METRES);
        double sine = StrictMath.sin(angle / 2);
        haversine = angle >= StrictMath.PI ? Double.POSITIVE_INFINITY : sine * sine;
        double reach = StrictMath.toDegrees(angle + SLACK);
        south = latitude - reach;
        north = latitude + reach;
        if (south <= -90 || north >= 90) {
            halfWidth = 180;
        } else {
            double ratio = StrictMath.sin(angle + SLACK) / cosLatitude;
            halfWidth = ratio >= 1 ? 180 : StrictMath.toDegrees(StrictMath.asin(ratio) + SLACK);
        }
    }

    @Override
    public List<Box> bounds() {
        double low = Math.max(-90, south);
        double high = Math.min(90, north);
        if (halfWidth >= 180) {
            return List.of(new Box(-Double.MAX_VALUE, low, Double.MAX_VALUE, high));
        }
        // A longitude is also one that lies a turn further.
        double west = longitude - halfWidth - SLACK;
        double east = longitude + halfWidth + SLACK;
        return List.of(
                new Box(west, low, east, high),
                new Box(west - 360, low, east - 360, high),
                new Box(west + 360, low, east + 360, high));
    }

    @Override
    public boolean contains(double positionLongitude, double positionLatitude) {
        if (!(positionLatitude >= south && positionLatitude <= north && Math.abs(positionLatitude) <= 90)) {
            return false;
        }
        double apart = Math.abs(positionLongitude - longitude);
        if (halfWidth < 180 && apart > halfWidth && apart < 360 - halfWidth) {
            return false;
        }
        double sineLatitude = StrictMath.sin(StrictMath.toRadians(positionLatitude - latitude) / 2);
        double sineLongitude = StrictMath.sin(StrictMath.toRadians(positionLongitude - longitude) / 2);
        double h = sineLatitude * sineLatitude
                + cosLatitude * StrictMath.cos(StrictMath.toRadians(positionLatitude)) * sineLongitude * sineLongitude;
        // Beside the border the distance decides, so that conditions on DISTANCE and circles say the same.
        return Math.abs(h - haversine) <= CLOSE * haversine
                ? Circle.distance(positionLongitude, positionLatitude, longitude, latitude) <= metres
                : h <= haversine;
    }

    /** Where nothing is a position, the relation knows nothing. */
    @Override
    public boolean holds(double west, double bottom, double east, double top, LongConsumer spend) {
        return bottom >= -90
                && top <= 90
                && west >= -180
                && east <= 180
                && relation(west, bottom, east, top) == Relation.WITHIN;
    }

    @Override
    public List<KeyInterval> intervals(ZOrder zOrder, int limit, LongConsumer spend) {
        return QuadIntervals.of(this::relation, zOrder, limit);
    }

    private Relation relation(double west, double bottom, double east, double top) {
        double minLatitude = Math.max(bottom, -90);
        double maxLatitude = Math.min(top, 90);
        if (maxLatitude < south || minLatitude > north || minLatitude > maxLatitude) {
            return Relation.APART;
        }
        double middleLatitude = (minLatitude + maxLatitude) / 2;
        double middleLongitude = (west + east) / 2;
        // No position of the rectangle is further from its middle than a path along the meridian, then along the widest
        // parallel; so the distances from the centre lie that much around the middle's.
        double widest = minLatitude <= 0 && maxLatitude >= 0
                ? 1
                : StrictMath.cos(StrictMath.toRadians(Math.min(Math.abs(minLatitude), Math.abs(maxLatitude))));
        double around = StrictMath.toRadians((maxLatitude - minLatitude) / 2)
                + StrictMath.toRadians((east - west) / 2) * widest
                + SLACK;
        double distance = distance(middleLongitude, middleLatitude);
        if (distance - around > angle) {
            return Relation.APART;
        }
        return distance + around <= angle ? Relation.WITHIN : Relation.PERHAPS;
    }

    private double distance(double toLongitude, double toLatitude) {
        double sineLatitude = StrictMath.sin(StrictMath.toRadians(toLatitude - latitude) / 2);
        double sineLongitude = StrictMath.sin(StrictMath.toRadians(toLongitude - longitude) / 2);
        double h = sineLatitude * sineLatitude
                + cosLatitude * StrictMath.cos(StrictMath.toRadians(toLatitude)) * sineLongitude * sineLongitude;
        return 2 * StrictMath.asin(StrictMath.sqrt(Math.min(1, Math.max(0, h))));
    }
}
