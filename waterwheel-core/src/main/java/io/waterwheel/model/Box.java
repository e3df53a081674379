package io.waterwheel.model;

/**
 * A closed box in degrees. It does not cross the antimeridian: {@code minLongitude <= maxLongitude}. A bound that is
 * not finite, or bounds in the wrong order, are an {@link IllegalArgumentException}.
 */
public record Box(double minLongitude, double minLatitude, double maxLongitude, double maxLatitude) {
    /** All positions on the globe. */
    public static final Box WORLD = new Box(-180, -90, 180, 90);

    public Box {
        if (!Double.isFinite(minLongitude)
                || !Double.isFinite(minLatitude)
                || !Double.isFinite(maxLongitude)
                || !Double.isFinite(maxLatitude)) {
            throw new IllegalArgumentException("box: every bound must be a finite number of degrees");
        }
        if (minLongitude > maxLongitude || minLatitude > maxLatitude) {
            throw new IllegalArgumentException("box: expected LON1 <= LON2 and LAT1 <= LAT2, got " + minLongitude + ","
                    + minLatitude + "," + maxLongitude + "," + maxLatitude);
        }
    }

    /** Whether the position lies in the box, its border included. NaN lies in no box. */
    public boolean contains(double longitude, double latitude) {
        return longitude >= minLongitude
                && longitude <= maxLongitude
                && latitude >= minLatitude
                && latitude <= maxLatitude;
    }
}
