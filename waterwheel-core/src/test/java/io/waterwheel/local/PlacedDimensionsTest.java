package io.waterwheel.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;
import io.waterwheel.key.Area;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shapes asked of a key of which a position is a part, with ranges of another dimension, beside a list of the rows. */
final class PlacedDimensionsTest {
    private static final List<Field> FIELDS = List.of(
            new Field("t", FieldType.TIMESTAMP, false),
            new Field("x", FieldType.DOUBLE, false),
            new Field("y", FieldType.DOUBLE, false),
            new Field("height", FieldType.INT, true));

    private static final List<Dimension> DIMENSIONS = List.of(
            new Dimension("x", 6, List.of("-180", "180"), List.of()),
            new Dimension("height", 4, List.of("0", "1000"), List.of()),
            new Dimension("y", 6, List.of("-90", "90"), List.of()));

    private static final Schema SCHEMA =
            new Schema(FIELDS, new KeySpec.Dimensions(DIMENSIONS, List.of(), List.of("x", "y")), "t");

    @TempDir
    Path folder;

    /** @param height null where there is none */
    private record Row(double x, double y, @Nullable Integer height) {}

    /** Leaves of trees and of chunks that a dimension left out, by its name. */
    private long byHeight;

    private long byPlace;

    @Test
    void shapesAndRangesHaveTheRowsOfAList() throws Exception {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(4, 200); seed++) {
            check(seed);
        }
        assertThat(byHeight).isPositive();
        assertThat(byPlace).isPositive();
    }

    private void check(long seed) throws Exception {
        Random random = new Random(seed);
        List<Row> rows = new ArrayList<>();
        Path home = folder.resolve("s" + seed);
        String about = "-Dseed=" + seed + " -Dseeds=1, ";
        try (LocalStream stream = LocalStream.open(home, "s", SCHEMA, LocalSettings.DEFAULT)) {
            for (int part = 0; part < 2; part++) {
                TupleBlock block = new TupleBlock(stream.layout(), 0);
                RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, SCHEMA);
                for (int i = 2000 + random.nextInt(12_000); i >= 0; i--) {
                    Row row = row(random);
                    if (Box.WORLD.contains(row.x(), row.y())) {
                        rows.add(row);
                    }
                    String csv = i + "," + row.x() + "," + row.y() + "," + (row.height() == null ? "" : row.height());
                    decoder.decode(ByteBuffer.wrap(csv.getBytes(UTF_8)), block);
                }
                // What is not on the globe is refused, and in no answer.
                stream.insert(block, (row, reason) -> assertThat(reason).contains("(the key has a position), got "));
                ask(stream, rows, random, about + "fresh");
                stream.flush();
                ask(stream, rows, random, about + "flushed");
            }
        }
        try (LocalStream stream = LocalStream.open(home, "s", SCHEMA, LocalSettings.DEFAULT)) {
            ask(stream, rows, random, about + "cold");
        }
    }

    private static Row row(Random random) {
        double x = random.nextDouble() * 360 - 180;
        double y = random.nextDouble() * 180 - 90;
        switch (random.nextInt(20)) {
            case 0 -> x = random.nextBoolean() ? 180 : -180;
            case 1 -> y = random.nextBoolean() ? 90 : -90;
            case 2 -> x = Double.NaN;
            case 3 -> y = Double.NaN;
            case 4 -> x = random.nextGaussian() * 400;
            default -> {}
        }
        return new Row(x, y, random.nextInt(10) == 0 ? null : random.nextInt(1100) - 50);
    }

    private void ask(LocalStream stream, List<Row> rows, Random random, String when) throws Exception {
        for (int q = 0; q < 12; q++) {
            Shape shape = shape(random);
            Area area = Area.of(shape);
            int low = random.nextInt(1000);
            int high = low + random.nextInt(300);
            boolean bounded = random.nextInt(3) > 0;
            long expected = rows.stream()
                    .filter(row -> area.contains(row.x(), row.y()))
                    .filter(row -> !bounded || (row.height() != null && row.height() >= low && row.height() <= high))
                    .count();
            Query query = stream.query().withShape(shape);
            if (bounded) {
                query = query.withKeyRanges(
                        List.of(new KeyRange("height", Integer.toString(low), Integer.toString(high))));
            }
            String as = when + ": " + shape + (bounded ? " height " + low + " to " + high : "");
            Verdict count = stream.answer(query.withCount(), block -> true);
            assertThat(count.tuples()).as(as).isEqualTo(expected);
            assertThat(stream.answer(query, block -> true).tuples()).as(as).isEqualTo(expected);
            for (var scanned :
                    List.of(count.statistics().fresh(), count.statistics().inChunks())) {
                scanned.pruned().counts().stream()
                        .filter(pruned -> pruned.reason().equals(PruneReason.DIMENSION.toString()))
                        .forEach(pruned -> {
                            byHeight += "height".equals(pruned.field()) ? pruned.number() : 0;
                            byPlace += "height".equals(pruned.field()) ? 0 : pruned.number();
                        });
            }
        }
    }

    private static Shape shape(Random random) {
        double west = random.nextDouble() * 360 - 180;
        double south = random.nextDouble() * 170 - 90;
        double wide = random.nextDouble() * (random.nextBoolean() ? 20 : 200);
        double north = Math.min(90, south + random.nextDouble() * 60);
        double east = west + wide > 180 ? west + wide - 360 : west + wide;
        return switch (random.nextInt(5)) {
            case 0 -> new Box(west, south, east, north);
            case 1 -> new Circle(west, south, random.nextDouble() * 3_000_000);
            case 2 -> new Circle(west, random.nextBoolean() ? 89.5 : -90, random.nextDouble() * 2_000_000);
            case 3 -> new Circle(random.nextBoolean() ? 179.5 : -180, south, random.nextDouble() * 2_000_000);
            default ->
                new Polygon("POLYGON((" + west + " " + south + ", " + (west + 30) + " " + south + ", " + (west + 10)
                        + " " + (north + 1) + ", " + west + " " + south + "))");
        };
    }

    /** Bounds of circles and polygons lie on the globe three times: of those beyond it no cell is wanted. */
    @Test
    void aShapeReadsNoMoreThanRangesOfItsBounds() throws Exception {
        Random random = new Random(11);
        try (LocalStream stream = LocalStream.open(folder, "b", SCHEMA, LocalSettings.DEFAULT)) {
            TupleBlock block = new TupleBlock(stream.layout(), 0);
            RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, SCHEMA);
            for (int i = 0; i < 60_000; i++) {
                String csv = i + "," + (random.nextDouble() * 360 - 180) + "," + (random.nextDouble() * 180 - 90) + ","
                        + random.nextInt(1000);
                decoder.decode(ByteBuffer.wrap(csv.getBytes(UTF_8)), block);
            }
            stream.insert(block);
            String wkt = "POLYGON((2 48, 3 48, 3 49, 2 48))";
            for (int when = 0; when < 2; when++) {
                for (Shape shape : List.of(new Circle(2.55, 49.01, 10_000), new Polygon(wkt), new Box(2, 48, 3, 49))) {
                    Box bounds = Area.of(shape).bounds().stream()
                            .filter(box -> box.west() > -180 && box.east() < 180)
                            .findFirst()
                            .orElseThrow();
                    Query byShape = stream.query().withShape(shape).withCount();
                    Query byRanges = stream.query()
                            .withKeyRanges(List.of(
                                    new KeyRange("x", "" + bounds.west(), "" + bounds.east()),
                                    new KeyRange("y", "" + bounds.south(), "" + bounds.north())))
                            .withCount();
                    Verdict shaped = stream.answer(byShape, rows -> true);
                    Verdict ranged = stream.answer(byRanges, rows -> true);
                    assertThat(shaped.statistics().inChunks().read())
                            .as("%s", shape)
                            .isEqualTo(ranged.statistics().inChunks().read());
                    assertThat(shaped.statistics().fresh().read())
                            .as("%s", shape)
                            .isEqualTo(ranged.statistics().fresh().read());
                }
                stream.flush();
            }
        }
    }

    @Test
    void aDefinitionKeepsThePosition() {
        assertThat(SchemaJson.read(SchemaJson.write(SCHEMA))).isEqualTo(SCHEMA);
    }

    @Test
    void aPositionIsOfTwoDimensions() {
        assertThatThrownBy(() -> schema(List.of("x", "height")))
                .hasMessageContaining("the latitude field 'height' must be of type double");
        List<Field> nullable = new ArrayList<>(FIELDS);
        nullable.set(1, new Field("x", FieldType.DOUBLE, true));
        assertThatThrownBy(() ->
                        new Schema(nullable, new KeySpec.Dimensions(DIMENSIONS, List.of(), List.of("x", "y")), "t"))
                .hasMessageContaining("the longitude field 'x' must not be nullable");
        for (List<String> wrong : List.of(List.of("x"), List.of("x", "x"), List.of("x", "z"))) {
            assertThatThrownBy(() -> schema(wrong))
                    .hasMessageContaining("position: expected two dimensions, the longitude and the latitude, got ");
        }
    }

    private static Schema schema(List<String> position) {
        return new Schema(FIELDS, new KeySpec.Dimensions(DIMENSIONS, List.of(), position), "t");
    }

    @Test
    void withoutAPositionAShapeIsRefused() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "n", schema(List.of()), LocalSettings.DEFAULT)) {
            Query query = stream.query().withShape(new Box(0, 0, 1, 1));
            assertThatThrownBy(() -> stream.answer(query, block -> true))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("has no position for a key");
        }
    }
}
