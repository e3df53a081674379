package io.waterwheel.query.rows;

import io.waterwheel.tuple.TimeInterval;

/**
 * A time interval divided into steps of one length.
 *
 * @param from where the first begins, in milliseconds
 * @param length of a step in milliseconds, a number without a sign; 0 when one step takes all times
 */
public record TimeSteps(long from, long length) {
    /** A number of steps, the last of which may end after the interval. */
    public static TimeSteps of(TimeInterval times, int steps) {
        return new TimeSteps(times.from(), Long.divideUnsigned(times.to() - times.from(), steps) + 1);
    }

    /** The step that a time lies in, from 0; the time is in the interval. */
    public long step(long millis) {
        return length == 0 ? 0 : Long.divideUnsigned(millis - from, length);
    }
}
