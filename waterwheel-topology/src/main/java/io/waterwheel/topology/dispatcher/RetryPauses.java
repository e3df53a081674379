package io.waterwheel.topology.dispatcher;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * When something that failed may be tried again: after a pause that doubles with each failure in a row, up to a bound.
 * One thread.
 */
final class RetryPauses<T> {
    private record Pause(long lengthNanos, long endNanos) {}

    private final long firstNanos;
    private final long mostNanos;
    private final Map<T, Pause> pauses = new HashMap<>();

    /** @param firstNanos the pause after a first failure */
    RetryPauses(long firstNanos, long mostNanos) {
        this.firstNanos = firstNanos;
        this.mostNanos = mostNanos;
    }

    /** Whether it has not failed of late, or its pause is over. */
    boolean mayTry(T what, long now) {
        Pause pause = pauses.get(what);
        return pause == null || now - pause.endNanos >= 0;
    }

    /** Whether its last try failed. */
    boolean hasFailed(T what) {
        return pauses.containsKey(what);
    }

    void failed(T what, long now) {
        Pause last = pauses.get(what);
        long length = last == null ? firstNanos : Math.min(2 * last.lengthNanos, mostNanos);
        pauses.put(what, new Pause(length, now + length));
    }

    void succeeded(T what) {
        pauses.remove(what);
    }

    /** Forgets failures of what is no more. */
    void forgetIf(Predicate<T> gone) {
        pauses.keySet().removeIf(gone);
    }
}
