package io.waterwheel.ingest.block;

/**
 * When that is due which is only repeated: at whole multiples of an interval on the clock. So all that a task repeats
 * is due in the same moment, and goes in few messages.
 */
public final class Beats {
    private Beats() {}

    /** Whether a multiple of the interval lies behind the first time and not behind the second; in nanoseconds. */
    public static boolean passed(long lastNanos, long nowNanos, long intervalNanos) {
        return Math.floorDiv(nowNanos, intervalNanos) != Math.floorDiv(lastNanos, intervalNanos);
    }
}
