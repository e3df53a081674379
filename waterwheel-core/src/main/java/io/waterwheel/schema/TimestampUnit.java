package io.waterwheel.schema;

import java.time.DateTimeException;
import java.time.Instant;

/** Units that timestamps are counted in. */
public enum TimestampUnit {
    SECONDS("s", 1_000_000_000L),
    MILLISECONDS("ms", 1_000_000L),
    MICROSECONDS("us", 1_000L),
    NANOSECONDS("ns", 1L);

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final String schemaName;
    private final long nanos;

    TimestampUnit(String schemaName, long nanos) {
        this.schemaName = schemaName;
        this.nanos = nanos;
    }

    /** The unit's name in a schema file. */
    public String schemaName() {
        return schemaName;
    }

    /** Nanoseconds in one. */
    public long nanos() {
        return nanos;
    }

    /** The milliseconds in which this many units end: rounded down, to the past. */
    public long toMillis(long units) {
        return this == SECONDS ? Math.multiplyExact(units, 1000L) : Math.floorDiv(units, MILLISECONDS.nanos / nanos);
    }

    /** The instant this many units after 1970. */
    public Instant instant(long units) {
        long perSecond = NANOS_PER_SECOND / nanos;
        return Instant.ofEpochSecond(Math.floorDiv(units, perSecond), Math.floorMod(units, perSecond) * nanos);
    }

    /**
     * The units from 1970 to an instant, rounded down.
     *
     * @throws DateTimeException when there are more than 64 bits count
     */
    public long units(Instant instant) {
        try {
            long perSecond = NANOS_PER_SECOND / nanos;
            long second = instant.getEpochSecond();
            long within = instant.getNano() / nanos;
            // Towards zero first: the second that a count begins in may begin out of range.
            return second < 0
                    ? Math.addExact(Math.multiplyExact(second + 1, perSecond), within - perSecond)
                    : Math.addExact(Math.multiplyExact(second, perSecond), within);
        } catch (ArithmeticException e) {
            throw new DateTimeException(
                    instant + " is out of the range of " + name().toLowerCase(java.util.Locale.ROOT) + " since 1970",
                    e);
        }
    }
}
