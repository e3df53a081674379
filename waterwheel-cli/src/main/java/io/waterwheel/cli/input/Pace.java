package io.waterwheel.cli.input;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Holds a loop to a number of turns a second, at most. One thread. */
public final class Pace {
    /** As many turns a second as there can be. */
    public static final Pace FREE = new Pace(Double.POSITIVE_INFINITY);

    /**
     * As much as turns may catch up on, so that a thread that wakes late keeps the pace; an idle input's time is gone.
     */
    private static final double CATCH_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final double nanosPerTurn;
    private final LongSupplier clock;
    private final long begin;
    /** When the next turn may be, in nanoseconds since the beginning. */
    private double due;

    /** @param perSecond above 0 */
    public Pace(double perSecond) {
        this(perSecond, System::nanoTime);
    }

    public Pace(double perSecond, LongSupplier clock) {
        this.nanosPerTurn = TimeUnit.SECONDS.toNanos(1) / perSecond;
        this.clock = clock;
        this.begin = clock.getAsLong();
    }

    /** How long it is until the next turn, in nanoseconds; 0 when it may be now. */
    public long nanosLeft() {
        return nanosPerTurn == 0 ? 0 : Math.max(0, (long) (due - (clock.getAsLong() - begin)));
    }

    /** Waits until it is time for the next turn; returns at once, for good, when the thread is interrupted. */
    public void next() {
        if (nanosPerTurn == 0) {
            return;
        }
        long left;
        while ((left = nanosLeft()) > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
        }
        due = Math.max(due, clock.getAsLong() - begin - CATCH_UP_NANOS) + nanosPerTurn;
    }
}
