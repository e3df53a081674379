package io.waterwheel.topology.warmup;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts the questions of clients that are under way, for work that gives way to them. A moment is quiet when there is
 * none, and none has ended within {@link #QUIET_NANOS}: a client that asks one after another is given way to as a
 * whole. Thread-safe; counting holds a lock for some assignments.
 */
final class QuietMoments {
    static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private int underWay;
    private int waiting;
    private boolean over;
    /** By {@link System#nanoTime}, when the last one ended. */
    private long endedNanos = System.nanoTime() - QUIET_NANOS;

    /** A question of a client begins. */
    void begin() {
        lock.lock();
        try {
            underWay++;
        } finally {
            lock.unlock();
        }
    }

    /** One has ended. */
    void end() {
        lock.lock();
        try {
            underWay--;
            endedNanos = System.nanoTime();
            if (underWay == 0 && waiting > 0) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** No thread shall wait for a quiet moment again. */
    void giveUp() {
        lock.lock();
        try {
            over = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a quiet moment.
     *
     * @param untilNanos by {@link System#nanoTime}, how long at most
     * @return whether there is one; false once they are given up
     */
    boolean await(long untilNanos) throws InterruptedException {
        lock.lockInterruptibly();
        waiting++;
        try {
            while (true) {
                if (over) {
                    return false;
                }
                long now = System.nanoTime();
                long rest = underWay > 0 ? Long.MAX_VALUE : endedNanos + QUIET_NANOS - now;
                if (rest <= 0) {
                    return true;
                }
                long left = untilNanos - now;
                if (left <= 0) {
                    return false;
                }
                long ignoredRest = changed.awaitNanos(Math.min(rest, left));
                assert ignoredRest <= left;
            }
        } finally {
            waiting--;
            lock.unlock();
        }
    }

    /** How many threads wait for one. */
    int waiting() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }
}
