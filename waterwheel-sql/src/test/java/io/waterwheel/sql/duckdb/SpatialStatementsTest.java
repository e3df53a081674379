package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.key.Area;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.sql.change.Change;
import io.waterwheel.sql.change.ChangeParser;
import io.waterwheel.sql.suite.LoadedTables;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Positions and shapes in statements: pushed, unpushed, and beside loops over all pairs. */
final class SpatialStatementsTest {
    private static final Instant NOW = Instant.parse("2026-11-24T03:00:00Z");
    private static final int SEEDS = Rounds.of(1, 60);

    private static final Schema POSITIONS = new Schema(
            List.of(
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("lon", FieldType.DOUBLE, false),
                    new Field("lat", FieldType.DOUBLE, false),
                    new Field("id", FieldType.LONG, false),
                    new Field("x", FieldType.DOUBLE, true),
                    new Field("y", FieldType.DOUBLE, true)),
            new KeySpec.Position("lon", "lat", Box.WORLD),
            "at");
    /** The same fields, under a key of dimensions with a position. */
    private static final Schema DIMENSIONS = SchemaJson.readStream(((Change.Create) Objects.requireNonNull(
                            ChangeParser.of("CREATE STREAM positions (at TIMESTAMP, lon DOUBLE, lat DOUBLE, id BIGINT,"
                                    + " x DOUBLE NULL, y DOUBLE) KEY (lon RANGE (-20, 20), lat BITS 5 RANGE (-90, 90),"
                                    + " id RANGE (0, 300), x CUTS (-4, 0, 2.5)) POSITION (lon, lat) TIME (at)")))
                    .definition())
            .schema();

    private static final Schema ZONES = new Schema(
            List.of(
                    new Field("zone", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("shape", FieldType.STRING, true),
                    new Field("x", FieldType.DOUBLE, true),
                    new Field("y", FieldType.DOUBLE, true),
                    new Field("metres", FieldType.LONG, true)),
            new KeySpec.Ordered("zone"),
            "at");

    private static DuckDbExecutor executor;

    @TempDir
    Path folder;

    private final List<List<@Nullable Object>> positions = new ArrayList<>();
    private final List<List<@Nullable Object>> zones = new ArrayList<>();

    @BeforeAll
    static void open() {
        executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1 << 30, 2, 2));
    }

    @AfterAll
    static void close() {
        executor.close();
    }

    /** Few places, so that much lies on borders and in corners; and some that are none. */
    private static double longitude(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> List.of(-180.0, 180.0, 179.5, -179.5).get(random.nextInt(4));
            case 1 -> random.nextDouble() * 360 - 180;
            default -> (random.nextInt(41) - 20) * 0.25;
        };
    }

    private static double latitude(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> List.of(-90.0, 90.0, 89.5, 0.0).get(random.nextInt(4));
            case 1 -> random.nextDouble() * 180 - 90;
            default -> (random.nextInt(41) - 20) * 0.25;
        };
    }

    private static @Nullable Double other(double number, Random random) {
        return switch (random.nextInt(12)) {
            case 0 -> null;
            case 1 -> Double.NaN;
            case 2 -> number * 40;
            default -> number;
        };
    }

    static String polygon(Random random, double x, double y, double size) {
        StringBuilder text = new StringBuilder("POLYGON ((");
        int corners = 3 + random.nextInt(5);
        String first = "";
        for (int c = 0; c < corners; c++) {
            double angle = 2 * Math.PI * c / corners;
            double reach = size * (0.5 + random.nextDouble());
            String corner = (random.nextBoolean()
                            ? x + reach * Math.cos(angle)
                            : Math.rint((x + reach * Math.cos(angle)) * 4) / 4)
                    + " " + (y + reach * Math.sin(angle));
            text.append(c == 0 ? "" : ", ").append(corner);
            first = c == 0 ? corner : first;
        }
        return text.append(", ").append(first).append("))").toString();
    }

    private LoadedTables loaded(Schema schema, Random random, int rows, int shapes) throws IOException {
        LoadedTables tables = new LoadedTables(
                folder.resolve("s" + random.nextInt()), Map.of("positions", schema, "zones", ZONES), executor, NOW);
        for (int round = 0; round < 2; round++) {
            List<List<@Nullable Object>> more = new ArrayList<>();
            for (int row = 0; row < rows / 2; row++) {
                more.add(Arrays.asList(
                        NOW.toEpochMilli() - random.nextInt(1000),
                        longitude(random),
                        latitude(random),
                        (long) positions.size() + row,
                        other(longitude(random), random),
                        other(latitude(random), random)));
            }
            positions.addAll(more);
            tables.insert("positions", more);
            if (round == 0) {
                tables.flush();
            }
        }
        for (int zone = 0; zone < shapes; zone++) {
            double x = longitude(random);
            double y = Math.max(-80, Math.min(80, latitude(random)));
            zones.add(Arrays.asList(
                    (long) zone,
                    NOW.toEpochMilli(),
                    random.nextInt(9) == 0 ? null : polygon(random, x, y, random.nextInt(4) == 0 ? 5 : 0.7),
                    other(x, random),
                    other(y, random),
                    random.nextInt(9) == 0 ? null : (long) random.nextInt(400_000) - 1000));
        }
        tables.insert("zones", zones);
        return tables;
    }

    private static Schema keyed(long seed) {
        return seed % 2 == 0 ? POSITIONS : DIMENSIONS;
    }

    private static List<String> sorted(List<List<@Nullable Object>> rows) {
        return rows.stream()
                .map(Object::toString)
                .sorted(Comparator.naturalOrder())
                .toList();
    }

    private static String one(Random random, String... of) {
        return of[random.nextInt(of.length)];
    }

    private static String point(Random random) {
        return one(random, "ST_Point(lon, lat)", "ST_Point(lon, lat)", "ST_Point(x, y)", "ST_Point(x + 1, lat)");
    }

    private static String shape(Random random) {
        double x = longitude(random);
        double y = Math.max(-80, Math.min(80, latitude(random)));
        return switch (random.nextInt(4)) {
            case 0 -> "ST_MakeEnvelope(" + x + ", " + y + ", " + Math.min(180, x + 3) + ", " + (y + 2) + ")";
            case 1 -> "ST_Buffer(ST_Point(" + x + ", " + y + "), " + random.nextInt(300_000) + ")";
            case 2 -> "ST_MakeEnvelope(170, " + y + ", -170, " + (y + 1) + ")";
            default -> "ST_GeomFromText('" + polygon(random, x, y, 2) + "')";
        };
    }

    private static String condition(Random random, int depth) {
        String centre = "ST_Point(" + longitude(random) + ", " + latitude(random) + ")";
        return switch (random.nextInt(depth == 0 ? 6 : 9)) {
            case 0 -> "ST_Within(" + point(random) + ", " + shape(random) + ")";
            case 1 -> "ST_Contains(" + shape(random) + ", " + point(random) + ")";
            case 2 -> "ST_Intersects(" + shape(random) + ", " + point(random) + ")";
            case 3 -> "ST_DWithin(" + point(random) + ", " + centre + ", " + random.nextInt(500_000) + ")";
            case 4 ->
                "ST_Distance(" + point(random) + ", " + one(random, centre, "ST_GeomFromText('POINT (1.5 -2)')") + ") "
                        + one(random, "<", "<=", ">", ">=") + " " + random.nextInt(500_000);
            case 5 -> random.nextInt(500_000) + " > ST_Distance(" + centre + ", " + point(random) + ")";
            case 6 -> "(" + condition(random, depth - 1) + " AND " + condition(random, depth - 1) + ")";
            case 7 -> "(" + condition(random, depth - 1) + " OR " + condition(random, depth - 1) + ")";
            default -> "NOT (" + condition(random, depth - 1) + ")";
        };
    }

    /** Bounds of what is a dimension of some keys. */
    private static String range(Random random) {
        int low = random.nextInt(250);
        return one(
                random,
                "",
                " AND id BETWEEN " + low + " AND " + (low + random.nextInt(60)),
                " AND id >= " + low,
                " AND x " + one(random, "<", ">=", "=") + " " + (random.nextInt(9) - 4) * 0.5,
                " AND (x IS NULL OR x > 3)",
                " AND lon < " + longitude(random));
    }

    /** A shape by the position of the key, beside ranges of other dimensions. */
    @Test
    void shapesAndRangesArePushedTogether() throws Exception {
        try (LoadedTables tables = loaded(DIMENSIONS, new Random(5), 300, 1)) {
            String statement =
                    "SELECT id FROM positions WHERE ST_Within(ST_Point(lon, lat), ST_MakeEnvelope(-2, -3, 4, 3))"
                            + " AND id BETWEEN 20 AND 220 AND x < 2";
            List<String> rows = sorted(tables.answer(statement));
            assertThat(tables.asked()).hasSize(1);
            assertThat(tables.asked().get(0).shape()).isEqualTo(new Box(-2, -3, 4, 3));
            assertThat(String.valueOf(tables.asked().get(0).where())).contains("id >= 20", "id <= 220", "x < 2");
            List<String> expected = positions.stream()
                    .filter(row -> new Box(-2, -3, 4, 3).contains((Double) row.get(1), (Double) row.get(2)))
                    .filter(row -> (Long) row.get(3) >= 20 && (Long) row.get(3) <= 220)
                    .filter(row -> row.get(4) != null && (Double) row.get(4) < 2)
                    .map(row -> "[" + row.get(3) + "]")
                    .sorted()
                    .toList();
            assertThat(rows).isNotEmpty().isEqualTo(expected);
        }
    }

    /** Of other fields than the key, beside its shape, behind OR and NOT, and as a value. */
    @Test
    void writtenPolygonsBecomeConditions() throws Exception {
        String polygon = "POLYGON ((-3 -3, 3 -3, 3 3, -3 3, -3 -3), (-1 0, 0 -1, 1 0, 0 1, -1 0))";
        String written = "ST_GeomFromText('" + polygon + "')";
        String other = "ST_Within(ST_Point(x, y), " + written + ")";
        String key = "ST_Contains(" + written + ", ST_Point(lon, lat))";
        try (LoadedTables tables = loaded(POSITIONS, new Random(6), 600, 1)) {
            for (String where : List.of(
                    other,
                    key + " AND " + other,
                    other + " OR id < 20",
                    "NOT ST_Intersects(" + written + ", ST_Point(x, y + 1))",
                    "NOT " + key,
                    "CASE WHEN " + other + " THEN id > 50 ELSE " + key + " END")) {
                String statement = "SELECT id FROM positions WHERE " + where;
                List<String> rows = sorted(tables.answer(statement));
                assertThat(tables.asked()).as(statement).hasSize(1);
                assertThat(String.valueOf(tables.asked().get(0).where()))
                        .as(statement)
                        .contains("IN_POLYGON(")
                        .contains(polygon);
                assertThat(rows).as(statement).isNotEmpty().isEqualTo(sorted(tables.answerUnpushed(statement)));
            }
            // Beyond the globe there is no position, whatever a box says.
            for (String box : List.of("170, -90, 190, 90", "-200, -100, 200, 100", "185, 0, 190, 5")) {
                String statement = "SELECT id FROM positions WHERE ST_Within(ST_Point(x * 100, y * 40),"
                        + " ST_MakeEnvelope(" + box + "))";
                assertThat(sorted(tables.answer(statement)))
                        .as(statement)
                        .isEqualTo(sorted(tables.answerUnpushed(statement)));
            }
        }
    }

    @Test
    void pushedIsUnpushed() throws Exception {
        for (long seed = Long.getLong("seed", 0), end = seed + SEEDS; seed < end; seed++) {
            Random random = new Random(seed);
            positions.clear();
            zones.clear();
            try (LoadedTables tables = loaded(keyed(seed), random, 300, 10)) {
                for (int s = 0; s < 40; s++) {
                    String statement = one(
                            random,
                            "SELECT id FROM positions WHERE " + condition(random, 2),
                            "SELECT id FROM positions WHERE " + condition(random, 1) + " AND " + condition(random, 1),
                            "SELECT id, " + condition(random, 1) + " AS c FROM positions",
                            "SELECT id, ST_Distance(" + point(random) + ", ST_Point(2, 3)) AS d FROM positions",
                            "SELECT id FROM positions WHERE " + condition(random, 0) + range(random) + range(random),
                            "SELECT COUNT(*) FROM positions WHERE " + condition(random, 1));
                    assertThat(sorted(tables.answer(statement)))
                            .as("seed %s: %s", seed, statement)
                            .isEqualTo(sorted(tables.answerUnpushed(statement)));
                }
            }
        }
    }

    /** What lies in what, by the areas themselves. */
    private List<String> pairs(String kind, boolean odd) {
        List<String> rows = new ArrayList<>();
        boolean[] found = new boolean[positions.size()];
        for (List<@Nullable Object> zone : zones) {
            boolean any = false;
            for (int p = 0; p < positions.size(); p++) {
                List<@Nullable Object> position = positions.get(p);
                double lon = (Double) java.util.Objects.requireNonNull(position.get(1));
                double lat = (Double) java.util.Objects.requireNonNull(position.get(2));
                boolean pair = holds(zone, kind, lon, lat)
                        && (!odd
                                || ((Long) java.util.Objects.requireNonNull(position.get(3))
                                                        + (Long) java.util.Objects.requireNonNull(zone.get(0)))
                                                % 2
                                        == 1);
                if (pair) {
                    rows.add("[" + position.get(3) + ", " + zone.get(0) + "]");
                    found[p] = true;
                    any = true;
                }
            }
            if (!any) {
                rows.add("[null, " + zone.get(0) + "]");
            }
        }
        for (int p = 0; p < found.length; p++) {
            if (!found[p]) {
                rows.add("[" + positions.get(p).get(3) + ", null]");
            }
        }
        return rows;
    }

    private static boolean holds(List<@Nullable Object> zone, String kind, double lon, double lat) {
        if (kind.equals("polygon")) {
            return zone.get(2) instanceof String text
                    && Area.of(new Polygon(text)).contains(lon, lat);
        }
        return zone.get(3) instanceof Double x
                && zone.get(4) instanceof Double y
                && zone.get(5) instanceof Long metres
                && metres >= 0
                && Math.abs(x) <= 180
                && Math.abs(y) <= 90
                && Area.of(new Circle(x, y, metres)).contains(lon, lat);
    }

    @Test
    void joinsFindEveryPair() throws Exception {
        Map<String, String> conditions = Map.of(
                "polygon",
                "ST_Within(ST_Point(p.lon, p.lat), ST_GeomFromText(z.shape))",
                "circle",
                "ST_DWithin(ST_Point(z.x, z.y), ST_Point(p.lon, p.lat), z.metres)");
        for (long seed = Long.getLong("seed", 0), end = seed + SEEDS; seed < end; seed++) {
            Random random = new Random(seed);
            positions.clear();
            zones.clear();
            try (LoadedTables tables = loaded(keyed(seed), random, 200, 40)) {
                for (Map.Entry<String, String> condition : conditions.entrySet()) {
                    for (boolean odd : new boolean[] {false, true}) {
                        List<String> pairs = pairs(condition.getKey(), odd);
                        String on = " ON " + condition.getValue() + (odd ? " AND MOD(p.id + z.zone, 2) = 1" : "");
                        List<String> inner = pairs.stream()
                                .filter(row -> !row.contains("null"))
                                .toList();
                        assertThat(inner).as("seed %s", seed).isNotEmpty();
                        check(tables, "positions p JOIN zones z" + on, pairs, "[", "null");
                        check(tables, "zones z JOIN positions p" + on, pairs, "[", "null");
                        check(tables, "positions p LEFT JOIN zones z" + on, pairs, "[", "[null");
                        check(tables, "zones z RIGHT JOIN positions p" + on, pairs, "[", "[null");
                        check(tables, "positions p RIGHT JOIN zones z" + on, pairs, "[", ", null");
                        check(tables, "zones z LEFT JOIN positions p" + on, pairs, "[", ", null");
                        check(tables, "positions p FULL JOIN zones z" + on, pairs, "[", "nothing");
                        check(tables, "zones z FULL JOIN positions p" + on, pairs, "[", "nothing");
                        String exists = "SELECT p.id FROM positions p WHERE %s EXISTS (SELECT 1 FROM zones z WHERE "
                                + on.substring(4) + ")";
                        List<String> with = inner.stream()
                                .map(row -> row.substring(0, row.indexOf(',')) + "]")
                                .distinct()
                                .sorted()
                                .toList();
                        assertThat(sorted(tables.answer(String.format(exists, ""))))
                                .isEqualTo(with);
                        assertThat(sorted(tables.answer(String.format(exists, "NOT"))))
                                .hasSize(positions.size() - with.size())
                                .doesNotContainAnyElementsOf(with);
                    }
                }
            }
        }
    }

    /** Many positions among many polygons; of some positions every polygon is looked at. */
    @Test
    void joinsMany() throws Exception {
        int count = Integer.getInteger("positions", 20_000);
        int shapes = Integer.getInteger("polygons", 300);
        int looked = 500;
        Random random = new Random(Long.getLong("seed", 0));
        double size = 3 / Math.sqrt(shapes / 100.0);
        try (LoadedTables tables = new LoadedTables(
                folder.resolve("many"), Map.of("positions", POSITIONS, "zones", ZONES), executor, NOW)) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            for (long id = 0; id < count; id++) {
                rows.add(Arrays.asList(
                        NOW.toEpochMilli(), random.nextDouble() * 40 - 20, random.nextDouble() * 40, id, null, null));
                if (id < looked) {
                    positions.add(rows.get(rows.size() - 1));
                }
                if (rows.size() == 50_000 || id == count - 1) {
                    tables.insert("positions", rows);
                    rows.clear();
                }
            }
            for (long zone = 0; zone < shapes; zone++) {
                String shape = polygon(random, random.nextDouble() * 40 - 20, random.nextDouble() * 40, size);
                zones.add(Arrays.asList(zone, NOW.toEpochMilli(), shape, null, null, null));
            }
            tables.insert("zones", zones);
            tables.flush();
            long expected = pairs("polygon", false).stream()
                    .filter(row -> !row.contains("null"))
                    .count();
            assertThat(expected).isPositive();
            String join = " FROM positions p JOIN zones z"
                    + " ON ST_Within(ST_Point(p.lon, p.lat), ST_GeomFromText(z.shape))";
            assertThat(tables.answer("SELECT COUNT(*)" + join + " WHERE p.id < " + looked))
                    .isEqualTo(List.of(List.of(expected)));
            long begun = System.nanoTime();
            String statement =
                    "SELECT COUNT(*), COUNT(DISTINCT zone), SUM(inside) FROM (SELECT z.zone, COUNT(*) AS inside" + join
                            + " GROUP BY z.zone) AS s";
            List<List<@Nullable Object>> answer = tables.answer(statement);
            System.out.printf(
                    "%,d positions in %,d polygons: %s pairs, %.1f s%n",
                    count, shapes, answer.get(0).get(2), (System.nanoTime() - begun) / 1e9);
            assertThat((Long) answer.get(0).get(2)).isGreaterThan(expected);
        }
    }

    private static void check(LoadedTables tables, String from, List<String> pairs, String has, String hasNot)
            throws InterruptedException {
        String statement = "SELECT p.id, z.zone FROM " + from;
        assertThat(sorted(tables.answer(statement)))
                .as(statement)
                .isEqualTo(pairs.stream()
                        .filter(row -> row.contains(has) && !row.contains(hasNot))
                        .sorted()
                        .toList());
    }

    /** What is computed below is carried as a text: with the same answers. */
    @Test
    void carriedIsInline() throws Exception {
        Random random = new Random(Long.getLong("seed", 0));
        try (LoadedTables tables = loaded(POSITIONS, random, 300, 10)) {
            for (int s = 0; s < 60; s++) {
                String shape = shape(random);
                String truth = one(random, "", "NOT ", "(NOT ") + "ST_Within(ST_Point(x, y), %s)";
                String condition = truth.startsWith("(") ? truth + ") IS NULL" : truth;
                String inline = "SELECT id FROM positions WHERE " + condition.replace("%s", shape);
                String carried = "SELECT id FROM (SELECT *, " + shape + " AS s FROM positions LIMIT 100000) WHERE "
                        + condition.replace("%s", "s");
                assertThat(sorted(tables.answer(carried))).as(carried).isEqualTo(sorted(tables.answer(inline)));
            }
        }
    }

    /** Joins in joins, beside equalities, with boxes of columns, and with the point on either side. */
    @Test
    void joinsOfManyKinds() throws Exception {
        Random random = new Random(Long.getLong("seed", 0));
        try (LoadedTables tables = loaded(POSITIONS, random, 200, 30)) {
            String within = "ST_Within(ST_Point(p.lon, p.lat), ST_GeomFromText(z.shape))";
            String near = "ST_DWithin(ST_Point(p.lon, p.lat), ST_Point(z.x, z.y), ";
            for (List<String> same : List.of(
                    List.of(
                            "SELECT p.id, z.zone FROM positions p JOIN zones z ON " + near + "100000)",
                            "SELECT p.id, z.zone FROM positions p JOIN zones z"
                                    + " ON ST_DWithin(ST_Point(z.x, z.y), ST_Point(p.lon, p.lat), 100000)",
                            "SELECT p.id, z.zone FROM positions p JOIN zones z"
                                    + " ON 100000 >= ST_Distance(ST_Point(z.x, z.y), ST_Point(p.lon, p.lat))",
                            "SELECT p.id, z.zone FROM positions p, zones z"
                                    + " WHERE ST_Distance(ST_Point(z.x, z.y), ST_Point(p.lon, p.lat)) + 0 <= 100000"),
                    List.of(
                            "SELECT p.id, z.zone FROM positions p JOIN zones z ON " + near + "p.id * 1000)",
                            "SELECT p.id, z.zone FROM positions p, zones z"
                                    + " WHERE ST_Distance(ST_Point(z.x, z.y), ST_Point(p.lon, p.lat)) + 0 <= p.id * 1000"),
                    List.of(
                            "SELECT p.id, z.zone FROM positions p JOIN zones z ON MOD(p.id, 30) = z.zone AND " + within,
                            "SELECT p.id, z.zone FROM positions p JOIN zones z ON " + within
                                    + " WHERE MOD(p.id, 30) = z.zone"),
                    List.of(
                            "SELECT p.id, z.zone FROM positions p JOIN zones z ON ST_Intersects(ST_MakeEnvelope(z.zone - 10,"
                                    + " -3, z.zone - 9, z.zone), ST_Point(p.lon, p.lat))",
                            "SELECT p.id, z.zone FROM positions p, zones z WHERE p.lon BETWEEN z.zone - 10 AND z.zone - 9"
                                    + " AND p.lat BETWEEN -3 AND z.zone"),
                    List.of(
                            "SELECT p.id, z.zone, y.zone FROM positions p JOIN zones z ON " + within
                                    + " LEFT JOIN zones y ON " + within.replace("z.", "y.") + " AND y.zone > z.zone",
                            "SELECT a.id, a.zone, b.zone FROM (SELECT p.id, z.zone FROM positions p JOIN zones z ON "
                                    + within + ") a LEFT JOIN (SELECT p.id, z.zone FROM positions p JOIN zones z ON "
                                    + within + ") b ON a.id = b.id AND b.zone > a.zone"))) {
                List<String> first = sorted(tables.answer(same.get(0)));
                assertThat(first).as(same.get(0)).isNotEmpty();
                for (String other : same.subList(1, same.size())) {
                    assertThat(sorted(tables.answer(other))).as(other).isEqualTo(first);
                    assertThat(sorted(tables.answerUnpushed(other))).as(other).isEqualTo(first);
                }
            }
            String limited = "SELECT p.id FROM positions p JOIN zones z ON " + within + " LIMIT 2";
            assertThat(tables.answer(limited)).hasSize(2);
        }
    }

    /** A zone whose other kind has a text of another kind. */
    @Test
    void shapesAreMadeOfWantedRowsAlone() throws Exception {
        try (LoadedTables tables = oneRow()) {
            String join = "SELECT z.zone, p.id FROM zones z LEFT JOIN positions p ON z.zone <> 1"
                    + " AND ST_Within(ST_Point(p.lon, p.lat), ST_GeomFromText(z.shape))";
            assertThat(tables.answer(join)).hasToString("[[1, null]]");
        }
    }

    /** So many pairs would not fit, and end the process; others go on afterwards. */
    @Test
    void boundsWhatOnePlaceLiesIn() throws Exception {
        try (LoadedTables tables = new LoadedTables(
                folder.resolve("place"), Map.of("positions", POSITIONS, "zones", ZONES), executor, NOW)) {
            List<List<@Nullable Object>> here = new ArrayList<>();
            for (long id = 0; id < 3000; id++) {
                here.add(Arrays.asList(NOW.toEpochMilli(), 2.5, 48.0, id, null, null));
                zones.add(Arrays.asList(id, NOW.toEpochMilli(), null, 2.5, 48.0, 10L));
            }
            tables.insert("positions", here);
            tables.insert("zones", zones);
            String join = "SELECT COUNT(*) FROM positions p JOIN zones z"
                    + " ON ST_DWithin(ST_Point(p.lon, p.lat), ST_Point(z.x, z.y), z.metres) AND p.id < ";
            assertThatThrownBy(() -> tables.answer(join + "3000"))
                    .hasMessageContaining("positions lie in more than 1000000 shapes together")
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("QUERY_MEMORY"));
            assertThat(tables.answer(join + "100")).hasToString("[[300000]]");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT ST_AsText(ST_Point(lon, lat)) FROM positions WHERE id = 0 | [[POINT (2.5 48)]]",
                "SELECT ST_AsText(ST_MakeEnvelope(lon, lat, 3, 49.5)) FROM positions WHERE id = 0 |"
                        + " [[POLYGON ((2.5 48, 3 48, 3 49.5, 2.5 49.5, 2.5 48))]]",
                "SELECT ST_AsText(ST_MakeEnvelope(170, -1, -170, 1)) FROM positions WHERE id = 0 |"
                        + " [[POLYGON ((170 -1, 190 -1, 190 1, 170 1, 170 -1))]]",
                "SELECT ST_AsText(ST_GeomFromText('POINT(1e1 2)')) FROM positions WHERE id = 0 | [[POINT (10 2)]]",
                "SELECT ST_Distance(ST_Point(lon, lat), ST_Point(2.5, 49)) FROM positions WHERE id = 0 |"
                        + " [[111195.0802335329]]",
                "SELECT COUNT(*) FROM (SELECT ST_Point(lon, lat) AS p, id FROM positions LIMIT 5) WHERE ST_DWithin(p,"
                        + " ST_Point(2.5, 48), 10) AND ST_Within(p, ST_MakeEnvelope(2, 47, 3, 48)) | [[1]]",
                "SELECT COUNT(*) FROM positions GROUP BY id HAVING ST_DWithin(ST_Point(AVG(lon), AVG(lat)),"
                        + " ST_Point(2.5, 48), 10) | [[1]]",
            })
    void examples(String statement, String answer) throws Exception {
        try (LoadedTables tables = oneRow()) {
            assertThat(tables.answer(statement)).hasToString(answer);
            assertThat(tables.answerUnpushed(statement)).hasToString(answer);
        }
    }

    private LoadedTables oneRow() throws IOException {
        LoadedTables tables =
                new LoadedTables(folder.resolve("one"), Map.of("positions", POSITIONS, "zones", ZONES), executor, NOW);
        tables.insert("positions", List.of(Arrays.asList(NOW.toEpochMilli(), 2.5, 48.0, 0L, null, null)));
        tables.insert("zones", List.of(Arrays.asList(1L, NOW.toEpochMilli(), "POLYGON ((0 0", null, null, null)));
        return tables;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT ST_AsText(ST_Buffer(ST_Point(lon, lat), 10)) FROM positions | SQL_UNSUPPORTED | a circle, which is no",
                "SELECT id FROM positions WHERE ST_Within(ST_Point(lon, lat), ST_Point(1, 2)) | SQL_UNSUPPORTED | of two points",
                "SELECT id FROM positions WHERE ST_Intersects(ST_MakeEnvelope(1, 2, 3, 4), ST_MakeEnvelope(1, 2, 3, 4)) |"
                        + " SQL_UNSUPPORTED | of two shapes",
                "SELECT id FROM positions WHERE ST_Within(ST_Point(x, y), ST_GeomFromText('POLYGON ((0 0, 1'))"
                        + " | SQL_VALUE | polygon: expected well-known text",
                "SELECT zone FROM zones WHERE ST_Within(ST_Point(1, 2), ST_GeomFromText(shape)) | SQL_VALUE | polygon: expected",
                "SELECT p.id FROM positions p JOIN zones z ON ST_Within(ST_Point(p.lon, p.lat), ST_GeomFromText(z.shape))"
                        + " | SQL_VALUE | polygon: expected well-known text",
                "SELECT COUNT(*) FROM positions WHERE ST_Within(ST_Point(lon, lat), ST_GeomFromText('BOX (1 2, 3 4)'))"
                        + " | SQL_VALUE | expected POLYGON or MULTIPOLYGON",
                "SELECT id FROM positions WHERE ST_Within(ST_Point(lon, lat), ST_MakeEnvelope(1, 4, 3, 2)) OR id = 7 |"
                        + " SQL_VALUE | box: expected LAT1 <= LAT2",
            })
    void fails(String statement, String code, String why) throws Exception {
        try (LoadedTables tables = oneRow()) {
            assertThatThrownBy(() -> tables.answer(statement))
                    .hasMessageContaining(why)
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo(code));
        }
    }
}
