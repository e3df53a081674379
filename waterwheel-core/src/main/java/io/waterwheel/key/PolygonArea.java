package io.waterwheel.key;

import io.waterwheel.geo.Box;
import io.waterwheel.key.QuadIntervals.Relation;
import io.waterwheel.tuple.KeyInterval;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.GeometryFactory;
import org.locationtech.jts.io.ParseException;
import org.locationtech.jts.io.WKTReader;

/** A polygon or multipolygon, tested by a grid over its edges and JTS's orientation test, which is exact. */
final class PolygonArea extends Area {
    private static final GeometryFactory FACTORY = new GeometryFactory();
    /** Checked before the text is parsed: collections may be nested deeper than a thread's stack. */
    private static final Pattern KIND = Pattern.compile("\\s*(MULTI)?POLYGON\\b", Pattern.CASE_INSENSITIVE);

    private static final double TURN = 360;
    private static final double MOST_LONGITUDE = 540;
    /** More than is rounded of a longitude that is moved by a turn. */
    private static final double ROUNDING = 1e-12 * MOST_LONGITUDE;

    /** So that one is made ready in about a second, and in some tens of megabytes. */
    static final int MOST_CORNERS = 100_000;

    /** What parsing one takes, in bytes for each corner. */
    private static final long PARSED_BYTES = 150;
    /** What parsing one takes, in nanoseconds for each character. */
    private static final long PARSING_COST = 100;

    private final Envelope bounds;
    private final PolygonGrid grid;

    private PolygonArea(Envelope bounds, PolygonGrid grid) {
        this.bounds = bounds;
        this.grid = grid;
    }

    /** See {@link Area#of(io.waterwheel.geo.Shape, Allowance)}. */
    static PolygonArea of(String wkt, Allowance allowance) {
        if (!KIND.matcher(wkt).lookingAt()) {
            throw new IllegalArgumentException("polygon: expected POLYGON or MULTIPOLYGON, got '"
                    + wkt.substring(0, Math.min(wkt.length(), 30)) + "'");
        }
        long corners = 1 + wkt.chars().filter(letter -> letter == ',').count();
        if (corners > MOST_CORNERS) {
            throw new IllegalArgumentException("polygon: it has " + corners + " corners, expected at most "
                    + MOST_CORNERS + "; simplify it, or ask for its parts one after the other");
        }
        allowance.memory(PARSED_BYTES * corners + wkt.length());
        allowance.work(PARSING_COST * wkt.length());
        Geometry geometry;
        try {
            geometry = new WKTReader(FACTORY).read(wkt);
        } catch (ParseException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "polygon: expected well-known text such as POLYGON ((2 48, 3 48, 3 49, 2 48)): " + e.getMessage(),
                    e);
        }
        String behind = wkt.substring(end(wkt)).strip();
        if (!behind.isEmpty()) {
            throw new IllegalArgumentException("polygon: expected nothing behind its last parenthesis, got '"
                    + behind.substring(0, Math.min(behind.length(), 30)) + "'");
        }
        if (geometry.isEmpty()) {
            throw new IllegalArgumentException("polygon: it is empty");
        }
        for (Coordinate corner : geometry.getCoordinates()) {
            if (!(Math.abs(corner.x) <= MOST_LONGITUDE && Math.abs(corner.y) <= PolygonGrid.MOST_COORDINATE)) {
                throw new IllegalArgumentException("polygon: expected longitudes from -540 to 540 and latitudes from"
                        + " -1000000 to 1000000, got " + corner.x + " " + corner.y);
            }
        }
        PolygonCheck.Fault fault = PolygonCheck.of(geometry, allowance);
        if (fault != null) {
            throw new IllegalArgumentException("polygon: " + fault.what() + " at " + fault.x() + " " + fault.y());
        }
        return new PolygonArea(geometry.getEnvelopeInternal(), PolygonGrid.of(geometry, allowance));
    }

    /** Where the parentheses of a text that was parsed are all closed: JTS reads no further. */
    private static int end(String wkt) {
        int open = 0;
        for (int i = 0; i < wkt.length(); i++) {
            char letter = wkt.charAt(i);
            open += letter == '(' ? 1 : letter == ')' ? -1 : 0;
            if (letter == ')' && open == 0) {
                return i + 1;
            }
        }
        return wkt.length();
    }

    @Override
    public List<Box> bounds() {
        return List.of(moved(0), moved(-TURN), moved(TURN));
    }

    /** The bounds a turn further, or as they are. What is moved is rounded. */
    private Box moved(double turn) {
        return new Box(
                bounds.getMinX() + turn - ROUNDING,
                bounds.getMinY(),
                bounds.getMaxX() + turn + ROUNDING,
                bounds.getMaxY());
    }

    @Override
    public boolean contains(double longitude, double latitude) {
        if (!(latitude >= bounds.getMinY() && latitude <= bounds.getMaxY())) {
            return false;
        }
        return holds(longitude, latitude) || holds(longitude - TURN, latitude) || holds(longitude + TURN, latitude);
    }

    private boolean holds(double longitude, double latitude) {
        if (!(longitude >= bounds.getMinX() && longitude <= bounds.getMaxX())) {
            return false;
        }
        return grid.holds(longitude, latitude);
    }

    /** Of the fullest cell. */
    @Override
    public long costOfTest() {
        return 100L + 10L * grid.longest();
    }

    @Override
    public long bytes() {
        return grid.bytes();
    }

    @Override
    public boolean holds(double west, double south, double east, double north, LongConsumer spend) {
        // A rectangle that was moved by a turn is rounded: only as it is.
        return planar(west, south, east, north, false, spend) == Relation.WITHIN;
    }

    @Override
    public List<KeyInterval> intervals(ZOrder zOrder, int limit, LongConsumer spend) {
        return QuadIntervals.of((west, south, east, north) -> relation(west, south, east, north, spend), zOrder, limit);
    }

    private Relation relation(double west, double south, double east, double north, LongConsumer spend) {
        Relation closest = Relation.APART;
        for (int turn = -1; turn <= 1; turn++) {
            Relation here = planar(west + turn * TURN, south, east + turn * TURN, north, turn != 0, spend);
            if (here == Relation.WITHIN) {
                return here;
            }
            if (here == Relation.PERHAPS) {
                closest = here;
            }
        }
        return closest;
    }

    /** @param turned the bounds were moved by a whole turn and are rounded: what is within may not quite be */
    private Relation planar(double west, double south, double east, double north, boolean turned, LongConsumer spend) {
        Envelope rectangle = new Envelope(west, east, south, north);
        if (turned) {
            rectangle.expandBy(ROUNDING);
        }
        if (!bounds.intersects(rectangle)) {
            return Relation.APART;
        }
        return grid.relation(rectangle.getMinX(), rectangle.getMinY(), rectangle.getMaxX(), rectangle.getMaxY(), spend);
    }
}
