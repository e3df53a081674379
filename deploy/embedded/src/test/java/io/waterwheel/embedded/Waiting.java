package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits on a condition with a deadline. */
public final class Waiting {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration ANSWER_PATIENCE = Duration.ofMinutes(2);

    /** A condition that may fail to be asked. */
    public interface Condition {
        boolean holds() throws Exception;
    }

    private Waiting() {}

    public static void until(String what, Condition condition) throws Exception {
        until(what, PATIENCE, condition);
    }

    public static void until(String what, Duration patience, Condition condition) throws Exception {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("within %s: %s", patience, what).isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }

    /**
     * The answer to a question that is asked again while it fails for now: its time may be short for a busy machine.
     */
    static <T> T answered(Supplier<T> question) {
        long deadline = System.nanoTime() + ANSWER_PATIENCE.toNanos();
        while (true) {
            try {
                return question.get();
            } catch (WaterwheelException e) {
                if (e.kind() != WaterwheelException.Kind.TEMPORARY || System.nanoTime() - deadline >= 0) {
                    throw e;
                }
            }
            LockSupport.parkNanos(5_000_000);
        }
    }
}
