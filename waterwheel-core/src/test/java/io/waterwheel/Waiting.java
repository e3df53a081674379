package io.waterwheel;

import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for a condition: looks at it every few milliseconds until it holds or the patience ends. */
public final class Waiting {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration ANSWER_PATIENCE = Duration.ofMinutes(2);
    private static final long POLL_NANOS = 2_000_000;

    /**
     * A condition whose look may fail. A failure ends the wait, but for one that is so for now, as on a busy machine:
     * then the condition does not hold yet.
     */
    public interface Condition {
        boolean holds() throws Exception;
    }

    private Waiting() {}

    /** Waits two minutes at most. */
    public static void until(String what, Condition condition) {
        until(what, PATIENCE, condition);
    }

    /** Returns when the condition holds; fails with what was waited for when the patience ends first. */
    public static void until(String what, Duration patience, Condition condition) {
        WaterwheelException[] last = new WaterwheelException[1];
        if (!holds(patience, condition, last)) {
            throw new AssertionError("not within " + patience.toSeconds() + " s: " + what, last[0]);
        }
    }

    /** Whether the condition held before the patience ended. */
    public static boolean holds(Duration patience, Condition condition) {
        return holds(patience, condition, new WaterwheelException[1]);
    }

    private static boolean holds(Duration patience, Condition condition, WaterwheelException[] last) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!look(condition, last)) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            rest();
        }
        return true;
    }

    /** The answer to a question that is asked again while it fails for now, as it may on a busy machine. */
    public static <T> T answered(Supplier<T> question) {
        long deadline = System.nanoTime() + ANSWER_PATIENCE.toNanos();
        while (true) {
            try {
                return question.get();
            } catch (WaterwheelException e) {
                if (e.kind() != WaterwheelException.Kind.TEMPORARY || System.nanoTime() - deadline >= 0) {
                    throw e;
                }
            }
            rest();
        }
    }

    private static boolean look(Condition condition, WaterwheelException[] last) {
        try {
            return condition.holds();
        } catch (WaterwheelException e) {
            if (e.kind() != WaterwheelException.Kind.TEMPORARY) {
                throw e;
            }
            last[0] = e;
            return false;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new AssertionError("the condition could not be looked at", e);
        }
    }

    private static void rest() {
        LockSupport.parkNanos(POLL_NANOS);
        if (Thread.currentThread().isInterrupted()) {
            throw new AssertionError("interrupted while waiting");
        }
    }
}
