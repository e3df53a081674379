package io.waterwheel.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.Area;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.compile.RowInterpreter;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.RandomExpressions;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.locationtech.jts.geom.Geometry;

/** IN_POLYGON over any two numbers, fresh and in chunks, beside a list of the rows and JTS's test of all edges. */
final class InPolygonTest {
    private static final List<Field> FIELDS = List.of(
            new Field("t", FieldType.TIMESTAMP, false),
            new Field("x", FieldType.DOUBLE, true),
            new Field("y", FieldType.FLOAT, true),
            new Field("i", FieldType.INT, true),
            new Field("j", FieldType.LONG, false));

    private static final Schema ORDERED = new Schema(FIELDS, new KeySpec.Ordered("j"), "t");
    private static final Schema DIMENSIONS = new Schema(
            FIELDS,
            new KeySpec.Dimensions(
                    List.of(
                            new Dimension("x", 4, List.of("-40", "40"), List.of()),
                            new Dimension("i", 4, List.of("-40", "40"), List.of())),
                    List.of(),
                    List.of()),
            "t");

    @TempDir
    Path folder;

    private record Row(
            @Nullable Double x, @Nullable Float y, @Nullable Integer i, long j) {}

    /** Leaves that zones and dimensions left out. */
    private long byZone;

    private long byDimension;

    @Test
    void rowsAreThoseOfAList() throws Exception {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(4, 200); seed++) {
            check(seed % 2 == 0 ? ORDERED : DIMENSIONS, seed);
        }
        assertThat(byZone).isPositive();
        assertThat(byDimension).isPositive();
    }

    private void check(Schema schema, long seed) throws Exception {
        Random random = new Random(seed);
        List<Row> rows = new ArrayList<>();
        Path home = folder.resolve("s" + seed);
        try (LocalStream stream = LocalStream.open(home, "s", schema, LocalSettings.DEFAULT)) {
            for (int part = 0; part < 2; part++) {
                TupleBlock block = new TupleBlock(stream.layout(), 0);
                RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
                for (int n = 2000 + random.nextInt(5_000); n >= 0; n--) {
                    Row row = row(random, rows.size());
                    rows.add(row);
                    String csv = n + "," + text(row.x()) + "," + text(row.y()) + "," + text(row.i()) + "," + row.j();
                    decoder.decode(ByteBuffer.wrap(csv.getBytes(UTF_8)), block);
                }
                stream.insert(block);
                ask(stream, rows, random, "-Dseed=" + seed + ", fresh");
                stream.flush();
                ask(stream, rows, random, "-Dseed=" + seed + ", flushed");
            }
        }
        try (LocalStream stream = LocalStream.open(home, "s", schema, LocalSettings.DEFAULT)) {
            ask(stream, rows, random, "-Dseed=" + seed + ", cold");
        }
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    /** Near each other where numbers are, so that leaves can be left out; some on borders, or no position at all. */
    private static Row row(Random random, int number) {
        double x = number / 300 + (random.nextBoolean() ? random.nextInt(9) : random.nextDouble() * 8) - 20;
        Double maybe = random.nextInt(200) == 0 ? null : (Double) x;
        float y = (float) (random.nextBoolean() ? random.nextInt(20) - 10 : random.nextDouble() * 20 - 10);
        switch (random.nextInt(1000)) {
            case 0 -> maybe = Double.NaN;
            case 1 -> y = Float.NaN;
            case 2 -> maybe = random.nextBoolean() ? 180.0 : -180.0;
            case 3 -> maybe = x + 360;
            case 4 -> y = random.nextBoolean() ? 91 : Float.NEGATIVE_INFINITY;
            default -> {}
        }
        return new Row(
                maybe,
                random.nextInt(20) == 0 ? null : (Float) y,
                random.nextInt(20) == 0 ? null : (Integer) (random.nextInt(60) - 30),
                number);
    }

    private static @Nullable Boolean inside(@Nullable Number longitude, @Nullable Number latitude, Geometry polygon) {
        return longitude == null || latitude == null
                ? null
                : (Boolean) RowInterpreter.inPolygon(longitude.doubleValue(), latitude.doubleValue(), polygon);
    }

    private static @Nullable Boolean either(@Nullable Boolean one, @Nullable Boolean other) {
        if (one == null || other == null) {
            return one == null ? (Boolean.TRUE.equals(other) ? true : null) : one ? true : null;
        }
        return one || other;
    }

    private void ask(LocalStream stream, List<Row> rows, Random random, String when) throws Exception {
        for (int q = 0; q < 9; q++) {
            String first = polygon(random);
            String second = polygon(random);
            Geometry one = RowInterpreter.polygon(first);
            Geometry two = RowInterpreter.polygon(second);
            String ofFields = "IN_POLYGON(x, y, '" + first + "')";
            count(stream, rows, when, ofFields, row -> inside(row.x(), row.y(), one));
            String where;
            Function<Row, @Nullable Boolean> truth;
            switch (random.nextInt(6)) {
                case 0 -> {
                    where = "NOT " + ofFields;
                    truth = row -> Boolean.FALSE.equals(inside(row.x(), row.y(), one));
                }
                case 1 -> {
                    where = ofFields + " IS NULL";
                    truth = row -> inside(row.x(), row.y(), one) == null;
                }
                case 2 -> {
                    where = ofFields + " OR IN_POLYGON(i, x, '" + second + "')";
                    truth = row -> either(inside(row.x(), row.y(), one), inside(row.i(), row.x(), two));
                }
                case 3 -> {
                    where = "j < 9000 AND IN_POLYGON(i, -x, '" + first + "')";
                    truth = row -> row.j() < 9000
                            && Boolean.TRUE.equals(inside(row.i(), row.x() == null ? null : -row.x(), one));
                }
                case 4 -> {
                    where = "CASE WHEN IN_POLYGON(i, y, '" + first + "') THEN x < 0 ELSE j < 500 END";
                    truth = row -> Boolean.TRUE.equals(inside(row.i(), row.y(), one))
                            ? row.x() != null && row.x() < 0
                            : row.j() < 500;
                }
                default -> {
                    where = "IN_POLYGON(i, j, '" + first + "') AND x > -100";
                    truth = row ->
                            Boolean.TRUE.equals(inside(row.i(), row.j(), one)) && row.x() != null && row.x() > -100;
                }
            }
            count(stream, rows, when, where, truth);
        }
    }

    private void count(
            LocalStream stream, List<Row> rows, String when, String where, Function<Row, @Nullable Boolean> truth)
            throws Exception {
        long expected = rows.stream()
                .filter(row -> Boolean.TRUE.equals(truth.apply(row)))
                .count();
        Verdict count =
                stream.answer(stream.query().withWhere(Expression.parse(where)).withCount(), block -> true);
        assertThat(count.tuples()).as("%s: %s", when, where).isEqualTo(expected);
        Statistics statistics = count.statistics();
        for (var scanned : List.of(statistics.fresh(), statistics.inChunks())) {
            scanned.pruned().counts().forEach(pruned -> {
                byZone += pruned.reason().equals(PruneReason.ZONE.toString()) ? pruned.number() : 0;
                byDimension += pruned.reason().equals(PruneReason.DIMENSION.toString()) ? pruned.number() : 0;
            });
        }
    }

    private static String polygon(Random random) {
        int x = random.nextInt(60) - 20;
        return switch (random.nextInt(6)) {
            case 0 -> "POLYGON ((170 -5, 190 -5, 190 9, 170 9, 170 -5))";
            case 1 ->
                "POLYGON ((" + (x + 360) + " -9, " + (x + 367) + " -9, " + (x + 362) + " 12.5, " + (x + 360) + " -9))";
            default -> RandomExpressions.polygon(random, x, random.nextInt(9) - 4);
        };
    }

    /** Though an expression is read and compiled many times: for each chunk. */
    @Test
    void aPolygonIsReadOnce() {
        StringBuilder circle = new StringBuilder();
        for (int corner = 0; corner <= 500; corner++) {
            double angle = 2 * Math.PI * (corner % 500) / 500;
            circle.append(corner == 0 ? "" : ", ")
                    .append((float) Math.cos(angle))
                    .append(' ')
                    .append((float) Math.sin(angle));
        }
        String where = "IN_POLYGON(x, y, 'POLYGON ((" + circle + "))')";
        Area area = ExpressionTypes.polygon((Expression.Call) Expression.parse(where));
        assertThat(area.contains(0.5, 0.5)).isTrue();
        assertThat(ExpressionTypes.polygon((Expression.Call) Expression.parse(where)))
                .isSameAs(area);
        // However many others there were meanwhile, the last one is kept; a longer one is refused.
        for (int other = 0; other < 100; other++) {
            String moved = where.replace("))')", "), (0 0, 0.1 0, 0.1 0." + (100 + other) + ", 0 0))')");
            Area last = ExpressionTypes.polygon((Expression.Call) Expression.parse(moved));
            assertThat(ExpressionTypes.polygon((Expression.Call) Expression.parse(moved)))
                    .isSameAs(last);
        }
        String longer = where.replace("))')", ")" + ", (0 0, 0.1 0, 0.1 0.1, 0 0)".repeat(500) + ")')");
        assertThatThrownBy(() -> ExpressionTypes.polygon((Expression.Call) Expression.parse(longer)))
                .hasMessageContaining("polygon: expected at most 16384 characters, got");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "IN_POLYGON(x, y, 'here') | in IN_POLYGON(x, y, 'here'): polygon: expected POLYGON or MULTIPOLYGON, got",
                "IN_POLYGON(x, y, 'POLYGON ((0 0, 1') | polygon: expected well-known text such as POLYGON ((2 48, 3 48",
                "IN_POLYGON(x, y, 'POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))') | polygon: Self-intersection at 1.0 1.0",
                "IN_POLYGON(x, y, 7) | expected a polygon in quotes such as 'POLYGON ((2 48, 3 48, 3 49, 2 48))', got 7",
                "IN_POLYGON(x, 'y', 'POLYGON ((0 0, 2 2, 2 0, 0 0))') | expected numbers, got 'y' of type string",
                "IN_POLYGON(t, y, 'POLYGON ((0 0, 2 2, 2 0, 0 0))') | expected numbers, got t of type timestamp",
                "IN_POLYGON(x, 'POLYGON ((0 0, 2 2, 2 0, 0 0))') | IN_POLYGON: expected 3 arguments, got 2",
            })
    void fails(String where, String why) throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", ORDERED, LocalSettings.DEFAULT)) {
            assertThatThrownBy(() -> stream.answer(stream.query().withWhere(Expression.parse(where)), block -> true))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageStartingWith("expression: ")
                    .hasMessageContaining(why);
        }
    }
}
