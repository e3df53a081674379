package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

final class AreaTest {
    private static final ZOrder WORLD = new ZOrder(Box.WORLD);

    @Test
    void everyPositionOfABoxHasItsKeyInTheCover() {
        int held = 0;
        for (long seed = 0; seed < Rounds.of(30, 300); seed++) {
            Random random = new Random(seed);
            double west = random.nextDouble() * 360 - 180;
            double east =
                    random.nextBoolean() ? random.nextDouble() * 360 - 180 : Math.min(180, west + random.nextDouble());
            double south = random.nextDouble() * 180 - 90;
            Box box = new Box(west, south, east, south + random.nextDouble() * (90 - south));
            held += check(seed, box, random, (longitude, latitude) -> {
                boolean inside =
                        west <= east ? west <= longitude && longitude <= east : longitude >= west || longitude <= east;
                return inside && latitude >= box.south() && latitude <= box.north();
            });
        }
        assertThat(held).isPositive();
    }

    @Test
    void everyPositionOfACircleHasItsKeyInTheCoverAtThePolesAndTheAntimeridianToo() {
        int held = 0;
        for (long seed = 0; seed < Rounds.of(30, 300); seed++) {
            Random random = new Random(seed);
            double longitude =
                    random.nextInt(3) == 0 ? 180 - random.nextDouble() * 1e-3 : random.nextDouble() * 360 - 180;
            double latitude = random.nextInt(3) == 0 ? 90 - random.nextDouble() * 2 : random.nextDouble() * 180 - 90;
            double metres = Math.pow(10, random.nextDouble() * 7.4);
            Circle circle = new Circle(random.nextBoolean() ? longitude : -longitude, latitude, metres);
            held += check(seed, circle, random, (x, y) -> naive(circle, x, y));
        }
        assertThat(held).isPositive();
    }

    @Test
    void everyPositionOfAPolygonHasItsKeyInTheCoverOverTheAntimeridianToo() {
        int held = 0;
        for (long seed = 0; seed < Rounds.of(20, 200); seed++) {
            Random random = new Random(seed);
            double middleX = random.nextInt(3) == 0 ? 180 : random.nextDouble() * 360 - 180;
            double middleY = random.nextDouble() * 160 - 80;
            double size = Math.pow(10, random.nextDouble() * 4 - 3);
            List<double[][]> rings = new ArrayList<>();
            rings.add(star(random, middleX, middleY, size, 5 + random.nextInt(30)));
            if (random.nextBoolean()) {
                rings.add(star(random, middleX, middleY, size * 0.2, 3 + random.nextInt(8)));
            }
            held += check(seed, new Polygon(wkt(rings)), random, (x, y) -> {
                for (double turned : new double[] {x, x - 360, x + 360}) {
                    if (naive(rings, turned, y)) {
                        return true;
                    }
                }
                return false;
            });
        }
        assertThat(held).isPositive();
    }

    /** Positions near and far, and on the border's corners: the test equals the naive one, the cover holds the keys. */
    /** What a rectangle is said to have in it, each of its positions has. */
    private static int checkRectangles(long seed, Area area, Shape shape, Random random) {
        int held = 0;
        for (int r = 0; r < 15; r++) {
            double[] corner = position(shape, random);
            double size = Math.pow(10, random.nextDouble() * 6 - 4);
            double east = corner[0] + random.nextDouble() * size;
            double north = corner[1] + random.nextDouble() * size;
            if (!area.holds(corner[0], corner[1], east, north, work -> {})) {
                continue;
            }
            held++;
            for (int i = 0; i < 12; i++) {
                double x =
                        i < 4 ? (i % 2 == 0 ? corner[0] : east) : corner[0] + random.nextDouble() * (east - corner[0]);
                double y = i < 4 ? (i < 2 ? corner[1] : north) : corner[1] + random.nextDouble() * (north - corner[1]);
                assertThat(area.contains(Math.min(x, east), Math.min(y, north)))
                        .as("seed %s: %s holds %s %s", seed, shape, x, y)
                        .isTrue();
            }
        }
        return held;
    }

    /** A circle whose radius is the distance of a position holds it; with the next smaller radius it does not. */
    @Test
    void circlesEndWhereTheDistanceDoes() {
        Random random = new Random(Long.getLong("seed", 0));
        for (int i = 0; i < 20_000; i++) {
            double longitude = random.nextDouble() * 360 - 180;
            double latitude = random.nextDouble() * 180 - 90;
            double near = StrictMath.pow(10, -random.nextInt(9));
            double x = Math.max(-180, Math.min(180, longitude + (random.nextDouble() - 0.5) * 360 * near));
            double y = Math.max(-90, Math.min(90, latitude + (random.nextDouble() - 0.5) * 180 * near));
            double metres = Circle.distance(x, y, longitude, latitude);
            assertThat(Circle.distance(longitude, latitude, x, y)).isEqualTo(metres);
            assertThat(Area.of(new Circle(longitude, latitude, metres)).contains(x, y))
                    .as("%s %s in %s metres around %s %s", x, y, metres, longitude, latitude)
                    .isTrue();
            if (metres > 0) {
                assertThat(Area.of(new Circle(longitude, latitude, Math.nextDown(metres)))
                                .contains(x, y))
                        .as("%s %s in less than %s metres around %s %s", x, y, metres, longitude, latitude)
                        .isFalse();
            }
        }
    }

    /** Returns how many rectangles were found to lie inside. */
    private static int check(long seed, Shape shape, Random random, BiPredicate<Double, Double> naive) {
        Area area = Area.of(shape);
        int limit = 1 + random.nextInt(64);
        List<KeyInterval> cover = area.intervals(WORLD, limit);
        assertThat(cover).as("seed %s", seed).hasSizeLessThanOrEqualTo(limit);
        assertThat(KeyIntervals.merged(cover))
                .as("seed %s: sorted, disjoint", seed)
                .isEqualTo(cover);
        int count = 400;
        byte[] longitudes = new byte[count * 8];
        byte[] latitudes = new byte[count * 8];
        int[] rows = new int[count];
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            double[] position = position(shape, random);
            LittleEndian.putLong(longitudes, i * 8, Double.doubleToRawLongBits(position[0]));
            LittleEndian.putLong(latitudes, i * 8, Double.doubleToRawLongBits(position[1]));
            rows[i] = i;
            boolean in = naive.test(position[0], position[1]);
            assertThat(area.contains(position[0], position[1]))
                    .as("seed %s: %s holds %s %s", seed, shape, position[0], position[1])
                    .isEqualTo(in);
            if (in) {
                expected.add(i);
                assertThat(area.bounds())
                        .as("seed %s: %s, bounds of %s %s", seed, shape, position[0], position[1])
                        .anyMatch(box -> box.contains(position[0], position[1]));
                long key = WORLD.code(position[0], position[1]);
                assertThat(cover)
                        .as("seed %s: %s, key of %s %s", seed, shape, position[0], position[1])
                        .anyMatch(interval -> interval.contains(key));
            }
        }
        int held = checkRectangles(seed, area, shape, random);
        int kept = area.keep(longitudes, 0, latitudes, 0, rows, count, work -> {});
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < kept; i++) {
            found.add(rows[i]);
        }
        assertThat(found).as("seed %s", seed).isEqualTo(expected);
        return held;
    }

    private static double[] position(Shape shape, Random random) {
        double x;
        double y;
        double width;
        if (shape instanceof Box box) {
            x = random.nextBoolean() ? box.west() : box.east();
            y = random.nextBoolean() ? box.south() : box.north();
            width = 1;
        } else if (shape instanceof Circle circle) {
            width = Math.min(180, Math.toDegrees(circle.metres() / Circle.EARTH_RADIUS_METRES) * 1.5);
            x = circle.longitude();
            y = circle.latitude();
        } else {
            String[] corners =
                    ((Polygon) shape).wkt().replaceAll("[^-0-9.,E ]", "").split(",", -1);
            String[] corner = corners[random.nextInt(corners.length)].strip().split(" ", -1);
            x = Double.parseDouble(corner[0]);
            y = Double.parseDouble(corner[1]);
            width = random.nextBoolean() ? 10 : 0.01;
        }
        switch (random.nextInt(4)) {
            case 0 -> {
                x = random.nextDouble() * 360 - 180;
                y = random.nextDouble() * 180 - 90;
            }
            case 1 -> {
                x += random.nextGaussian() * width / Math.max(0.01, Math.cos(Math.toRadians(y)));
                y += random.nextGaussian() * width;
            }
            case 2 -> {
                x += (random.nextDouble() - 0.5) * width;
                y += (random.nextDouble() - 0.5) * width;
            }
            default -> {}
        }
        x = x > 180 ? x - 360 : x < -180 ? x + 360 : x;
        return new double[] {Math.max(-180, Math.min(180, x)), Math.max(-90, Math.min(90, y))};
    }

    private static boolean naive(Circle circle, double longitude, double latitude) {
        double a = StrictMath.sin(StrictMath.toRadians(latitude - circle.latitude()) / 2);
        double b = StrictMath.sin(StrictMath.toRadians(longitude - circle.longitude()) / 2);
        double cosines = StrictMath.cos(StrictMath.toRadians(circle.latitude()))
                * StrictMath.cos(StrictMath.toRadians(latitude));
        return 2 * 6_371_008.8 * StrictMath.asin(Math.min(1, Math.sqrt(a * a + b * b * cosines))) <= circle.metres();
    }

    /** Corners around a middle in the order of their angle: never crosses itself. */
    private static double[][] star(Random random, double x, double y, double size, int corners) {
        double[][] ring = new double[corners + 1][];
        for (int i = 0; i < corners; i++) {
            double angle = 2 * Math.PI * (i + 0.4 * random.nextDouble()) / corners;
            double radius = size * (0.5 + random.nextDouble() / 2);
            ring[i] = new double[] {x + radius * Math.cos(angle), y + radius * Math.sin(angle)};
        }
        ring[corners] = ring[0];
        return ring;
    }

    private static String wkt(List<double[][]> rings) {
        StringBuilder text = new StringBuilder("POLYGON (");
        for (double[][] ring : rings) {
            text.append(text.length() > 9 ? ", (" : "(");
            for (int i = 0; i < ring.length; i++) {
                text.append(i > 0 ? ", " : "").append(ring[i][0]).append(' ').append(ring[i][1]);
            }
            text.append(')');
        }
        return text.append(')').toString();
    }

    /** Inside the first ring, its border included, and not inside another, whose border belongs to the polygon. */
    private static boolean naive(List<double[][]> rings, double x, double y) {
        int outer = side(rings.get(0), x, y);
        if (outer < 0) {
            return false;
        }
        for (int i = 1; i < rings.size(); i++) {
            if (side(rings.get(i), x, y) > 0) {
                return false;
            }
        }
        return true;
    }

    /** 1 inside, 0 on the border, -1 outside; exact. */
    private static int side(double[][] ring, double x, double y) {
        boolean inside = false;
        for (int i = 1; i < ring.length; i++) {
            double[] a = ring[i - 1];
            double[] b = ring[i];
            int turn = cross(a, b, x, y);
            if (turn == 0
                    && x >= Math.min(a[0], b[0])
                    && x <= Math.max(a[0], b[0])
                    && y >= Math.min(a[1], b[1])
                    && y <= Math.max(a[1], b[1])) {
                return 0;
            }
            if (a[1] > y != b[1] > y && turn > 0 == b[1] > a[1]) {
                inside = !inside;
            }
        }
        return inside ? 1 : -1;
    }

    private static int cross(double[] a, double[] b, double x, double y) {
        BigDecimal abX = new BigDecimal(b[0]).subtract(new BigDecimal(a[0]));
        BigDecimal abY = new BigDecimal(b[1]).subtract(new BigDecimal(a[1]));
        BigDecimal apX = new BigDecimal(x).subtract(new BigDecimal(a[0]));
        BigDecimal apY = new BigDecimal(y).subtract(new BigDecimal(a[1]));
        return abX.multiply(apY).subtract(abY.multiply(apX)).signum();
    }

    @Test
    void aCoverIsNotMuchLargerThanItsShape() {
        // Square degrees: of the circle pi/4 of 0.0274 x 0.018, of the triangles half their boxes.
        assertThat(covered(new Circle(2.35, 48.85, 1000))).isBetween(0.00038, 0.0006);
        assertThat(covered(new Polygon("POLYGON ((2.3 48.8, 2.4 48.8, 2.4 48.9, 2.3 48.8))")))
                .isBetween(0.005, 0.008);
        assertThat(covered(new Polygon("MULTIPOLYGON (((179 -17, 181 -17, 181 -16, 179 -17)))")))
                .isBetween(1.0, 1.6);
    }

    private static double covered(Shape shape) {
        double codes = 0;
        for (KeyInterval interval : Area.of(shape).intervals(WORLD, 64)) {
            codes += (double) interval.high() - interval.low() + 1;
        }
        return codes / Math.pow(2, 62) * 360 * 180;
    }

    @Test
    void aHoleAndItsBorder() {
        Area area = Area.of(new Polygon("POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0), (4 4, 6 4, 6 6, 4 6, 4 4))"));
        assertThat(area.contains(1, 1)).isTrue();
        assertThat(area.contains(5, 5)).isFalse();
        assertThat(area.contains(4, 5)).isTrue();
        assertThat(area.contains(10, 10)).isTrue();
        assertThat(area.contains(Double.NaN, 5)).isFalse();
        assertThat(area.contains(5, Double.NaN)).isFalse();
    }

    @Test
    void whatIsNoPolygonIsSaidSo() {
        assertThatThrownBy(() -> Area.of(new Polygon("POLYGON ((0 0, 10 10, 10 0, 0 10, 0 0))")))
                .hasMessage("polygon: Self-intersection at 5.0 5.0");
        assertThatThrownBy(() -> Area.of(new Polygon("POINT (1 2)")))
                .hasMessage("polygon: expected POLYGON or MULTIPOLYGON, got 'POINT (1 2)'");
        assertThatThrownBy(() -> Area.of(new Polygon("GEOMETRYCOLLECTION (".repeat(10_000))))
                .hasMessageStartingWith("polygon: expected POLYGON or MULTIPOLYGON, got 'GEOMETRYCOLLECTION");
        assertThatThrownBy(() -> Area.of(new Polygon("POLYGON ((0 0, 10 10")))
                .hasMessageStartingWith("polygon: expected");
        assertThatThrownBy(() -> Area.of(new Polygon("POLYGON ((0 0, 1 1, 2 0))")))
                .hasMessageStartingWith("polygon: ");
        assertThatThrownBy(() -> Area.of(new Polygon("POLYGON ((0 0, 1 0, 1 1, 0 0)) junk")))
                .hasMessage("polygon: expected nothing behind its last parenthesis, got 'junk'");
        assertThatThrownBy(() -> Area.of(new Polygon(
                        "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5))), ((8 8, 9 8, 9 9, 8 8)))")))
                .hasMessage("polygon: expected nothing behind its last parenthesis, got ', ((8 8, 9 8, 9 9, 8 8)))'");
        assertThat(Area.of(new Polygon(" POLYGON ((0 0, 1 0, 1 1, 0 0)) \n")).contains(0.9, 0.1))
                .isTrue();
        assertThatThrownBy(() -> Area.of(new Polygon("POLYGON EMPTY"))).hasMessage("polygon: it is empty");
        assertThatThrownBy(() -> Area.of(new Polygon("POLYGON ((0 0, 600 0, 600 1, 0 0))")))
                .hasMessageContaining("longitudes from -540 to 540");
        assertThatThrownBy(() -> new Circle(0, 91, 1)).hasMessageContaining("expected a centre");
        assertThatThrownBy(() -> new Circle(0, 0, -1)).hasMessageContaining("expected a radius");
        assertThatThrownBy(() -> new Box(200, 0, 100, 1)).hasMessageContaining("antimeridian");
    }
}
