package io.waterwheel.embedded.server;

import java.util.Objects;

/**
 * How long to wait for something that has no time of its own, as a start on a busy machine: as long as it gets on. One
 * thread.
 */
final class Patience {
    private final long standstillNanos;
    private final long tellNanos;
    private final long beginNanos;
    private Object state = "";
    private long changedNanos;
    private long toldNanos;

    /**
     * Begins to wait.
     *
     * @param standstillNanos after this time without a change nothing more is expected
     * @param tellNanos how often to say what is waited for
     */
    Patience(long standstillNanos, long tellNanos, long nowNanos) {
        this.standstillNanos = standstillNanos;
        this.tellNanos = tellNanos;
        this.beginNanos = nowNanos;
        this.changedNanos = nowNanos;
        this.toldNanos = nowNanos;
    }

    /**
     * Whether it is worth waiting on.
     *
     * @param now all that tells how far it is; anything else than last time is progress
     */
    boolean goesOn(Object now, long nowNanos) {
        if (!Objects.equals(now, state)) {
            state = now;
            changedNanos = nowNanos;
        }
        return nowNanos - changedNanos < standstillNanos;
    }

    /** Whether it is time to say what is waited for. */
    boolean tells(long nowNanos) {
        if (nowNanos - toldNanos < tellNanos) {
            return false;
        }
        toldNanos = nowNanos;
        return true;
    }

    /** How long it has been waited, in seconds. */
    long seconds(long nowNanos) {
        return (nowNanos - beginNanos) / 1_000_000_000;
    }
}
