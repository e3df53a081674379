package io.waterwheel.query.plan;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Shape;
import io.waterwheel.key.Allowance;
import io.waterwheel.key.PositionIndex;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.scan.QueryClock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of planning one query or subquery: the time until its deadline, while its client waits, and memory. Once
 * the query's shape is ready, holds the shape's memory until it is closed. One thread at a time.
 */
public final class Planning implements AutoCloseable {
    /** Work between two looks at the clock, in nanoseconds. */
    private static final long WORK_BETWEEN = 200_000;

    /** For those that bound nothing: it keeps no shape, and lets all be made ready at once. */
    private static final PreparedShapes UNKEPT = new PreparedShapes(QueryMemory.unlimited(), 0, Integer.MAX_VALUE);

    private final PreparedShapes shapes;
    private final Reservation memory;
    private final QueryClock clock;
    private final long deadlineNanos;
    private final BooleanSupplier givenUp;
    /** The query's shape, made ready. */
    private PreparedShapes.@Nullable Prepared ready;

    private @Nullable Shape readyShape;
    private @Nullable PositionIndex readyPositions;

    /**
     * Of one query.
     *
     * @param memory of the query; what its shape takes is reserved apart from what this holds
     * @param deadlineNanos by the clock
     * @param givenUp whether the client has given up on the answer; asked often
     */
    public Planning(
            PreparedShapes shapes, Reservation memory, QueryClock clock, long deadlineNanos, BooleanSupplier givenUp) {
        this.shapes = shapes;
        this.memory = memory.part();
        this.clock = clock;
        this.deadlineNanos = deadlineNanos;
        this.givenUp = givenUp;
    }

    /** One that bounds nothing. A shape that several of them ask for at once is made ready once, and not kept. */
    static Planning unbounded() {
        return new Planning(
                UNKEPT,
                QueryMemory.unlimited().open(),
                QueryClock.SYSTEM,
                System.nanoTime() + Long.MAX_VALUE / 2,
                () -> false);
    }

    /**
     * Makes the query's shape ready, once for all its plans.
     *
     * @throws IllegalArgumentException when it is no valid shape; the message says where
     * @throws WaterwheelException when the query may not go on, or has not the memory
     */
    PreparedShapes.Prepared prepared(Shape shape, PositionIndex positions) {
        PreparedShapes.Prepared before = ready;
        if (before != null && shape.equals(readyShape) && positions.equals(readyPositions)) {
            return before;
        }
        PreparedShapes.Prepared now = shapes.of(shape, positions, this);
        memory.replace(before == null ? 0 : before.bytes(), now.bytes());
        ready = now;
        readyShape = shape;
        readyPositions = positions;
        return now;
    }

    /** Throws unless the query may go on. */
    void check() {
        check(
                ErrorCode.INCOMPLETE,
                "the query's time was over before its shape was made ready; ask again, allow more time, or ask for a"
                        + " shape with fewer corners");
    }

    /** Throws unless the query may go on waiting for its turn to make its shape ready. */
    void checkTurn() {
        check(
                ErrorCode.SERVER_BUSY,
                "the server is busy: other queries' shapes were made ready until this query's time was over; ask again"
                        + " later");
    }

    private void check(ErrorCode late, String message) {
        if (Thread.currentThread().isInterrupted()) {
            throw new WaterwheelException(
                    ErrorCode.INTERRUPTED, "the server ended the query while its shape was made ready; ask again");
        }
        if (givenUp.getAsBoolean()) {
            throw new WaterwheelException(ErrorCode.CLIENT_GONE, "the receiver of the answer is gone");
        }
        if (clock.nanos() - deadlineNanos >= 0) {
            throw new WaterwheelException(late, message);
        }
    }

    Making making() {
        return new Making();
    }

    /** What making the shape ready takes: reserved until it is made. */
    final class Making implements Allowance, AutoCloseable {
        private final Reservation taken = memory.part();
        private long work;

        private Making() {}

        @Override
        public void work(long nanos) {
            work += nanos;
            if (work >= WORK_BETWEEN) {
                work = 0;
                check();
            }
        }

        @Override
        public void memory(long bytes) {
            taken.reserve(bytes);
        }

        @Override
        public void close() {
            taken.close();
        }
    }

    @Override
    public void close() {
        memory.close();
    }
}
