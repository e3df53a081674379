package io.waterwheel.gateway.keyed;

import java.util.concurrent.TimeUnit;

/**
 * How many lanes a stream uses. Begins with one. While rows wait all the time, it tries twice as many, and keeps them
 * only where that stores a tenth more rows a second. A number that was kept is questioned the same way: half as many
 * are tried. Each trial that changes nothing doubles the time to the next. Lanes that do not have enough to do are
 * given up. After MatrixGate's rules for slots (docs/references.md), but by the rate that is seen: commits share the
 * brokers' log, and more lanes may well be slower. One thread.
 */
final class LaneCount {
    /*
     * A trial measures the number that there is, the other, and the one that there is again: the load may rise or fall
     * meanwhile, and then one of the two around it says so. More lanes have to be better than both measurements of
     * fewer, and fewer are enough unless both measurements of more are better.
     */

    /** Of one measurement. Also how long nothing is measured after a change. */
    static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(2);

    static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final double WORTH = 1.1;
    /** Of batches that leave rows waiting, from which on lanes are the narrow place. */
    private static final double SATURATED = 0.9;
    /** Measurements in which rows do not wait all the time, one behind the other, before lanes are given up. */
    private static final int IDLE = 3;
    /** A measurement that took longer says nothing about the one before, but that little came. */
    private static final long GAP_NANOS = 4 * WINDOW_NANOS;

    /** What is measured now. */
    private enum Trial {
        NONE,
        /** Twice as many. */
        MORE,
        /** As many as before twice as many were tried. */
        BACK_FROM_MORE,
        /** Half as many. */
        FEWER,
        /** As many as before half as many were tried. */
        BACK_FROM_FEWER
    }

    /** Is told what trials have shown. */
    @FunctionalInterface
    interface Listener {
        /**
         * A trial has come to its end; one that breaks off for want of rows is not told.
         *
         * @param lanes that there were
         * @param before rows a second with them, before the trial
         * @param after the same, after the trial; NaN where it was not needed
         * @param tried lanes
         * @param rate rows a second with those
         * @param kept lanes that are used from now on: one of the two numbers
         */
        void trialEnded(int lanes, double before, double after, int tried, double rate, int kept);
    }

    /** When a kind of trial is due. */
    private static final class Pace {
        private long pause = FIRST_PAUSE_NANOS;
        private long after = Long.MIN_VALUE;

        boolean isDue(long now) {
            return now >= after;
        }

        /** A trial has changed nothing. */
        void inVain(long now) {
            after = now + pause;
            pause = Math.min(LONGEST_PAUSE_NANOS, 2 * pause);
        }

        /** Another number is used from now on. */
        void anew(long from) {
            after = from;
            pause = FIRST_PAUSE_NANOS;
        }
    }

    private final int most;
    private final Listener listener;
    private final Pace more = new Pace();
    private final Pace fewer = new Pace();
    private int count = 1;
    private Trial trial = Trial.NONE;
    /** Of the trial: rates before it, and at the other number. */
    private double before;

    private double other;
    private int idle;
    private long windowFrom;
    private boolean settling = true;
    private long rows;
    private int batches;
    private int full;

    /** @param most a power of two */
    LaneCount(int most, Listener listener, long nowNanos) {
        this.most = most;
        this.listener = listener;
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
        if (elapsed > GAP_NANOS) {
            giveUpTrial();
            if (!saturated) {
                idled();
            }
        } else if (measured) {
            measured(rate, saturated, nowNanos);
        }
        return count;
    }

    private void giveUpTrial() {
        if (trial == Trial.MORE) {
            change(count / 2);
        } else if (trial == Trial.FEWER) {
            change(2 * count);
        }
        trial = Trial.NONE;
    }

    private void measured(double rate, boolean saturated, long nowNanos) {
        switch (trial) {
            case NONE -> steady(rate, saturated, nowNanos);
            case MORE -> {
                other = rate;
                trial = Trial.BACK_FROM_MORE;
                change(count / 2);
            }
            case BACK_FROM_MORE -> {
                trial = Trial.NONE;
                int lanes = count;
                if (saturated && isWorth(other, Math.max(before, rate))) {
                    change(2 * lanes);
                    more.anew(nowNanos);
                    fewer.anew(nowNanos + FIRST_PAUSE_NANOS);
                } else {
                    more.inVain(nowNanos);
                }
                listener.trialEnded(lanes, before, rate, 2 * lanes, other, count);
            }
            case FEWER -> {
                other = rate;
                if (saturated) {
                    trial = Trial.BACK_FROM_FEWER;
                    change(2 * count);
                } else {
                    trial = Trial.NONE;
                    renounced(nowNanos);
                    listener.trialEnded(2 * count, before, Double.NaN, count, rate, count);
                }
            }
            case BACK_FROM_FEWER -> {
                trial = Trial.NONE;
                int lanes = count;
                if (isWorth(Math.min(before, rate), other)) {
                    fewer.inVain(nowNanos);
                } else {
                    change(lanes / 2);
                    renounced(nowNanos);
                }
                listener.trialEnded(lanes, before, rate, lanes / 2, other, count);
            }
        }
    }

    private void steady(double rate, boolean saturated, long nowNanos) {
        if (!saturated) {
            idled();
            return;
        }
        idle = 0;
        if (count < most && more.isDue(nowNanos)) {
            begin(Trial.MORE, rate, 2 * count);
        } else if (count > 1 && fewer.isDue(nowNanos)) {
            begin(Trial.FEWER, rate, count / 2);
        }
    }

    private void idled() {
        idle++;
        if (idle >= IDLE && count > 1) {
            change(count / 2);
        }
    }

    /** Keys without rows give a rate of 0, for which no lanes are worth it. */
    private static boolean isWorth(double more, double fewer) {
        return more > 0 && more >= WORTH * fewer;
    }

    private void begin(Trial kind, double rate, int next) {
        trial = kind;
        before = rate;
        change(next);
    }

    /** Half as many are enough: as many as there were are not tried again at once. */
    private void renounced(long nowNanos) {
        more.anew(nowNanos + FIRST_PAUSE_NANOS);
        fewer.anew(nowNanos);
    }

    private void change(int next) {
        count = next;
        idle = 0;
        settling = true;
    }
}
