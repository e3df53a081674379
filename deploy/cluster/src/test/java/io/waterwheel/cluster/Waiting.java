package io.waterwheel.cluster;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits on a condition with a deadline. */
final class Waiting {
    private static final long POLL_NANOS = 20_000_000;

    /** A condition that may fail to be asked. */
    public interface Condition {
        boolean holds() throws Exception;
    }

    private Waiting() {}

    /** Whether it held before the patience ran out. */
    public static boolean until(Duration patience, Condition condition) throws Exception {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }
}
