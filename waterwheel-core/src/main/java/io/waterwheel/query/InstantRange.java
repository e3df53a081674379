package io.waterwheel.query;

import io.waterwheel.tuple.TimeInterval;
import java.time.Instant;

/**
 * A closed range of instants, exact to the nanosecond: {@code from} of 12:00:00.0005 leaves out a time of 12:00:00.0004
 * in a field that counts microseconds, and {@code to} of 12:00:00 one of 12:00:00.000001.
 *
 * @param from {@link Instant#MIN} for no bound
 * @param to {@link Instant#MAX} for no bound
 */
public record InstantRange(Instant from, Instant to) {
    public static final InstantRange ALL = new InstantRange(Instant.MIN, Instant.MAX);

    public InstantRange {
        if (from.isAfter(to)) {
            throw new IllegalArgumentException("query: no time lies from " + from + " to " + to);
        }
    }

    /** Whether it bounds nothing. */
    public boolean isAll() {
        return from.equals(Instant.MIN) && to.equals(Instant.MAX);
    }

    /** The milliseconds since 1970 that hold it, as far as 64 bits count them. */
    public TimeInterval millis() {
        return new TimeInterval(millis(from), millis(to));
    }

    private static long millis(Instant instant) {
        try {
            return instant.toEpochMilli();
        } catch (ArithmeticException e) {
            return instant.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /**
     * What lies in both.
     *
     * @throws IllegalArgumentException when nothing does
     */
    public InstantRange and(InstantRange other) {
        Instant later = from.isAfter(other.from) ? from : other.from;
        Instant earlier = to.isBefore(other.to) ? to : other.to;
        if (later.isAfter(earlier)) {
            throw new IllegalArgumentException(
                    "query: no time lies in both " + from + " to " + to + " and " + other.from + " to " + other.to);
        }
        return new InstantRange(later, earlier);
    }
}
