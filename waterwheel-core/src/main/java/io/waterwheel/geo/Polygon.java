package io.waterwheel.geo;

/**
 * A polygon or multipolygon, with or without holes, as well-known text: {@code POLYGON ((LON LAT, ...), (hole), ...)}
 * or {@code MULTIPOLYGON (((...)), ...)}. Its edges are straight lines in longitude and latitude, borders and the
 * borders of holes belong to it. It goes over the antimeridian by longitudes beyond 180 or below -180, down to -540 and
 * up to 540: {@code 170 to 190} is what lies between 170 E and 170 W. Over a pole it goes by latitude 90 or -90.
 *
 * @param wkt at most {@link #MAX_LENGTH} characters; what it says is checked where it is used
 */
public record Polygon(String wkt) implements Shape {
    /** Longest text: some 20,000 to 100,000 corners. */
    public static final int MAX_LENGTH = 1 << 19;

    public Polygon {
        if (wkt.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "polygon: expected at most " + MAX_LENGTH + " characters, got " + wkt.length());
        }
    }
}
