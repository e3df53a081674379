package io.waterwheel.client.cli;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Holds a loop to a number of turns a second. One thread. */
final class Pace {
    /** As many turns a second as there can be. */
    static final Pace FREE = new Pace(0);

    private final double nanosPerTurn;
    private final long begin = System.nanoTime();
    private long turns;

    /** @param perSecond 0: as many as there can be */
    Pace(double perSecond) {
        this.nanosPerTurn = perSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / perSecond;
    }

    /** Waits until it is time for the next turn; returns at once, for good, when the thread is interrupted. */
    void next() {
        if (nanosPerTurn == 0) {
            return;
        }
        long due = begin + (long) (turns++ * nanosPerTurn);
        long left;
        while ((left = due - System.nanoTime()) > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
        }
    }
}
