package io.waterwheel.geo;

/**
 * A closed box in degrees. When {@code west > east} it goes eastwards over the antimeridian, from west to 180 and from
 * -180 to east. A bound that is not finite, or bounds in the wrong order, are an {@link IllegalArgumentException}.
 */
public record Box(double west, double south, double east, double north) implements Shape {
    /** All positions on the globe. */
    public static final Box WORLD = new Box(-180, -90, 180, 90);

    public Box {
        if (!Double.isFinite(west) || !Double.isFinite(south) || !Double.isFinite(east) || !Double.isFinite(north)) {
            throw new IllegalArgumentException("box: every bound must be a finite number of degrees");
        }
        if (south > north) {
            throw new IllegalArgumentException(
                    "box: expected LAT1 <= LAT2, got " + west + "," + south + "," + east + "," + north);
        }
        if (west > east && (west > 180 || east < -180)) {
            throw new IllegalArgumentException("box: LON1 > LON2 goes over the antimeridian, so both must lie from -180"
                    + " to 180, got " + west + "," + south + "," + east + "," + north);
        }
    }

    public boolean crossesAntimeridian() {
        return west > east;
    }

    /** Whether the position lies in the box, its border included. NaN lies in no box. */
    public boolean contains(double longitude, double latitude) {
        return latitude >= south && latitude <= north && containsLongitude(longitude);
    }

    private boolean containsLongitude(double longitude) {
        if (west <= east) {
            return longitude >= west && longitude <= east;
        }
        return (longitude >= west && longitude <= 180) || (longitude >= -180 && longitude <= east);
    }
}
