package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.locationtech.jts.algorithm.locate.SimplePointInAreaLocator;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.GeometryFactory;
import org.locationtech.jts.geom.LinearRing;
import org.locationtech.jts.geom.Location;
import org.locationtech.jts.geom.Polygon;
import org.locationtech.jts.operation.valid.IsValidOp;

/** The grid says of every position what JTS says that looks at every edge. */
final class PolygonGridTest {
    private static final GeometryFactory FACTORY = new GeometryFactory();

    private static void check(String about, Geometry polygons, List<Coordinate> positions) {
        PolygonGrid grid = PolygonGrid.of(polygons, Allowance.UNLIMITED);
        Envelope box = polygons.getEnvelopeInternal();
        for (Coordinate position : positions) {
            if (box.contains(position)) {
                boolean expected = SimplePointInAreaLocator.locate(position, polygons) != Location.EXTERIOR;
                assertThat(grid.holds(position.x, position.y))
                        .as("%s: %s in %s", about, position, polygons)
                        .isEqualTo(expected);
            }
        }
    }

    /** Corners, middles of edges, positions level with corners and above them, and any. */
    private static List<Coordinate> positions(Geometry polygons, Random random, int count) {
        Coordinate[] corners = polygons.getCoordinates();
        Envelope box = polygons.getEnvelopeInternal();
        List<Coordinate> positions = new ArrayList<>(List.of(corners));
        for (int i = 0; i < count; i++) {
            Coordinate one = corners[random.nextInt(corners.length)];
            Coordinate other = corners[random.nextInt(corners.length)];
            Coordinate any = new Coordinate(
                    box.getMinX() + random.nextDouble() * box.getWidth(),
                    box.getMinY() + random.nextDouble() * box.getHeight());
            positions.add(any);
            positions.add(new Coordinate(one.x, other.y));
            positions.add(new Coordinate(one.x, any.y));
            positions.add(new Coordinate(any.x, one.y));
            positions.add(new Coordinate((one.x + other.x) / 2, (one.y + other.y) / 2));
            positions.add(new Coordinate(Math.nextUp(one.x), one.y));
            positions.add(new Coordinate(one.x, Math.nextDown(one.y)));
            int next = random.nextInt(corners.length - 1);
            double share = random.nextInt(5) / 4.0;
            positions.add(new Coordinate(
                    corners[next].x + share * (corners[next + 1].x - corners[next].x),
                    corners[next].y + share * (corners[next + 1].y - corners[next].y)));
        }
        return positions;
    }

    /** Positions on the borders of the grid's cells, which are those of quarters, eighths and so on of its box. */
    private static List<Coordinate> onBorders(Geometry polygons) {
        Envelope box = polygons.getEnvelopeInternal();
        List<Coordinate> positions = new ArrayList<>();
        for (int x = 0; x <= 16; x++) {
            for (int y = 0; y <= 16; y++) {
                positions.add(new Coordinate(
                        box.getMinX() + x / 16.0 * box.getWidth(), box.getMinY() + y / 16.0 * box.getHeight()));
            }
        }
        return positions;
    }

    private static LinearRing ring(List<Coordinate> corners) {
        List<Coordinate> closed = new ArrayList<>(corners);
        closed.add(corners.get(0));
        return FACTORY.createLinearRing(closed.toArray(Coordinate[]::new));
    }

    /** A star about the middle, whose corners may lie on whole numbers, where many coincide. */
    private static LinearRing star(Random random, double x, double y, double radius, int corners, boolean whole) {
        List<Coordinate> ring = new ArrayList<>();
        for (int c = 0; c < corners; c++) {
            double angle = 2 * Math.PI * (c + 0.8 * random.nextDouble()) / corners;
            double distance = radius * (0.4 + 0.6 * random.nextDouble());
            double cornerX = x + distance * Math.cos(angle);
            double cornerY = y + distance * Math.sin(angle);
            ring.add(whole ? new Coordinate(Math.rint(cornerX), Math.rint(cornerY)) : new Coordinate(cornerX, cornerY));
        }
        return ring(ring);
    }

    @Test
    void starsWithHolesAreAsJtsSays() {
        int valid = 0;
        for (long seed = 1; seed <= 600; seed++) {
            Random random = new Random(seed);
            boolean whole = random.nextBoolean();
            double radius = whole ? 1 + random.nextInt(12) : Math.pow(10, random.nextDouble() * 6 - 4);
            LinearRing shell = star(random, 3, 40, radius, 3 + random.nextInt(40), whole);
            LinearRing[] holes = random.nextBoolean()
                    ? new LinearRing[0]
                    : new LinearRing[] {star(random, 3, 40, radius * 0.35, 3 + random.nextInt(20), whole)};
            Polygon one = FACTORY.createPolygon(shell, holes);
            Polygon other = FACTORY.createPolygon(star(random, 3 + 2.5 * radius, 40 + radius, radius, 9, whole));
            Geometry polygons = random.nextInt(3) == 0 ? FACTORY.createMultiPolygon(new Polygon[] {one, other}) : one;
            if (new IsValidOp(polygons).isValid()) {
                valid++;
                check("seed " + seed, polygons, positions(polygons, random, 60));
                check("seed " + seed, polygons, onBorders(polygons));
            }
        }
        assertThat(valid).isGreaterThan(300);
    }

    /** Steps, all of whose corners are level with others and lie on borders of cells. */
    @Test
    void stairsAreAsJtsSays() {
        for (int steps : new int[] {1, 2, 4, 7, 16}) {
            List<Coordinate> corners = new ArrayList<>();
            for (int s = 0; s < steps; s++) {
                corners.add(new Coordinate(s, s));
                corners.add(new Coordinate(s + 1.0, s));
            }
            corners.add(new Coordinate(steps, steps + 1.0));
            corners.add(new Coordinate(0, steps + 1.0));
            Geometry stairs = FACTORY.createPolygon(ring(corners));
            check("steps " + steps, stairs, positions(stairs, new Random(steps), 300));
            check("steps " + steps, stairs, onBorders(stairs));
        }
    }

    /** Every one of its edges is as high as the whole: an index by latitude is no help. */
    private static Geometry comb(int teeth) {
        List<Coordinate> corners = new ArrayList<>();
        for (int t = 0; t < teeth; t++) {
            corners.add(new Coordinate(t * 1e-3, 1));
            corners.add(new Coordinate(t * 1e-3 + 5e-4, 0.001 * (t % 7)));
        }
        corners.add(new Coordinate(teeth * 1e-3, 1));
        corners.add(new Coordinate(teeth * 1e-3, 2));
        corners.add(new Coordinate(0, 2));
        return FACTORY.createPolygon(ring(corners));
    }

    @Test
    void aPositionIsComparedWithFewEdgesOfAComb() {
        Geometry comb = comb(12_500);
        PolygonGrid grid = PolygonGrid.of(comb, Allowance.UNLIMITED);
        assertThat(grid.longest()).isLessThan(40);
        Random random = new Random(1);
        check("comb", comb, positions(comb, random, 20));
    }

    @Test
    void latitudesFarBeyondThoseOfTheEarthAreRefused() {
        assertThatThrownBy(() -> PolygonArea.of("POLYGON ((0 0, 1 0, 0 1e7, 0 0))", Allowance.UNLIMITED))
                .hasMessage("polygon: expected longitudes from -540 to 540 and latitudes from -1000000 to 1000000, got"
                        + " 0.0 1.0E7");
        assertThat(PolygonArea.of("POLYGON ((0 0, 1 0, 0 1e6, 0 0))", Allowance.UNLIMITED)
                        .contains(0.25, 5))
                .isTrue();
    }

    @Test
    void polygonsOfTooManyCornersAreRefused() {
        String wkt = "POLYGON ((" + "1 2, ".repeat(PolygonArea.MOST_CORNERS) + "1 2))";
        assertThatThrownBy(() -> PolygonArea.of(wkt, Allowance.UNLIMITED))
                .hasMessageContaining("it has 100001 corners");
    }

    /** Before each step no more was taken than was asked for: of edges twice, for corners are copied on their way. */
    @Test
    void memoryIsAskedForBeforeItIsTaken() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        Geometry polygon = FACTORY.createPoint(new Coordinate(1, 1)).buffer(1, 20_000);
        PolygonGrid.of(polygon, Allowance.UNLIMITED);
        for (int refused = 1; refused <= 3; refused++) {
            int last = refused;
            long[] asked = {0, 0};
            Allowance allowance = new Allowance() {
                @Override
                public void work(long nanos) {}

                @Override
                public void memory(long bytes) {
                    if (++asked[1] == last) {
                        throw new IllegalStateException("no memory");
                    }
                    asked[0] += bytes;
                }
            };
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThatThrownBy(() -> PolygonGrid.of(polygon, allowance)).hasMessage("no memory");
            assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                    .as("taken, %d bytes were granted, refusal %d", asked[0], refused)
                    .isLessThan(2 * asked[0] + (400 << 10));
        }
    }
}
