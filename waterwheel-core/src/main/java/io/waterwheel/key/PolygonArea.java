package io.waterwheel.key;

import io.waterwheel.key.QuadIntervals.Relation;
import io.waterwheel.tuple.KeyInterval;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.locationtech.jts.algorithm.locate.IndexedPointInAreaLocator;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.GeometryFactory;
import org.locationtech.jts.geom.Location;
import org.locationtech.jts.geom.prep.PreparedGeometry;
import org.locationtech.jts.geom.prep.PreparedGeometryFactory;
import org.locationtech.jts.io.ParseException;
import org.locationtech.jts.io.WKTReader;
import org.locationtech.jts.operation.valid.IsValidOp;
import org.locationtech.jts.operation.valid.TopologyValidationError;

/** A polygon or multipolygon, tested by a grid over its edges and JTS's orientation test, which is exact. */
final class PolygonArea extends Area {
    private static final GeometryFactory FACTORY = new GeometryFactory();
    /** Checked before the text is parsed: collections may be nested deeper than a thread's stack. */
    private static final Pattern KIND = Pattern.compile("\\s*(MULTI)?POLYGON\\b", Pattern.CASE_INSENSITIVE);

    private static final double TURN = 360;
    private static final double MOST_LONGITUDE = 540;

    /** More would take seconds to check and hundreds of megabytes to hold. */
    static final int MOST_CORNERS = 100_000;

    private final Envelope bounds;
    /** Null where coordinates are too large for one. */
    private final Geometry geometry;
    /** Null where it would be too large; see {@link #grid()}. */
    private @Nullable PolygonGrid grid;

    private volatile boolean gridMade;

    private final IndexedPointInAreaLocator locator;
    private final PreparedGeometry prepared;
    private final int edges;

    private PolygonArea(Geometry geometry) {
        bounds = geometry.getEnvelopeInternal();
        this.geometry = geometry;
        locator = new IndexedPointInAreaLocator(geometry);
        prepared = PreparedGeometryFactory.prepare(geometry);
        edges = geometry.getNumPoints();
    }

    static PolygonArea of(String wkt) {
        if (!KIND.matcher(wkt).lookingAt()) {
            throw new IllegalArgumentException("polygon: expected POLYGON or MULTIPOLYGON, got '"
                    + wkt.substring(0, Math.min(wkt.length(), 30)) + "'");
        }
        long corners = 1 + wkt.chars().filter(letter -> letter == ',').count();
        if (corners > MOST_CORNERS) {
            throw new IllegalArgumentException("polygon: it has " + corners + " corners, expected at most "
                    + MOST_CORNERS + "; simplify it, or ask for its parts one after the other");
        }
        Geometry geometry;
        try {
            geometry = new WKTReader(FACTORY).read(wkt);
        } catch (ParseException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "polygon: expected well-known text such as POLYGON ((2 48, 3 48, 3 49, 2 48)): " + e.getMessage(),
                    e);
        }
        if (geometry.isEmpty()) {
            throw new IllegalArgumentException("polygon: it is empty");
        }
        for (Coordinate corner : geometry.getCoordinates()) {
            if (!(Math.abs(corner.x) <= MOST_LONGITUDE && Math.abs(corner.y) < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("polygon: expected longitudes from -540 to 540 and finite latitudes,"
                        + " got " + corner.x + " " + corner.y);
            }
        }
        TopologyValidationError error = new IsValidOp(geometry).getValidationError();
        if (error != null) {
            Coordinate where = error.getCoordinate();
            throw new IllegalArgumentException(
                    "polygon: " + error.getMessage() + (where == null ? "" : " at " + where.x + " " + where.y));
        }
        return new PolygonArea(geometry);
    }

    @Override
    public boolean contains(double longitude, double latitude) {
        if (!(latitude >= bounds.getMinY() && latitude <= bounds.getMaxY())) {
            return false;
        }
        return holds(longitude, latitude) || holds(longitude - TURN, latitude) || holds(longitude + TURN, latitude);
    }

    /** Made when the first position is tested: who only plans a query, or reads what is all inside, needs none. */
    private @Nullable PolygonGrid grid() {
        if (!gridMade) {
            synchronized (this) {
                if (!gridMade) {
                    grid = PolygonGrid.of(geometry);
                    gridMade = true;
                }
            }
        }
        return grid;
    }

    private boolean holds(double longitude, double latitude) {
        if (!(longitude >= bounds.getMinX() && longitude <= bounds.getMaxX())) {
            return false;
        }
        PolygonGrid cells = grid();
        return cells == null
                ? locator.locate(new Coordinate(longitude, latitude)) != Location.EXTERIOR
                : cells.holds(longitude, latitude);
    }

    /** Of the fullest cell; without a grid the index is by latitude: at worst every edge spans that of the position. */
    @Override
    long costOfTest() {
        PolygonGrid cells = grid();
        return cells == null ? 100L + edges / 8 : 100L + 10L * cells.longest();
    }

    @Override
    public List<KeyInterval> intervals(ZOrder zOrder, int limit) {
        return QuadIntervals.of(this::relation, zOrder, limit);
    }

    private Relation relation(double west, double south, double east, double north) {
        Relation closest = Relation.APART;
        for (int turn = -1; turn <= 1; turn++) {
            Relation here = planar(west + turn * TURN, south, east + turn * TURN, north, turn != 0);
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
    private Relation planar(double west, double south, double east, double north, boolean turned) {
        Envelope rectangle = new Envelope(west, east, south, north);
        if (turned) {
            rectangle.expandBy(1e-12 * MOST_LONGITUDE);
        }
        if (!bounds.intersects(rectangle)) {
            return Relation.APART;
        }
        Geometry area = FACTORY.toGeometry(rectangle);
        if (!prepared.intersects(area)) {
            return Relation.APART;
        }
        return prepared.covers(area) ? Relation.WITHIN : Relation.PERHAPS;
    }
}
