package io.waterwheel.geo;

/**
 * The positions at most so far from a centre, along the great circle on a sphere of {@link #EARTH_RADIUS_METRES}. It
 * may hold a pole or lie over the antimeridian. A centre off the globe or a radius that is negative or not finite is an
 * {@link IllegalArgumentException}.
 *
 * @param longitude of the centre, degrees, -180 to 180
 * @param latitude of the centre, degrees, -90 to 90
 * @param metres radius
 */
public record Circle(double longitude, double latitude, double metres) implements Shape {
    /** Mean radius of the Earth (IUGG R1). */
    public static final double EARTH_RADIUS_METRES = 6_371_008.8;

    public Circle {
        if (!(longitude >= -180 && longitude <= 180 && latitude >= -90 && latitude <= 90)) {
            throw new IllegalArgumentException("circle: expected a centre of -180 to 180 and -90 to 90 degrees, got "
                    + longitude + "," + latitude);
        }
        if (!(metres >= 0 && metres < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("circle: expected a radius of 0 metres or more, got " + metres);
        }
    }

    /**
     * Metres along the great circle between two positions in degrees, by haversines; the same to the last bit whichever
     * of the two comes first, and on every machine.
     */
    public static double distance(double longitude, double latitude, double otherLongitude, double otherLatitude) {
        double a = StrictMath.sin(StrictMath.toRadians(otherLatitude - latitude) / 2);
        double b = StrictMath.sin(StrictMath.toRadians(otherLongitude - longitude) / 2);
        double cosines =
                StrictMath.cos(StrictMath.toRadians(latitude)) * StrictMath.cos(StrictMath.toRadians(otherLatitude));
        double h = a * a + b * b * cosines;
        return 2 * EARTH_RADIUS_METRES * StrictMath.asin(Math.min(1, Math.sqrt(h)));
    }
}
