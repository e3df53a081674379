package io.waterwheel.topology.worker;

import java.util.concurrent.TimeUnit;

/** Waits for the end of what would run on half stopped if its caller, who was interrupted, went away. */
public final class Uninterrupted {
    private Uninterrupted() {}

    /**
     * Waits for the end of a thread. A caller that is interrupted waits all the same, and finds its flag set
     * afterwards.
     *
     * @return whether the thread has ended within the time
     */
    public static boolean join(Thread thread, long millis) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (thread.isAlive()) {
            // Rounded up: 0 would wait for ever.
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()) + 1;
            if (left <= 0) {
                break;
            }
            try {
                thread.join(left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
