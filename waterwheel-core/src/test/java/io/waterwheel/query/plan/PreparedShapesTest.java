package io.waterwheel.query.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Polygon;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.key.PositionIndex;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.scan.QueryClock;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Polygons are made ready once, within the time and the memory of those who ask for them. */
@Timeout(300)
final class PreparedShapesTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final PositionIndex WORLD = positions(Box.WORLD);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static PositionIndex positions(Box domain) {
        Schema schema = new Schema(
                List.of(
                        new Field("x", FieldType.DOUBLE, false),
                        new Field("y", FieldType.DOUBLE, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Position("x", "y", domain),
                "t");
        return Objects.requireNonNull(KeyScheme.of(schema).positions());
    }

    private static Polygon round(int corners) {
        StringBuilder text = new StringBuilder();
        for (int c = 0; c < corners; c++) {
            double angle = 2 * Math.PI * c / corners;
            text.append(Math.round(Math.cos(angle) * 1e8) / 1e8)
                    .append(' ')
                    .append(Math.round(Math.sin(angle) * 1e8) / 1e8)
                    .append(", ");
        }
        return new Polygon("POLYGON ((" + text + "1.0 0.0))");
    }

    /** The clock of one query: what it says decides, and a test sees each look at it. */
    private static QueryClock clock(LongSupplier now) {
        return new QueryClock() {
            @Override
            public long nanos() {
                return now.getAsLong();
            }

            @Override
            public void sleep(long nanos) {
                throw new AssertionError("planning does not sleep");
            }
        };
    }

    private static Planning planning(PreparedShapes shapes, QueryMemory memory) {
        return new Planning(shapes, memory.open(), clock(() -> 0), 1, () -> false);
    }

    /** A plan that is made anew, and each subquery, asks for the same polygon again. */
    @Test
    void aPolygonOfManyCornersIsPreparedOnce() {
        QueryMemory memory = QueryMemory.unlimited();
        PreparedShapes shapes = new PreparedShapes(memory);
        Polygon polygon = round(500);
        PreparedShapes.Prepared first = planning(shapes, memory).prepared(polygon, WORLD);
        Polygon same = new Polygon(polygon.wkt());
        assertThat(planning(shapes, memory).prepared(same, WORLD)).isSameAs(first);
        assertThat(first.area().contains(0.5, 0.5)).isTrue();
        PositionIndex part = positions(new Box(0, 0, 10, 10));
        assertThat(planning(shapes, memory).prepared(polygon, part).keys()).isNotEqualTo(first.keys());
        Polygon open = new Polygon(polygon.wkt().replace(", 1.0 0.0))", ", 2.0 0.0))"));
        for (int time = 0; time < 2; time++) {
            assertThatThrownBy(() -> planning(shapes, memory).prepared(open, WORLD))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whatMayNotGoOnEndsWithinMilliseconds() {
        QueryMemory memory = new QueryMemory(64 * MEBIBYTE, 64 * MEBIBYTE);
        PreparedShapes shapes = new PreparedShapes(memory);
        Polygon polygon = round(4_000);
        for (int looks = 0; looks < 8; looks++) {
            long[] time = {-looks};
            try (Reservation query = memory.open();
                    Planning late = new Planning(shapes, query, clock(() -> time[0]++), 0, () -> false);
                    Planning left = new Planning(shapes, query, clock(() -> -1), 0, () -> time[0]++ > 0)) {
                assertThatThrownBy(() -> late.prepared(polygon, WORLD))
                        .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                                .isEqualTo("INCOMPLETE"));
                assertThat(time[0]).as("looks at the clock").isOne();
                time[0] = -looks;
                assertThatThrownBy(() -> left.prepared(polygon, WORLD))
                        .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                                .isEqualTo("CLIENT_GONE"));
            }
            assertThat(memory.reserved()).isZero();
        }
    }

    /** One who waits for another's shape waits as long as its own time lasts, and makes it when the other gives up. */
    @Test
    void whoWaitsForAnothersShapeHasTimeOfItsOwn() throws InterruptedException, ExecutionException {
        QueryMemory memory = QueryMemory.unlimited();
        PreparedShapes shapes = new PreparedShapes(memory);
        Polygon polygon = round(5_000);
        CountDownLatch atIt = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Planning first = new Planning(
                shapes,
                memory.open(),
                clock(() -> {
                    atIt.countDown();
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    return 1;
                }),
                0,
                () -> false);
        Future<?> making = threads.submit(() -> first.prepared(polygon, WORLD));
        assertThat(atIt.await(50, TimeUnit.SECONDS)).isTrue();

        long[] time = {-3};
        Planning hasty = new Planning(shapes, memory.open(), clock(() -> time[0]++), 0, () -> false);
        assertThatThrownBy(() -> hasty.prepared(polygon, WORLD)).hasMessageContaining("the query's time was over");

        AtomicBoolean waited = new AtomicBoolean();
        Planning patient = new Planning(
                shapes,
                memory.open(),
                clock(() -> {
                    if (!waited.getAndSet(true)) {
                        goOn.countDown();
                    }
                    return -1;
                }),
                0,
                () -> false);
        assertThat(patient.prepared(polygon, WORLD).area().contains(0.5, 0.5)).isTrue();
        assertThat(waited).isTrue();
        assertThatThrownBy(making::get).hasMessageContaining("the query's time was over");
    }

    /** However many are asked for at once: the others wait, each as long as its own time lasts. */
    @Test
    void fewLargeShapesAreMadeReadyAtATime() throws Exception {
        QueryMemory memory = QueryMemory.unlimited();
        PreparedShapes shapes = new PreparedShapes(memory, MEBIBYTE, 2);
        CountDownLatch atIt = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        QueryClock stops = clock(() -> {
            atIt.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return 0;
        });
        List<Future<?>> all = new ArrayList<>();
        for (int corners = 5_000; corners < 5_002; corners++) {
            Polygon polygon = round(corners);
            Planning planning = new Planning(shapes, memory.open(), stops, 1, () -> false);
            all.add(threads.submit(() -> planning.prepared(polygon, WORLD)));
        }
        assertThat(atIt.await(50, TimeUnit.SECONDS)).isTrue();

        long[] time = {-3};
        Planning late = new Planning(shapes, memory.open(), clock(() -> time[0]++), 0, () -> false);
        assertThatThrownBy(() -> late.prepared(round(5_002), WORLD))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SERVER_BUSY"));
        Planning gone = new Planning(shapes, memory.open(), clock(() -> 0), 1, () -> true);
        assertThatThrownBy(() -> gone.prepared(round(5_002), WORLD))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("CLIENT_GONE"));
        // Small ones need no turn, and those that are ready none either.
        assertThat(planning(shapes, memory).prepared(round(10), WORLD).keys()).isNotEmpty();

        CountDownLatch waiting = new CountDownLatch(3);
        for (int corners = 6_000; corners < 6_003; corners++) {
            Planning planning = new Planning(shapes, memory.open(), clock(() -> 0), 1, () -> {
                waiting.countDown();
                return false;
            });
            Polygon polygon = round(corners);
            all.add(threads.submit(() -> planning.prepared(polygon, WORLD)));
        }
        assertThat(waiting.await(50, TimeUnit.SECONDS)).isTrue();
        assertThat(all).noneMatch(Future::isDone);
        goOn.countDown();
        for (Future<?> each : all) {
            each.get(50, TimeUnit.SECONDS);
        }
    }

    @Test
    void shapesAreReservedAndGiveWay() {
        QueryMemory memory = new QueryMemory(16 * MEBIBYTE, 16 * MEBIBYTE);
        PreparedShapes shapes = new PreparedShapes(memory);
        Polygon polygon = round(5_000);
        long bytes;
        try (Reservation query = memory.open();
                Planning planning = new Planning(shapes, query, clock(() -> 0), 1, () -> false)) {
            bytes = planning.prepared(polygon, WORLD).bytes();
            assertThat(bytes).isBetween(5_000L * 40, 4L * MEBIBYTE);
            assertThat(memory.reserved()).as("held by the query, and kept").isEqualTo(2 * bytes);
            assertThat(planning.prepared(polygon, WORLD).bytes()).isEqualTo(bytes);
            assertThat(memory.reserved()).isEqualTo(2 * bytes);
        }
        assertThat(memory.reserved()).as("kept").isEqualTo(bytes);
        try (Reservation one = memory.open();
                Reservation other = memory.open()) {
            one.reserve(12 * MEBIBYTE);
            assertThatThrownBy(() -> other.reserve(5 * MEBIBYTE))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("QUERY_MEMORY"));
            assertThat(memory.reserved())
                    .as("kept: to give way would not have helped")
                    .isEqualTo(12 * MEBIBYTE + bytes);
            other.reserve(4 * MEBIBYTE);
            assertThat(memory.reserved()).as("nothing is kept").isEqualTo(16 * MEBIBYTE);
            assertThatThrownBy(() -> planning(shapes, memory).prepared(polygon, WORLD))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("QUERY_MEMORY"));
        }
        assertThat(memory.reserved()).isZero();
    }

    /** Those that were not asked for lately go, and only as many as are needed. */
    @Test
    void onlyWhatIsNeededGivesWay() {
        QueryMemory memory = new QueryMemory(16 * MEBIBYTE, 16 * MEBIBYTE);
        PreparedShapes shapes = new PreparedShapes(memory);
        long[] bytes = new long[4];
        for (int shape = 0; shape < bytes.length; shape++) {
            try (Reservation query = memory.open();
                    Planning planning = new Planning(shapes, query, clock(() -> 0), 1, () -> false)) {
                bytes[shape] = planning.prepared(round(2_000 + shape), WORLD).bytes();
            }
        }
        long all = bytes[0] + bytes[1] + bytes[2] + bytes[3];
        assertThat(memory.reserved()).isEqualTo(all);
        try (Reservation query = memory.open()) {
            query.reserve(16 * MEBIBYTE - all + 1);
            assertThat(memory.reserved()).isLessThan(16 * MEBIBYTE).isGreaterThan(16 * MEBIBYTE - bytes[0] - bytes[3]);
        }
    }

    /** However many different shapes are asked for, one after the other. */
    @Test
    void whatIsKeptIsBounded() {
        QueryMemory memory = QueryMemory.unlimited();
        PreparedShapes shapes = new PreparedShapes(memory, MEBIBYTE, 1);
        long sum = 0;
        for (int corners = 2_000; corners < 2_020; corners++) {
            try (Reservation query = memory.open();
                    Planning planning = new Planning(shapes, query, clock(() -> 0), 1, () -> false)) {
                sum += planning.prepared(round(corners), WORLD).bytes();
            }
        }
        assertThat(sum).isGreaterThan(2L * MEBIBYTE);
        assertThat(memory.reserved()).isBetween(MEBIBYTE / 2L, 1L * MEBIBYTE);
    }
}
