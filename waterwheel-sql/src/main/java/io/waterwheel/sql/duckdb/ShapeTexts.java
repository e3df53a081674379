package io.waterwheel.sql.duckdb;

import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.key.Area;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Shapes as texts, which is what they are to DuckDB: well-known text of polygons, and {@code BOX (west south, east
 * north)} and {@code CIRCLE (longitude latitude, metres)} behind a character that well-known text has not. Those that
 * were used last are kept ready. Thread-safe.
 */
final class ShapeTexts {
    private static final String BOX = "\u0001BOX (";
    private static final String CIRCLE = "\u0001CIRCLE (";
    private static final String EMPTY = "\u0001EMPTY";
    private static final long MOST_BYTES = 32 << 20;

    /** What positions are tested with. Immutable. */
    interface Region {
        boolean contains(double longitude, double latitude);

        /** Whether it is not known, of what is no position on the globe. */
        default boolean isUnknown(double longitude, double latitude) {
            return false;
        }

        /** Boxes that hold every position of it; none when there is no position. */
        List<Box> bounds();

        /** Of the heap, about. */
        long bytes();
    }

    static final Region NOWHERE = new Region() {
        @Override
        public boolean contains(double longitude, double latitude) {
            return false;
        }

        @Override
        public List<Box> bounds() {
            return List.of();
        }

        @Override
        public long bytes() {
            return 0;
        }
    };

    /** In the order of their last use. */
    private final Map<String, Region> kept = new LinkedHashMap<>(16, 0.75f, true);

    private long keptBytes;

    /** @param ofDistance whether it is a circle: what is no position on the globe has no distance */
    private record Ready(Area area, boolean ofDistance) implements Region {
        @Override
        public boolean contains(double longitude, double latitude) {
            return isPosition(longitude, latitude) && area.contains(longitude, latitude);
        }

        @Override
        public boolean isUnknown(double longitude, double latitude) {
            return ofDistance && !isPosition(longitude, latitude);
        }

        @Override
        public List<Box> bounds() {
            return area.bounds();
        }

        @Override
        public long bytes() {
            return area.bytes();
        }
    }

    static boolean isPosition(double longitude, double latitude) {
        return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;
    }

    static String text(Box box) {
        return BOX + box.west() + " " + box.south() + ", " + box.east() + " " + box.north() + ")";
    }

    /**
     * The positions at most so far from a centre. As numbers are compared, NaN is more than any distance.
     *
     * @param longitude of a position
     */
    static String circle(double longitude, double latitude, double metres) {
        if (metres < 0) {
            return EMPTY;
        }
        double radius = metres < Double.MAX_VALUE ? metres : Double.MAX_VALUE;
        return CIRCLE + longitude + " " + latitude + ", " + radius + ")";
    }

    /**
     * A shape, made ready.
     *
     * @throws IllegalArgumentException when the text is no shape; the message says where
     */
    static Region made(String text) {
        if (text.equals(EMPTY)) {
            return NOWHERE;
        } else if (text.startsWith(BOX)) {
            double[] bounds = numbers(text, BOX, 4);
            return new Ready(Area.of(new Box(bounds[0], bounds[1], bounds[2], bounds[3])), false);
        } else if (text.startsWith(CIRCLE)) {
            double[] circle = numbers(text, CIRCLE, 3);
            return new Ready(Area.of(new Circle(circle[0], circle[1], circle[2])), true);
        }
        return new Ready(Area.of(new Polygon(text)), false);
    }

    private static double[] numbers(String text, String word, int count) {
        String[] parts = text.substring(word.length()).replaceFirst("\\)$", "").split(",? ", -1);
        if (parts.length != count) {
            throw new IllegalArgumentException("expected a shape of " + count + " numbers, got " + parts.length);
        }
        double[] numbers = new double[parts.length];
        for (int i = 0; i < parts.length; i++) {
            numbers[i] = Double.parseDouble(parts[i]);
        }
        return numbers;
    }

    /** As {@link #made}; one that was used lately is found. */
    Region region(String text) {
        synchronized (kept) {
            Region known = kept.get(text);
            if (known != null) {
                return known;
            }
        }
        Region made = made(text);
        long bytes = bytes(text, made);
        synchronized (kept) {
            if (bytes <= MOST_BYTES && kept.put(text, made) == null) {
                keptBytes += bytes;
                var eldest = kept.entrySet().iterator();
                while (keptBytes > MOST_BYTES) {
                    Map.Entry<String, Region> entry = eldest.next();
                    keptBytes -= bytes(entry.getKey(), entry.getValue());
                    eldest.remove();
                }
            }
        }
        return made;
    }

    private static long bytes(String text, Region region) {
        return region.bytes() + 2L * text.length() + 200;
    }
}
