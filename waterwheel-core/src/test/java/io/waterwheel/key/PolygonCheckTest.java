package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.geo.Box;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.GeometryFactory;
import org.locationtech.jts.geom.LinearRing;
import org.locationtech.jts.geom.Polygon;
import org.locationtech.jts.io.ParseException;
import org.locationtech.jts.io.WKTReader;
import org.locationtech.jts.operation.valid.IsValidOp;

/** The check says of every polygon whether it is valid as JTS does, and takes little time for the worst. */
final class PolygonCheckTest {
    private static final GeometryFactory FACTORY = new GeometryFactory();

    private static final ZOrder WORLD = new ZOrder(Box.WORLD);

    private static void check(String about, Geometry polygons, int[] counts) {
        boolean valid = new IsValidOp(polygons).isValid();
        counts[valid ? 0 : 1]++;
        PolygonCheck.Fault fault = PolygonCheck.of(polygons, Allowance.UNLIMITED);
        assertThat(fault == null)
                .as("%s: %s, by JTS %s, of %s", about, fault, new IsValidOp(polygons).getValidationError(), polygons)
                .isEqualTo(valid);
    }

    private static LinearRing ring(List<Coordinate> corners) {
        List<Coordinate> closed = new ArrayList<>(corners);
        closed.add(corners.get(0).copy());
        return FACTORY.createLinearRing(closed.toArray(Coordinate[]::new));
    }

    /** Any corners, few places for them: they coincide, lie on edges, go back and forth. */
    private static LinearRing scribble(Random random, int size, int places) {
        List<Coordinate> corners = new ArrayList<>();
        int count = 3 + random.nextInt(size);
        for (int c = 0; c < count; c++) {
            corners.add(new Coordinate(random.nextInt(places), random.nextInt(places)));
        }
        return ring(corners);
    }

    /** Corners about a middle, each further round it than the one before. */
    private static LinearRing star(Random random, double x, double y, double radius, boolean whole) {
        List<Coordinate> corners = new ArrayList<>();
        int count = 3 + random.nextInt(9);
        for (int c = 0; c < count; c++) {
            double angle = 2 * Math.PI * (c + 0.8 * random.nextDouble()) / count;
            double far = radius * (0.3 + 0.7 * random.nextDouble());
            double cornerX = x + far * Math.cos(angle);
            double cornerY = y + far * Math.sin(angle);
            corners.add(
                    whole ? new Coordinate(Math.rint(cornerX), Math.rint(cornerY)) : new Coordinate(cornerX, cornerY));
        }
        return random.nextBoolean() ? ring(corners) : ring(corners).reverse();
    }

    @Test
    void scribblesAreAsJtsSays() {
        int[] counts = new int[2];
        for (long seed = 1; seed <= 15_000; seed++) {
            Random random = new Random(seed);
            int places = 2 + random.nextInt(5);
            LinearRing[] holes = new LinearRing[random.nextInt(3)];
            LinearRing shell = scribble(random, 3, places);
            for (int h = 0; h < holes.length; h++) {
                holes[h] = scribble(random, 1, places);
            }
            check("seed " + seed, FACTORY.createPolygon(shell, holes), counts);
        }
        assertThat(counts[0]).isGreaterThan(500);
        assertThat(counts[1]).isGreaterThan(5_000);
    }

    /** Shells, holes and islands in holes, which touch, lie in each other, and miss each other. */
    @Test
    void starsAreAsJtsSays() {
        int[] counts = new int[2];
        for (long seed = 1; seed <= 15_000; seed++) {
            Random random = new Random(seed);
            boolean whole = random.nextInt(4) > 0;
            int size = 3 + random.nextInt(9);
            Polygon[] polygons = new Polygon[1 + random.nextInt(3)];
            for (int p = 0; p < polygons.length; p++) {
                double x = random.nextInt(size);
                double y = random.nextInt(size);
                LinearRing[] holes = new LinearRing[random.nextInt(4)];
                for (int h = 0; h < holes.length; h++) {
                    holes[h] = star(
                            random,
                            x + random.nextInt(size) - size / 2.0,
                            y + random.nextInt(size) - size / 2.0,
                            1 + random.nextInt(3),
                            whole);
                }
                polygons[p] = FACTORY.createPolygon(star(random, x, y, 1 + random.nextInt(2 * size), whole), holes);
            }
            Geometry all = polygons.length == 1 ? polygons[0] : FACTORY.createMultiPolygon(polygons);
            check("seed " + seed, all, counts);
        }
        assertThat(counts[0]).isGreaterThan(1_000);
        assertThat(counts[1]).isGreaterThan(1_000);
    }

    /** Squares in squares, a unit apart or touching at corners: nested in every way, right and wrong. */
    @Test
    void diamondsAreAsJtsSays() {
        int[] counts = new int[2];
        for (long seed = 1; seed <= 15_000; seed++) {
            Random random = new Random(seed);
            Polygon[] polygons = new Polygon[1 + random.nextInt(3)];
            for (int p = 0; p < polygons.length; p++) {
                LinearRing[] holes = new LinearRing[random.nextInt(5)];
                for (int h = 0; h < holes.length; h++) {
                    holes[h] = diamond(4 + random.nextInt(9), 4 + random.nextInt(9), 1 + random.nextInt(2));
                }
                polygons[p] = FACTORY.createPolygon(
                        random.nextInt(4) > 0
                                ? diamond(8, 8, 8 + random.nextInt(3))
                                : diamond(random.nextInt(16), random.nextInt(16), 1 + random.nextInt(2)),
                        holes);
            }
            Geometry all = polygons.length == 1 ? polygons[0] : FACTORY.createMultiPolygon(polygons);
            check("seed " + seed, all, counts);
        }
        assertThat(counts[0]).isGreaterThan(1_000);
        assertThat(counts[1]).isGreaterThan(1_000);
    }

    private static LinearRing diamond(double x, double y, double size) {
        return ring(List.of(
                new Coordinate(x, y - size),
                new Coordinate(x + size, y),
                new Coordinate(x, y + size),
                new Coordinate(x - size, y)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        POLYGON ((0 0, 4 4, 4 0, 0 4, 0 0))                                     | Self-intersection
        POLYGON ((0 0, 4 0, 2 0, 2 4, 0 0))                                     | Self-intersection
        POLYGON ((0 0, 4 0, 4 4, 2 0, 0 4, 0 0))                                | Ring Self-intersection
        POLYGON ((0 0, 1 1, 1 1, 0 0))                                          | Too few distinct points in geometry component
        POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (10 1, 11 1, 11 2, 10 1))           | Hole lies outside shell
        POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 8 1, 8 8, 1 1), (5 2, 6 2, 6 3, 5 2)) | Holes are nested
        POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (0 5, 9 4, 9 5, 0 5))               | Self-intersection
        POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (0 5, 5 4, 9 5, 5 6, 0 5))          | Interior is disconnected
        MULTIPOLYGON (((0 0, 9 0, 9 9, 0 9, 0 0)), ((1 1, 2 1, 2 2, 1 1)))      | Nested shells
        """)
    void saysWhatIsWrong(String wkt, String what) throws ParseException {
        Geometry polygons = new WKTReader(FACTORY).read(wkt);
        int[] counts = new int[2];
        check("by hand", polygons, counts);
        PolygonCheck.Fault fault = PolygonCheck.of(polygons, Allowance.UNLIMITED);
        assertThat(fault == null ? "valid" : fault.what()).isEqualTo(what);
    }

    /** Spikes so long that the boxes of most overlap, in which whoever compares boxes compares all edges with all. */
    static String spikes(int corners) {
        Random random = new Random(corners);
        StringBuilder wkt = new StringBuilder("POLYGON ((1.0 0.0");
        for (int c = 1; c < corners; c++) {
            double angle = 2 * Math.PI * c / corners;
            double far = c % 2 == 0 ? 1 : 0.1 + 0.1 * random.nextDouble();
            wkt.append(", ")
                    .append(Math.round(far * Math.cos(angle) * 1e7) / 1e7)
                    .append(' ')
                    .append(Math.round(far * Math.sin(angle) * 1e7) / 1e7);
        }
        return wkt.append(", 1.0 0.0))").toString();
    }

    private static final class Counted implements Allowance {
        private final long most;
        private long work;
        private long memory;

        Counted(long most) {
            this.most = most;
        }

        @Override
        public void work(long nanos) {
            work += nanos;
            if (work > most) {
                throw new IllegalStateException("out of time");
            }
        }

        @Override
        public void memory(long bytes) {
            memory += bytes;
        }
    }

    private static Counted work(int corners) {
        Counted counted = new Counted(Long.MAX_VALUE);
        Area area = PolygonArea.of(spikes(corners), counted);
        assertThat(area.intervals(WORLD, 64, counted::work)).isNotEmpty();
        assertThat(area.bytes()).isLessThan(counted.memory);
        return counted;
    }

    /** With IsValidOp and prepared geometry 2,000 corners took 60 ms, 20,000 took 60 times as long. */
    @Test
    void tenTimesTheCornersTakeLittleMoreThanTenTimesTheWork() {
        long few = work(2_000).work;
        long many = work(20_000).work;
        assertThat(many).isLessThan(20 * few);
    }

    @Test
    void endsWhenItMayGoOnNoLonger() {
        String wkt = spikes(20_000);
        long all = work(20_000).work;
        for (int part = 1; part < 8; part++) {
            Counted counted = new Counted(all * part / 8);
            assertThatThrownBy(() -> PolygonArea.of(wkt, counted).intervals(WORLD, 64, counted::work))
                    .hasMessage("out of time");
        }
    }
}
