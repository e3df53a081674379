package io.waterwheel;

import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits for a condition: looks at it until it holds or the patience ends. First every few milliseconds, then ever less
 * often: a look may be a query, and what is waited for needs the processor itself.
 */
public final class Waiting {
    /** Long: what holds in seconds on a quiet machine may take minutes where all processors are taken. */
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private static final long SHORTEST_REST_NANOS = 2_000_000;
    private static final long LONGEST_REST_NANOS = 100_000_000;
    /** A rest is this part of what was waited so far: no wait is longer by more than that. */
    private static final int REST_PART = 10;

    /**
     * A condition whose look may fail. A failure ends the wait, but for one that is so for now, as on a busy machine:
     * then the condition does not hold yet.
     */
    public interface Condition {
        boolean holds() throws Exception;
    }

    private Waiting() {}

    /** Waits four minutes at most. */
    public static void until(String what, Condition condition) {
        until(what, PATIENCE, condition);
    }

    /** Returns when the condition holds; fails with what was waited for when the patience ends first. */
    public static void until(String what, Duration patience, Condition condition) {
        WaterwheelException[] last = new WaterwheelException[1];
        if (!holds(what, patience, condition, last)) {
            throw new AssertionError("not within " + patience.toSeconds() + " s: " + what, last[0]);
        }
    }

    /** Whether the condition held before the patience ended. */
    public static boolean holds(Duration patience, Condition condition) {
        return holds("a condition", patience, condition, new WaterwheelException[1]);
    }

    private static boolean holds(String what, Duration patience, Condition condition, WaterwheelException[] last) {
        long begun = System.nanoTime();
        while (!look(condition, last)) {
            if (System.nanoTime() - begun >= patience.toNanos()) {
                return false;
            }
            rest(what, begun);
        }
        return true;
    }

    /** The answer to a question that is asked again while it fails for now, as it may on a busy machine. */
    public static <T> T answered(Supplier<T> question) {
        long begun = System.nanoTime();
        while (true) {
            try {
                return question.get();
            } catch (WaterwheelException e) {
                if (e.kind() != WaterwheelException.Kind.TEMPORARY || System.nanoTime() - begun >= PATIENCE.toNanos()) {
                    throw e;
                }
            }
            rest("an answer", begun);
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

    private static void rest(String what, long begun) {
        long waited = System.nanoTime() - begun;
        LockSupport.parkNanos(Math.min(LONGEST_REST_NANOS, Math.max(SHORTEST_REST_NANOS, waited / REST_PART)));
        if (Thread.currentThread().isInterrupted()) {
            throw new AssertionError("interrupted while waiting for: " + what);
        }
    }
}
