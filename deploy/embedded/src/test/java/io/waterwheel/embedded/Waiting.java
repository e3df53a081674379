package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits on a condition with a deadline. */
final class Waiting {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A condition that may fail to be asked. */
    interface Condition {
        boolean holds() throws Exception;
    }

    private Waiting() {}

    static void until(String what, Condition condition) throws Exception {
        until(what, PATIENCE, condition);
    }

    static void until(String what, Duration patience, Condition condition) throws Exception {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("within %s: %s", patience, what).isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }
}
