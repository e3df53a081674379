package io.waterwheel.tuple;

/** A closed interval of time, milliseconds since 1970 UTC, {@code from <= to}. */
public record TimeInterval(long from, long to) {
    /** All time. */
    public static final TimeInterval ALL = new TimeInterval(Long.MIN_VALUE, Long.MAX_VALUE);

    public TimeInterval {
        if (from > to) {
            throw new IllegalArgumentException("time interval: from " + from + " is after to " + to);
        }
    }

    /** Whether it is {@link #ALL}; without what a record's first {@code equals} takes: a command asks this once. */
    public boolean isAll() {
        return from == Long.MIN_VALUE && to == Long.MAX_VALUE;
    }

    public boolean contains(long time) {
        return from <= time && time <= to;
    }

    public boolean overlaps(TimeInterval other) {
        return from <= other.to && other.from <= to;
    }

    /** The smallest interval that holds both. */
    public TimeInterval span(TimeInterval other) {
        return new TimeInterval(Math.min(from, other.from), Math.max(to, other.to));
    }
}
