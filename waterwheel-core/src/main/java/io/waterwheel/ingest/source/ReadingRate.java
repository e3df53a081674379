package io.waterwheel.ingest.source;

/** How quickly a partition is read, as the margin of its limit needs it: rises at once, falls by half. */
public final class ReadingRate {
    private static final long INTERVAL_NANOS = 200_000_000;

    private long fromNanos;
    /** -1 where measuring begins anew. */
    private long fromOffset = -1;

    private double offsetsPerNano;

    public ReadingRate(long nowNanos) {
        this.fromNanos = nowNanos;
    }

    /** Reading goes on elsewhere: a jump is no rate. */
    public void jump() {
        fromOffset = -1;
    }

    /** Takes note of the position that is read now. */
    public void measure(long position, long nowNanos) {
        if (fromOffset < 0) {
            fromOffset = position;
            fromNanos = nowNanos;
        } else if (nowNanos - fromNanos > INTERVAL_NANOS) {
            double current = (double) (position - fromOffset) / (nowNanos - fromNanos);
            offsetsPerNano = Math.max(current, (offsetsPerNano + current) / 2);
            fromOffset = position;
            fromNanos = nowNanos;
        }
    }

    /** Offsets a second. */
    public long aSecond() {
        return (long) (offsetsPerNano * 1e9);
    }
}
