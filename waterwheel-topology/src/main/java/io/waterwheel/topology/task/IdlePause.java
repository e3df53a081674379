package io.waterwheel.topology.task;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How a thread waits that looks for messages: it sleeps for a five-hundredth of the time that none came, from a
 * millisecond to {@link #MOST_MILLIS}, which is reached after 50 s. When one comes, half of the time before it still
 * counts, less five hundred times what handling it took: a single one, such as Storm's own each minute, does not make
 * the sleeps short again; several in a row, and what takes long, do. A stream's heartbeats come several times a second,
 * so where there is one, a sleep lasts a millisecond. One thread.
 */
public final class IdlePause {
    public static final long MOST_MILLIS = 100;

    /** Of the time without a message, a sleep is one part in this number. */
    private static final int SHARE = 500;

    /** Looks without a sleep: what comes now is most often the rest of a burst. */
    private static final int LOOKS = 3;

    private long sinceNanos = System.nanoTime();
    /** When the last look was over. */
    private long lookedNanos = sinceNanos;

    /**
     * Waits once.
     *
     * @param looks how often nothing was there so far, since something was: 0 or what this returned
     */
    public int pause(int looks) throws InterruptedException {
        long now = System.nanoTime();
        if (looks == 0) {
            sinceNanos = now - rememberedNanos(lookedNanos - sinceNanos, now - lookedNanos);
        } else {
            // Where back pressure held the thread, it did not look.
            sinceNanos += now - lookedNanos;
        }
        if (looks < LOOKS) {
            LockSupport.parkNanos(1);
        } else {
            Thread.sleep(sleepMillis(System.nanoTime() - sinceNanos));
        }
        lookedNanos = System.nanoTime();
        return Math.min(looks + 1, LOOKS);
    }

    /**
     * What counts of the time without a message once some have come.
     *
     * @param busyNanos from the last look in vain to the next
     */
    static long rememberedNanos(long idleNanos, long busyNanos) {
        long most = TimeUnit.MILLISECONDS.toNanos(MOST_MILLIS * SHARE);
        return Math.max(0, Math.min(idleNanos, most) / 2 - SHARE * Math.min(busyNanos, most));
    }

    /** The length of a sleep after so long without a message. */
    static long sleepMillis(long idleNanos) {
        return Math.max(1, Math.min(MOST_MILLIS, TimeUnit.NANOSECONDS.toMillis(idleNanos) / SHARE));
    }
}
