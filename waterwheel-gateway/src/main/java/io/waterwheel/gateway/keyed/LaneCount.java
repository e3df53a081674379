package io.waterwheel.gateway.keyed;

import java.util.concurrent.TimeUnit;

/**
 * How many lanes a stream uses. Begins with one. While rows wait all the time, it tries twice as many, and keeps them
 * only where that stores a tenth more rows a second; each trial in vain doubles the time to the next. Lanes that do not
 * have enough to do are given up. After MatrixGate's rules for slots (docs/references.md), but by the rate that is
 * seen: commits share the brokers' log, and more lanes may well be slower. One thread.
 */
final class LaneCount {
    /** Of one measurement. Also how long nothing is measured after a change. */
    static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(2);

    static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final double WORTH = 1.1;
    /** Of batches that leave rows waiting, from which on lanes are the narrow place. */
    private static final double SATURATED = 0.9;

    private final int most;
    private int count = 1;
    private double rateBefore = -1;
    private long pause = FIRST_PAUSE_NANOS;
    private long trialAfter = Long.MIN_VALUE;
    private long windowFrom;
    private boolean settling = true;
    private long rows;
    private int batches;
    private int full;

    /** @param most a power of two */
    LaneCount(int most, long nowNanos) {
        this.most = most;
        this.windowFrom = nowNanos;
    }

    /**
     * A batch is stored.
     *
     * @param waits whether more rows wait for its lane
     * @return how many lanes are to be used from now on
     */
    int stored(int batchRows, boolean waits, long nowNanos) {
        rows += batchRows;
        batches++;
        full += waits ? 1 : 0;
        long elapsed = nowNanos - windowFrom;
        if (elapsed < WINDOW_NANOS) {
            return count;
        }
        double rate = rows * 1e9 / elapsed;
        boolean saturated = full >= SATURATED * batches;
        boolean measured = !settling;
        settling = false;
        windowFrom = nowNanos;
        rows = 0;
        batches = 0;
        full = 0;
        if (measured) {
            decide(rate, saturated, nowNanos);
        }
        return count;
    }

    private void decide(double rate, boolean saturated, long nowNanos) {
        if (rateBefore >= 0) {
            boolean worth = rate >= WORTH * rateBefore;
            rateBefore = -1;
            if (worth) {
                pause = FIRST_PAUSE_NANOS;
                trialAfter = nowNanos;
            } else {
                change(count / 2);
                trialAfter = nowNanos + pause;
                pause = Math.min(LONGEST_PAUSE_NANOS, 2 * pause);
            }
        } else if (saturated && count < most && nowNanos >= trialAfter) {
            rateBefore = rate;
            change(2 * count);
        } else if (!saturated && count > 1) {
            change(count / 2);
        }
    }

    private void change(int next) {
        count = next;
        settling = true;
    }
}
